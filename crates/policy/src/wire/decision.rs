//! The wire form of a decision.

use serde::{Deserialize, Serialize};
use tipstaff_schema::{Digest, Effect, one_form};

use crate::decision::Decision;

/// A decision as it is sent: effect, specificity, reason, locked and considered always, the rest where set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
#[non_exhaustive]
pub struct DecisionWire {
    /// Allow, ask or deny.
    pub effect: Effect,
    /// The rule that decided.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    pub policy_id: Option<String>,
    /// The grant that answered.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
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
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tightened: bool,
    /// Whether a guard decided.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guard: bool,
    /// The digest of the rules.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    pub policy_digest: Option<Digest>,
}

one_form!(DecisionWire);

/// What is not there is left out: `null` would be a second spelling.
fn present<'de, T: Deserialize<'de>, D: serde::Deserializer<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
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
