//! What a pattern can be found by: pieces of the text that stand in everything that it means.
//!
//! A whole value, a folder and a part are found by their hash; what is less than a part by the bytes
//! themselves, up to four of them.

use tipstaff_resource::{Literal, Pattern, Place};

use super::entry::Need;
use super::seed::{Seed, high};
use crate::rule::Rule;
use crate::target::{Target, reading_of};

/// One piece that a pattern could be found by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) need: Need,
    pub(super) tag: u32,
    pub(super) at: At,
    /// How many bytes of a value it speaks of: the more, the fewer values have it.
    pub(super) weight: u32,
    /// Which literal it is of.
    pub(super) literal: u32,
}

/// Where a gram must stand: so far from the start, so far from the end, or anywhere. Of a folder, how
/// many parts lie above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct At(u16);

impl At {
    pub(super) const ANYWHERE: Self = Self(u16::MAX);
    const FROM_END: u16 = 0x8000;

    /// Below so many parts.
    fn below(parts: usize) -> Self {
        Self(u16::try_from(parts).unwrap_or(u16::MAX))
    }

    /// Below how many parts.
    pub(super) fn depth(self) -> usize {
        usize::from(self.0)
    }

    /// The place of the gram that begins at `offset` in a literal.
    fn of(literal: &Literal, offset: usize) -> Self {
        let (distance, flag) = match literal.place() {
            Place::Start => (offset, 0),
            Place::End => (literal.text().len() - offset, Self::FROM_END),
            Place::Inside => return Self::ANYWHERE,
        };
        match u16::try_from(distance) {
            Ok(distance) if distance < Self::FROM_END - 1 => Self(distance | flag),
            Ok(_) | Err(_) => Self::ANYWHERE,
        }
    }

    /// Whether a gram that begins at `offset` of a text of this length stands there.
    pub(super) fn is(self, offset: usize, length: usize) -> bool {
        if self == Self::ANYWHERE {
            return true;
        }
        let distance = usize::from(self.0 & !Self::FROM_END);
        if self.0 & Self::FROM_END == 0 {
            offset == distance
        } else {
            length - offset == distance
        }
    }
}

impl Key {
    const fn plain(need: Need, tag: u32) -> Self {
        Self {
            need,
            tag,
            at: At::ANYWHERE,
            weight: 0,
            literal: 0,
        }
    }

    /// Whether it says enough to be chosen because it is rare: single letters are in most values.
    pub(super) const fn tells(&self) -> bool {
        self.weight >= 4 || matches!(self.need, Need::Value | Need::Word)
    }
}

/// Shorter parts are found by their bytes.
pub(super) const MIN_PART: usize = 2;

/// All keys of what a rule says of its target; never empty.
pub(super) fn keys_of(rule: &Rule, seed: &Seed) -> Vec<Key> {
    let (keys, least) = match &rule.target {
        None => (Vec::new(), Need::Nothing),
        Some(Target::Resource(pattern)) => (of_pattern(pattern, seed), Need::Resource),
        Some(Target::Command(pattern)) => {
            let words = pattern.literal_words(reading_of(rule.effect));
            let word = |word: &str| Key::plain(Need::Word, high(seed.folded(word.as_bytes())));
            (words.map(word).collect(), Need::Command)
        }
    };
    or(keys, least)
}

/// All keys of a pattern over names; never empty.
pub(super) fn keys_of_name(literals: &[Literal], seed: &Seed) -> Vec<Key> {
    or(of_literals(literals, NAME, seed), Need::Resource)
}

fn or(keys: Vec<Key>, least: Need) -> Vec<Key> {
    if keys.is_empty() {
        return vec![Key::plain(least, 0)];
    }
    keys
}

/// What separates the parts of a tool's name.
pub(super) const NAME: u8 = b':';
/// What separates the parts of all other values.
pub(super) const VALUE: u8 = b'/';

fn of_pattern(pattern: &Pattern, seed: &Seed) -> Vec<Key> {
    match pattern.only_value() {
        Some(value) => vec![Key::plain(Need::Value, whole(value, VALUE, seed))],
        None => of_literals(&pattern.literals(), VALUE, seed),
    }
}

fn of_literals(literals: &[Literal], separator: u8, seed: &Seed) -> Vec<Key> {
    let mut keys = Vec::new();
    for (number, literal) in (0_u32..).zip(literals) {
        let of_literal = |need: Need, text: &[u8], tag: u32, at: At| Key {
            need,
            tag,
            at,
            weight: u32::try_from(text.len()).unwrap_or(u32::MAX),
            literal: number,
        };
        let (text, ends) = (literal.text(), literal.ends_part());
        if let Some(folder) = folder(literal, separator).filter(|folder| folder.len() > 1) {
            let (text, tag) = (folder.as_bytes(), whole(folder, separator, seed));
            let above = text.iter().filter(|byte| **byte == separator).count();
            keys.push(of_literal(Need::Folder, text, tag, At::below(above)));
        }
        let parts: Vec<&[u8]> = text.as_bytes().split(|byte| *byte == separator).collect();
        let last = parts.len() - 1;
        for (place, part) in parts.into_iter().enumerate() {
            let begins = place > 0 || literal.place() == Place::Start;
            let is_whole = begins && (place < last || ends);
            if is_whole && part.len() >= MIN_PART {
                let tag = high(seed.folded(part));
                keys.push(of_literal(Need::Part, part, tag, At::ANYWHERE));
            }
        }
        let need = match text.len() {
            0 | 1 => Need::Gram1,
            2 => Need::Gram2,
            3 => Need::Gram3,
            _ => Need::Gram4,
        };
        let grams = text.as_bytes().windows(need.bytes()).enumerate();
        keys.extend(
            grams.map(|(offset, gram)| {
                of_literal(need, gram, packed(gram), At::of(literal, offset))
            }),
        );
    }
    keys
}

/// The folder in which everything lies, or which it is, as far as the literal tells.
fn folder(literal: &Literal, separator: u8) -> Option<&str> {
    let text = literal.text();
    match (literal.place(), literal.ends_part()) {
        (Place::Inside | Place::End, _) => None,
        (Place::Start, true) => Some(text),
        (Place::Start, false) => text
            .rsplit_once(char::from(separator))
            .map(|(head, _)| head),
    }
}

/// The hash of a whole value, part by part.
fn whole(value: &str, separator: u8, seed: &Seed) -> u32 {
    let parts = value.as_bytes().split(|byte| *byte == separator);
    high(parts.fold(0, |before, part| seed.onward(before, seed.folded(part))))
}

/// Up to four bytes in one number, letter case aside.
pub(super) fn packed(bytes: &[u8]) -> u32 {
    let folded = |tag: u32, byte: &u8| tag << 8 | u32::from(byte.to_ascii_lowercase());
    bytes.iter().fold(0, folded)
}
