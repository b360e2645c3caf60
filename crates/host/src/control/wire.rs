//! What is said over the control socket. Unknown fields are refused on both sides: both are ours.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use tipstaff_approval::{Answer, ApprovalRequest, ReviewAnswer, Subject};
use tipstaff_gate::Work;
use tipstaff_schema::{AgentId, Digest, Person};
use tipstaff_triage::Task;
use uuid::Uuid;

use super::tool_view::ToolView;

/// What a client asks of a running gate.
#[derive(Clone, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum ControlRequest {
    /// The questions that wait.
    Pending {},
    /// One question, whatever its state.
    Show {
        /// Which.
        id: Uuid,
    },
    /// A person's answer.
    Answer {
        /// To which question.
        id: Uuid,
        /// The digest that the person was shown.
        digest: Digest,
        /// What they say.
        answer: Answer,
        /// Who they are; none while nobody is configured.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        person: Option<String>,
        /// Their secret; never printed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        secret: Option<String>,
    },
    /// A person's work on tasks; several are of one rule.
    Work {
        /// Which tasks.
        ids: Vec<Digest>,
        /// What is done.
        work: Work,
        /// Who they are; none while nobody is configured.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        person: Option<String>,
        /// Their secret; never printed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        secret: Option<String>,
    },
    /// One tool, as it is offered now.
    Tool {
        /// Its id.
        tool_id: String,
    },
    /// A person's acceptance of a tool as it was shown to them.
    AcceptTool {
        /// Which.
        tool_id: String,
        /// The digest that the person was shown.
        pin: Digest,
        /// What may be done with it; without it, what was decided before stays.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        review: Option<ReviewAnswer>,
        /// Who they are; none while nobody is configured.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        person: Option<String>,
        /// Their secret; never printed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        secret: Option<String>,
    },
}

impl std::fmt::Debug for ControlRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Pending {} => f.write_str("Pending"),
            Self::Show { id } => f.debug_struct("Show").field("id", id).finish(),
            Self::Answer { id, person, .. } => f
                .debug_struct("Answer")
                .field("id", id)
                .field("person", person)
                .finish_non_exhaustive(),
            Self::Work {
                ids, work, person, ..
            } => f
                .debug_struct("Work")
                .field("ids", ids)
                .field("work", work)
                .field("person", person)
                .finish_non_exhaustive(),
            Self::Tool { tool_id } => f.debug_struct("Tool").field("tool_id", tool_id).finish(),
            Self::AcceptTool {
                tool_id, person, ..
            } => f
                .debug_struct("AcceptTool")
                .field("tool_id", tool_id)
                .field("person", person)
                .finish_non_exhaustive(),
        }
    }
}

/// What the gate replies.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum ControlReply {
    /// The questions that wait.
    Pending {
        /// The next to expire first.
        requests: Vec<PendingView>,
    },
    /// One question.
    Request {
        /// The question.
        request: Box<PendingView>,
    },
    /// The answer or the acceptance counted.
    Answered {
        /// How the question stands now; still `pending` where a quorum is not reached. Of a tool
        /// `accepted`.
        state: String,
    },
    /// What became of each task.
    Worked {
        /// In the order of the request.
        tasks: Vec<WorkedTask>,
    },
    /// One tool.
    Tool {
        /// The tool.
        tool: Box<ToolView>,
    },
    /// There is no such question or tool here; another process may hold it.
    NotFound {},
    /// The answer did not count; nothing changed.
    Refused {
        /// Why.
        why: String,
    },
}

/// What became of one task that a person worked on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkedTask {
    /// The task.
    pub id: Digest,
    /// How it stands now; none where nothing changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Who holds it now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<Person>,
    /// By when it is due now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<DateTime<Utc>>,
    /// Why nothing changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl WorkedTask {
    /// A task that was worked on.
    #[must_use]
    pub fn done(task: &Task) -> Self {
        Self {
            id: task.id,
            state: Some(task.status().as_str().to_owned()),
            holder: task.holder().cloned(),
            due_at: Some(task.due_at),
            why: None,
        }
    }

    /// A task with which nothing was done.
    #[must_use]
    pub const fn refused(id: Digest, why: String) -> Self {
        Self {
            id,
            state: None,
            holder: None,
            due_at: None,
            why: Some(why),
        }
    }
}

/// One question, as people see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PendingView {
    /// Its id.
    pub id: Uuid,
    /// What an answer must be given to.
    pub digest: Digest,
    /// `call`, or `tool` for the review of a tool.
    pub kind: String,
    /// The tool's id.
    pub tool_id: String,
    /// Who calls.
    pub agent: AgentId,
    /// How it stands.
    pub state: String,
    /// When it was asked.
    pub requested_at: DateTime<Utc>,
    /// When it ends.
    pub expires_at: DateTime<Utc>,
    /// Why people are asked.
    pub reason_asked: String,
    /// How many people must say yes.
    pub quorum: u32,
    /// How many have voted.
    pub votes: usize,
    /// The whole question as labelled lines, safe to print.
    pub text: String,
    /// The question as data: what the text was made of. Untrusted.
    pub subject: Subject,
}

impl PendingView {
    /// The view of a request at this time.
    #[must_use]
    pub fn of(request: &ApprovalRequest, now: DateTime<Utc>) -> Self {
        let kind = match &request.subject {
            Subject::Call { .. } => "call",
            Subject::Tool { .. } => "tool",
            _ => "other",
        };
        Self {
            id: request.id,
            digest: request.digest,
            kind: kind.to_owned(),
            tool_id: request.subject.tool_id().to_owned(),
            agent: request.agent.clone(),
            state: request.state_at(now).as_str().to_owned(),
            requested_at: request.requested_at,
            expires_at: request.expires_at,
            reason_asked: request.reason_asked.clone(),
            quorum: request.quorum,
            votes: request.votes.len(),
            text: request.show(),
            subject: request.subject.clone(),
        }
    }
}
