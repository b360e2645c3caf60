//! Tasks and rows by what people type of their ids.

use tipstaff_gate::{Row, RowId};
use tipstaff_schema::Digest;
use tipstaff_triage::Tasks;
use uuid::Uuid;

use crate::exit::{FAILED, Failure, USAGE};

/// What stands before the digits of every id.
const PREFIX: &str = "sha256:";
/// How many digits a table shows.
const SHOWN: usize = 12;
/// How many digits must be typed.
const FEWEST: usize = 4;

/// The id as a table shows it: long enough to be typed again.
pub(super) fn short(id: &Digest) -> String {
    let text = id.to_string();
    let digits = text.strip_prefix(PREFIX).unwrap_or(&text);
    digits.chars().take(SHOWN).collect()
}

pub(super) fn short_row(row: &Row) -> String {
    match row.id() {
        RowId::Task(id) => short(&id),
        RowId::Approval(id) => id.to_string(),
    }
}

/// The task of this id, or the only one whose id begins so.
pub(super) fn task(tasks: &Tasks, typed: &str) -> Result<Digest, Failure> {
    if typed.parse::<Uuid>().is_ok() {
        let message =
            format!("{typed} is a question, not a task: answer it with `tipstaff approvals`");
        return Err(Failure::new(USAGE, message));
    }
    let digits = typed.strip_prefix(PREFIX).unwrap_or(typed);
    let hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    if digits.len() < FEWEST || !digits.chars().all(hex) {
        let message = "a task is named by its id, or by at least the first 4 digits of it; see `tipstaff tasks`";
        return Err(Failure::new(USAGE, message));
    }
    let begin = format!("{PREFIX}{digits}");
    let mut found = tasks
        .iter()
        .map(|task| task.id)
        .filter(|id| id.to_string().starts_with(&begin));
    match (found.next(), found.next()) {
        (Some(id), None) => Ok(id),
        (None, _) => Err(Failure::new(FAILED, format!("there is no task {digits}"))),
        (Some(_), Some(_)) => {
            let message = format!("several tasks begin with {digits}; give more digits");
            Err(Failure::new(USAGE, message))
        }
    }
}

/// The row of this id.
pub(super) fn row(tasks: &Tasks, typed: &str) -> Result<RowId, Failure> {
    match typed.parse::<Uuid>() {
        Ok(id) => Ok(RowId::Approval(id)),
        Err(_) => task(tasks, typed).map(RowId::Task),
    }
}
