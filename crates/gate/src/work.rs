//! People's work on tasks: claim, release, delegate, take over, complete, skip, reopen.
//!
//! Every step names the version of the task that it follows: of any number of people and gates that
//! are equally fast, one wins, and the others are told by whom.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tipstaff_journal::{AppendError, Draft, Stream, StreamKind};
use tipstaff_schema::{Digest, Person, Role};
use tipstaff_triage::{Action, Counts, Task, TaskEvent, TaskRefusal, Worker};

use crate::gate::{Gate, Inner};

/// How often a step is tried again that somebody else was faster than.
const MAX_TRIES: usize = 16;

/// What somebody wants to do with a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Work {
    /// Work on it.
    Claim {},
    /// Give it back.
    Release {},
    /// Give it to somebody else.
    Delegate {
        /// To whom; they must be one of those who may work on it.
        to: Person,
    },
    /// Take it from a named holder.
    TakeOver {
        /// From whom.
        from: Person,
    },
    /// Say that it is done.
    Complete {
        /// What came of it; null when there is nothing to say.
        #[serde(default)]
        result: Value,
        /// A note for people.
        #[serde(default)]
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
    },
}

/// Why work on a task did not count. Nothing changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkError {
    /// This person may not do that with this task, or not any more.
    #[error(transparent)]
    Refused(#[from] TaskRefusal),
    /// A task among several that are worked on at once is of another rule.
    #[error("the task is of `{kind}`; only tasks of one rule are worked on together")]
    OtherRule {
        /// What it is of.
        kind: String,
    },
    /// It could not be written.
    #[error("the step could not be written to the journal")]
    Journal(#[source] AppendError),
    /// It could not be put into an event.
    #[error("the step could not be written: {why}")]
    Data {
        /// Why not.
        why: String,
    },
}

impl Gate {
    /// One task; `None` when there is none of this id.
    #[must_use]
    pub fn task(&self, id: &Digest) -> Option<Task> {
        self.0.state().tasks.get(id).cloned()
    }

    /// How many tasks there are in each state, of those that one of these roles sees; `None` means all.
    #[must_use]
    pub fn task_counts(&self, roles: Option<&[Role]>) -> Counts {
        let now = self.0.now();
        self.0.state().tasks.counts(roles, now)
    }

    /// Does a person's work on a task and gives the task as it stands then. To claim what one holds
    /// already changes nothing and is fine.
    ///
    /// The person must come from an authenticated session, never from a body.
    ///
    /// # Errors
    /// [`WorkError::Refused`] in the order of `TaskRefusal`; [`WorkError::Journal`] when the step
    /// could not be written.
    pub async fn work(&self, id: &Digest, work: &Work, person: &Person) -> Result<Task, WorkError> {
        let stream = Stream::new(StreamKind::Task, id.to_string()).map_err(data)?;
        let mut tries = 0;
        loop {
            let (event, version, correlation) = match self.0.next_step(id, work, person)? {
                Next::Stands(task) => return Ok(*task),
                Next::Writes {
                    event,
                    version,
                    correlation,
                } => (event, version, correlation),
            };
            let actor = format!("person:{person}");
            let mut draft = self.0.task_draft(stream.clone(), &event, &actor)?;
            draft.correlation = correlation;
            match self
                .0
                .append(&[(stream.clone(), version)], vec![draft])
                .await
            {
                Ok(_) => {
                    return self
                        .task(id)
                        .ok_or(WorkError::Refused(TaskRefusal::NotFound));
                }
                Err(AppendError::Conflict { .. }) if tries < MAX_TRIES => {
                    tries += 1;
                    self.0.catch_up().await.map_err(data)?;
                }
                Err(error) => return Err(WorkError::Journal(error)),
            }
        }
    }

    /// The same for several tasks of one rule, each by itself: what is refused for one does not keep
    /// another from being done. Tasks of another kind than the first that exists are refused.
    pub async fn work_on_all(
        &self,
        ids: &[Digest],
        work: &Work,
        person: &Person,
    ) -> Vec<(Digest, Result<Task, WorkError>)> {
        let kind = ids.iter().find_map(|id| Some(self.task(id)?.kind));
        let mut done = Vec::with_capacity(ids.len());
        for id in ids {
            let other = self.task(id).map(|task| task.kind);
            let result = match other.filter(|other| Some(other) != kind.as_ref()) {
                Some(kind) => Err(WorkError::OtherRule { kind }),
                None => self.work(id, work, person).await,
            };
            done.push((*id, result));
        }
        done
    }
}

/// What work on a task comes to.
enum Next {
    /// Nothing changes.
    Stands(Box<Task>),
    /// An event that follows this version of the task.
    Writes {
        event: TaskEvent,
        version: u64,
        correlation: Option<uuid::Uuid>,
    },
}

impl Inner {
    fn next_step(&self, id: &Digest, work: &Work, person: &Person) -> Result<Next, TaskRefusal> {
        let (roles, now) = (self.people.roles(person), self.now());
        let others = match work {
            Work::Delegate { to } => self.people.roles(to),
            Work::Claim {}
            | Work::Release {}
            | Work::TakeOver { .. }
            | Work::Complete { .. }
            | Work::Skip { .. }
            | Work::Reopen { .. } => Vec::new(),
        };
        let action = match work {
            Work::Claim {} => Action::Claim,
            Work::Release {} => Action::Release,
            Work::Delegate { to } => Action::Delegate {
                to: Worker {
                    person: to,
                    roles: &others,
                },
            },
            Work::TakeOver { from } => Action::TakeOver { from },
            Work::Complete { result, note } => Action::Complete {
                result: result.clone(),
                note: note.clone(),
            },
            Work::Skip { reason } => Action::Skip {
                reason: reason.clone(),
            },
            Work::Reopen { reason } => Action::Reopen {
                reason: reason.clone(),
                calendar: &*self.calendar,
            },
        };
        let state = self.state();
        let worker = Worker {
            person,
            roles: &roles,
        };
        let event = state.tasks.act(id, action, &worker, now)?;
        let task = state.tasks.get(id).ok_or(TaskRefusal::NotFound)?;
        Ok(match event {
            None => Next::Stands(Box::new(task.clone())),
            Some(event) => Next::Writes {
                event,
                version: task.version,
                correlation: task.correlation,
            },
        })
    }

    /// The draft of a task's event.
    pub(crate) fn task_draft(
        &self,
        stream: Stream,
        event: &TaskEvent,
        actor: &str,
    ) -> Result<Draft, WorkError> {
        let data = event.data().map_err(data)?;
        Ok(self.draft(stream, event.kind(), actor, data))
    }
}

fn data(error: impl std::error::Error) -> WorkError {
    let why = error.to_string();
    WorkError::Data { why }
}
