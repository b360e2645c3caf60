//! Looking at the worklist: filters, pages and counts.
//!
//! The order is that of the queue: priority, then due date, then age; what is closed comes after all
//! that is open.

use std::cmp::Reverse;

use chrono::{DateTime, Utc};
use tipstaff_schema::{Digest, Role};

use crate::lists::{Merged, Part, QueueKey, due_in, key};
use crate::{Priority, Task, TaskStatus, Tasks};

/// So many pages of tasks are sorted rather than looked for in the queue.
const FEW_PAGES: usize = 8;

/// Which tasks, and how many.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskQuery {
    /// Only what one of these roles sees; `None` means all tasks.
    pub roles: Option<Vec<Role>>,
    /// Only of this kind.
    pub kind: Option<String>,
    /// Only in one of these states; empty means what is open.
    pub statuses: Vec<TaskStatus>,
    /// Only what is overdue at this instant.
    pub overdue_at: Option<DateTime<Utc>>,
    /// Only where summary, kind or tool holds this text, whatever the case of its letters.
    pub text: Option<String>,
    /// Begin after this task.
    pub cursor: Option<Digest>,
    /// At most so many.
    pub limit: usize,
}

impl Default for TaskQuery {
    /// The first 100 open tasks.
    fn default() -> Self {
        let statuses = Vec::new();
        Self {
            roles: None,
            kind: None,
            statuses,
            overdue_at: None,
            text: None,
            cursor: None,
            limit: 100,
        }
    }
}

/// A place in the queue of what is open: by priority, then due date, then age. What is no task, but
/// stands in the same list, has one too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place(QueueKey);

impl Place {
    /// The place of something; `id` orders what is otherwise equal.
    #[must_use]
    pub const fn new(
        priority: Priority,
        due_at: DateTime<Utc>,
        created_at: DateTime<Utc>,
        id: Digest,
    ) -> Self {
        Self((Reverse(priority), due_at, created_at, id))
    }

    /// The place of a task.
    #[must_use]
    pub fn of(task: &Task) -> Self {
        Self(key(task))
    }
}

/// How many tasks there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Nobody works on them.
    pub ready: usize,
    /// Somebody does.
    pub claimed: usize,
    /// They are done.
    pub completed: usize,
    /// They are not going to be done.
    pub skipped: usize,
    /// Their time ran out.
    pub expired: usize,
    /// Of the ready and claimed ones, those whose time has run out.
    pub overdue: usize,
}

impl Tasks {
    /// One page of tasks, in the order of the queue. The last one's id is the next page's cursor; a
    /// cursor that names no task begins at the front.
    #[must_use]
    pub fn page(&self, query: &TaskQuery) -> Vec<&Task> {
        let cursor = query.cursor.as_ref().and_then(|id| self.get(id));
        self.behind(
            query,
            cursor.map(|task| (task.status().is_open(), key(task))),
        )
    }

    /// The same behind a place in the queue of what is open, whatever the query's cursor.
    #[must_use]
    pub fn page_behind(&self, query: &TaskQuery, place: &Place) -> Vec<&Task> {
        self.behind(query, Some((true, place.0)))
    }

    fn behind(&self, query: &TaskQuery, after: Option<(bool, QueueKey)>) -> Vec<&Task> {
        let lists = self.lists.of(query.roles.as_deref(), query.kind.as_deref());
        let text = query.text.as_ref().filter(|text| !text.is_empty());
        let holding = text.map(|text| self.words.holding(text));
        if let Some(few) = holding.as_ref().and_then(|found| self.few(found, query)) {
            return first(few, query, after);
        }
        let part = |open: bool| {
            let wanted = TaskStatus::ALL
                .into_iter()
                .filter(move |status| status.is_open() == open && query.wants(*status));
            let of = wanted.flat_map(|status| lists.iter().map(move |by| by.of(status)));
            let behind = after.filter(|(at_open, _)| *at_open == open);
            let part = Part {
                behind: behind.map(|(_, key)| key),
                due_by: query.overdue_at,
            };
            Merged::new(of, part)
        };
        // A cursor among the closed ones has all the open ones behind it.
        let open = after.is_none_or(|(open, _)| open).then(|| part(true));
        let closed = query.overdue_at.is_none().then(|| part(false));
        let found = open
            .into_iter()
            .flatten()
            .chain(closed.into_iter().flatten());
        let found = found.filter(|(_, slot)| {
            let holding = holding.as_ref();
            holding.is_none_or(|holding| holding.get(*slot) == Some(&true))
        });
        let tasks = found.filter_map(|((.., id), _)| self.get(id));
        tasks.take(query.limit).collect()
    }

    /// The tasks whose words were found, where they are so few that to sort them costs less than to go
    /// through the queue.
    fn few(&self, found: &[bool], query: &TaskQuery) -> Option<Vec<&Task>> {
        let most = query.limit.saturating_mul(FEW_PAGES);
        let slots = found.iter().zip(&self.by_slot);
        let ids: Vec<&Digest> = slots
            .filter_map(|(found, id)| found.then_some(id))
            .take(most.saturating_add(1))
            .collect();
        let few = ids.len() <= most;
        few.then(|| ids.into_iter().filter_map(|id| self.get(id)).collect())
    }

    /// How many tasks there are in each state, of those that one of these roles sees; `None` means all.
    #[must_use]
    pub fn counts(&self, roles: Option<&[Role]>, now: DateTime<Utc>) -> Counts {
        let lists = self.lists.of(roles, None);
        let sum = |status| lists.iter().map(|by| by.of(status).len()).sum();
        let late = |status| -> usize { lists.iter().map(|by| due_in(by.of(status), now)).sum() };
        Counts {
            ready: sum(TaskStatus::Ready),
            claimed: sum(TaskStatus::Claimed),
            completed: sum(TaskStatus::Completed),
            skipped: sum(TaskStatus::Skipped),
            expired: sum(TaskStatus::Expired),
            overdue: late(TaskStatus::Ready) + late(TaskStatus::Claimed),
        }
    }
}

/// The page of these tasks that a query asks for.
fn first<'a>(
    tasks: Vec<&'a Task>,
    query: &TaskQuery,
    after: Option<(bool, QueueKey)>,
) -> Vec<&'a Task> {
    // What is closed comes after all that is open.
    let place = |task: &Task| (!task.status().is_open(), key(task));
    let after = after.map(|(open, key)| (!open, key));
    let mut tasks = tasks;
    tasks.retain(|task| query.asks_for(task) && after.is_none_or(|after| place(task) > after));
    tasks.sort_unstable_by_key(|task| place(task));
    tasks.truncate(query.limit);
    tasks
}

impl TaskQuery {
    /// Whether all but the text and the cursor lets this task through.
    fn asks_for(&self, task: &Task) -> bool {
        let (roles, kind) = (self.roles.as_ref(), self.kind.as_ref());
        self.wants(task.status())
            && roles.is_none_or(|roles| task.is_seen_by(roles))
            && kind.is_none_or(|kind| task.kind == *kind)
            && self.overdue_at.is_none_or(|now| task.is_overdue(now))
    }

    /// Whether tasks of this state are asked for.
    fn wants(&self, status: TaskStatus) -> bool {
        let open = self.statuses.is_empty() && status.is_open();
        open || self.statuses.contains(&status)
    }

    /// Whether one of these fields holds the text that is looked for; `true` where none is.
    #[must_use]
    pub fn finds_text(&self, fields: &[&str]) -> bool {
        let text = self.text.as_ref().map(|text| text.to_lowercase());
        let Some(text) = text else { return true };
        fields
            .iter()
            .any(|field| field.to_lowercase().contains(&text))
    }
}
