//! What a request shows to the index: hashes of its value's parts or of its words, and which bytes
//! stand together in its value.
//!
//! On the stack, and each only when the first entry asks for it.

use std::cell::OnceCell;

use super::entry::{Entry, Need};
use super::key::{MIN_PART, VALUE};
use super::seed::{Seed, high};
use crate::request::Subject;

/// A request as entries ask about it.
#[derive(Debug)]
pub(super) struct Shown<'a> {
    seed: &'a Seed,
    what: What<'a>,
    separator: u8,
    action: u8,
    made: OnceCell<Made>,
    words: OnceCell<Words>,
    grams: [OnceCell<Grams>; 4],
}

/// The part of a subject that an index can use.
#[derive(Debug, Clone, Copy)]
pub(super) enum What<'a> {
    Nothing,
    Text(&'a str),
    Words(&'a [tipstaff_command::Word]),
}

impl<'a> What<'a> {
    pub(super) fn of(subject: Subject<'a>) -> Self {
        match subject {
            Subject::None => Self::Nothing,
            Subject::Resource(resource) => Self::Text(resource.value()),
            Subject::Command(command) => Self::Words(&command.words),
        }
    }
}

/// So many parts of a value are looked at; a deeper one may have any, and lie anywhere.
pub(super) const MAX_PARTS: usize = 24;

/// So many words of a command are looked at; a longer one may have any.
pub(super) const MAX_WORDS: usize = 32;

/// A longer value has so many grams that asking for one says nothing.
const MAX_VALUE: usize = 512;

/// What a value is made of, as hashes of the folded texts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Made {
    /// The whole value.
    pub(super) whole: u32,
    /// The value up to the end of each part.
    folders: [u32; MAX_PARTS],
    parts: [u32; MAX_PARTS],
    counts: (usize, usize),
    /// Whether there are more parts than are looked at.
    pub(super) deep: bool,
    /// The bit of each part's hash.
    bits: u64,
}

impl Made {
    fn of(text: &str, separator: u8, seed: &Seed) -> Self {
        let mut made = Self {
            whole: 0,
            folders: [0; MAX_PARTS],
            parts: [0; MAX_PARTS],
            counts: (0, 0),
            deep: false,
            bits: 0,
        };
        let mut before = 0;
        for part in text.as_bytes().split(|byte| *byte == separator) {
            let hash = seed.folded(part);
            before = seed.onward(before, hash);
            match made.folders.get_mut(made.counts.0) {
                Some(folder) => *folder = high(before),
                None => made.deep = true,
            }
            made.counts.0 += usize::from(!made.deep);
            if let Some(own) = made.parts.get_mut(made.counts.1)
                && part.len() >= MIN_PART
            {
                *own = high(hash);
                made.bits |= 1 << (*own % 64);
                made.counts.1 += 1;
            }
        }
        made.whole = high(before);
        made
    }

    /// The value up to the end of each part, by how many parts lie above it.
    pub(super) fn folders(&self) -> &[u32] {
        self.folders.get(..self.counts.0).unwrap_or_default()
    }

    /// Its parts, but for the shortest.
    pub(super) fn parts(&self) -> &[u32] {
        self.parts.get(..self.counts.1).unwrap_or_default()
    }

    /// Whether it lies in the folder of the entry.
    pub(super) fn is_in(&self, entry: &Entry) -> bool {
        self.deep || self.folders().get(entry.at.depth()) == Some(&entry.tag)
    }

    fn has_part(&self, tag: u32) -> bool {
        self.deep || self.bits >> (tag % 64) & 1 == 1 && self.parts().contains(&tag)
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Words {
    hashes: [u32; MAX_WORDS],
    count: usize,
}

impl Words {
    pub(super) fn as_slice(&self) -> &[u32] {
        self.hashes.get(..self.count).unwrap_or_default()
    }
}

/// Which grams of one size a value has, by the bits of their hashes.
#[derive(Debug, Clone, Copy)]
struct Grams([u64; 1 << (Grams::BITS - 6)]);

impl Grams {
    const BITS: u32 = 10;

    fn of(text: &str, need: Need, seed: &Seed) -> Self {
        let mut bits = [0; 1 << (Self::BITS - 6)];
        for tag in windows(text, need) {
            set(&mut bits, bit(seed, need, tag, Self::BITS));
        }
        Self(bits)
    }
}

impl<'a> Shown<'a> {
    pub(super) fn new(what: What<'a>, action: u8, seed: &'a Seed) -> Self {
        Self {
            seed,
            what,
            separator: VALUE,
            action,
            made: OnceCell::new(),
            words: OnceCell::new(),
            grams: [const { OnceCell::new() }; 4],
        }
    }

    /// The same of a text with other separators.
    pub(super) fn separated_by(mut self, separator: u8) -> Self {
        self.separator = separator;
        self
    }

    /// The value, where there is one.
    pub(super) const fn text(&self) -> Option<&'a str> {
        match self.what {
            What::Text(text) => Some(text),
            What::Nothing | What::Words(_) => None,
        }
    }

    pub(super) const fn is_command(&self) -> bool {
        matches!(self.what, What::Words(_))
    }

    /// Whether the rule behind this entry may match. Wrong only on the side of yes.
    pub(super) fn may_match(&self, entry: &Entry) -> bool {
        self.action_fits(entry)
            && match entry.need {
                Need::Free | Need::FreeInherited | Need::FreeAllow | Need::Nothing => true,
                Need::Resource => self.text().is_some(),
                Need::Command => self.is_command(),
                Need::Word => self.is_command() && self.has_word(entry.tag) && self.has_also(entry),
                Need::Value => self.made().is_some_and(|made| made.whole == entry.tag),
                Need::Folder => self.made().is_some_and(|made| made.is_in(entry)),
                Need::Part => self.made().is_some_and(|made| made.has_part(entry.tag)),
                Need::Gram1 | Need::Gram2 | Need::Gram3 | Need::Gram4 => {
                    self.has_gram(entry.need, entry.tag) && self.has_also(entry)
                }
            }
    }

    /// Whether the action of the entry is that of the request, or any.
    pub(super) const fn action_fits(&self, entry: &Entry) -> bool {
        entry.action == 0 || entry.action == self.action
    }

    /// Whether what the entry needs beside its key may be there.
    pub(super) fn has_also(&self, entry: &Entry) -> bool {
        entry.also == 0
            || if entry.need == Need::Word {
                self.has_word(entry.also)
            } else {
                self.has_gram(Need::Gram4, entry.also)
            }
    }

    /// What the value is made of.
    pub(super) fn made(&self) -> Option<&Made> {
        let (text, separator, seed) = (self.text()?, self.separator, self.seed);
        let make = || Made::of(text, separator, seed);
        Some(self.made.get_or_init(make))
    }

    /// The hashes of the folded words; `None` where there are too many.
    pub(super) fn word_hashes(&self) -> Option<&Words> {
        let What::Words(words) = self.what else {
            return None;
        };
        if words.len() > MAX_WORDS {
            return None;
        }
        let seed = self.seed;
        Some(self.words.get_or_init(|| {
            let mut hashes = [0; MAX_WORDS];
            for (hash, word) in hashes.iter_mut().zip(words) {
                *hash = high(seed.folded(word.text.as_bytes()));
            }
            Words {
                hashes,
                count: words.len(),
            }
        }))
    }

    fn has_word(&self, tag: u32) -> bool {
        self.word_hashes()
            .is_none_or(|words| words.as_slice().contains(&tag))
    }

    fn has_gram(&self, need: Need, tag: u32) -> bool {
        let Some(text) = self.text() else {
            return false;
        };
        let seed = self.seed;
        let grams = self.grams.get(need.bytes().saturating_sub(1));
        let Some(grams) = grams.filter(|_| text.len() <= MAX_VALUE) else {
            return true;
        };
        let grams = grams.get_or_init(|| Grams::of(text, need, seed));
        get(&grams.0, bit(seed, need, tag, Grams::BITS))
    }
}

/// Every gram of a text, letter case aside, as `packed` has it.
pub(super) fn windows(text: &str, need: Need) -> impl Iterator<Item = u32> {
    let size = need.bytes();
    let kept = u32::MAX >> (8 * (4 - size.clamp(1, 4)));
    let mut tag = 0;
    let rolled = text.bytes().map(move |byte| {
        tag = (tag << 8 | u32::from(byte.to_ascii_lowercase())) & kept;
        tag
    });
    rolled.skip(size.saturating_sub(1))
}

/// The bit of a key among 2^`bits`.
pub(super) fn bit(seed: &Seed, need: Need, tag: u32, bits: u32) -> usize {
    let need = u64::try_from(need.place()).unwrap_or(0);
    usize::try_from(seed.number(u64::from(tag) | need << 32) >> (64 - bits)).unwrap_or(0)
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
