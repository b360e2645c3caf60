//! What people do with tasks: who may, in which order refusals are found, and the events that follow.
//!
//! Pure: the gate writes the events, with the task's version as the expected one, so that of two
//! people who claim at once only one gets it.

use chrono::{DateTime, Utc};
use serde_json::Value;
use tipstaff_schema::{Digest, Person, Role};

use crate::events::{Claimed, Completed, Delegated, Released, Reopened, Skipped, TakenOver};
use crate::step::Authority;
use crate::{Calendar, DeadlineError, StepRefusal, Task, TaskEvent, TaskStep, Tasks, step};

/// The role that may release, delegate and reopen what others hold.
pub(crate) const SUPERVISOR: &str = "supervisor";

/// A person who works on tasks, as the authenticated session says.
#[derive(Debug, Clone, Copy)]
pub struct Worker<'a> {
    /// Who.
    pub person: &'a Person,
    /// Their roles.
    pub roles: &'a [Role],
}

/// What somebody wants to do with a task.
#[derive(Debug, Clone)]
pub enum Action<'a> {
    /// Work on it.
    Claim,
    /// Give it back.
    Release,
    /// Give it to somebody else, who must be one of those who may work on it.
    Delegate {
        /// To whom.
        to: Worker<'a>,
    },
    /// Take it from a named holder.
    TakeOver {
        /// From whom.
        from: &'a Person,
    },
    /// Say that it is done.
    Complete {
        /// What came of it; null when there is nothing to say.
        result: Value,
        /// A note for people; may be empty unless the rule wants one.
        note: String,
    },
    /// Say that it is not going to be done.
    Skip {
        /// Why.
        reason: String,
    },
    /// Have it done after all, with a new deadline of the same kind.
    Reopen {
        /// Why.
        reason: String,
        /// Gives the new due date.
        calendar: &'a dyn Calendar,
    },
}

/// Why somebody may not do that. Checked in the order in which they stand here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TaskRefusal {
    /// There is no such task.
    #[error("there is no such task")]
    NotFound,
    /// This person may not work on it, whatever their roles.
    #[error("`{person}` is excluded from this task")]
    Excluded {
        /// Who.
        person: Person,
    },
    /// None of the person's roles is in the audience, or the action is for supervisors.
    #[error("`{person}` does not have the role that this needs")]
    WrongRole {
        /// Who.
        person: Person,
    },
    /// There is no new due date.
    #[error("the task gets no new due date")]
    Deadline(#[source] DeadlineError),
    /// Its state does not allow it.
    #[error(transparent)]
    State(#[from] StepRefusal),
    /// The rule wants a note with every completion.
    #[error("this task is completed only with a note")]
    NoteRequired,
}

impl Tasks {
    /// The event that an action makes; `None` when nothing changes (the holder claims again).
    ///
    /// # Errors
    /// [`TaskRefusal`], in the order of its variants; nothing is to be written then.
    pub fn act(
        &self,
        id: &Digest,
        action: Action<'_>,
        worker: &Worker<'_>,
        now: DateTime<Utc>,
    ) -> Result<Option<TaskEvent>, TaskRefusal> {
        let task = self.get(id).ok_or(TaskRefusal::NotFound)?;
        may_work(task, worker)?;
        let event = event(task, action, worker, now)?;
        let next = step(
            &task.standing,
            &step_of(&event).ok_or(TaskRefusal::NotFound)?,
        )?;
        if let TaskEvent::Completed(completed) = &event
            && task.note_required
            && completed.note.trim().is_empty()
        {
            return Err(TaskRefusal::NoteRequired);
        }
        Ok((next != task.standing).then_some(event))
    }
}

fn may_work(task: &Task, worker: &Worker<'_>) -> Result<(), TaskRefusal> {
    let person = worker.person;
    if task.excluded.contains(person) {
        return Err(TaskRefusal::Excluded {
            person: person.clone(),
        });
    }
    if !task.is_seen_by(worker.roles) {
        return Err(TaskRefusal::WrongRole {
            person: person.clone(),
        });
    }
    Ok(())
}

fn event(
    task: &Task,
    action: Action<'_>,
    worker: &Worker<'_>,
    now: DateTime<Utc>,
) -> Result<TaskEvent, TaskRefusal> {
    let by = worker.person.clone();
    let is_supervisor = worker.roles.iter().any(|role| role.as_str() == SUPERVISOR);
    let authority = if is_supervisor && task.holder() != Some(&by) {
        Authority::Supervisor
    } else {
        Authority::Holder
    };
    Ok(match action {
        Action::Claim => TaskEvent::Claimed(Claimed { by }),
        Action::Release => TaskEvent::Released(Released { by, authority }),
        Action::Delegate { to } => {
            may_work(task, &to)?;
            TaskEvent::Delegated(Delegated {
                by,
                authority,
                to: to.person.clone(),
            })
        }
        Action::TakeOver { from } => TaskEvent::TakenOver(TakenOver {
            by,
            from: from.clone(),
        }),
        Action::Complete { result, note } => TaskEvent::Completed(Completed { by, result, note }),
        Action::Skip { reason } => TaskEvent::Skipped(Skipped { by, reason }),
        Action::Reopen { .. } if !is_supervisor => {
            return Err(TaskRefusal::WrongRole { person: by });
        }
        Action::Reopen { reason, calendar } => {
            let due_at = calendar
                .resolve(now, &task.deadline)
                .map_err(TaskRefusal::Deadline)?;
            TaskEvent::Reopened(Reopened { by, reason, due_at })
        }
    })
}

/// The step that an event stands for; `None` for `Opened`, which no task takes that exists.
pub(crate) fn step_of(event: &TaskEvent) -> Option<TaskStep> {
    Some(match event.clone() {
        TaskEvent::Opened(_) => return None,
        TaskEvent::Claimed(Claimed { by }) => TaskStep::Claim { by },
        TaskEvent::Released(Released { by, authority }) => TaskStep::Release { by, authority },
        TaskEvent::Delegated(Delegated { by, authority, to }) => {
            TaskStep::Delegate { by, authority, to }
        }
        TaskEvent::TakenOver(TakenOver { by, from }) => TaskStep::TakeOver { by, from },
        TaskEvent::Completed(Completed { by, result, note }) => {
            TaskStep::Complete { by, result, note }
        }
        TaskEvent::Skipped(Skipped { by, .. }) => TaskStep::Skip { by },
        TaskEvent::Reopened(_) => TaskStep::Reopen,
        TaskEvent::Expired(_) => TaskStep::Expire,
        TaskEvent::Escalated(_) => TaskStep::Escalate,
    })
}
