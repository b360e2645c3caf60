//! Two small words of a rule that a task keeps: how pressing it is, and what happens when nobody came.

use serde::{Deserialize, Serialize};
use tipstaff_schema::one_form;

one_form!(OnExpiry);

/// How pressing a task is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Priority {
    /// When there is time.
    Low,
    /// In its turn.
    #[default]
    Normal,
    /// Before others.
    High,
    /// First.
    Urgent,
}

impl Priority {
    /// All of them, in the order of the queue.
    pub(crate) const MOST_PRESSING_FIRST: [Self; 4] =
        [Self::Urgent, Self::High, Self::Normal, Self::Low];

    /// One step more pressing; `Urgent` stays.
    #[must_use]
    pub const fn raised(self) -> Self {
        match self {
            Self::Low => Self::Normal,
            Self::Normal => Self::High,
            Self::High | Self::Urgent => Self::Urgent,
        }
    }
}

/// What happens to a task whose time has run out. There is no way to let it proceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "kebab-case")]
pub enum OnExpiry {
    /// It is marked as expired; nothing else happens.
    #[default]
    Deny,
    /// Once: more people see it, it becomes more pressing and gets a new deadline.
    Escalate,
}
