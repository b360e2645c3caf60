//! One question to people, as folded from its events: what is asked, of whom, and how it stands.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tipstaff_schema::{AgentId, Digest, Person, Role};
use uuid::Uuid;

use crate::events::Answered;
use crate::{Answer, ApprovalState, EventDataError, Preview};
use tipstaff_schema::one_form;

one_form!(Subject, ToolReview, RuleRef);

/// What is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    remote = "Self",
    tag = "kind",
    rename_all = "snake_case",
    deny_unknown_fields
)]
#[non_exhaustive]
pub enum Subject {
    /// May this one call run?
    Call {
        /// The call, as the approver sees it.
        preview: Box<Preview>,
    },
    /// What may be done with this tool?
    Tool {
        /// The tool, as the reviewer sees it.
        review: Box<ToolReview>,
    },
}

/// A tool that nobody has reviewed yet, as the reviewer sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct ToolReview {
    /// The tool's id.
    pub tool_id: String,
    /// The whole definition as the server gave it: untrusted.
    pub definition: Value,
    /// What looked wrong in its texts, a sentence each.
    pub findings: Vec<String>,
}

/// The rule that asked, as it was then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct RuleRef {
    /// Its id.
    pub id: String,
    /// Its digest.
    pub digest: Digest,
}

/// One person's answer to one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vote {
    /// Who.
    pub person: Person,
    /// What they said.
    pub answer: Answer,
    /// When.
    pub at: DateTime<Utc>,
}

/// One question to people.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// Its id (UUID v7).
    pub id: Uuid,
    /// How many events its stream holds: the version that the next append expects.
    pub version: u64,
    /// What the answer is bound to: the request digest of a call, the pin of a tool.
    pub digest: Digest,
    /// What is asked.
    pub subject: Subject,
    /// The agent whose call it is.
    pub agent: AgentId,
    /// The session that asked and alone may use the answer.
    pub session: String,
    /// What it belongs to; `None` when the caller named nothing.
    pub correlation: Option<Uuid>,
    /// When it was asked.
    pub requested_at: DateTime<Utc>,
    /// From this instant on no answer counts.
    pub expires_at: DateTime<Utc>,
    /// How many seconds an approval may wait for its use.
    pub use_within_seconds: u64,
    /// The roles that may answer; empty means the role `approver`.
    pub audience: Vec<Role>,
    /// People who may not answer, whatever their roles.
    pub excluded: Vec<Person>,
    /// How many different people must say yes.
    pub quorum: u32,
    /// Why people are asked at all.
    pub reason_asked: String,
    /// The digest of the policy that asked; `None` for a tool review.
    pub policy: Option<Digest>,
    /// The rule that asked; `None` where no rule matched.
    pub rule: Option<RuleRef>,
    /// The digest of what was handed to the approver's channel.
    pub shown: Digest,
    /// The recorded state; [`Self::state_at`] counts expiry in.
    pub state: ApprovalState,
    /// The votes, oldest first.
    pub votes: Vec<Vote>,
    /// The deciding answer; `None` while there is none, also when it ended without one.
    pub answered: Option<Answered>,
    /// When the deciding answer was given.
    pub answered_at: Option<DateTime<Utc>>,
    /// Why it was withdrawn or voided.
    pub ended_because: Option<String>,
    /// The call that used it.
    pub used_by: Option<Uuid>,
}

impl ApprovalRequest {
    /// The state at `now`, with expiry counted in.
    #[must_use]
    pub fn state_at(&self, now: DateTime<Utc>) -> ApprovalState {
        self.state.at(now)
    }

    /// The reason of the person who said no; `None` unless it was denied.
    #[must_use]
    pub fn denied_because(&self) -> Option<&str> {
        self.answered
            .as_ref()
            .and_then(|answered| match &answered.answer {
                Answer::Deny { reason } => Some(reason.as_str()),
                Answer::Approve | Answer::Review(_) => None,
            })
    }
}

impl Subject {
    /// The tool's id.
    #[must_use]
    pub fn tool_id(&self) -> &str {
        match self {
            Self::Call { preview } => &preview.tool_id,
            Self::Tool { review } => &review.tool_id,
        }
    }

    /// The digest of what is handed to the approver's channel.
    ///
    /// # Errors
    /// [`EventDataError::Write`] when a value in it has no canonical form.
    pub fn shown_digest(&self) -> Result<Digest, EventDataError> {
        match self {
            Self::Call { preview } => preview.shown_digest(),
            Self::Tool { review } => crate::preview::shown_digest(review),
        }
    }
}
