//! Everyday words beside the words that tools are described with.
//!
//! General English, by whoever also measured the index, so not written blind; short on purpose. Asked only
//! for a word that no tool holds: beside words that some tool does hold, relatives do harm.

use std::collections::BTreeMap;

use crate::bag::of_stem;
use crate::words::Stems;

/// Words of one line stand for each other.
const GROUPS: &[&str] = &[
    "weather forecast temperature rain",
    "buy purchase order shop shopping",
    "picture image photo photograph",
    "movie film cinema",
    "song music track playlist",
    "mail email inbox",
    "trip travel journey vacation holiday itinerary",
    "hotel lodging accommodation stay",
    "flight airline plane airport fly",
    "car vehicle automobile",
    "job career employment hiring",
    "doctor physician medical health",
    "money currency cash",
    "stock share equity market",
    "crypto cryptocurrency bitcoin coin",
    "price cost fee rate",
    "cheap discount deal coupon",
    "recipe cook cooking meal dish ingredient",
    "restaurant dining eat food",
    "news headline",
    "translate translation",
    "calculate compute calculator math",
    "delete remove erase",
    "create add new generate produce",
    "find search lookup discover",
    "get fetch retrieve obtain",
    "send transmit deliver",
    "change update modify edit",
    "folder directory",
    "file document",
    "repo repository",
    "chart graph plot diagram visualize",
    "appointment meeting event calendar",
    "remind reminder alarm alert",
    "video clip youtube",
    "law legal lawyer attorney",
    "house home property estate apartment rent",
    "learn study course education tutor",
    "gift present",
    "website site web url page link",
    "article paper research publication scholar",
    "summarize summary summarise condense shorten",
    "joke funny humor",
    "exercise workout fitness training",
    "diet nutrition calorie",
    "convert conversion transform",
    "sentiment emotion mood",
    "classify classification categorize label",
    "speech voice audio speak",
    "caption describe description",
    "chat talk conversation dialogue",
    "map location place address nearby",
    "plan schedule",
    "book reserve reservation booking",
    "cv resume",
    "bug error issue problem",
    "code program programming software developer",
    "database sql table query",
    "run execute",
    "list show display enumerate",
    "person people user contact",
    "pay payment transfer transaction",
    "phone call telephone",
    "text message sms",
    "answer reply respond question",
    "horoscope zodiac astrology tarot",
    "pet dog cat animal",
    "poem poetry story",
    "logo design brand",
    "ad advertisement marketing campaign",
    "company business firm corporation",
    "tv television show series episode",
    "sport football basketball soccer match score league",
];

/// Related stems by stem, as features.
#[derive(Debug)]
pub(crate) struct Related(BTreeMap<u64, Vec<u64>>);

impl Related {
    pub(crate) fn new(stems: &Stems) -> Self {
        let mut related: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for group in GROUPS {
            let feature = |word| of_stem(&stems.stem(word));
            let group: Vec<u64> = group.split(' ').map(feature).collect();
            for stem in &group {
                let others = group.iter().filter(|other| *other != stem);
                related.entry(*stem).or_default().extend(others);
            }
        }
        Self(related)
    }

    /// The features of the stems that may stand for the one with this feature.
    pub(crate) fn of(&self, stem: u64) -> &[u64] {
        self.0.get(&stem).map_or(&[], Vec::as_slice)
    }
}
