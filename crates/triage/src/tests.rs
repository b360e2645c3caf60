//! Rules of triage, one test each, and the helpers that they share.
#![expect(
    clippy::needless_pass_by_value,
    reason = "helpers take literals, which read better by value"
)]

mod all_deadlines;
mod calendars;
mod deadlines;
mod desk;
mod holiday_files;
mod lists;
mod matching;
mod people;
mod rules;
mod steps;
mod worklist;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use tipstaff_schema::{AgentId, Digest, Person, Role};
use uuid::Uuid;

use crate::wire::{CalendarWire, TriageRuleWire};
use crate::*;

/// An instant, as `2026-11-10T14:00Z`.
fn at(text: &str) -> DateTime<Utc> {
    let full = text.replace('Z', ":00Z");
    DateTime::parse_from_rfc3339(&full).unwrap().to_utc()
}

fn person(name: &str) -> Person {
    Person::new(name).unwrap()
}

fn role(name: &str) -> Role {
    Role::new(name).unwrap()
}

fn calendar(wire: Value) -> Result<BusinessCalendar, Vec<CalendarError>> {
    let wire: CalendarWire = serde_json::from_value(wire).unwrap();
    BusinessCalendar::try_from_wire(&wire, "Europe/Berlin")
}

/// Berlin, Monday to Friday from nine to five, with these holidays.
fn berlin(holidays: Value) -> BusinessCalendar {
    calendar(json!({ "working_week": { "mon-fri": ["09:00-17:00"] }, "holidays": holidays }))
        .unwrap()
}

fn rule(change: impl Fn(&mut Value)) -> TriageRuleWire {
    let mut rule = json!({
        "name": "breach",
        "when": [{ "path": "/deadline_status", "equals": "BREACH" }],
        "audience": ["grid-operations"],
        "summary": "deadline missed for {/asset}",
        "priority": "high",
        "deadline": { "name": "triage-breach", "kind": "working-days", "params": { "n": 2 } },
    });
    change(&mut rule);
    serde_json::from_value(rule).unwrap()
}

fn set(rules: Vec<TriageRuleWire>) -> TriageSet {
    TriageSet::new(rules, &berlin(json!([]))).unwrap()
}

fn judge(set: &TriageSet, answer: &Value) -> Vec<events::Opened> {
    let agent = AgentId::new("coder").unwrap();
    let facts = AnswerFacts {
        call_id: Uuid::from_u128(1),
        correlation: None,
        tool_name: "grid:status",
        tool_id: "mcp:grid:status",
        agent: &agent,
        answer,
        at: at("2026-11-10T14:00Z"),
    };
    set.judge(&facts, &berlin(json!([]))).opened
}
