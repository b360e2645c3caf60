//! The entries under one key, sorted by what they need, so that a request meets few of them.
//!
//! A short shelf is walked; a long one is searched: values and words by their hash, and each gram of
//! the value where a filter says that some entry has it.

use std::collections::HashMap;

use super::entry::{Entry, Gram, Need};
use super::seed::Seed;
use super::sought::{Sought, bit, get, set};

/// A shelf with more entries than this is searched.
const LONG: usize = 24;

/// A value longer than this is not cut into grams: walking costs no more.
const MAX_VALUE: usize = 4096;

/// What a long shelf knows of its entries.
#[derive(Debug, Clone)]
pub(super) struct Long {
    /// Where each kind of need ends, in the order of [`Need`].
    ends: [u32; 12],
    /// Which grams there are, among 2^`bits`.
    filter: Box<[u64]>,
    bits: u32,
}

/// All needs, in their order.
const NEEDS: [Need; 12] = [
    Need::Free,
    Need::FreeInherited,
    Need::FreeAllow,
    Need::Nothing,
    Need::Resource,
    Need::Command,
    Need::Value,
    Need::Word,
    Need::Gram1,
    Need::Gram2,
    Need::Gram3,
    Need::Gram4,
];

const FREE: [Need; 3] = [Need::Free, Need::FreeInherited, Need::FreeAllow];

/// Shows every entry of a short shelf that may match, as [`Long::search`] does.
pub(super) fn walk(
    entries: &[Entry],
    sought: &mut Sought<'_>,
    mut show: impl FnMut(&Entry, usize),
) {
    let mut rest = entries;
    while let Some(first) = rest.first() {
        let run = if FREE.contains(&first.need) {
            rest.iter()
                .take_while(|entry| entry.need == first.need)
                .count()
        } else {
            1
        };
        if sought.may_match(first) {
            show(first, run);
        }
        rest = rest.get(run..).unwrap_or_default();
    }
}

/// What an entry could be found by.
pub(super) enum Choice {
    /// One of these grams.
    Grams(Vec<Gram>),
    /// One of these words.
    Words(Vec<u32>),
    /// Nothing else.
    Fixed,
}

/// Sorts the entries of a shelf, a long one after finding the rarest gram or word for each.
pub(super) fn arrange(
    entries: &mut [Entry],
    seed: &Seed,
    choices: impl Fn(&Entry) -> Choice,
) -> Option<Long> {
    let sort = |entries: &mut [Entry]| {
        entries.sort_unstable_by_key(|entry| (entry.need, entry.tag, entry.number));
    };
    if entries.len() <= LONG {
        sort(entries);
        return None;
    }
    let mut counted: HashMap<(Need, u32), u32> = HashMap::new();
    let mut count = |key| *counted.entry(key).or_default() += 1;
    for entry in entries.iter() {
        match choices(entry) {
            Choice::Grams(grams) => grams.iter().for_each(|gram| count((gram.need, gram.tag))),
            Choice::Words(words) => words.iter().for_each(|word| count((Need::Word, *word))),
            Choice::Fixed => {}
        }
    }
    let rarity = |key: (Need, u32)| (counted.get(&key).copied().unwrap_or(0), u32::MAX - key.1);
    for entry in entries.iter_mut() {
        match choices(entry) {
            // A longer gram before a rarer one: a single letter is in most values.
            Choice::Grams(grams) => {
                let best = grams.into_iter().min_by_key(|gram| {
                    (std::cmp::Reverse(gram.need), rarity((gram.need, gram.tag)))
                });
                if let Some(best) = best {
                    (entry.need, entry.tag, entry.at) = (best.need, best.tag, best.at);
                }
            }
            Choice::Words(words) => {
                let best = words
                    .into_iter()
                    .min_by_key(|word| rarity((Need::Word, *word)));
                entry.tag = best.unwrap_or(entry.tag);
            }
            Choice::Fixed => {}
        }
    }
    sort(entries);
    Some(Long::over(entries, seed))
}

impl Long {
    fn over(entries: &[Entry], seed: &Seed) -> Self {
        let end = |need: Need| {
            let end = entries.partition_point(|entry| entry.need <= need);
            u32::try_from(end).unwrap_or(u32::MAX)
        };
        let grams = entries.iter().filter(|entry| entry.need.bytes() > 0);
        let wanted = grams.clone().count().saturating_mul(16).max(64);
        let bits = wanted.next_power_of_two().trailing_zeros();
        let mut filter = vec![0_u64; wanted.next_power_of_two() / 64];
        for entry in grams {
            set(&mut filter, bit(seed, entry.need, entry.tag, bits));
        }
        Self {
            ends: NEEDS.map(end),
            filter: filter.into(),
            bits,
        }
    }

    /// The entries of one need.
    fn of<'a>(&self, entries: &'a [Entry], need: Need) -> &'a [Entry] {
        let place = NEEDS.iter().position(|other| *other == need).unwrap_or(0);
        let end = |place: usize| {
            self.ends
                .get(place)
                .and_then(|end| usize::try_from(*end).ok())
        };
        let begin = place.checked_sub(1).and_then(end).unwrap_or(0);
        entries
            .get(begin..end(place).unwrap_or(0))
            .unwrap_or_default()
    }

    /// Shows every entry that may match, each once; of a run of free ones the first, and how many there are.
    pub(super) fn search(
        &self,
        entries: &[Entry],
        sought: &mut Sought<'_>,
        seed: &Seed,
        mut show: impl FnMut(&Entry, usize),
    ) {
        for need in FREE {
            let free = self.of(entries, need);
            if let Some(first) = free.first() {
                show(first, free.len());
            }
        }
        let mut fitting = |sought: &mut Sought<'_>, entries: &[Entry]| {
            for entry in entries.iter().filter(|entry| sought.action_fits(entry)) {
                show(entry, 1);
            }
        };
        fitting(sought, self.of(entries, Need::Nothing));
        if sought.is_command() {
            fitting(sought, self.of(entries, Need::Command));
            let by_word = self.of(entries, Need::Word);
            match sought.word_hashes() {
                _ if by_word.is_empty() => {}
                None => fitting(sought, by_word),
                Some(words) => {
                    let words = words.as_slice();
                    for (place, word) in words.iter().enumerate() {
                        let again = words.iter().take(place).any(|before| before == word);
                        if !again {
                            fitting(sought, tagged(by_word, *word));
                        }
                    }
                }
            }
        }
        let Some(text) = sought.text() else {
            return;
        };
        fitting(sought, self.of(entries, Need::Resource));
        let by_value = self.of(entries, Need::Value);
        if !by_value.is_empty()
            && let Some(value) = sought.value_hash()
        {
            fitting(sought, tagged(by_value, value));
        }
        for need in Need::GRAMS {
            let by_gram = self.of(entries, need);
            if text.len() > MAX_VALUE {
                fitting(sought, by_gram);
            } else if !by_gram.is_empty() {
                self.grams(by_gram, need, text.as_bytes(), seed, |entry| {
                    fitting(sought, std::slice::from_ref(entry));
                });
            }
        }
    }

    /// Shows the entries whose gram stands in the text where it must.
    fn grams(
        &self,
        entries: &[Entry],
        need: Need,
        text: &[u8],
        seed: &Seed,
        mut show: impl FnMut(&Entry),
    ) {
        let size = need.bytes();
        for (offset, window) in text.windows(size).enumerate() {
            let tag = super::entry::packed(window);
            if !get(&self.filter, bit(seed, need, tag, self.bits)) {
                continue;
            }
            let found = tagged(entries, tag);
            if found.is_empty() {
                continue;
            }
            // What may stand anywhere is shown where its gram stands first.
            let again = text
                .windows(size)
                .take(offset)
                .rev()
                .any(|before| before.eq_ignore_ascii_case(window));
            for entry in found {
                let anywhere = entry.at == super::entry::At::ANYWHERE;
                if !(anywhere && again) && entry.at.is(offset, text.len()) {
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
