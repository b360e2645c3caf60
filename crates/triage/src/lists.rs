//! The lists in which tasks stand: once for everyone, and once for their kind and audience, by status
//! and in the order of the queue.
//!
//! A page is merged from the lists that it asks for, so that it costs what it shows and not what it
//! passes over; how many there are is how long the lists are.

use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BTreeMap, BinaryHeap};
use std::ops::Bound;

use chrono::{DateTime, TimeDelta, Utc};
use tipstaff_schema::{Digest, Role};

use crate::task::{sees, sees_all};
use crate::words::Slot;
use crate::{Priority, Task, TaskStatus};

/// The order of the queue: priority, then due, then age.
pub(crate) type QueueKey = (Reverse<Priority>, DateTime<Utc>, DateTime<Utc>, Digest);

/// Tasks of one status; beside each, where its words stand.
pub(crate) type List = BTreeMap<QueueKey, Slot>;

pub(crate) fn key(task: &Task) -> QueueKey {
    let priority = Reverse(task.priority);
    (priority, task.due_at, task.created_at, task.id)
}

/// A list for each status.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ByStatus {
    ready: List,
    claimed: List,
    completed: List,
    skipped: List,
    expired: List,
}

impl ByStatus {
    pub(crate) const fn of(&self, status: TaskStatus) -> &List {
        match status {
            TaskStatus::Ready => &self.ready,
            TaskStatus::Claimed => &self.claimed,
            TaskStatus::Completed => &self.completed,
            TaskStatus::Skipped => &self.skipped,
            TaskStatus::Expired => &self.expired,
        }
    }

    const fn of_mut(&mut self, status: TaskStatus) -> &mut List {
        match status {
            TaskStatus::Ready => &mut self.ready,
            TaskStatus::Claimed => &mut self.claimed,
            TaskStatus::Completed => &mut self.completed,
            TaskStatus::Skipped => &mut self.skipped,
            TaskStatus::Expired => &mut self.expired,
        }
    }
}

/// All lists.
// INVARIANT: each task stands once in `all` and once in the group of its kind and audience, both under
// its status and with its current key.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Lists {
    all: ByStatus,
    groups: BTreeMap<String, BTreeMap<Vec<Role>, ByStatus>>,
}

impl Lists {
    pub(crate) fn put(&mut self, task: &Task, slot: Slot) {
        let (status, key) = (task.status(), key(task));
        self.all.of_mut(status).insert(key, slot);
        if !self.groups.contains_key(&task.kind) {
            self.groups.insert(task.kind.clone(), BTreeMap::new());
        }
        let Some(groups) = self.groups.get_mut(&task.kind) else {
            return;
        };
        if !groups.contains_key(&task.audience) {
            groups.insert(task.audience.clone(), ByStatus::default());
        }
        if let Some(group) = groups.get_mut(&task.audience) {
            group.of_mut(status).insert(key, slot);
        }
    }

    /// Takes a task out; gives where its words stand.
    pub(crate) fn take(&mut self, task: &Task) -> Option<Slot> {
        let (status, key) = (task.status(), key(task));
        let groups = self.groups.get_mut(&task.kind);
        if let Some(group) = groups.and_then(|groups| groups.get_mut(&task.audience)) {
            group.of_mut(status).remove(&key);
        }
        self.all.of_mut(status).remove(&key)
    }

    /// The lists that together hold what these roles see of this kind, no task twice.
    pub(crate) fn of(&self, roles: Option<&[Role]>, kind: Option<&str>) -> Vec<&ByStatus> {
        let roles = roles.filter(|roles| !sees_all(roles));
        let groups: Vec<_> = match (kind, roles) {
            (None, None) => return vec![&self.all],
            (None, Some(_)) => self.groups.values().collect(),
            (Some(kind), _) => self.groups.get(kind).into_iter().collect(),
        };
        let groups = groups.into_iter().flatten();
        let seen = groups.filter(|(audience, _)| roles.is_none_or(|roles| sees(audience, roles)));
        seen.map(|(_, group)| group).collect()
    }
}

/// Which part of a list: what stands behind a place, and of that perhaps only what was due by an instant.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Part {
    pub(crate) behind: Option<QueueKey>,
    pub(crate) due_by: Option<DateTime<Utc>>,
}

impl Part {
    /// The runs of a list that make up the part, in order. Within a priority what is due stands first.
    fn of(self, list: &List) -> impl Iterator<Item = (&QueueKey, &Slot)> {
        let start = self.behind.map_or(Bound::Unbounded, Bound::Excluded);
        let end = Bound::Unbounded;
        let bounds = match (self.due_by, list.first_key_value()) {
            (None, _) => vec![(start, end)],
            (Some(_), None) => Vec::new(),
            (Some(by), Some(((.., some), _))) => self.due(by, *some),
        };
        bounds
            .into_iter()
            .flat_map(move |bounds| list.range(bounds))
    }

    /// The bounds of what was due by then, one pair a priority. Which digest `some` is does not matter:
    /// nothing was opened at the earliest instant there is, which stands before it.
    fn due(self, by: DateTime<Utc>, some: Digest) -> Vec<(Bound<QueueKey>, Bound<QueueKey>)> {
        let earliest = DateTime::<Utc>::MIN_UTC;
        let after = by.checked_add_signed(TimeDelta::nanoseconds(1));
        let after = after.unwrap_or(DateTime::<Utc>::MAX_UTC);
        let of = |priority| {
            let first = (Reverse(priority), earliest, earliest, some);
            let end = (Reverse(priority), after, earliest, some);
            let start = match self.behind {
                // A range that ends before it begins would be a panic.
                Some(behind) if end <= behind => return None,
                Some(behind) if first <= behind => Bound::Excluded(behind),
                Some(_) | None => Bound::Included(first),
            };
            Some((start, Bound::Excluded(end)))
        };
        Priority::MOST_PRESSING_FIRST
            .into_iter()
            .filter_map(of)
            .collect()
    }
}

/// How many of a list were due by an instant.
pub(crate) fn due_in(list: &List, by: DateTime<Utc>) -> usize {
    let part = Part {
        behind: None,
        due_by: Some(by),
    };
    part.of(list).count()
}

/// A part of several lists as one, in the order of the queue.
pub(crate) struct Merged<'a> {
    runs: Vec<Box<dyn Iterator<Item = (&'a QueueKey, &'a Slot)> + 'a>>,
    /// What each run gives next, the first of all on top.
    heads: BinaryHeap<Reverse<(&'a QueueKey, usize, &'a Slot)>>,
}

impl<'a> Merged<'a> {
    pub(crate) fn new(lists: impl Iterator<Item = &'a List>, part: Part) -> Self {
        let mut merged = Self {
            runs: Vec::new(),
            heads: BinaryHeap::new(),
        };
        for list in lists {
            let mut run = part.of(list);
            if let Some((key, slot)) = run.next() {
                merged.heads.push(Reverse((key, merged.runs.len(), slot)));
                merged.runs.push(Box::new(run));
            }
        }
        merged
    }
}

impl<'a> Iterator for Merged<'a> {
    type Item = (&'a QueueKey, Slot);

    fn next(&mut self) -> Option<Self::Item> {
        let mut top = self.heads.peek_mut()?;
        let Reverse((key, run, slot)) = *top;
        match self.runs.get_mut(run).and_then(Iterator::next) {
            Some((key, slot)) => *top = Reverse((key, run, slot)),
            None => drop(PeekMut::pop(top)),
        }
        Some((key, *slot))
    }
}
