//! What a rule or a decision says: allow, ask or deny.
//!
//! Ordered from mild to strict, so that "the strictest of these" is `max`. There is no default:
//! silence is decided where it is met, and there it refuses.

use crate::one_form;
use serde::{Deserialize, Serialize};

one_form!(Effect);

/// The outcome of a rule or a decision, ordered mild to strict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self", rename_all = "lowercase")]
pub enum Effect {
    /// It may run.
    Allow,
    /// A person decides.
    Ask,
    /// It never runs. Nothing lifts a deny that was decided.
    Deny,
}

impl Effect {
    /// The wire spelling: `allow`, `ask` or `deny`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl std::fmt::Display for Effect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
