//! `tipstaff deadline`: when something is due, by a calendar. Pure arithmetic; nothing is opened.

use chrono::SecondsFormat;
use serde_json::{Value, json};
use tipstaff_gate::Clock;
use tipstaff_host::SystemClock;
use tipstaff_manifest::read_calendar;
use tipstaff_schema::parse_strict;
use tipstaff_triage::wire::DeadlineWire;
use tipstaff_triage::{BusinessCalendar, Calendar as _, DeadlineError, DeadlineSpec};

use crate::args::DeadlineArgs;
use crate::exit::{self, Code, FAILED, Failure, USAGE};
use crate::out;

pub(crate) fn run(args: &DeadlineArgs, json: bool) -> Result<Code, Failure> {
    let calendar = match &args.calendar {
        Some(file) => {
            read_calendar(file).map_err(|rejected| Failure::new(USAGE, rejected.render()))?
        }
        None => BusinessCalendar::usual(),
    };
    let spec = spec(&args.spec)?;
    let from = args.from.unwrap_or_else(|| SystemClock.now());
    let due = calendar.resolve(from, &spec).map_err(|error| {
        let code = match error {
            DeadlineError::OutOfRange { .. } => FAILED,
            DeadlineError::UnknownKind { .. } | DeadlineError::BadParams { .. } | _ => USAGE,
        };
        Failure::new(code, exit::chain(&error))
    })?;
    if json {
        out::json(&json!({
            "from": from,
            "due_at": due,
            "local": calendar.on_the_wall(due),
            "spec": spec,
            "calendar": calendar.digest(),
        }));
    } else {
        let due_at = due.to_rfc3339_opts(SecondsFormat::AutoSi, true);
        out::line(&format!("{due_at}  ({})", calendar.on_the_wall(due)));
    }
    Ok(exit::OK)
}

/// A deadline needs a name in a rule, but not here.
fn spec(text: &str) -> Result<DeadlineSpec, Failure> {
    let bad = |why: String| {
        let example = r#"write one such as {"kind": "working-days", "params": {"n": 2}}"#;
        Failure::new(USAGE, format!("--spec: {why}; {example}"))
    };
    let mut spec = parse_strict(text.as_bytes()).map_err(|error| bad(exit::chain(&error)))?;
    if let Some(fields) = spec.as_object_mut() {
        let name = || Value::String("deadline".to_owned());
        fields.entry("name").or_insert_with(name);
    }
    serde_json::from_value::<DeadlineWire>(spec)
        .map(DeadlineSpec::from)
        .map_err(|error| bad(error.to_string()))
}
