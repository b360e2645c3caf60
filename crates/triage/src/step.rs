//! The life of one task, as one function over all pairs of state and step, state by state.
//!
//! Knows neither roles nor times: who may see a task is `work`'s question, when it falls due is the
//! fold's. A step that changes nothing (the holder claims again) gives the same standing.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tipstaff_schema::Person;
use tipstaff_schema::one_form;

one_form!(TaskStatus, Authority);

/// Where a task stands.
#[derive(Debug, Clone, PartialEq)]
pub enum TaskState {
    /// Nobody works on it.
    Ready,
    /// Somebody does.
    Claimed {
        /// Who.
        holder: Person,
    },
    /// It is done.
    Completed {
        /// By whom.
        by: Person,
        /// What came of it.
        result: Value,
        /// Their note.
        note: String,
    },
    /// It is not going to be done.
    Skipped,
    /// Its time ran out.
    Expired,
}

/// The name of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum TaskStatus {
    /// Nobody works on it.
    Ready,
    /// Somebody does.
    Claimed,
    /// It is done.
    Completed,
    /// It is not going to be done.
    Skipped,
    /// Its time ran out.
    Expired,
}

impl TaskStatus {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Ready,
        Self::Claimed,
        Self::Completed,
        Self::Skipped,
        Self::Expired,
    ];

    /// Whether there is still something to do.
    #[must_use]
    pub const fn is_open(self) -> bool {
        match self {
            Self::Ready | Self::Claimed => true,
            Self::Completed | Self::Skipped | Self::Expired => false,
        }
    }

    /// The wire spelling, such as `ready`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Claimed => "claimed",
            Self::Completed => "completed",
            Self::Skipped => "skipped",
            Self::Expired => "expired",
        }
    }
}

impl std::fmt::Display for TaskStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl TaskState {
    /// Its name.
    #[must_use]
    pub const fn status(&self) -> TaskStatus {
        match self {
            Self::Ready => TaskStatus::Ready,
            Self::Claimed { .. } => TaskStatus::Claimed,
            Self::Completed { .. } => TaskStatus::Completed,
            Self::Skipped => TaskStatus::Skipped,
            Self::Expired => TaskStatus::Expired,
        }
    }
}

/// Where a task stands, and whether it has been escalated, which happens once.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// The state.
    pub state: TaskState,
    /// An escalated task never expires.
    pub escalated: bool,
}

/// In what capacity a person acts on a task that somebody holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum Authority {
    /// As its holder.
    Holder,
    /// As a supervisor.
    Supervisor,
}

/// What can befall a task.
#[derive(Debug, Clone, PartialEq)]
pub enum TaskStep {
    /// Somebody takes it.
    Claim {
        /// Who.
        by: Person,
    },
    /// It is given back.
    Release {
        /// By whom.
        by: Person,
        /// In what capacity.
        authority: Authority,
    },
    /// It is given to somebody else.
    Delegate {
        /// By whom.
        by: Person,
        /// In what capacity.
        authority: Authority,
        /// To whom.
        to: Person,
    },
    /// Somebody takes it from a named holder.
    TakeOver {
        /// Who.
        by: Person,
        /// From whom.
        from: Person,
    },
    /// It is done.
    Complete {
        /// By whom.
        by: Person,
        /// What came of it.
        result: Value,
        /// Their note.
        note: String,
    },
    /// It is not going to be done.
    Skip {
        /// By whom.
        by: Person,
    },
    /// It is to be done after all.
    Reopen,
    /// Its time has run out.
    Expire,
    /// Its time has run out, and more people are to see it.
    Escalate,
}

/// A step that the state does not allow. Nothing changes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StepRefusal {
    /// The task is over.
    #[error("the task is {status}")]
    NotPending {
        /// How it stands.
        status: TaskStatus,
    },
    /// Somebody else holds it.
    #[error("the task is held by `{holder}`")]
    AlreadyClaimed {
        /// Who.
        holder: Person,
    },
    /// Nobody holds it; claim it first.
    #[error("nobody holds the task; claim it first")]
    NotClaimed,
    /// It is held by another person than the one from whom it was to be taken.
    #[error("the task is held by `{holder}`, not by `{from}`")]
    HolderChanged {
        /// Who holds it.
        holder: Person,
        /// Who was named.
        from: Person,
    },
    /// It was completed in just this way before.
    #[error("the task was completed in the same way before")]
    Duplicate,
    /// It was completed in another way before.
    #[error("the task was completed by `{by}` in another way")]
    Conflict {
        /// By whom.
        by: Person,
    },
    /// There is nothing to reopen.
    #[error("the task is {status}; only what was completed or skipped can be reopened")]
    NotReopenable {
        /// How it stands.
        status: TaskStatus,
    },
    /// It was escalated before, and so it neither expires nor escalates.
    #[error("the task was escalated before")]
    AlreadyEscalated,
}

/// The standing that follows.
///
/// # Errors
/// [`StepRefusal`] when the state does not allow the step.
pub fn step(from: &Standing, step: &TaskStep) -> Result<Standing, StepRefusal> {
    let state = match &from.state {
        TaskState::Ready | TaskState::Claimed { .. } if from.escalated && lapses(step) => {
            return Err(StepRefusal::AlreadyEscalated);
        }
        TaskState::Ready => from_ready(step)?,
        TaskState::Claimed { holder } => from_claimed(holder, step)?,
        over @ (TaskState::Completed { .. } | TaskState::Skipped | TaskState::Expired) => {
            from_over(over, step)?
        }
    };
    let escalated = from.escalated || *step == TaskStep::Escalate;
    Ok(Standing { state, escalated })
}

const fn lapses(step: &TaskStep) -> bool {
    match step {
        TaskStep::Expire | TaskStep::Escalate => true,
        TaskStep::Claim { .. }
        | TaskStep::Release { .. }
        | TaskStep::Delegate { .. }
        | TaskStep::TakeOver { .. }
        | TaskStep::Complete { .. }
        | TaskStep::Skip { .. }
        | TaskStep::Reopen => false,
    }
}

fn from_ready(step: &TaskStep) -> Result<TaskState, StepRefusal> {
    let status = TaskStatus::Ready;
    match step {
        TaskStep::Claim { by } => Ok(TaskState::Claimed { holder: by.clone() }),
        TaskStep::Release { .. } | TaskStep::Delegate { .. } | TaskStep::TakeOver { .. } => {
            Err(StepRefusal::NotClaimed)
        }
        TaskStep::Complete { .. } | TaskStep::Skip { .. } => Err(StepRefusal::NotClaimed),
        TaskStep::Reopen => Err(StepRefusal::NotReopenable { status }),
        TaskStep::Expire => Ok(TaskState::Expired),
        TaskStep::Escalate => Ok(TaskState::Ready),
    }
}

fn from_claimed(holder: &Person, step: &TaskStep) -> Result<TaskState, StepRefusal> {
    let status = TaskStatus::Claimed;
    let held = || {
        Err(StepRefusal::AlreadyClaimed {
            holder: holder.clone(),
        })
    };
    let claimed = |by: &Person| Ok(TaskState::Claimed { holder: by.clone() });
    match step {
        TaskStep::Claim { by } if by == holder => claimed(holder),
        TaskStep::Release { by, authority } if may(holder, by, *authority) => Ok(TaskState::Ready),
        TaskStep::Delegate { by, authority, to } if may(holder, by, *authority) => claimed(to),
        TaskStep::Claim { .. } | TaskStep::Release { .. } | TaskStep::Delegate { .. } => held(),
        TaskStep::TakeOver { by, from } if from == holder => claimed(by),
        TaskStep::TakeOver { from, .. } => Err(StepRefusal::HolderChanged {
            holder: holder.clone(),
            from: from.clone(),
        }),
        TaskStep::Complete { by, result, note } if by == holder => Ok(TaskState::Completed {
            by: by.clone(),
            result: result.clone(),
            note: note.clone(),
        }),
        TaskStep::Skip { by } if by == holder => Ok(TaskState::Skipped),
        TaskStep::Complete { .. } | TaskStep::Skip { .. } => held(),
        TaskStep::Reopen => Err(StepRefusal::NotReopenable { status }),
        TaskStep::Expire => Ok(TaskState::Expired),
        // The claim is cleared: whoever held it did not get it done.
        TaskStep::Escalate => Ok(TaskState::Ready),
    }
}

fn from_over(over: &TaskState, step: &TaskStep) -> Result<TaskState, StepRefusal> {
    let status = over.status();
    match (over, step) {
        (TaskState::Completed { .. } | TaskState::Skipped, TaskStep::Reopen) => {
            Ok(TaskState::Ready)
        }
        (_, TaskStep::Reopen) => Err(StepRefusal::NotReopenable { status }),
        (
            TaskState::Completed { by, result, note },
            TaskStep::Complete {
                by: again,
                result: other,
                note: words,
            },
        ) => {
            let same = by == again && result == other && note == words;
            Err(if same {
                StepRefusal::Duplicate
            } else {
                StepRefusal::Conflict { by: by.clone() }
            })
        }
        (_, TaskStep::Complete { .. } | TaskStep::Claim { .. } | TaskStep::Skip { .. }) => {
            Err(StepRefusal::NotPending { status })
        }
        (_, TaskStep::Release { .. } | TaskStep::Delegate { .. } | TaskStep::TakeOver { .. }) => {
            Err(StepRefusal::NotPending { status })
        }
        (_, TaskStep::Expire | TaskStep::Escalate) => Err(StepRefusal::NotPending { status }),
    }
}

fn may(holder: &Person, by: &Person, authority: Authority) -> bool {
    match authority {
        Authority::Holder => holder == by,
        Authority::Supervisor => true,
    }
}
