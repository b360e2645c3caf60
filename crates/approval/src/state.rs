//! The life of one approval, as one function over all pairs of state and step.
//!
//! Knows no votes, people or digests: who may answer is `answer`'s question, whether the call is the
//! one that was shown is the fold's. Here only: nothing is answered twice and nothing is used twice.

use chrono::{DateTime, Utc};

/// Where an approval stands. The last five are final.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalState {
    /// Waits for people.
    Pending {
        /// From this instant on it is expired (exclusive).
        until: DateTime<Utc>,
    },
    /// People said yes; not yet used.
    Approved {
        /// From this instant on it is expired (exclusive).
        until: DateTime<Utc>,
    },
    /// A person said no.
    Denied,
    /// Nobody answered, or the answer was not used in time. This is not a no.
    Expired,
    /// The caller cancelled the call.
    Withdrawn,
    /// What was asked no longer holds: the pin changed, or a stricter rule decides now.
    Void,
    /// One execution was started on it.
    Used,
}

impl ApprovalState {
    /// The wire spelling, such as `pending`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending { .. } => "pending",
            Self::Approved { .. } => "approved",
            Self::Denied => "denied",
            Self::Expired => "expired",
            Self::Withdrawn => "withdrawn",
            Self::Void => "void",
            Self::Used => "used",
        }
    }

    /// What holds at `now`: one whose time has run out counts as expired before anyone wrote so down.
    #[must_use]
    pub fn at(self, now: DateTime<Utc>) -> Self {
        match self {
            Self::Pending { until } | Self::Approved { until } if now >= until => Self::Expired,
            Self::Pending { .. }
            | Self::Approved { .. }
            | Self::Denied
            | Self::Expired
            | Self::Withdrawn
            | Self::Void
            | Self::Used => self,
        }
    }

    /// Whether nothing can follow.
    #[must_use]
    pub const fn is_final(self) -> bool {
        match self {
            Self::Pending { .. } | Self::Approved { .. } => false,
            Self::Denied | Self::Expired | Self::Withdrawn | Self::Void | Self::Used => true,
        }
    }
}

impl std::fmt::Display for ApprovalState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What can befall an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Enough people said yes.
    Approve {
        /// From this instant on the approval cannot be used (exclusive).
        use_by: DateTime<Utc>,
    },
    /// A person said no.
    Deny,
    /// Its time has run out.
    Expire,
    /// The caller cancelled.
    Withdraw,
    /// What was asked no longer holds.
    Void,
    /// One execution starts on it.
    Use,
}

impl Step {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Approve { .. } => "approved",
            Self::Deny => "denied",
            Self::Expire => "marked as expired",
            Self::Withdraw => "withdrawn",
            Self::Void => "voided",
            Self::Use => "used",
        }
    }
}

/// A step that the state does not allow. Nothing changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("an approval that is {state} cannot be {}", .step.as_str())]
pub struct StepRefusal {
    /// The state at that time, expiry counted in.
    pub state: ApprovalState,
    /// The step that was tried.
    pub step: Step,
}

/// The state that follows.
///
/// # Errors
/// [`StepRefusal`] when the state at `now` does not allow the step; expiry before its time is one.
pub fn step(
    state: ApprovalState,
    step: Step,
    now: DateTime<Utc>,
) -> Result<ApprovalState, StepRefusal> {
    use ApprovalState as S;
    let refused = StepRefusal {
        state: state.at(now),
        step,
    };
    match (state, step) {
        (S::Pending { until } | S::Approved { until }, Step::Expire) if now >= until => {
            Ok(S::Expired)
        }
        (S::Pending { until } | S::Approved { until }, _) if now >= until => Err(refused), // Too late for anything else.
        (S::Pending { .. }, Step::Approve { use_by }) => Ok(S::Approved { until: use_by }),
        (S::Pending { .. }, Step::Deny) => Ok(S::Denied),
        (S::Pending { .. }, Step::Withdraw) => Ok(S::Withdrawn),
        (S::Pending { .. }, Step::Void) | (S::Approved { .. }, Step::Void) => Ok(S::Void),
        (S::Approved { .. }, Step::Use) => Ok(S::Used),
        (S::Pending { .. }, Step::Expire | Step::Use) => Err(refused),
        (S::Approved { .. }, Step::Approve { .. } | Step::Deny | Step::Expire | Step::Withdraw) => {
            Err(refused)
        }
        (S::Denied | S::Expired | S::Withdrawn | S::Void | S::Used, _) => Err(refused), // Final.
    }
}
