//! The lists find what a look at every task finds, and words are looked for within one field.

use std::sync::Arc;

use proptest::prelude::*;

use super::desk::*;
use super::*;
use crate::events::{Expired, KeptAnswer};
use crate::words::Words;

const DUE: [&str; 5] = [
    "2026-11-09T16:00Z",
    "2026-11-10T13:59Z",
    "2026-11-10T14:00Z",
    "2026-11-11T16:00Z",
    "2026-12-01T16:00Z",
];
const KINDS: [&str; 3] = [
    "agent.triage/breach",
    "agent.triage/Überfall",
    "tipstaff.reconcile",
];
const AUDIENCES: [&[&str]; 5] = [
    &[],
    &["grid"],
    &["office"],
    &["grid", "office"],
    &["office", "grid"],
];
const TEXTS: [&str; 7] = [
    "",
    "TASK 1",
    "überf",
    "grid:s",
    "1\u{0}agent",
    "nowhere",
    "S",
];

#[derive(Debug, Clone)]
struct Drawn {
    kind: usize,
    audience: usize,
    due: usize,
    priority: Priority,
    escalates: bool,
    then: u8,
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let priority = prop::sample::select(Priority::MOST_PRESSING_FIRST.to_vec());
    let places = (0..KINDS.len(), 0..AUDIENCES.len(), 0..DUE.len());
    (places, priority, any::<bool>(), 0u8..7).prop_map(
        |((kind, audience, due), priority, escalates, then)| Drawn {
            kind,
            audience,
            due,
            priority,
            escalates,
            then,
        },
    )
}

fn desk(tasks: &[Drawn]) -> Desk {
    let mut desk = Desk::default();
    for (n, drawn) in (1..).zip(tasks) {
        let id = desk.open(n, |task| {
            task.kind = KINDS[drawn.kind].to_owned();
            task.audience = AUDIENCES[drawn.audience]
                .iter()
                .map(|name| role(name))
                .collect();
            task.due_at = at(DUE[drawn.due]);
            task.priority = drawn.priority;
            if drawn.escalates {
                task.on_expiry = OnExpiry::Escalate;
            }
        });
        let mut act = |action| desk.act_as(id, "ana", &["supervisor"], action).unwrap();
        match drawn.then {
            0 | 1 => {}
            2 => drop(act(Action::Claim)),
            3 | 4 => {
                act(Action::Claim);
                act(if drawn.then == 3 {
                    done(1, "")
                } else {
                    Action::Skip {
                        reason: "no".into(),
                    }
                });
            }
            5 => desk.write(id, TaskEvent::Expired(Expired {}), NOW).unwrap(),
            _ => drop(desk.lapse(NOW)),
        }
    }
    desk
}

fn query() -> impl Strategy<Value = TaskQuery> {
    let roles = prop::sample::subsequence(vec!["grid", "office", "chief", "supervisor"], 0..3);
    let roles = prop::option::of(roles.prop_map(|names| names.into_iter().map(role).collect()));
    let kinds = [KINDS.as_slice(), &["agent.triage/none"]].concat();
    let kind = prop::option::of(prop::sample::select(kinds).prop_map(str::to_owned));
    let statuses = prop::sample::subsequence(TaskStatus::ALL.to_vec(), 0..=5);
    let overdue_at = prop::option::of(prop::sample::select(DUE.to_vec()).prop_map(at));
    let text = prop::option::of(prop::sample::select(TEXTS.to_vec()).prop_map(str::to_owned));
    let cursor = prop::option::of((0u128..20).prop_map(|n| task_id(Uuid::from_u128(n), "breach")));
    let limit = prop_oneof![0usize..6, Just(usize::MAX)];
    (roles, kind, statuses, overdue_at, text, cursor, limit).prop_map(
        |(roles, kind, statuses, overdue_at, text, cursor, limit)| TaskQuery {
            roles,
            kind,
            statuses,
            overdue_at,
            text,
            cursor,
            limit,
        },
    )
}

/// Where a task stands among all: what is open first.
fn stands(task: &Task) -> (bool, Place) {
    (!task.status().is_open(), Place::of(task))
}

/// What a look at every task finds behind a place.
fn by_scan<'a>(
    tasks: &'a Tasks,
    query: &TaskQuery,
    behind: Option<(bool, Place)>,
) -> Vec<&'a Task> {
    let holds = |task: &Task, text: &str| {
        let fields = [&task.summary, &task.kind, &task.tool];
        fields
            .iter()
            .any(|field| field.to_lowercase().contains(&text.to_lowercase()))
    };
    let wanted = |task: &&Task| {
        let status = task.status();
        let statuses = &query.statuses;
        (statuses.is_empty() && status.is_open() || statuses.contains(&status))
            && query
                .roles
                .as_ref()
                .is_none_or(|roles| task.is_seen_by(roles))
            && query.kind.as_ref().is_none_or(|kind| task.kind == *kind)
            && query.overdue_at.is_none_or(|now| task.is_overdue(now))
            && query.text.as_ref().is_none_or(|text| holds(task, text))
            && behind.is_none_or(|behind| stands(task) > behind)
    };
    let mut found: Vec<&Task> = tasks.iter().filter(wanted).collect();
    found.sort_by_key(|task| stands(task));
    found.truncate(query.limit);
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn a_page_is_what_a_look_at_every_task_finds(
        tasks in prop::collection::vec(drawn(), 0..20),
        queries in prop::collection::vec(query(), 1..12),
    ) {
        let desk = desk(&tasks);
        for query in queries {
            let cursor = query.cursor.as_ref().and_then(|id| desk.tasks.get(id));
            let from = cursor.map(stands);
            prop_assert_eq!(desk.tasks.page(&query), by_scan(&desk.tasks, &query, from), "{:?}", query);
            if let Some(cursor) = cursor {
                let place = Place::of(cursor);
                let found = by_scan(&desk.tasks, &query, Some((false, place)));
                prop_assert_eq!(desk.tasks.page_behind(&query, &place), found, "{:?}", query);
            }
        }
    }

    #[test]
    fn counts_are_what_a_look_at_every_task_counts(
        tasks in prop::collection::vec(drawn(), 0..20),
        query in query(),
        now in prop::sample::select(DUE.to_vec()),
    ) {
        let (desk, roles, now) = (desk(&tasks), query.roles.as_deref(), at(now));
        let seen = || desk.tasks.iter().filter(|task| roles.is_none_or(|roles| task.is_seen_by(roles)));
        let of = |status| seen().filter(|task| task.status() == status).count();
        let counts = Counts {
            ready: of(TaskStatus::Ready),
            claimed: of(TaskStatus::Claimed),
            completed: of(TaskStatus::Completed),
            skipped: of(TaskStatus::Skipped),
            expired: of(TaskStatus::Expired),
            overdue: seen().filter(|task| task.is_overdue(now)).count(),
        };
        prop_assert_eq!(desk.tasks.counts(roles, now), counts);
    }
}

#[test]
fn words_are_looked_for_within_one_field_whatever_their_case_and_length() {
    let mut words = Words::default();
    words.add(["Meldung für T-117", "agent.triage/Überfall", "grid:status"]);
    words.add(["alles gut", "agent.triage/ok", "grid:status"]);
    let found = |text: &str| {
        let holding = words.holding(text);
        (holding[0], holding[1])
    };
    assert_eq!(found("MELDUNG FÜR"), (true, false));
    assert_eq!(found("grid:status"), (true, true));
    assert_eq!(found("status"), (true, true));
    assert_eq!(found("117agent"), (false, false), "over two fields");
    assert_eq!(found("statusalles"), (false, false), "over two tasks");
    assert_eq!(found("\0"), (false, false));
    let long = "Die längste Meldung, die je über ein Umspannwerk geschrieben wurde";
    words.add([long, "x", "y"]);
    assert_eq!(words.holding(long), [false, false, true]);
    let other = long.replace("wurde", "wird");
    assert_eq!(words.holding(&other), [false, false, false]);
}

fn whole(task: &KeptAnswer) -> &Arc<Value> {
    match task {
        KeptAnswer::Whole { value } => value,
        KeptAnswer::Digest { .. } | KeptAnswer::None {} => panic!("not whole"),
    }
}

#[test]
fn tasks_of_one_answer_hold_it_once_when_opened_and_when_folded() {
    let answer = json!({ "deadline_status": "BREACH", "asset": "T-117" });
    let rules = ["a", "b", "c"].map(|name| rule(|rule| rule["name"] = json!(name)));
    let opened = judge(&set(rules.into()), &answer);
    assert_eq!(opened.len(), 3);
    let mut desk = Desk::default();
    let first = whole(&opened[0].answer);
    for task in &opened {
        assert!(Arc::ptr_eq(first, whole(&task.answer)));
        let event = TaskEvent::Opened(Box::new(task.clone()));
        desk.write(task.task, event, NOW).unwrap();
    }
    let folded: Vec<&Arc<Value>> = desk.tasks.iter().map(|task| whole(&task.answer)).collect();
    assert!(folded.windows(2).all(|pair| Arc::ptr_eq(pair[0], pair[1])));
    // Another call's answer is another copy, and its words are its own.
    let other = desk.open(9, |task| {
        task.answer = KeptAnswer::of(&json!({ "deadline_status": "BREACH" })).unwrap();
    });
    let other = desk.tasks.get(&other).unwrap();
    assert_eq!(
        **whole(&other.answer),
        json!({ "deadline_status": "BREACH" })
    );
}

#[test]
fn the_wire_form_of_an_answer_is_the_same_whether_shared_or_not() {
    let kept = KeptAnswer::of(&json!({ "a": [1, null] })).unwrap();
    let wire = json!({ "type": "whole", "value": { "a": [1, null] } });
    assert_eq!(json!(kept), wire);
    assert_eq!(serde_json::from_value::<KeptAnswer>(wire).unwrap(), kept);
}
