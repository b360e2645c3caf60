//! The approval terms that an ask rule may set. Plain data; approvals are another crate's business.

use std::time::Duration;

use tipstaff_schema::Role;

/// What an ask rule says about its approvals. What it leaves out, the manifest's `approvals` says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Terms {
    /// How long the request waits for an answer.
    pub expire: Option<Duration>,
    /// How long a yes may wait to be used.
    pub use_within: Option<Duration>,
    /// The roles that may answer; empty means not said.
    pub audience: Vec<Role>,
    /// How many different people must say yes; at least 1.
    pub quorum: Option<u32>,
    /// Whether the agent's owner is excluded.
    pub four_eyes: Option<bool>,
}
