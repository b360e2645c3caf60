//! All tasks, folded from the journal, with the indexes that make the first page of a long list cheap.
//!
//! Applying an event twice is applying it once. An event that the state machine refuses changes
//! nothing and is reported: the gate never writes one.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use tipstaff_journal::{Event, StreamKind};
use tipstaff_schema::{Digest, Person};

use crate::events::{Escalated, Expired, Opened};
use crate::lists::Lists;
use crate::words::Words;
use crate::work::step_of;
use crate::{
    Calendar, EventDataError, OnExpiry, Past, Standing, StepRefusal, Task, TaskEvent, TaskState,
    step,
};

/// All tasks.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tasks {
    pub(crate) by_id: BTreeMap<Digest, Task>,
    // INVARIANT: `lists` holds each task, by its current key, status, kind and audience, with the place
    // of its `words`, by which `by_slot` names it; `due` holds the open ones that were not escalated.
    pub(crate) lists: Lists,
    pub(crate) words: Words,
    pub(crate) by_slot: Vec<Digest>,
    due: BTreeSet<(DateTime<Utc>, Digest)>,
    last_opened: Option<Digest>,
}

/// An event of a task's stream that cannot be applied. Nothing changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// Its data is not what its kind says.
    #[error("event {seq} cannot be read")]
    Data {
        /// Its number.
        seq: u64,
        /// Why.
        source: EventDataError,
    },
    /// An event before it is missing.
    #[error("event {seq} is number {version} of its task, but number {expected} is next")]
    Gap {
        /// Its number in the journal.
        seq: u64,
        /// Its number in the stream.
        version: u64,
        /// The number that was expected.
        expected: u64,
    },
    /// The state machine refuses it.
    #[error("event {seq} is refused")]
    Step {
        /// Its number.
        seq: u64,
        /// Why.
        source: StepRefusal,
    },
    /// It opens a task that exists, changes one that does not, or its stream has another id.
    #[error("event {seq} does not belong to this task")]
    Foreign {
        /// Its number.
        seq: u64,
    },
}

impl Tasks {
    /// No tasks.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in one event. Events of other streams, and kinds of a newer version, change nothing but
    /// the stream's version; an event that was taken in before changes nothing at all.
    ///
    /// # Errors
    /// [`ApplyError`] when the event does not follow from what came before; then nothing changed.
    pub fn apply(&mut self, event: &Event) -> Result<(), ApplyError> {
        if event.stream.kind() != StreamKind::Task {
            return Ok(());
        }
        let seq = event.seq;
        let id: Digest = event
            .stream
            .id()
            .parse()
            .map_err(|_| ApplyError::Foreign { seq })?;
        let known = self.by_id.get(&id).map_or(0, |task| task.version);
        if event.version <= known {
            return Ok(());
        }
        if event.version != known + 1 {
            return Err(ApplyError::Gap {
                seq,
                version: event.version,
                expected: known + 1,
            });
        }
        let read = TaskEvent::read(&event.kind, &event.data)
            .map_err(|source| ApplyError::Data { seq, source })?;
        let task = match (self.by_id.get(&id), read) {
            (None, Some(TaskEvent::Opened(mut data))) if data.task == id => {
                self.share(&mut data);
                opened(*data, event)
            }
            (None, _) => return Err(ApplyError::Foreign { seq }),
            (Some(task), None) => Task {
                version: event.version,
                ..task.clone()
            },
            (Some(task), Some(data)) => advanced(task, data, event)?,
        };
        self.put(task);
        Ok(())
    }

    /// Of several tasks that one answer opened, which follow each other, all hold the same copy of it.
    fn share(&mut self, data: &mut Opened) {
        let before = self.last_opened.replace(data.task);
        let before = before.and_then(|id| self.by_id.get(&id));
        if let Some(before) = before.filter(|before| before.call == data.call)
            && before.answer == data.answer
        {
            data.answer = before.answer.clone();
        }
    }

    fn put(&mut self, task: Task) {
        let before = self.by_id.get(&task.id);
        let slot = before.and_then(|before| {
            self.due.remove(&(before.due_at, before.id));
            self.lists.take(before)
        });
        let fields = [&*task.summary, &*task.kind, &*task.tool];
        let slot = slot.unwrap_or_else(|| {
            self.by_slot.push(task.id);
            self.words.add(fields)
        });
        self.lists.put(&task, slot);
        if task.status().is_open() && !task.standing.escalated {
            self.due.insert((task.due_at, task.id));
        }
        self.by_id.insert(task.id, task);
    }

    /// One task; `None` when there is none of this id.
    #[must_use]
    pub fn get(&self, id: &Digest) -> Option<&Task> {
        self.by_id.get(id)
    }

    /// All tasks, by id.
    pub fn iter(&self) -> impl Iterator<Item = &Task> {
        self.by_id.values()
    }

    /// What becomes of everything that fell due by `now`, the oldest first: the task, and the event that
    /// is to be written. A task whose new deadline cannot be computed keeps its old one.
    pub fn fallen_due<'a>(
        &'a self,
        now: DateTime<Utc>,
        calendar: &'a dyn Calendar,
    ) -> impl Iterator<Item = (&'a Task, TaskEvent)> {
        let due = self
            .due
            .iter()
            .take_while(move |(due_at, _)| *due_at <= now);
        due.filter_map(|(_, id)| self.by_id.get(id))
            .map(move |task| (task, lapse(task, now, calendar)))
    }

    /// The same for one task; `None` where it is not due, not open, or was escalated before.
    #[must_use]
    pub fn lapse_of(
        &self,
        id: &Digest,
        now: DateTime<Utc>,
        calendar: &dyn Calendar,
    ) -> Option<(&Task, TaskEvent)> {
        let task = self.by_id.get(id)?;
        let falls_due = task.due_at <= now && self.due.contains(&(task.due_at, task.id));
        falls_due.then(|| (task, lapse(task, now, calendar)))
    }

    /// When the next task falls due; `None` where none will.
    #[must_use]
    pub fn next_due(&self) -> Option<DateTime<Utc>> {
        self.due.first().map(|(due_at, _)| *due_at)
    }
}

fn lapse(task: &Task, now: DateTime<Utc>, calendar: &dyn Calendar) -> TaskEvent {
    match task.on_expiry {
        OnExpiry::Deny => TaskEvent::Expired(Expired {}),
        OnExpiry::Escalate => {
            // An empty audience is everyone already; naming roles would narrow it.
            let mut audience = task.audience.clone();
            if !audience.is_empty() {
                let added = task
                    .escalate_to
                    .iter()
                    .filter(|role| !task.audience.contains(role));
                audience.extend(added.cloned());
            }
            let due_at = calendar.resolve(now, &task.deadline).unwrap_or(task.due_at);
            TaskEvent::Escalated(Escalated {
                audience,
                priority: task.priority.raised(),
                due_at,
            })
        }
    }
}

fn opened(data: Opened, event: &Event) -> Task {
    Task {
        id: data.task,
        version: event.version,
        kind: data.kind,
        correlation: event.correlation,
        call: data.call,
        tool: data.tool,
        agent: data.agent,
        summary: data.summary,
        answer: data.answer,
        audience: data.audience,
        excluded: data.excluded,
        priority: data.priority,
        standing: Standing {
            state: TaskState::Ready,
            escalated: false,
        },
        created_at: event.ts,
        due_at: data.due_at,
        deadline: data.deadline,
        on_expiry: data.on_expiry,
        escalate_to: data.escalate_to,
        note_required: data.note_required,
        history: vec![Past {
            at: event.ts,
            what: event.kind.clone(),
            by: None,
            note: String::new(),
        }],
    }
}

fn advanced(task: &Task, data: TaskEvent, event: &Event) -> Result<Task, ApplyError> {
    let seq = event.seq;
    let taken = step_of(&data).ok_or(ApplyError::Foreign { seq })?;
    let standing =
        step(&task.standing, &taken).map_err(|source| ApplyError::Step { seq, source })?;
    let mut next = Task {
        version: event.version,
        standing,
        ..task.clone()
    };
    let (by, note) = words(&data);
    next.history.push(Past {
        at: event.ts,
        what: event.kind.clone(),
        by,
        note,
    });
    match data {
        TaskEvent::Escalated(data) => {
            next.audience = data.audience;
            next.priority = data.priority;
            next.due_at = data.due_at;
        }
        TaskEvent::Reopened(data) => next.due_at = data.due_at,
        TaskEvent::Opened(_)
        | TaskEvent::Claimed(_)
        | TaskEvent::Released(_)
        | TaskEvent::Delegated(_)
        | TaskEvent::TakenOver(_)
        | TaskEvent::Completed(_)
        | TaskEvent::Skipped(_)
        | TaskEvent::Expired(_) => {}
    }
    Ok(next)
}

/// Who did it, and what they said.
fn words(event: &TaskEvent) -> (Option<Person>, String) {
    match event {
        TaskEvent::Claimed(data) => (Some(data.by.clone()), String::new()),
        TaskEvent::Released(data) => (Some(data.by.clone()), String::new()),
        TaskEvent::Delegated(data) => (Some(data.by.clone()), format!("to {}", data.to)),
        TaskEvent::TakenOver(data) => (Some(data.by.clone()), format!("from {}", data.from)),
        TaskEvent::Completed(data) => (Some(data.by.clone()), data.note.clone()),
        TaskEvent::Skipped(data) => (Some(data.by.clone()), data.reason.clone()),
        TaskEvent::Reopened(data) => (Some(data.by.clone()), data.reason.clone()),
        TaskEvent::Opened(_) | TaskEvent::Expired(_) | TaskEvent::Escalated(_) => {
            (None, String::new())
        }
    }
}
