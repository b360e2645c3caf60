//! `tipstaff tasks list` and `stats`: read from the journal, whether a gate runs or not.

use std::path::Path;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use tipstaff_gate::{APPROVAL_KIND, Clock, Row, worklist};
use tipstaff_host::SystemClock;
use tipstaff_schema::Role;
use tipstaff_schema::sanitization::sanitize_for_display;
use tipstaff_triage::{Priority, TaskQuery, TaskStatus};

use super::named;
use crate::args::ListArgs;
use crate::exit::{self, Code, Failure};
use crate::tasks::show;
use crate::{out, state};

pub(super) async fn run(state: &Path, args: &ListArgs, json: bool) -> Result<Code, Failure> {
    let (folded, now) = (state::fold(state).await?, SystemClock.now());
    let after = args.after.as_deref();
    let after = after
        .map(|typed| named::row(&folded.tasks, typed))
        .transpose()?;
    let query = query(args, now);
    let rows = worklist(
        &folded.tasks,
        &folded.approvals,
        &query,
        after.as_ref(),
        now,
    );
    if json {
        let rows: Vec<Value> = rows.iter().map(|row| view(row, now)).collect();
        out::json(&json!({ "tasks": rows }));
        return Ok(exit::OK);
    }
    if rows.is_empty() {
        out::line("no tasks");
        return Ok(exit::OK);
    }
    let cells: Vec<Vec<String>> = rows.iter().map(|row| cells(row, now)).collect();
    out::table(
        &["ID", "DUE", "STATE", "PRIORITY", "KIND", "SUMMARY"],
        &cells,
    );
    if let (true, Some(last)) = (rows.len() == args.limit, rows.last()) {
        let id = named::short_row(last);
        out::line("");
        out::line(&format!(
            "there may be more: `tipstaff tasks list --after {id}`"
        ));
    }
    Ok(exit::OK)
}

fn query(args: &ListArgs, now: DateTime<Utc>) -> TaskQuery {
    let wanted =
        |status: &TaskStatus| args.all || args.statuses.iter().any(|s| s == status.as_str());
    let kind = args.kind.as_ref().map(|kind| {
        // A rule's name has no `/`, and the gate's own kinds have a dot.
        let whole = kind == APPROVAL_KIND || kind.contains(['/', '.']);
        if whole {
            kind.clone()
        } else {
            format!("agent.triage/{kind}")
        }
    });
    TaskQuery {
        roles: (!args.roles.is_empty()).then(|| args.roles.clone()),
        kind,
        statuses: TaskStatus::ALL.into_iter().filter(wanted).collect(),
        overdue_at: args.overdue.then_some(now),
        text: args.text.clone(),
        cursor: None,
        limit: args.limit,
    }
}

fn cells(row: &Row, now: DateTime<Utc>) -> Vec<String> {
    let (state, overdue) = match row {
        Row::Task(task) => {
            let held = task.holder().map(|holder| format!(" by {holder}"));
            let state = format!("{}{}", task.status(), held.unwrap_or_default());
            (state, task.is_overdue(now))
        }
        Row::Approval(_) | _ => ("waits".to_owned(), false),
    };
    let due = row.due_at().format("%Y-%m-%d %H:%M UTC");
    let due = format!("{due}{}", if overdue { " (overdue)" } else { "" });
    vec![
        named::short_row(row),
        due,
        state,
        priority(row.priority()),
        sanitize_for_display(row.kind()),
        sanitize_for_display(&row.summary()),
    ]
}

pub(super) fn priority(priority: Priority) -> String {
    json!(priority).as_str().unwrap_or_default().to_owned()
}

fn view(row: &Row, now: DateTime<Utc>) -> Value {
    match row {
        Row::Task(task) => show::view(task, now),
        Row::Approval(request) => json!({
            "id": request.id, "kind": row.kind(), "digest": request.digest, "tool": request.subject.tool_id(),
            "agent": request.agent, "summary": row.summary(), "audience": request.audience,
            "priority": row.priority(), "state": "waits", "created_at": request.requested_at,
            "due_at": request.expires_at, "overdue": false,
        }),
        _ => Value::Null,
    }
}

pub(super) async fn stats(state: &Path, roles: &[Role], json: bool) -> Result<Code, Failure> {
    let (folded, now) = (state::fold(state).await?, SystemClock.now());
    let counts = folded
        .tasks
        .counts((!roles.is_empty()).then_some(roles), now);
    let everyone = TaskQuery {
        kind: Some(APPROVAL_KIND.to_owned()),
        roles: (!roles.is_empty()).then(|| roles.to_vec()),
        limit: usize::MAX,
        ..TaskQuery::default()
    };
    let asked = worklist(&folded.tasks, &folded.approvals, &everyone, None, now).len();
    let rows = [
        ("ready", counts.ready),
        ("claimed", counts.claimed),
        ("completed", counts.completed),
        ("skipped", counts.skipped),
        ("expired", counts.expired),
        ("overdue", counts.overdue),
        ("approvals", asked),
    ];
    if json {
        let fields = rows.map(|(name, count)| (name.to_owned(), json!(count)));
        out::json(&Value::Object(fields.into_iter().collect()));
    } else {
        let row = |(name, count): (&str, usize)| vec![name.to_owned(), count.to_string()];
        out::table(&["STATE", "TASKS"], &rows.map(row));
    }
    Ok(exit::OK)
}
