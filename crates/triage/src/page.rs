//! Looking at the worklist: filters, pages and counts.
//!
//! The order is that of the queue: priority, then due date, then age; what is closed comes after all
//! that is open.

use std::ops::Bound;

use chrono::{DateTime, Utc};
use tipstaff_schema::{Digest, Role};

use std::cmp::Reverse;

use crate::fold::{QueueKey, key};
use crate::{Priority, Task, TaskStatus, Tasks};

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
        let open_wanted =
            query.statuses.is_empty() || query.statuses.iter().any(|status| status.is_open());
        let closed_wanted = query.statuses.iter().any(|status| !status.is_open());
        let from = |open: bool| match after {
            Some((at_open, key)) if at_open == open => Bound::Excluded(key),
            Some(_) | None => Bound::Unbounded,
        };
        // A cursor among the closed ones has all the open ones behind it.
        let open_wanted = open_wanted && after.is_none_or(|(open, _)| open);
        let open = self
            .open
            .range((from(true), Bound::Unbounded))
            .filter(|_| open_wanted);
        let closed = self
            .closed
            .range((from(false), Bound::Unbounded))
            .filter(|_| closed_wanted);
        let text = query.text.as_ref().map(|text| text.to_lowercase());
        let tasks = open.chain(closed).filter_map(|(.., id)| self.get(id));
        tasks
            .filter(|task| wanted(task, query, text.as_deref()))
            .take(query.limit)
            .collect()
    }

    /// How many tasks there are in each state, of those that one of these roles sees; `None` means all.
    #[must_use]
    pub fn counts(&self, roles: Option<&[Role]>, now: DateTime<Utc>) -> Counts {
        let mut counts = Counts::default();
        for task in self
            .iter()
            .filter(|task| roles.is_none_or(|roles| task.is_seen_by(roles)))
        {
            match task.status() {
                TaskStatus::Ready => counts.ready += 1,
                TaskStatus::Claimed => counts.claimed += 1,
                TaskStatus::Completed => counts.completed += 1,
                TaskStatus::Skipped => counts.skipped += 1,
                TaskStatus::Expired => counts.expired += 1,
            }
            counts.overdue += usize::from(task.is_overdue(now));
        }
        counts
    }
}

impl TaskQuery {
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

fn wanted(task: &Task, query: &TaskQuery, text: Option<&str>) -> bool {
    let holds = |field: &str| text.is_none_or(|text| field.to_lowercase().contains(text));
    (query.statuses.is_empty() || query.statuses.contains(&task.status()))
        && query
            .roles
            .as_ref()
            .is_none_or(|roles| task.is_seen_by(roles))
        && query.kind.as_ref().is_none_or(|kind| task.kind == *kind)
        && query.overdue_at.is_none_or(|now| task.is_overdue(now))
        && (holds(&task.summary) || holds(&task.kind) || holds(&task.tool))
}
