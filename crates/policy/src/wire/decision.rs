//! The wire form of a decision.

use serde::Serialize;
use tipstaff_schema::{Digest, Effect};

use crate::decision::Decision;

/// A decision as it is sent: effect, specificity, reason, locked and considered always, the rest where set.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DecisionWire {
    /// Allow, ask or deny.
    pub effect: Effect,
    /// The rule that decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_id: Option<String>,
    /// The grant that answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant_id: Option<String>,
    /// The deciding rule's specificity.
    pub specificity: u32,
    /// Why.
    pub reason: String,
    /// Whether the capability is locked.
    pub locked: bool,
    /// How many rules matched.
    pub considered: usize,
    /// Whether the caller made an allow an ask.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tightened: bool,
    /// Whether a guard decided.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub guard: bool,
    /// The digest of the rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_digest: Option<Digest>,
}

impl From<&Decision> for DecisionWire {
    fn from(decision: &Decision) -> Self {
        Self {
            effect: decision.effect,
            policy_id: decision.policy_id.as_ref().map(ToString::to_string),
            grant_id: decision.grant_id.as_ref().map(ToString::to_string),
            specificity: decision.specificity,
            reason: decision.reason(),
            locked: decision.locked,
            considered: decision.considered,
            tightened: decision.tightened,
            guard: decision.guard,
            policy_digest: decision.policy_digest,
        }
    }
}
