//! The answer of judging one call: the strictest of its parts, where it was decided, and why.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use tipstaff_policy::Decision;
use tipstaff_schema::{Digest, Effect};

use crate::{Refusal, Stage};

/// What was decided of a call. Serialises as one decision line.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Verdict {
    /// Allow, ask or deny; every structural refusal is a deny.
    pub effect: Effect,
    /// Where the strictest part was decided; on a tie the earliest in the order of precedence.
    pub stage: Stage,
    /// The deciding rule.
    pub policy_id: Option<String>,
    /// The grant that answered.
    pub grant_id: Option<String>,
    /// The specificity of the deciding rule; 0 where no rule decided.
    pub specificity: u32,
    /// Why, for people.
    pub reason: String,
    /// How many rules matched.
    pub considered: usize,
    /// The capability is locked.
    pub locked: bool,
    /// The caller's wish turned an allow into ask.
    pub tightened: bool,
    /// A guard decided.
    pub guard: bool,
    /// The part that decided, where the call has several.
    pub part: Option<String>,
    /// The policy that was judged by.
    pub policy_digest: Option<Digest>,
    /// The decision of policy that this rests on: the terms of an approval. None where policy was not reached.
    pub(crate) decision: Option<Decision>,
}

impl Verdict {
    /// A verdict that no rule gave.
    pub(crate) fn plain(effect: Effect, stage: Stage, reason: impl Into<String>) -> Self {
        Self {
            effect,
            stage,
            policy_id: None,
            grant_id: None,
            specificity: 0,
            reason: reason.into(),
            considered: 0,
            locked: false,
            tightened: false,
            guard: false,
            part: None,
            policy_digest: None,
            decision: None,
        }
    }

    /// The verdict that policy gave on one part.
    pub(crate) fn of(decision: Decision, stage: Stage, part: Option<String>) -> Self {
        Self {
            effect: decision.effect,
            stage,
            policy_id: decision.policy_id.as_deref().map(str::to_owned),
            grant_id: None,
            specificity: decision.specificity,
            reason: decision.reason(),
            considered: decision.considered,
            locked: decision.locked,
            tightened: false,
            guard: decision.guard,
            part,
            policy_digest: decision.policy_digest,
            decision: Some(decision),
        }
    }

    /// The stricter of the two; on a tie the one decided earlier on the way.
    pub(crate) fn stricter(self, other: Self) -> Self {
        let key = |v: &Self| (v.effect, std::cmp::Reverse(v.stage));
        if key(&other) > key(&self) {
            other
        } else {
            self
        }
    }
}

impl From<Refusal> for Verdict {
    fn from(refusal: Refusal) -> Self {
        Self::plain(Effect::Deny, refusal.stage, refusal.why)
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("effect", self.effect.as_str())?;
        map.serialize_entry("stage", self.stage.as_str())?;
        if let Some(id) = &self.policy_id {
            map.serialize_entry("policy_id", id)?;
        }
        if let Some(id) = &self.grant_id {
            map.serialize_entry("grant_id", id)?;
        }
        map.serialize_entry("specificity", &self.specificity)?;
        map.serialize_entry("reason", &self.reason)?;
        map.serialize_entry("considered", &self.considered)?;
        map.serialize_entry("locked", &self.locked)?;
        if self.tightened {
            map.serialize_entry("tightened", &true)?;
        }
        if self.guard {
            map.serialize_entry("guard", &true)?;
        }
        if let Some(part) = &self.part {
            map.serialize_entry("part", part)?;
        }
        map.end()
    }
}
