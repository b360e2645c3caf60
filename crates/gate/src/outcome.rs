//! What came of a call, and the words in which a model hears of it.
//!
//! Expired, refused, denied and unanswered are different outcomes: each tells the caller something
//! else to do. No text here holds a stack trace or a secret.

use chrono::{DateTime, Utc};
use tipstaff_schema::Digest;
use tipstaff_schema::sanitization::sanitize_for_display;
use uuid::Uuid;

use crate::{ExecOutput, Refusal};

/// A step on the way of a call, in the order of precedence; `Unknown` comes last in judging.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Forbidden, paused, or an unknown agent.
    Context,
    /// From token to tool.
    Route,
    /// Unknown or quarantined tool.
    Lookup,
    /// Arguments against the schema.
    Validate,
    /// The executor's reading of the call.
    Prepare,
    /// A placement that does not exist.
    Placement,
    /// Delegation deeper than allowed.
    Depth,
    /// A resource that cannot be derived.
    Resource,
    /// The built-in guard around what is ours.
    OwnGround,
    /// Locked capability.
    Locked,
    /// A guard.
    Guard,
    /// A rule.
    Policy,
    /// No rule: the profile's default.
    Default,
    /// A remembered rule.
    Remembered,
    /// A grant.
    Grant,
    /// The caller asked for approval.
    Tighten,
    /// Something in the call was not understood.
    Unknown,
    /// The approval that a call needs.
    Approval,
    /// The constraints of a token.
    Constraint,
    /// A loop, a rate, or too many at once.
    Limit,
    /// The tool failed several times in a row and rests.
    Breaker,
    /// The journal refused, or something changed just before the start.
    Warrant,
}

impl Stage {
    /// The spelling on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Context => "context",
            Self::Route => "route",
            Self::Lookup => "lookup",
            Self::Validate => "validate",
            Self::Prepare => "prepare",
            Self::Placement => "placement",
            Self::Depth => "depth",
            Self::Resource => "resource",
            Self::OwnGround => "own-ground",
            Self::Locked => "locked",
            Self::Guard => "guard",
            Self::Policy => "policy",
            Self::Default => "default",
            Self::Remembered => "remembered",
            Self::Grant => "grant",
            Self::Tighten => "tighten",
            Self::Unknown => "unknown",
            Self::Approval => "approval",
            Self::Constraint => "constraint",
            Self::Limit => "limit",
            Self::Breaker => "breaker",
            Self::Warrant => "warrant",
        }
    }
}

/// Names a call that waits for a person; presenting the same call again uses the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ticket {
    /// The approval.
    pub approval_id: Uuid,
    /// The request that it is bound to.
    pub digest: Digest,
    /// When the question ends.
    pub expires_at: DateTime<Utc>,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// It ran and answered.
    Completed {
        /// The answer.
        result: ExecOutput,
        /// False when the answer breaks its output schema; then no triage rule saw it.
        answer_valid: bool,
        /// The tasks that triage opened, by id.
        tasks: Vec<String>,
    },
    /// It ran and failed, or there is proof that nothing ran.
    Failed {
        /// What is known.
        why: String,
        /// True when there is proof that nothing ran.
        never_ran: bool,
    },
    /// It may or may not have run. It is not sent again by itself.
    Unknown {
        /// What is known.
        why: String,
    },
    /// Refused before policy, or after it by the approval that was named.
    Refused {
        /// Why, in words that the caller can act on.
        why: String,
        /// Where.
        stage: Stage,
        /// Whether the same call can succeed later.
        can_retry: bool,
    },
    /// Policy or a person said no.
    Denied {
        /// Why.
        why: String,
    },
    /// Nobody answered in time. No one said no.
    Expired {
        /// The question that ended.
        approval_id: Uuid,
    },
    /// It needs a person and nobody can be reached.
    NoApprover {
        /// Why it needs one.
        why: String,
    },
    /// A person has been asked; the same call, sent again, uses the answer.
    Pending {
        /// The question.
        ticket: Ticket,
    },
    /// The caller, or somebody for it, took the question back.
    Withdrawn {
        /// The question.
        approval_id: Uuid,
    },
    /// No tool does what the token wants. No yes can run it.
    Unroutable {
        /// What to tell a person.
        ask: String,
    },
}

impl Outcome {
    /// The outcome's name in the journal and on the wire.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Completed { .. } => "completed",
            Self::Failed { .. } => "failed",
            Self::Unknown { .. } => "unknown",
            Self::Refused { .. } => "refused",
            Self::Denied { .. } => "denied",
            Self::Expired { .. } => "expired",
            Self::NoApprover { .. } => "no_approver",
            Self::Pending { .. } => "pending",
            Self::Withdrawn { .. } => "withdrawn",
            Self::Unroutable { .. } => "unroutable",
        }
    }

    /// What happened and what can be done, for a model. Cleaned; for an answer, its one-line summary.
    #[must_use]
    pub fn for_model(&self) -> String {
        match self {
            Self::Completed { result, .. } => sanitize_for_display(&result.summary),
            Self::Failed {
                why,
                never_ran: true,
            } => {
                format!(
                    "Nothing ran: {}. The call may be sent again.",
                    sanitize_for_display(why)
                )
            }
            Self::Failed {
                why,
                never_ran: false,
            } => {
                format!("The call ran and failed: {}.", sanitize_for_display(why))
            }
            Self::Unknown { why } => format!(
                "The call may or may not have run: {}. Do not repeat it before its effect was checked.",
                sanitize_for_display(why)
            ),
            Self::Refused {
                why,
                stage,
                can_retry,
            } => format!(
                "Refused ({}): {}. {}",
                stage.as_str(),
                sanitize_for_display(why),
                if *can_retry {
                    "The same call may succeed later."
                } else {
                    "Change the call before trying again."
                }
            ),
            Self::Denied { why } => {
                format!(
                    "Denied: {}. Do not try the same call again; look for another way.",
                    sanitize_for_display(why)
                )
            }
            Self::Expired { approval_id } => format!(
                "Nobody answered approval {approval_id} in time. This is not a no: the call may be sent again, which asks anew."
            ),
            Self::NoApprover { why } => format!(
                "This call needs a person's approval ({}) and no approver can be reached. Go on without it, or tell the user.",
                sanitize_for_display(why)
            ),
            Self::Pending { ticket } => format!(
                "Waiting for approval {}; call again with the same arguments. The question ends at {}.",
                ticket.approval_id,
                ticket
                    .expires_at
                    .to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
            ),
            Self::Withdrawn { approval_id } => {
                format!("The question {approval_id} was taken back; nothing ran.")
            }
            Self::Unroutable { ask } => sanitize_for_display(ask),
        }
    }
}

impl From<Refusal> for Outcome {
    fn from(refusal: Refusal) -> Self {
        Self::Refused {
            why: refusal.why,
            stage: refusal.stage,
            can_retry: refusal.can_retry,
        }
    }
}
