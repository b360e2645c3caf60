//! The entries under one key, sorted by what they need, so that a request meets few of them.
//!
//! A short shelf is walked; a long one is searched: a filter says for each piece of the request
//! whether some entry needs it, and only then it is looked for.

use std::cmp::Reverse;
use std::collections::HashMap;

use foldhash::quality::RandomState;

use super::entry::{Entry, Need};
use super::key::{At, Key};
use super::seed::Seed;
use super::shown::{Shown, bit, get, set, windows};

/// A shelf with more entries than this is searched.
const LONG: usize = 24;

/// A value longer than this is not cut into grams: walking costs no more.
const MAX_VALUE: usize = 4096;

/// What a long shelf knows of its entries.
#[derive(Debug, Clone)]
pub(super) struct Long {
    /// Where each kind of need ends among all entries, in the order of [`Need::ALL`].
    ends: [u32; Need::ALL.len()],
    /// Where the first of them begins.
    start: u32,
    /// How many parts lie above the folders that there are, a bit each.
    depths: u32,
    /// Which needs and tags there are, among 2^`bits`.
    filter: Box<[u64]>,
    bits: u32,
}

/// Shows every entry of a short shelf that may match, as [`Long::search`] does.
pub(super) fn walk(entries: &[Entry], shown: &Shown<'_>, mut show: impl FnMut(&Entry, usize)) {
    let mut rest = entries;
    while let Some(first) = rest.first() {
        let run = if Need::FREE.contains(&first.need) {
            rest.iter()
                .take_while(|entry| entry.need == first.need)
                .count()
        } else {
            1
        };
        if shown.may_match(first) {
            show(first, run);
        }
        rest = rest.get(run..).unwrap_or_default();
    }
}

/// Chooses for each entry of a shelf by which of its keys it is found, and sorts them: on a long one
/// the rarest, on a short one the one that says most of a value. `keys` is empty where there is
/// nothing to choose. The shelf begins at `start` of all entries.
pub(super) fn arrange(
    entries: &mut [Entry],
    start: usize,
    seed: &Seed,
    keys: impl Fn(&Entry) -> Vec<Key>,
) -> Option<Long> {
    let is_long = entries.len() > LONG;
    let mut counted: HashMap<(Need, u32), u32, RandomState> = HashMap::default();
    let keys: Vec<Vec<Key>> = entries.iter().map(keys).collect();
    if is_long {
        for key in keys.iter().flatten() {
            *counted.entry((key.need, key.tag)).or_default() += 1;
        }
    }
    let worth = |key: &Key| {
        let count = counted.get(&(key.need, key.tag)).copied().unwrap_or(0);
        let count = if key.tells() { count } else { u32::MAX };
        (count, Reverse(key.weight), Reverse(key.need), key.tag)
    };
    for (entry, keys) in entries.iter_mut().zip(&keys) {
        let Some(best) = keys.iter().min_by_key(|key| worth(key)) else {
            continue;
        };
        let beside = |need: Need| {
            let is_other = move |key: &&Key| key.need == need && key.tag != best.tag;
            let elsewhere = |key: &&Key| (key.literal == best.literal, worth(key));
            keys.iter().filter(is_other).min_by_key(elsewhere)
        };
        let also = match best.need.bytes() {
            0 if best.need == Need::Word => beside(Need::Word),
            0 => None,
            _ => beside(Need::Gram4),
        };
        *entry = entry.found_by(*best, also.map_or(0, |also| also.tag));
    }
    entries.sort_unstable_by_key(|entry| (entry.need, entry.tag, entry.number));
    is_long.then(|| Long::over(entries, start, seed))
}

impl Long {
    fn over(entries: &[Entry], start: usize, seed: &Seed) -> Self {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let end = |need: Need| number(start + entries.partition_point(|entry| entry.need <= need));
        let wanted = entries.len().saturating_mul(16).next_power_of_two().max(64);
        let bits = wanted.trailing_zeros();
        let mut filter = vec![0_u64; wanted / 64];
        for entry in entries {
            set(&mut filter, bit(seed, entry.need, entry.tag, bits));
        }
        let folders = entries.iter().filter(|entry| entry.need == Need::Folder);
        let depth = |entry: &Entry| 1_u32 << entry.at.depth().min(31);
        Self {
            depths: folders.map(depth).fold(0, |all, one| all | one),
            ends: Need::ALL.map(end),
            start: number(start),
            filter: filter.into(),
            bits,
        }
    }

    /// The entries of one need, of all entries.
    fn of<'a>(&self, entries: &'a [Entry], need: Need) -> &'a [Entry] {
        let place = need.place();
        let end = |place: usize| self.ends.get(place).copied().unwrap_or(self.start);
        let begin = place.checked_sub(1).map_or(self.start, end);
        let bounds = [begin, end(place)].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
        entries.get(bounds[0]..bounds[1]).unwrap_or_default()
    }

    /// Shows every entry that may match, each once; of a run of free ones the first, and how many there are.
    pub(super) fn search(
        &self,
        entries: &[Entry],
        shown: &Shown<'_>,
        seed: &Seed,
        mut show: impl FnMut(&Entry, usize),
    ) {
        for need in Need::FREE {
            let free = self.of(entries, need);
            if let Some(first) = free.first() {
                show(first, free.len());
            }
        }
        let mut fitting = |entries: &[Entry]| {
            for entry in entries {
                if shown.action_fits(entry) && shown.has_also(entry) {
                    show(entry, 1);
                }
            }
        };
        fitting(self.of(entries, Need::Nothing));
        if shown.is_command() {
            fitting(self.of(entries, Need::Command));
            let by_word = self.of(entries, Need::Word);
            match shown.word_hashes() {
                _ if by_word.is_empty() => {}
                None => fitting(by_word),
                Some(words) => self.hashes(by_word, Need::Word, words.as_slice(), seed, |entry| {
                    fitting(entry);
                }),
            }
        }
        let Some(text) = shown.text() else {
            return;
        };
        fitting(self.of(entries, Need::Resource));
        self.made(entries, shown, seed, &mut fitting);
        for need in Need::GRAMS {
            let by_gram = self.of(entries, need);
            if text.len() > MAX_VALUE {
                fitting(by_gram);
            } else if !by_gram.is_empty() {
                self.grams(by_gram, need, text, seed, |entry| {
                    fitting(std::slice::from_ref(entry));
                });
            }
        }
    }

    /// Shows what is found by the value, by a folder, or by a part.
    fn made(
        &self,
        entries: &[Entry],
        shown: &Shown<'_>,
        seed: &Seed,
        mut show: impl FnMut(&[Entry]),
    ) {
        let [by_value, by_folder, by_part] =
            [Need::Value, Need::Folder, Need::Part].map(|need| self.of(entries, need));
        if by_value.is_empty() && by_folder.is_empty() && by_part.is_empty() {
            return;
        }
        let Some(made) = shown.made() else {
            return;
        };
        if !by_value.is_empty() {
            self.hashes(by_value, Need::Value, &[made.whole], seed, &mut show);
        }
        if made.deep {
            show(by_folder);
            show(by_part);
            return;
        }
        for (depth, folder) in made.folders().iter().enumerate() {
            if self.depths >> depth & 1 == 1 && self.may_have(seed, Need::Folder, *folder) {
                for entry in tagged(by_folder, *folder) {
                    if entry.at.depth() == depth {
                        show(std::slice::from_ref(entry));
                    }
                }
            }
        }
        if !by_part.is_empty() {
            self.hashes(by_part, Need::Part, made.parts(), seed, show);
        }
    }

    fn may_have(&self, seed: &Seed, need: Need, tag: u32) -> bool {
        get(&self.filter, bit(seed, need, tag, self.bits))
    }

    /// Shows the entries whose tag is one of the hashes, each once.
    fn hashes(
        &self,
        entries: &[Entry],
        need: Need,
        hashes: &[u32],
        seed: &Seed,
        mut show: impl FnMut(&[Entry]),
    ) {
        for (place, hash) in hashes.iter().enumerate() {
            if self.may_have(seed, need, *hash)
                && !hashes.iter().take(place).any(|before| before == hash)
            {
                show(tagged(entries, *hash));
            }
        }
    }

    /// Shows the entries whose gram stands in the text where it must.
    fn grams(
        &self,
        entries: &[Entry],
        need: Need,
        text: &str,
        seed: &Seed,
        mut show: impl FnMut(&Entry),
    ) {
        for (offset, tag) in windows(text, need).enumerate() {
            if !self.may_have(seed, need, tag) {
                continue;
            }
            let found = tagged(entries, tag);
            if found.is_empty() {
                continue;
            }
            // What may stand anywhere is shown where its gram stands first.
            let again = windows(text, need).take(offset).any(|before| before == tag);
            for entry in found {
                if !(entry.at == At::ANYWHERE && again) && entry.at.is(offset, text.len()) {
                    show(entry);
                }
            }
        }
    }
}

/// The entries with this tag, of entries that are sorted by it.
fn tagged(entries: &[Entry], tag: u32) -> &[Entry] {
    let begin = entries.partition_point(|entry| entry.tag < tag);
    let rest = entries.get(begin..).unwrap_or_default();
    let length = rest.iter().take_while(|entry| entry.tag == tag).count();
    rest.get(..length).unwrap_or_default()
}
