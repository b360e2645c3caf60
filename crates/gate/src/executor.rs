//! The trait that runs calls, and what passes through it.
//!
//! `prepare` reads a call and says what it would do, without touching anything. `execute` gets its
//! arguments from the [`Warrant`], never from the caller.

use std::collections::BTreeMap;

use serde_json::Value;
use tipstaff_approval::{ApprovalCategory, Durability, ExecutionCategory, Power, SideEffectLevel};
use tipstaff_command::{CommandPlan, Suggestion};
use tipstaff_registry::ToolEntry;
use tipstaff_schema::{Placement, ResourcePlace};

use crate::{Call, Cancel, ProgramSearch, Session, Stage, Warrant};

/// Runs the calls of one source of tools.
#[async_trait::async_trait]
pub trait Executor: std::fmt::Debug + Send + Sync {
    /// Reads the call: what it would do, for rules and for people. Pure: touches no file, starts nothing.
    /// Of the variables that the caller adds the journal keeps the names only: what-if gives empty values.
    ///
    /// # Errors
    /// [`Refusal`] when the call cannot be understood or can never run here; it reaches no person.
    fn prepare(&self, call: &ValidCall<'_>) -> Result<Prepared, Refusal>;

    /// Runs the call once. Must stop soon after `cancel`, and by the warrant's deadline.
    ///
    /// # Errors
    /// [`ExecError`]: which variant decides whether the outcome is known.
    async fn execute(&self, warrant: Warrant, cancel: Cancel) -> Result<ExecOutput, ExecError>;

    /// Where the files and hosts that its calls name are to be looked up.
    fn place(&self) -> ResourcePlace {
        ResourcePlace::Local
    }

    /// Whether failures tell of one thing that may be down, so that after several in a row calls are
    /// refused for a while. Not so where each call starts a program of its own.
    fn has_breaker(&self) -> bool {
        true
    }
}

/// A call whose tool is known and whose arguments fit its schema.
#[derive(Debug)]
#[non_exhaustive]
pub struct ValidCall<'a> {
    /// Who calls.
    pub session: &'a Session,
    /// The tool.
    pub entry: &'a ToolEntry,
    /// The validated arguments.
    pub params: &'a Value,
    /// The folder that the caller named.
    pub cwd: Option<&'a str>,
    /// The agent's root folder.
    pub root: Option<&'a str>,
    /// Additions to the environment.
    pub env: &'a BTreeMap<String, String>,
    /// Where the caller wants it to run.
    pub placement: Option<&'a Placement>,
}

impl<'a> ValidCall<'a> {
    /// The call with its tool, its arguments in canonical spelling, and the agent's root.
    pub(crate) fn new(
        session: &'a Session,
        call: &'a Call,
        entry: &'a ToolEntry,
        params: &'a Value,
        root: Option<&'a str>,
    ) -> Self {
        Self {
            session,
            entry,
            params,
            cwd: call.cwd.as_deref(),
            root,
            env: &call.env,
            placement: call.placement.as_ref(),
        }
    }
}

/// What a call would do, as its executor reads it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Prepared {
    /// The call as parsed: what people see and remembered rules match.
    pub structured_input: Value,
    /// One line for people; empty means none.
    pub summary: String,
    /// The powers it uses.
    pub powers: Vec<Power>,
    /// How it may run beside others.
    pub execution: ExecutionCategory,
    /// The kind of approval it belongs to.
    pub category: ApprovalCategory,
    /// How long what it starts lives.
    pub durability: Durability,
    /// How far it reaches; none means what the profile says.
    pub level: Option<SideEffectLevel>,
    /// The action label; none means the profile's.
    pub action: Option<String>,
    /// Where it will run; none means the executor's only place.
    pub placement: Option<Placement>,
    /// The folder in which it will run.
    pub cwd: Option<String>,
    /// The plan of a command; none for anything else.
    pub plan: Option<CommandPlan>,
    /// How the programs of a command are found that starts on this machine; none where it starts none.
    pub programs: Option<ProgramSearch>,
    /// For each command of the plan what a rule could say to allow it, narrowest first.
    pub suggestions: Vec<Vec<Suggestion>>,
}

impl Prepared {
    /// The preparation of a tool of which only its profile is known.
    #[must_use]
    pub fn plain(structured_input: Value) -> Self {
        Self {
            structured_input,
            summary: String::new(),
            powers: Vec::new(),
            execution: ExecutionCategory::ExclusivePersistentMutation,
            category: ApprovalCategory::Default,
            durability: Durability::Ephemeral,
            level: None,
            action: None,
            placement: None,
            cwd: None,
            plan: None,
            programs: None,
            suggestions: Vec::new(),
        }
    }
}

/// A call that was refused before policy saw it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("{why}")]
pub struct Refusal {
    /// Where on its way it was refused.
    pub stage: Stage,
    /// Why, in words that the caller can act on.
    pub why: String,
    /// Whether the same call can succeed later without being changed.
    pub can_retry: bool,
}

impl Refusal {
    /// A refusal that holds for this call for good.
    #[must_use]
    pub fn new(stage: Stage, why: impl Into<String>) -> Self {
        Self {
            stage,
            why: why.into(),
            can_retry: false,
        }
    }

    /// The same, but the call may succeed later as it is.
    #[must_use]
    pub fn retry(stage: Stage, why: impl Into<String>) -> Self {
        Self {
            stage,
            why: why.into(),
            can_retry: true,
        }
    }
}

/// An answer. Untrusted data: a host that shows it to a model renders it through the fence.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct ExecOutput {
    /// One line: what came of it.
    pub summary: String,
    /// The text of the answer.
    pub output: Option<String>,
    /// The structured answer: what output schemas check and triage judges.
    pub data: Option<Value>,
    /// The answer as the executor's protocol carried it, for a gateway to pass on unchanged.
    pub raw: Option<Value>,
    /// The tool says that it failed. It ran; no triage rule sees the answer.
    pub is_error: bool,
    /// Part of the answer was cut, visibly: no triage rule sees it.
    pub truncated: bool,
}

impl ExecOutput {
    /// An answer of plain text.
    #[must_use]
    pub fn text(summary: impl Into<String>, output: impl Into<String>) -> Self {
        Self {
            summary: summary.into(),
            output: Some(output.into()),
            ..Self::default()
        }
    }
}

/// An execution that gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExecError {
    /// There is proof that nothing ran, and it is the call's own fault: no such method, arguments
    /// refused. Says nothing of the health of what runs calls.
    #[error("nothing ran: {why}")]
    NeverSent {
        /// What proves it.
        why: String,
    },
    /// There is proof that nothing ran, since what runs the call could not be reached. Counts as its
    /// failure.
    #[error("nothing ran: {why}")]
    Unreachable {
        /// What is known.
        why: String,
    },
    /// It ran, and what runs it failed; a tool that says itself that it failed gives an [`ExecOutput`]
    /// with `is_error`. Counts as a failure.
    #[error("it failed: {why}")]
    Failed {
        /// What is known.
        why: String,
    },
    /// It may or may not have run: time-out, cancel, lost connection. Counts as a failure unless the
    /// caller cancelled.
    #[error("whether it ran is not known: {why}")]
    Uncertain {
        /// What is known.
        why: String,
    },
}
