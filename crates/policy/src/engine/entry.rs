//! What is known of a rule without looking at it: enough to leave out most that do not match.
//!
//! An entry is twelve bytes; the rule behind it is several cache lines away.

use tipstaff_command::CommandPattern;
use tipstaff_resource::{Literal, Pattern, Place};
use tipstaff_schema::Effect;

use super::seed::{Seed, high};
use crate::explain::Dimension;
use crate::rule::Rule;
use crate::target::{Target, reading_of};

/// What the target of a rule needs of a request. The order is that in which entries stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Need {
    /// Nothing at all: the rule sets no more than agent and capability. Such rules match together, so
    /// of a run of them only the first, which is the strongest, is asked; asks and denies.
    Free,
    /// The same for allows that are inherited.
    FreeInherited,
    /// The same for other allows.
    FreeAllow,
    /// Nothing that an index could use.
    Nothing,
    /// A resource.
    Resource,
    /// A command.
    Command,
    /// A resource with this value, as the hash of the folded text.
    Value,
    /// A command with this word, as the hash of the folded word.
    Word,
    /// A resource in whose value these bytes stand, one to four of them.
    Gram1,
    Gram2,
    Gram3,
    Gram4,
}

impl Need {
    pub(super) const GRAMS: [Self; 4] = [Self::Gram1, Self::Gram2, Self::Gram3, Self::Gram4];

    /// How many bytes a gram has; 0 for what is none.
    pub(super) const fn bytes(self) -> usize {
        match self {
            Self::Free | Self::FreeInherited | Self::FreeAllow => 0,
            Self::Nothing | Self::Resource | Self::Command | Self::Value | Self::Word => 0,
            Self::Gram1 => 1,
            Self::Gram2 => 2,
            Self::Gram3 => 3,
            Self::Gram4 => 4,
        }
    }
}

/// One rule, or one pattern over names, in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// Which one.
    pub(super) number: u32,
    /// The hash or the bytes that it needs.
    pub(super) tag: u32,
    /// Where a gram must stand.
    pub(super) at: At,
    /// The action that it needs, as a short hash; 0 for any.
    pub(super) action: u8,
    pub(super) need: Need,
}

/// Where a gram must stand: so far from the start, so far from the end, or anywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct At(u16);

impl At {
    pub(super) const ANYWHERE: Self = Self(u16::MAX);
    const FROM_END: u16 = 0x8000;

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

/// One gram that a pattern could be found by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Gram {
    pub(super) need: Need,
    pub(super) tag: u32,
    pub(super) at: At,
}

/// All grams of the literals of a pattern: of four bytes, and of all bytes of shorter literals.
pub(super) fn grams(literals: &[Literal]) -> impl Iterator<Item = Gram> {
    literals.iter().flat_map(|literal| {
        let bytes = literal.text().as_bytes();
        let need = match bytes.len() {
            0 | 1 => Need::Gram1,
            2 => Need::Gram2,
            3 => Need::Gram3,
            _ => Need::Gram4,
        };
        let windows = bytes.windows(need.bytes()).enumerate();
        windows.map(move |(offset, window)| Gram {
            need,
            tag: packed(window),
            at: At::of(literal, offset),
        })
    })
}

/// Up to four bytes in one number, letter case aside.
pub(super) fn packed(bytes: &[u8]) -> u32 {
    let folded = |tag: u32, byte: &u8| tag << 8 | u32::from(byte.to_ascii_lowercase());
    bytes.iter().fold(0, folded)
}

/// A short hash of an action label; never 0.
pub(super) fn short(action: &str, seed: &Seed) -> u8 {
    u8::try_from(seed.text(action) >> 56).unwrap_or(0).max(1)
}

impl Entry {
    pub(super) fn of(number: u32, rule: &Rule, seed: &Seed) -> Self {
        let plain = |need| (need, 0, At::ANYWHERE);
        let (need, tag, at) = match &rule.target {
            None => plain(Need::Nothing),
            Some(Target::Resource(pattern)) => by_value(pattern, seed),
            Some(Target::Command(pattern)) => words(pattern, rule)
                .next()
                .map_or(plain(Need::Command), |word| {
                    (Need::Word, high(seed.folded(word)), At::ANYWHERE)
                }),
        };
        let action = rule.action.as_deref();
        Self {
            number,
            tag,
            at,
            action: action.map_or(0, |action| short(action, seed)),
            need,
        }
    }

    /// The entry of a rule that sets no more than agent and capability: stronger ones first.
    pub(super) fn free(number: u32, rule: &Rule) -> Option<Self> {
        let bare = Dimension::ALL.into_iter().all(|dimension| {
            matches!(dimension, Dimension::Agent | Dimension::Capability) || !dimension.is_set(rule)
        });
        let need = match rule.effect {
            Effect::Ask | Effect::Deny => Need::Free,
            Effect::Allow if rule.inherit => Need::FreeInherited,
            Effect::Allow => Need::FreeAllow,
        };
        let effect = match rule.effect {
            Effect::Allow => 0,
            Effect::Ask => 1,
            Effect::Deny => 2,
        };
        let strength = u32::from(rule.guard) << 31 | rule.specificity << 2 | effect;
        bare.then_some(Self {
            number,
            tag: u32::MAX - strength,
            at: At::ANYWHERE,
            action: 0,
            need,
        })
    }

    /// The entry of something that only literals can find.
    pub(super) fn of_literals(number: u32, literals: &[Literal]) -> Self {
        let (need, tag, at) = by_literals(literals);
        Self {
            number,
            tag,
            at,
            action: 0,
            need,
        }
    }
}

/// The words that stand in every command that the pattern means.
pub(super) fn words<'a>(pattern: &'a CommandPattern, rule: &Rule) -> impl Iterator<Item = &'a str> {
    pattern.literal_words(reading_of(rule.effect))
}

fn by_value(pattern: &Pattern, seed: &Seed) -> (Need, u32, At) {
    match pattern.only_value() {
        Some(value) => (Need::Value, high(seed.folded(value)), At::ANYWHERE),
        None => by_literals(pattern.literals()),
    }
}

/// The last gram of the longest literal: paths and names differ at their ends.
fn by_literals(literals: &[Literal]) -> (Need, u32, At) {
    let longest = literals.iter().max_by_key(|literal| literal.text().len());
    let last = longest.and_then(|literal| grams(std::slice::from_ref(literal)).last());
    last.map_or((Need::Resource, 0, At::ANYWHERE), |gram| {
        (gram.need, gram.tag, gram.at)
    })
}
