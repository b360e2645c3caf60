//! One task, as folded from its events: what is to be done, by whom and when, and what became of it.

use chrono::{DateTime, Utc};
use serde_json::json;
use tipstaff_journal::Kind;
use tipstaff_schema::{AgentId, Digest, Domain, Person, Role};
use uuid::Uuid;

use crate::events::KeptAnswer;
use crate::{DeadlineSpec, OnExpiry, Priority, Standing, TaskState, TaskStatus};

/// The id of the task that a rule opens for a call.
#[must_use]
pub fn task_id(call: Uuid, rule: &str) -> Digest {
    // A list of two plain strings: its compact JSON is its canonical form.
    Digest::of_canonical(
        Domain::Task,
        json!([call.to_string(), rule]).to_string().as_bytes(),
    )
}

/// Something that happened to a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Past {
    /// When.
    pub at: DateTime<Utc>,
    /// What, such as `task.claimed`.
    pub what: Kind,
    /// Who did it; `None` when time did.
    pub by: Option<Person>,
    /// Their words; empty when they said nothing.
    pub note: String,
}

/// One row in somebody's worklist.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Task {
    /// Its id: the digest of call and rule.
    pub id: Digest,
    /// How many events its stream holds: the version that the next append expects.
    pub version: u64,
    /// `agent.triage/<rule>`, or a kind of the gate's own.
    pub kind: String,
    /// What its call belongs to; `None` when the caller named nothing.
    pub correlation: Option<Uuid>,
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
    /// State, and whether it was escalated.
    pub standing: Standing,
    /// When it was opened.
    pub created_at: DateTime<Utc>,
    /// By when it is due.
    pub due_at: DateTime<Utc>,
    /// The deadline as the rule states it.
    pub deadline: DeadlineSpec,
    /// What happens when its time has run out.
    pub on_expiry: OnExpiry,
    /// The roles that see it after an escalation.
    pub escalate_to: Vec<Role>,
    /// Whether a completion needs a note.
    pub note_required: bool,
    /// What happened to it, oldest first.
    pub history: Vec<Past>,
}

impl Task {
    /// The name of its state.
    #[must_use]
    pub const fn status(&self) -> TaskStatus {
        self.standing.state.status()
    }

    /// Who works on it; `None` when nobody does.
    #[must_use]
    pub const fn holder(&self) -> Option<&Person> {
        match &self.standing.state {
            TaskState::Claimed { holder } => Some(holder),
            TaskState::Ready
            | TaskState::Completed { .. }
            | TaskState::Skipped
            | TaskState::Expired => None,
        }
    }

    /// Whether it is open and its time has run out.
    #[must_use]
    pub fn is_overdue(&self, now: DateTime<Utc>) -> bool {
        self.status().is_open() && now >= self.due_at
    }

    /// Whether one of these roles sees it; supervisors see every task.
    #[must_use]
    pub fn is_seen_by(&self, roles: &[Role]) -> bool {
        sees_all(roles) || sees(&self.audience, roles)
    }
}

/// Whether these roles see every task.
pub(crate) fn sees_all(roles: &[Role]) -> bool {
    let all = crate::work::SUPERVISOR;
    roles.iter().any(|role| role.as_str() == all)
}

/// Whether roles of whom none is a supervisor see what has this audience.
pub(crate) fn sees(audience: &[Role], roles: &[Role]) -> bool {
    audience.is_empty() || roles.iter().any(|role| audience.contains(role))
}
