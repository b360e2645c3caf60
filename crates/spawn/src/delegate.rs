//! Whoever takes the tasks of agent mode. An extension point: this crate starts no agents itself.

use tipstaff_gate::{Cancel, Session};
use tipstaff_schema::AgentId;

use chrono::{DateTime, Utc};

/// A task for a subagent.
#[derive(Debug)]
#[non_exhaustive]
pub struct Task {
    /// What is to be done.
    pub text: String,
    /// The child's session: its lineage, its context and nothing more than its parent has.
    pub session: Session,
    /// How deep the child is.
    pub depth: usize,
    /// By when it must have ended.
    pub deadline: DateTime<Utc>,
    /// The parent's signal.
    pub cancel: Cancel,
}

/// What a subagent brought back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delegated {
    /// Its answer.
    Answer(String),
    /// It ended well and said nothing.
    Empty,
}

/// A task that brought nothing back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DelegateError {
    /// It never started.
    #[error("the subagent did not start: {why}")]
    NotStarted {
        /// Why.
        why: String,
    },
    /// It started and failed.
    #[error("the subagent failed: {why}")]
    Failed {
        /// Why.
        why: String,
    },
}

/// Takes tasks.
#[async_trait::async_trait]
pub trait Delegate: std::fmt::Debug + Send + Sync {
    /// The name under which the child of this agent will call.
    fn child_of(&self, agent: &AgentId) -> AgentId;

    /// Runs a subagent to its end. Its own calls go through the same gate, with the task's session.
    ///
    /// # Errors
    /// [`DelegateError`], which tells whether it ever started.
    async fn run(&self, task: Task) -> Result<Delegated, DelegateError>;
}
