//! One list of all that waits for people: tasks, and the questions of calls that are held.
//!
//! Questions are views here, answered only through [`Gate::answer`]: to claim or complete one is not
//! possible, since it is no task.

use chrono::{DateTime, Utc};
use tipstaff_approval::{ApprovalRequest, Approvals};
use tipstaff_schema::sanitization::sanitize_for_display;
use tipstaff_schema::{Digest, Role};
use tipstaff_triage::{Place, Priority, Task, TaskQuery, TaskStatus, Tasks};
use uuid::Uuid;

use crate::gate::Gate;

/// The kind of a row that stands for a question.
pub const APPROVAL_KIND: &str = "approval";

/// One row of the worklist.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Row {
    /// A task.
    Task(Box<Task>),
    /// A question; an agent waits for its answer.
    Approval(Box<ApprovalRequest>),
}

/// Names a row, to go on behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RowId {
    /// A task.
    Task(Digest),
    /// A question.
    Approval(Uuid),
}

impl Row {
    /// Its name.
    #[must_use]
    pub const fn id(&self) -> RowId {
        match self {
            Self::Task(task) => RowId::Task(task.id),
            Self::Approval(request) => RowId::Approval(request.id),
        }
    }

    /// What it is: the task's kind, or [`APPROVAL_KIND`].
    #[must_use]
    pub fn kind(&self) -> &str {
        match self {
            Self::Task(task) => &task.kind,
            Self::Approval(_) => APPROVAL_KIND,
        }
    }

    /// By when it is to be done.
    #[must_use]
    pub const fn due_at(&self) -> DateTime<Utc> {
        match self {
            Self::Task(task) => task.due_at,
            Self::Approval(request) => request.expires_at,
        }
    }

    /// How pressing it is; a question always is, since an agent stands still.
    #[must_use]
    pub const fn priority(&self) -> Priority {
        match self {
            Self::Task(task) => task.priority,
            Self::Approval(_) => Priority::Urgent,
        }
    }

    /// Text for people, cleaned.
    #[must_use]
    pub fn summary(&self) -> String {
        match self {
            Self::Task(task) => task.summary.clone(),
            Self::Approval(request) => approval_summary(request),
        }
    }
}

fn approval_summary(request: &ApprovalRequest) -> String {
    let tool = sanitize_for_display(request.subject.tool_id());
    let why = sanitize_for_display(&request.reason_asked);
    format!("answer whether `{}` may call {tool}: {why}", request.agent)
}

fn place(request: &ApprovalRequest) -> Place {
    let (due, since) = (request.expires_at, request.requested_at);
    Place::new(Priority::Urgent, due, since, request.digest)
}

/// Like a task's audience, but that nobody named means the approvers.
fn is_seen_by(request: &ApprovalRequest, roles: &[Role]) -> bool {
    let may = |role: &Role| {
        let named = request.audience.contains(role);
        let anyone = request.audience.is_empty() && role.as_str() == "approver";
        role.as_str() == "supervisor" || named || anyone
    };
    roles.iter().any(may)
}

impl Gate {
    /// One page of all that waits for people; see [`worklist`].
    #[must_use]
    pub fn worklist(&self, query: &TaskQuery, after: Option<&RowId>) -> Vec<Row> {
        let (state, now) = (self.0.state(), self.0.now());
        worklist(&state.tasks, &state.approvals, query, after, now)
    }
}

/// One page of all that waits for people, in the order of the queue: the tasks that the query
/// asks for, and the questions that its filters let through. `after` goes on behind a row and
/// comes before the query's own cursor; one that is gone begins at the front.
#[must_use]
pub fn worklist(
    tasks: &Tasks,
    approvals: &Approvals,
    query: &TaskQuery,
    after: Option<&RowId>,
    now: DateTime<Utc>,
) -> Vec<Row> {
    let place_of = |id: &RowId| match id {
        RowId::Task(id) => tasks.get(id).map(Place::of),
        RowId::Approval(id) => approvals.get(*id).map(place),
    };
    // What is closed stands behind all that is open; its own cursor knows where.
    let closed = |id: &RowId| match id {
        RowId::Task(id) => tasks.get(id).is_some_and(|task| !task.status().is_open()),
        RowId::Approval(_) => false,
    };
    let behind_open = after.is_some_and(closed);
    let from = after.and_then(place_of);
    let page = match (after, from) {
        (Some(RowId::Task(id)), _) => tasks.page(&TaskQuery {
            cursor: Some(*id),
            ..query.clone()
        }),
        (Some(RowId::Approval(_)), Some(place)) => tasks.page_behind(query, &place),
        (Some(RowId::Approval(_)) | None, _) => tasks.page(query),
    };
    let asked = approvals.pending(now).into_iter();
    let asked = asked.filter(|request| !behind_open && lets_through(query, request));
    let asked = asked.filter(|request| from.is_none_or(|from| place(request) > from));
    let mut rows: Vec<(bool, Place, Row)> = page
        .into_iter()
        .map(|task| {
            let row = Row::Task(Box::new(task.clone()));
            (!task.status().is_open(), Place::of(task), row)
        })
        .collect();
    rows.extend(asked.map(|request| {
        let row = Row::Approval(Box::new(request.clone()));
        (false, place(request), row)
    }));
    rows.sort_by_key(|(closed, place, _)| (*closed, *place));
    rows.truncate(query.limit);
    rows.into_iter().map(|(_, _, row)| row).collect()
}

fn lets_through(query: &TaskQuery, request: &ApprovalRequest) -> bool {
    let open = query.statuses.is_empty() || query.statuses.contains(&TaskStatus::Ready);
    let kind = query.kind.as_ref().is_none_or(|kind| kind == APPROVAL_KIND);
    let roles = query.roles.as_ref();
    let seen = roles.is_none_or(|roles| is_seen_by(request, roles));
    // A question whose time has run out waits no more, so that none is ever overdue.
    open && kind
        && seen
        && query.overdue_at.is_none()
        && query.finds_text(&[&approval_summary(request), APPROVAL_KIND])
}
