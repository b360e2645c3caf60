//! The typed data of `approval.*` events, and the way between them and the journal's JSON.
//!
//! Who wrote an event and when stands in its envelope; unknown fields of the data are refused.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tipstaff_journal::{Kind, kinds};
use tipstaff_schema::{AgentId, Digest, Person, Role};
use uuid::Uuid;

use crate::{Answer, RuleRef, Subject};
use tipstaff_schema::one_form;

one_form!(Requested, Voted, Answered, Used, Expired, Withdrawn, Voided);

/// `approval.requested`: a question to people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Requested {
    /// The agent whose call it is.
    pub agent: AgentId,
    /// The session that asked and alone may use the answer.
    pub session: String,
    /// What the answer is bound to: the request digest of a call, the pin of a tool.
    pub digest: Digest,
    /// What is asked.
    pub subject: Subject,
    /// The digest of what was handed to the approver's channel.
    pub shown: Digest,
    /// From this instant on no answer counts.
    pub expires_at: DateTime<Utc>,
    /// How many seconds an approval may wait for its use.
    pub use_within_seconds: u64,
    /// The roles that may answer; empty means the role `approver`.
    pub audience: Vec<Role>,
    /// People who may not answer.
    pub excluded: Vec<Person>,
    /// How many different people must say yes.
    pub quorum: u32,
    /// Why people are asked.
    pub reason_asked: String,
    /// The digest of the policy that asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Digest>,
    /// The rule that asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleRef>,
}

/// `approval.voted`: one person's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Voted {
    /// Who, from the authenticated session.
    pub person: Person,
    /// The digest that they were shown.
    pub digest: Digest,
    /// What they said.
    pub answer: Answer,
}

/// `approval.answered`: the votes decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Answered {
    /// The deciding answer: the denial, or the strictest of the approving votes.
    pub answer: Answer,
    /// Everyone whose vote counted for it.
    pub by: Vec<Person>,
    /// From this instant on an approval cannot be used; `None` when it was denied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub use_by: Option<DateTime<Utc>>,
}

/// `approval.used`: one execution starts on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Used {
    /// The call that used it.
    pub call: Uuid,
    /// The digest of that call.
    pub digest: Digest,
    /// The session of that call.
    pub session: String,
}

/// `approval.expired`: its time has run out. This is nobody's no.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Expired {}

/// `approval.withdrawn`: the caller cancelled the call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Withdrawn {
    /// Why, as the caller said.
    pub reason: String,
}

/// `approval.voided`: what was asked no longer holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Voided {
    /// What changed.
    pub reason: String,
}

impl Voided {
    /// As the journal holds it.
    #[must_use]
    pub fn data(&self) -> Value {
        json!({ "reason": self.reason })
    }
}

/// Any event of an approval's stream.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ApprovalEvent {
    /// `approval.requested`
    Requested(Box<Requested>),
    /// `approval.voted`
    Voted(Voted),
    /// `approval.answered`
    Answered(Answered),
    /// `approval.used`
    Used(Used),
    /// `approval.expired`
    Expired(Expired),
    /// `approval.withdrawn`
    Withdrawn(Withdrawn),
    /// `approval.voided`
    Voided(Voided),
}

/// Data that cannot be written to or read from the journal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EventDataError {
    /// It has no JSON form.
    #[error("the data of `{what}` cannot be written as canonical JSON")]
    Write {
        /// The kind of event, or `preview`.
        what: String,
        /// Why not.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// It is not what its kind says.
    #[error("the data of `{kind}` cannot be read")]
    Read {
        /// The kind of event.
        kind: String,
        /// Where and why not.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl ApprovalEvent {
    /// The kind, as the journal's envelope spells it.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Requested(_) => kinds::APPROVAL_REQUESTED,
            Self::Voted(_) => kinds::APPROVAL_VOTED,
            Self::Answered(_) => kinds::APPROVAL_ANSWERED,
            Self::Used(_) => kinds::APPROVAL_USED,
            Self::Expired(_) => kinds::APPROVAL_EXPIRED,
            Self::Withdrawn(_) => kinds::APPROVAL_WITHDRAWN,
            Self::Voided(_) => kinds::APPROVAL_VOIDED,
        }
    }

    /// The data, for the journal.
    ///
    /// # Errors
    /// [`EventDataError::Write`] when a value in it has no JSON form.
    pub fn data(&self) -> Result<Value, EventDataError> {
        match self {
            Self::Requested(data) => serde_json::to_value(data),
            Self::Voted(data) => serde_json::to_value(data),
            Self::Answered(data) => serde_json::to_value(data),
            Self::Used(data) => serde_json::to_value(data),
            Self::Expired(data) => serde_json::to_value(data),
            Self::Withdrawn(data) => serde_json::to_value(data),
            Self::Voided(data) => Ok(data.data()),
        }
        .map_err(|e| EventDataError::Write {
            what: self.kind().to_string(),
            source: Box::new(e),
        })
    }

    /// Reads the data of an event; `None` for kinds that are not of an approval.
    ///
    /// # Errors
    /// [`EventDataError::Read`] when the data is not what the kind says.
    pub fn read(kind: &Kind, data: &Value) -> Result<Option<Self>, EventDataError> {
        let read = match *kind {
            kinds::APPROVAL_REQUESTED => {
                <Requested as Deserialize>::deserialize(data).map(|d| Self::Requested(Box::new(d)))
            }
            kinds::APPROVAL_VOTED => <Voted as Deserialize>::deserialize(data).map(Self::Voted),
            kinds::APPROVAL_ANSWERED => {
                <Answered as Deserialize>::deserialize(data).map(Self::Answered)
            }
            kinds::APPROVAL_USED => <Used as Deserialize>::deserialize(data).map(Self::Used),
            kinds::APPROVAL_EXPIRED => {
                <Expired as Deserialize>::deserialize(data).map(Self::Expired)
            }
            kinds::APPROVAL_WITHDRAWN => {
                <Withdrawn as Deserialize>::deserialize(data).map(Self::Withdrawn)
            }
            kinds::APPROVAL_VOIDED => <Voided as Deserialize>::deserialize(data).map(Self::Voided),
            _ => return Ok(None),
        };
        read.map(Some).map_err(|e| EventDataError::Read {
            kind: kind.to_string(),
            source: Box::new(e),
        })
    }
}
