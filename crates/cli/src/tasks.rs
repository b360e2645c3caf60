//! `tipstaff tasks`: the worklist, as the journal tells it.

use std::path::Path;

use serde_json::{Value, json};
use tipstaff_gate::Clock;
use tipstaff_host::SystemClock;
use tipstaff_schema::sanitization::sanitize_for_display;
use tipstaff_triage::{Task, TaskQuery, TaskStatus};

use crate::args::{TasksArgs, TasksCommand};
use crate::exit::{self, Code, Failure};
use crate::{out, place, state};

pub(crate) async fn run(args: TasksArgs, json: bool) -> Result<Code, Failure> {
    let state = place::state(args.state.state.as_deref())?;
    match args.command.unwrap_or(TasksCommand::List { all: false }) {
        TasksCommand::List { all } => list(&state, all, json).await,
    }
}

async fn list(state: &Path, all: bool, json: bool) -> Result<Code, Failure> {
    let folded = state::fold(state).await?;
    let statuses = if all {
        vec![
            TaskStatus::Ready,
            TaskStatus::Claimed,
            TaskStatus::Completed,
            TaskStatus::Skipped,
            TaskStatus::Expired,
        ]
    } else {
        Vec::new()
    };
    let tasks = folded.tasks.page(&TaskQuery {
        statuses,
        limit: usize::MAX,
        ..TaskQuery::default()
    });
    if json {
        out::json(&json!({ "tasks": tasks.iter().map(|task| view(task)).collect::<Vec<_>>() }));
        return Ok(exit::OK);
    }
    if tasks.is_empty() {
        out::line("no tasks");
        return Ok(exit::OK);
    }
    let now = SystemClock.now();
    let row = |task: &&Task| {
        let due = task.due_at.format("%Y-%m-%d %H:%M UTC").to_string();
        let due = if task.is_overdue(now) {
            format!("{due} (overdue)")
        } else {
            due
        };
        vec![
            due,
            status(task),
            priority(task),
            sanitize_for_display(&task.tool),
            sanitize_for_display(&task.summary),
        ]
    };
    out::table(
        &["DUE", "STATE", "PRIORITY", "TOOL", "SUMMARY"],
        &tasks.iter().map(row).collect::<Vec<_>>(),
    );
    Ok(exit::OK)
}

fn status(task: &Task) -> String {
    format!("{:?}", task.status()).to_lowercase()
}

fn priority(task: &Task) -> String {
    format!("{:?}", task.priority).to_lowercase()
}

fn view(task: &Task) -> Value {
    json!({
        "id": task.id, "kind": task.kind, "call": task.call, "tool": task.tool, "agent": task.agent,
        "summary": task.summary, "audience": task.audience, "priority": priority(task), "state": status(task),
        "created_at": task.created_at, "due_at": task.due_at, "answer": task.answer,
    })
}
