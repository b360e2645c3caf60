//! What is known of a rule without looking at it: enough to leave out most that do not match.
//!
//! An entry is sixteen bytes; the rule behind it is several cache lines away.

use tipstaff_schema::Effect;

use super::key::{At, Key};
use super::seed::Seed;
use crate::explain::Dimension;
use crate::rule::Rule;

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
    /// A command with this word, as the hash of the folded word.
    Word,
    /// A resource with this value, as the hash of the folded text.
    Value,
    /// A resource that is this, or lies below it: the hash of the folded text.
    Folder,
    /// A resource of which this is a part, between separators: the hash of the folded text.
    Part,
    /// A resource in whose value these bytes stand, one to four of them.
    Gram1,
    Gram2,
    Gram3,
    Gram4,
}

impl Need {
    pub(super) const ALL: [Self; 14] = [
        Self::Free,
        Self::FreeInherited,
        Self::FreeAllow,
        Self::Nothing,
        Self::Resource,
        Self::Command,
        Self::Word,
        Self::Value,
        Self::Folder,
        Self::Part,
        Self::Gram1,
        Self::Gram2,
        Self::Gram3,
        Self::Gram4,
    ];
    pub(super) const FREE: [Self; 3] = [Self::Free, Self::FreeInherited, Self::FreeAllow];
    pub(super) const GRAMS: [Self; 4] = [Self::Gram1, Self::Gram2, Self::Gram3, Self::Gram4];

    /// Its place in this order.
    pub(super) const fn place(self) -> usize {
        self as usize
    }

    /// How many bytes a gram has; 0 for what is none.
    pub(super) const fn bytes(self) -> usize {
        match self {
            Self::Free | Self::FreeInherited | Self::FreeAllow => 0,
            Self::Nothing | Self::Resource | Self::Command | Self::Word => 0,
            Self::Value | Self::Folder | Self::Part => 0,
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
    /// Four more bytes that must stand in the value, or the hash of one more word; 0 for none.
    pub(super) also: u32,
    /// Where a gram must stand.
    pub(super) at: At,
    /// The action that it needs, as a short hash; 0 for any.
    pub(super) action: u8,
    pub(super) need: Need,
}

impl Entry {
    /// The entry of a rule. What finds it is `found_by`'s to say.
    pub(super) fn of(number: u32, rule: &Rule, seed: &Seed) -> Self {
        let action = rule.action();
        Self {
            action: action.map_or(0, |action| short(action, seed)),
            ..Self::of_number(number)
        }
    }

    /// The entry of something that any request may match.
    pub(super) const fn of_number(number: u32) -> Self {
        Self {
            number,
            tag: 0,
            also: 0,
            at: At::ANYWHERE,
            action: 0,
            need: Need::Nothing,
        }
    }

    /// The same, found by this key, and beside it by these four bytes or this word.
    pub(super) const fn found_by(self, key: Key, also: u32) -> Self {
        Self {
            tag: key.tag,
            at: key.at,
            need: key.need,
            also,
            ..self
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
            tag: u32::MAX - strength,
            need,
            ..Self::of_number(number)
        })
    }
}

/// A short hash of an action label; never 0.
pub(super) fn short(action: &str, seed: &Seed) -> u8 {
    u8::try_from(seed.text(action) >> 56).unwrap_or(0).max(1)
}
