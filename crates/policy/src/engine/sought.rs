//! What a request shows to the index: hashes of its value or words, and which grams its value has.
//!
//! On the stack, and each part only when the first entry asks for it.

use super::entry::{Entry, Need, packed};
use super::seed::{Seed, high};
use crate::request::Subject;

/// A request as entries ask about it.
#[derive(Debug)]
pub(super) struct Sought<'a> {
    seed: &'a Seed,
    subject: Shown<'a>,
    action: u8,
    value: Option<u32>,
    words: Option<Words>,
    grams: [Option<Bloom>; 4],
}

/// The part of a subject that an index can use.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shown<'a> {
    Nothing,
    Text(&'a str),
    Words(&'a [tipstaff_command::Word]),
}

impl<'a> Shown<'a> {
    pub(super) fn of(subject: Subject<'a>) -> Self {
        match subject {
            Subject::None => Self::Nothing,
            Subject::Resource(resource) => Self::Text(resource.value()),
            Subject::Command(command) => Self::Words(&command.words),
        }
    }
}

/// So many bits say which grams a value may have.
const BITS: u32 = 10;

/// A longer value has so many grams that asking for one says nothing.
const MAX_VALUE: usize = 512;

/// So many words of a command are looked at; a longer one may have any.
pub(super) const MAX_WORDS: usize = 32;

#[derive(Debug, Clone, Copy)]
struct Bloom([u64; 1 << (BITS - 6)]);

#[derive(Debug, Clone, Copy)]
pub(super) struct Words {
    hashes: [u32; MAX_WORDS],
    count: usize,
}

impl<'a> Sought<'a> {
    pub(super) fn new(shown: Shown<'a>, action: u8, seed: &'a Seed) -> Self {
        Self {
            seed,
            subject: shown,
            action,
            value: None,
            words: None,
            grams: [None; 4],
        }
    }

    /// The value, where there is one.
    pub(super) const fn text(&self) -> Option<&'a str> {
        match self.subject {
            Shown::Text(text) => Some(text),
            Shown::Nothing | Shown::Words(_) => None,
        }
    }

    pub(super) const fn is_command(&self) -> bool {
        matches!(self.subject, Shown::Words(_))
    }

    /// Whether the rule behind this entry may match. Wrong only on the side of yes.
    pub(super) fn may_match(&mut self, entry: &Entry) -> bool {
        self.action_fits(entry)
            && match entry.need {
                Need::Free | Need::FreeInherited | Need::FreeAllow | Need::Nothing => true,
                Need::Resource => self.text().is_some(),
                Need::Command => self.is_command(),
                Need::Value => self.value_hash() == Some(entry.tag),
                Need::Word => self.is_command() && self.has_word(entry.tag),
                Need::Gram1 | Need::Gram2 | Need::Gram3 | Need::Gram4 => self.has_gram(entry),
            }
    }

    /// Whether the action of the entry is that of the request, or any.
    pub(super) const fn action_fits(&self, entry: &Entry) -> bool {
        entry.action == 0 || entry.action == self.action
    }

    /// The hash of the folded value.
    pub(super) fn value_hash(&mut self) -> Option<u32> {
        let text = self.text()?;
        Some(
            *self
                .value
                .get_or_insert_with(|| high(self.seed.folded(text))),
        )
    }

    /// The hashes of the folded words; `None` where there are too many.
    pub(super) fn word_hashes(&mut self) -> Option<Words> {
        let Shown::Words(words) = self.subject else {
            return None;
        };
        if words.len() > MAX_WORDS {
            return None;
        }
        Some(*self.words.get_or_insert_with(|| {
            let mut hashes = [0; MAX_WORDS];
            for (hash, word) in hashes.iter_mut().zip(words) {
                *hash = high(self.seed.folded(&word.text));
            }
            Words {
                hashes,
                count: words.len(),
            }
        }))
    }

    fn has_word(&mut self, tag: u32) -> bool {
        self.word_hashes()
            .is_none_or(|words| words.as_slice().contains(&tag))
    }

    fn has_gram(&mut self, entry: &Entry) -> bool {
        let Some(text) = self.text() else {
            return false;
        };
        let size = entry.need.bytes();
        if text.len() > MAX_VALUE {
            return true;
        }
        let seed = self.seed;
        let bit = |tag: u32| bit(seed, entry.need, tag, BITS);
        let Some(bloom) = self.grams.get_mut(size - 1) else {
            return true;
        };
        let bloom = bloom.get_or_insert_with(|| {
            let mut bloom = Bloom([0; 1 << (BITS - 6)]);
            for window in text.as_bytes().windows(size) {
                set(&mut bloom.0, bit(packed(window)));
            }
            bloom
        });
        get(&bloom.0, bit(entry.tag))
    }
}

impl Words {
    pub(super) fn as_slice(&self) -> &[u32] {
        self.hashes.get(..self.count).unwrap_or_default()
    }
}

/// The bit of a gram among 2^`bits`.
pub(super) fn bit(seed: &Seed, need: Need, tag: u32, bits: u32) -> usize {
    let key = u64::from(tag) | u64::try_from(need.bytes()).unwrap_or(0) << 32;
    usize::try_from(seed.number(key) >> (64 - bits)).unwrap_or(0)
}

pub(super) fn set(words: &mut [u64], bit: usize) {
    if let Some(word) = words.get_mut(bit / 64) {
        *word |= 1 << (bit % 64);
    }
}

pub(super) fn get(words: &[u64], bit: usize) -> bool {
    words
        .get(bit / 64)
        .is_some_and(|word| word >> (bit % 64) & 1 == 1)
}
