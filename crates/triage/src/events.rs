//! The typed data of `task.*` events, and the way between them and the journal's JSON.
//!
//! When an event happened stands in its envelope; unknown fields of the data are refused.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tipstaff_journal::{Kind, cap_value, kinds};
use tipstaff_schema::{AgentId, CanonError, Digest, Domain, Person, Role, canonical};
use uuid::Uuid;

use crate::{Authority, DeadlineSpec, OnExpiry, Priority};
use tipstaff_schema::one_form;

one_form!(
    KeptAnswer, Opened, Claimed, Released, Delegated, TakenOver, Completed, Skipped, Expired,
    Escalated, Reopened
);

/// A larger answer is not kept in the task.
const MAX_KEPT_BYTES: usize = 256 * 1024;

/// The answer that opened a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    remote = "Self",
    tag = "type",
    rename_all = "snake_case",
    deny_unknown_fields
)]
#[non_exhaustive]
pub enum KeptAnswer {
    /// The whole of it.
    Whole {
        /// The answer, held once for all tasks that it opens.
        value: Arc<Value>,
    },
    /// Over 256 KiB or nested too deeply: its digest; the call's own events say what is known of it.
    Digest {
        /// The digest of the answer.
        digest: Digest,
        /// Its length as canonical JSON.
        bytes: u64,
    },
    /// There was none: the task is about the call itself.
    None {},
}

impl KeptAnswer {
    /// The answer itself, or its digest when it is large.
    ///
    /// # Errors
    /// [`CanonError`] when it has no canonical form.
    pub fn of(answer: &Value) -> Result<Self, CanonError> {
        // What an event cannot hold, by length or by depth, must not keep the task from being opened.
        if cap_value(answer, MAX_KEPT_BYTES)? == *answer {
            return Ok(Self::Whole {
                value: Arc::new(answer.clone()),
            });
        }
        let text = canonical(answer)?;
        let digest = Digest::of_canonical(Domain::Answer, text.as_bytes());
        Ok(Self::Digest {
            digest,
            bytes: u64::try_from(text.len()).unwrap_or(u64::MAX),
        })
    }
}

/// `task.opened`: a row in somebody's worklist.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Opened {
    /// The task's id, also that of its stream: the digest of call and rule.
    pub task: Digest,
    /// `agent.triage/<rule>`, or a kind of the gate's own.
    pub kind: String,
    /// The call that it is about.
    pub call: Uuid,
    /// The tool's name.
    pub tool: String,
    /// The agent whose call it was.
    pub agent: AgentId,
    /// Text for people, already cleaned.
    pub summary: String,
    /// The answer that opened it.
    pub answer: KeptAnswer,
    /// The roles that see it; empty means anyone.
    pub audience: Vec<Role>,
    /// People who may not work on it.
    pub excluded: Vec<Person>,
    /// How pressing it is.
    pub priority: Priority,
    /// The deadline as the rule states it.
    pub deadline: DeadlineSpec,
    /// The instant that this was; never computed again.
    pub due_at: DateTime<Utc>,
    /// The digest of the calendar by which it was computed.
    pub calendar: Digest,
    /// What happens when its time has run out.
    pub on_expiry: OnExpiry,
    /// The roles that see it after an escalation.
    pub escalate_to: Vec<Role>,
    /// Whether a completion needs a note.
    pub note_required: bool,
    /// The gate only looked on: what policy would have asked ran unasked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub observed: bool,
}

/// `triage.failed`, in the stream of a call: rules that match its answer and whose tasks could not be
/// opened. They stay owed until tasks of their ids exist.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Owed {
    /// The rules, in the order of the file.
    pub rules: Vec<OwedTask>,
    /// The tool's name.
    pub tool: String,
    /// The agent whose call it was.
    pub agent: AgentId,
    /// The answer that they match.
    pub answer: KeptAnswer,
    /// The gate only looked on: what policy would have asked ran unasked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub observed: bool,
}

/// One task that is owed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwedTask {
    /// The rule's name.
    pub rule: String,
    /// Why it could not be opened.
    pub why: String,
    /// Text for people, already cleaned.
    pub summary: String,
}

/// `task.claimed`: somebody works on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Claimed {
    /// Who.
    pub by: Person,
}

/// `task.released`: nobody works on it any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Released {
    /// Who gave it back.
    pub by: Person,
    /// In what capacity.
    pub authority: Authority,
}

/// `task.delegated`: the holder, or a supervisor, gave it to somebody else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Delegated {
    /// Who gave it.
    pub by: Person,
    /// In what capacity.
    pub authority: Authority,
    /// Who holds it now.
    pub to: Person,
}

/// `task.taken_over`: somebody took it from a named holder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct TakenOver {
    /// Who holds it now.
    pub by: Person,
    /// Who held it.
    pub from: Person,
}

/// `task.completed`: it is done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Completed {
    /// The holder.
    pub by: Person,
    /// What came of it; any JSON, null when there is nothing to say.
    pub result: Value,
    /// A note for people; may be empty.
    pub note: String,
}

/// `task.skipped`: it is not going to be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Skipped {
    /// The holder.
    pub by: Person,
    /// Why.
    pub reason: String,
}

/// `task.expired`: its time has run out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Expired {}

/// `task.escalated`: its time has run out, and more people see it now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Escalated {
    /// The roles that see it now.
    pub audience: Vec<Role>,
    /// How pressing it is now.
    pub priority: Priority,
    /// The new deadline, by the same rule.
    pub due_at: DateTime<Utc>,
}

/// `task.reopened`: a supervisor wants it done after all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Reopened {
    /// The supervisor.
    pub by: Person,
    /// Why.
    pub reason: String,
    /// The new deadline, by the same rule.
    pub due_at: DateTime<Utc>,
}

/// Any event of a task's stream.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TaskEvent {
    /// `task.opened`
    Opened(Box<Opened>),
    /// `task.claimed`
    Claimed(Claimed),
    /// `task.released`
    Released(Released),
    /// `task.delegated`
    Delegated(Delegated),
    /// `task.taken_over`
    TakenOver(TakenOver),
    /// `task.completed`
    Completed(Completed),
    /// `task.skipped`
    Skipped(Skipped),
    /// `task.expired`
    Expired(Expired),
    /// `task.escalated`
    Escalated(Escalated),
    /// `task.reopened`
    Reopened(Reopened),
}

/// Data that cannot be written to or read from the journal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EventDataError {
    /// It has no JSON form.
    #[error("the data of `{kind}` cannot be written as JSON")]
    Write {
        /// The kind of event.
        kind: String,
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

impl TaskEvent {
    /// The kind, as the journal's envelope spells it.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Opened(_) => kinds::TASK_OPENED,
            Self::Claimed(_) => kinds::TASK_CLAIMED,
            Self::Released(_) => kinds::TASK_RELEASED,
            Self::Delegated(_) => kinds::TASK_DELEGATED,
            Self::TakenOver(_) => kinds::TASK_TAKEN_OVER,
            Self::Completed(_) => kinds::TASK_COMPLETED,
            Self::Skipped(_) => kinds::TASK_SKIPPED,
            Self::Expired(_) => kinds::TASK_EXPIRED,
            Self::Escalated(_) => kinds::TASK_ESCALATED,
            Self::Reopened(_) => kinds::TASK_REOPENED,
        }
    }

    /// The data, for the journal.
    ///
    /// # Errors
    /// [`EventDataError::Write`] when a value in it has no JSON form.
    pub fn data(&self) -> Result<Value, EventDataError> {
        match self {
            Self::Opened(data) => serde_json::to_value(data),
            Self::Claimed(data) => serde_json::to_value(data),
            Self::Released(data) => serde_json::to_value(data),
            Self::Delegated(data) => serde_json::to_value(data),
            Self::TakenOver(data) => serde_json::to_value(data),
            Self::Completed(data) => serde_json::to_value(data),
            Self::Skipped(data) => serde_json::to_value(data),
            Self::Expired(data) => serde_json::to_value(data),
            Self::Escalated(data) => serde_json::to_value(data),
            Self::Reopened(data) => serde_json::to_value(data),
        }
        .map_err(|e| EventDataError::Write {
            kind: self.kind().to_string(),
            source: Box::new(e),
        })
    }

    /// Reads the data of an event; `None` for kinds that are not of a task.
    ///
    /// # Errors
    /// [`EventDataError::Read`] when the data is not what the kind says.
    pub fn read(kind: &Kind, data: &Value) -> Result<Option<Self>, EventDataError> {
        let read = match *kind {
            kinds::TASK_OPENED => {
                <Opened as Deserialize>::deserialize(data).map(|d| Self::Opened(Box::new(d)))
            }
            kinds::TASK_CLAIMED => <Claimed as Deserialize>::deserialize(data).map(Self::Claimed),
            kinds::TASK_RELEASED => {
                <Released as Deserialize>::deserialize(data).map(Self::Released)
            }
            kinds::TASK_DELEGATED => {
                <Delegated as Deserialize>::deserialize(data).map(Self::Delegated)
            }
            kinds::TASK_TAKEN_OVER => {
                <TakenOver as Deserialize>::deserialize(data).map(Self::TakenOver)
            }
            kinds::TASK_COMPLETED => {
                <Completed as Deserialize>::deserialize(data).map(Self::Completed)
            }
            kinds::TASK_SKIPPED => <Skipped as Deserialize>::deserialize(data).map(Self::Skipped),
            kinds::TASK_EXPIRED => <Expired as Deserialize>::deserialize(data).map(Self::Expired),
            kinds::TASK_ESCALATED => {
                <Escalated as Deserialize>::deserialize(data).map(Self::Escalated)
            }
            kinds::TASK_REOPENED => {
                <Reopened as Deserialize>::deserialize(data).map(Self::Reopened)
            }
            _ => return Ok(None),
        };
        read.map(Some).map_err(|e| EventDataError::Read {
            kind: kind.to_string(),
            source: Box::new(e),
        })
    }
}
