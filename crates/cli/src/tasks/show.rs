//! `tipstaff tasks show`: one task with its answer and all that happened to it.

use std::path::Path;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use tipstaff_gate::Clock;
use tipstaff_host::SystemClock;
use tipstaff_schema::Role;
use tipstaff_schema::sanitization::sanitize_for_display;
use tipstaff_triage::events::KeptAnswer;
use tipstaff_triage::{OnExpiry, Past, Task, TaskState};

use super::{list, named};
use crate::exit::{self, Code, FAILED, Failure};
use crate::{out, state};

pub(super) async fn run(state: &Path, typed: &str, json: bool) -> Result<Code, Failure> {
    let (folded, now) = (state::fold(state).await?, SystemClock.now());
    let id = named::task(&folded.tasks, typed)?;
    let missing = || Failure::new(FAILED, format!("there is no task {id}"));
    let task = folded.tasks.get(&id).ok_or_else(missing)?;
    if json {
        out::json(&whole(task, now));
    } else {
        print(task, now);
    }
    Ok(exit::OK)
}

/// A task as a row of a list.
pub(super) fn view(task: &Task, now: DateTime<Utc>) -> Value {
    json!({
        "id": task.id, "kind": task.kind, "call": task.call, "tool": task.tool, "agent": task.agent,
        "summary": task.summary, "audience": task.audience, "priority": task.priority,
        "state": task.status(), "holder": task.holder(), "escalated": task.standing.escalated,
        "created_at": task.created_at, "due_at": task.due_at, "overdue": task.is_overdue(now),
        "answer": task.answer,
    })
}

fn whole(task: &Task, now: DateTime<Utc>) -> Value {
    let mut whole = view(task, now);
    let history: Vec<Value> = task
        .history
        .iter()
        .map(|past| {
            json!({ "at": past.at, "what": past.what.as_str(), "by": past.by, "note": past.note })
        })
        .collect();
    if let Some(fields) = whole.as_object_mut() {
        fields.insert("excluded".to_owned(), json!(task.excluded));
        fields.insert("correlation".to_owned(), json!(task.correlation));
        fields.insert("deadline".to_owned(), json!(task.deadline));
        fields.insert("on_expiry".to_owned(), json!(task.on_expiry));
        fields.insert("escalate_to".to_owned(), json!(task.escalate_to));
        fields.insert("note_required".to_owned(), json!(task.note_required));
        fields.insert("history".to_owned(), Value::Array(history));
        if let TaskState::Completed { result, .. } = &task.standing.state {
            fields.insert("result".to_owned(), result.clone());
        }
    }
    whole
}

fn print(task: &Task, now: DateTime<Utc>) {
    let clean = |text: &str| sanitize_for_display(text);
    let field = |name: &str, value: &str| out::line(&format!("{name:<10} {value}"));
    out::line(&clean(&task.summary));
    out::line("");
    field("id", &task.id.to_string());
    field("kind", &clean(&task.kind));
    let held = task.holder().map(|holder| format!(" by {holder}"));
    let up = if task.standing.escalated {
        ", escalated"
    } else {
        ""
    };
    field(
        "state",
        &format!("{}{}{up}", task.status(), held.unwrap_or_default()),
    );
    let late = if task.is_overdue(now) {
        " (overdue)"
    } else {
        ""
    };
    field(
        "due",
        &format!("{}{late}", task.due_at.format("%Y-%m-%d %H:%M UTC")),
    );
    field("priority", &list::priority(task.priority));
    field("for", &roles(&task.audience, "anyone"));
    if task.on_expiry == OnExpiry::Escalate && !task.standing.escalated {
        field(
            "then",
            &format!("goes up to {}", roles(&task.escalate_to, "nobody")),
        );
    }
    if task.note_required {
        field("needs", "a note with its completion");
    }
    field("tool", &clean(&task.tool));
    field("agent", task.agent.as_str());
    field("call", &task.call.to_string());
    match &task.answer {
        KeptAnswer::Whole { value } => field("answer", &clean(&value.to_string())),
        KeptAnswer::Digest { digest, bytes } => {
            field(
                "answer",
                &format!("{bytes} bytes, kept as {digest}; see the events of the call"),
            );
        }
        KeptAnswer::None {} | _ => {}
    }
    out::line("");
    task.history.iter().for_each(past);
}

fn past(past: &Past) {
    let clean = |text: &str| sanitize_for_display(text);
    let by = past.by.as_ref().map(|by| format!(" by {by}"));
    let by = by.unwrap_or_default();
    let note = if past.note.is_empty() {
        String::new()
    } else {
        format!(": {}", clean(&past.note))
    };
    let at = past.at.format("%Y-%m-%d %H:%M:%S UTC");
    out::line(&format!("{at}  {}{by}{note}", clean(past.what.as_str())));
}

fn roles(roles: &[Role], none: &str) -> String {
    if roles.is_empty() {
        return none.to_owned();
    }
    roles
        .iter()
        .map(Role::as_str)
        .collect::<Vec<_>>()
        .join(", ")
}
