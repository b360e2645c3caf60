//! One change of decision, and which way it goes.

use std::fmt;

use serde::Serialize;
use serde_json::Value;
use tipstaff_schema::Effect;

use super::sides::Judged;
use crate::rule::Rule;

/// What a call becomes that was something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ChangeKind {
    /// It runs unasked.
    NewlyAllowed,
    /// A person is asked.
    NewlyAsked,
    /// It is refused.
    NewlyDenied,
    /// The same as before, under other terms: who is asked, what a command may do.
    OtherTerms,
}

/// Whether a change lets more happen or less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// More may happen than before.
    Widening,
    /// Less may happen than before.
    Narrowing,
}

/// What decided on one side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct By {
    /// Allow, ask or deny.
    pub effect: Effect,
    /// The deciding rule; absent for the profile's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_id: Option<String>,
    /// The rule in words.
    pub reason: String,
}

/// One change of decision.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// What the call becomes.
    pub kind: ChangeKind,
    /// Which way it goes.
    pub direction: Direction,
    /// What decided before.
    pub old: By,
    /// What decides now.
    pub new: By,
    /// A call that shows it, as `decide --calls` takes it; both policies have judged it.
    pub witness: Value,
}

impl Change {
    pub(super) fn new(old: &Judged<'_>, new: &Judged<'_>, witness: Value) -> Self {
        let kind = match (old.effect == new.effect, new.effect) {
            (true, _) => ChangeKind::OtherTerms,
            (false, Effect::Allow) => ChangeKind::NewlyAllowed,
            (false, Effect::Ask) => ChangeKind::NewlyAsked,
            (false, Effect::Deny) => ChangeKind::NewlyDenied,
        };
        Self {
            kind,
            direction: direction(old, new),
            old: By::of(old),
            new: By::of(new),
            witness,
        }
    }
}

/// Terms that cannot be compared count as widening: somebody should look.
fn direction(old: &Judged<'_>, new: &Judged<'_>) -> Direction {
    let fresh = |judged: &Judged<'_>| judged.rule.is_some_and(Rule::fresh);
    let terms = |judged: &Judged<'_>| judged.rule.is_some_and(|rule| rule.terms().is_some());
    let stricter = match (old.effect == new.effect, old.effect < new.effect) {
        (false, stricter) => stricter,
        (true, _) => fresh(new) && !fresh(old) && (!terms(old) || !terms(new)),
    };
    if stricter {
        Direction::Narrowing
    } else {
        Direction::Widening
    }
}

impl By {
    fn of(judged: &Judged<'_>) -> Self {
        Self {
            effect: judged.effect,
            policy_id: judged.rule.map(|rule| rule.id.to_string()),
            reason: match judged.rule {
                Some(rule) => rule.reason_line(),
                None if judged.locked => "capability is locked to DENY by design".to_owned(),
                None => "no matching policy; capability default".to_owned(),
            },
        }
    }
}

impl ChangeKind {
    /// The spelling in text, such as `newly allowed`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NewlyAllowed => "newly allowed",
            Self::NewlyAsked => "newly asked",
            Self::NewlyDenied => "newly denied",
            Self::OtherTerms => "other terms",
        }
    }
}

impl Direction {
    /// The spelling in JSON and in text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Widening => "widening",
            Self::Narrowing => "narrowing",
        }
    }
}

/// `widening: newly allowed: <new reason>; before: ask, <old reason>`.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (direction, kind) = (self.direction.as_str(), self.kind.as_str());
        write!(
            f,
            "{direction}: {kind} ({} to {}): {}; before: {}",
            self.old.effect, self.new.effect, self.new.reason, self.old.reason
        )
    }
}
