//! The worklist: in which order tasks stand, what falls due, and the fold.

use std::ops::Not;

use proptest::prelude::*;
use tipstaff_journal::{Event, Kind};

use super::desk::*;
use super::*;
use crate::events::{Claimed, Expired};

#[test]
fn the_queue_is_ordered_by_priority_then_due_then_age() {
    let mut desk = Desk::default();
    desk.open(1, |_| {});
    desk.open(2, |task| task.due_at = at("2026-11-11T16:00Z"));
    desk.open(3, |task| task.priority = Priority::Urgent);
    desk.open(4, |task| task.priority = Priority::Low);
    assert_eq!(
        desk.page(&TaskQuery::default()),
        ["task 3", "task 2", "task 1", "task 4"]
    );
    let first = TaskQuery {
        limit: 2,
        ..TaskQuery::default()
    };
    let cursor = desk.tasks.page(&first).last().map(|task| task.id);
    assert_eq!(desk.page(&first), ["task 3", "task 2"]);
    assert_eq!(
        desk.page(&TaskQuery { cursor, ..first }),
        ["task 1", "task 4"]
    );
}

/// Four tasks: one completed, one of another kind, one of another audience, one overdue.
fn four() -> Desk {
    let mut desk = Desk::default();
    let one = desk.open(1, |_| {});
    desk.open(2, |task| task.kind = "tipstaff.reconcile".into());
    desk.open(3, |task| {
        task.audience = vec![role("office")];
        task.due_at = at("2026-11-13T16:00Z");
    });
    desk.open(4, |task| task.due_at = at("2026-11-09T16:00Z"));
    desk.act(one, "ana", Action::Claim).unwrap();
    desk.act(one, "ana", done(1, "")).unwrap();
    desk
}

#[track_caller]
fn finds(change: impl Fn(&mut TaskQuery), want: &[&str]) {
    let mut query = TaskQuery::default();
    change(&mut query);
    assert_eq!(four().page(&query), want);
}

#[test]
fn pages_are_filtered_by_kind_role_state_text_and_overdue() {
    finds(|_| {}, &["task 4", "task 2", "task 3"]);
    finds(|q| q.kind = Some("tipstaff.reconcile".into()), &["task 2"]);
    finds(|q| q.roles = Some(vec![role("office")]), &["task 3"]);
    finds(
        |q| q.roles = Some(vec![role("supervisor")]),
        &["task 4", "task 2", "task 3"],
    );
    finds(|q| q.overdue_at = Some(at(NOW)), &["task 4"]);
    finds(|q| q.text = Some("TASK 3".into()), &["task 3"]);
    finds(|q| q.statuses = vec![TaskStatus::Completed], &["task 1"]);
}

#[test]
fn what_is_closed_comes_after_all_that_is_open() {
    let both = vec![TaskStatus::Completed, TaskStatus::Ready];
    let after = |n| Some(task_id(Uuid::from_u128(n), "breach"));
    finds(
        |q| q.statuses = both.clone(),
        &["task 4", "task 2", "task 3", "task 1"],
    );
    let from = |n| {
        let both = both.clone();
        move |q: &mut TaskQuery| (q.cursor, q.statuses) = (after(n), both.clone())
    };
    finds(from(3), &["task 1"]);
    finds(from(1), &[]);
}

#[test]
fn tasks_are_counted_by_state_for_those_who_see_them() {
    let desk = four();
    let counts = Counts {
        ready: 3,
        completed: 1,
        overdue: 1,
        ..Counts::default()
    };
    assert_eq!(desk.tasks.counts(None, at(NOW)), counts);
    let office = Counts {
        ready: 1,
        ..Counts::default()
    };
    assert_eq!(desk.tasks.counts(Some(&[role("office")]), at(NOW)), office);
}

#[test]
fn a_late_scan_takes_all_that_fell_due_the_oldest_first() {
    let mut desk = Desk::default();
    let days = [
        "2026-11-13T16:00Z",
        "2026-11-11T16:00Z",
        "2026-11-12T16:00Z",
        "2026-12-01T16:00Z",
    ];
    for (n, due) in (1..).zip(days) {
        desk.open(n, |task| task.due_at = at(due));
    }
    let calendar = berlin(json!([]));
    let due: Vec<_> = desk
        .tasks
        .fallen_due(at("2026-11-20T00:00Z"), &calendar)
        .map(|(task, _)| task.due_at)
        .collect();
    assert_eq!(due, [at(days[1]), at(days[2]), at(days[0])]);
    assert_eq!(desk.lapse("2026-11-20T00:00Z"), 3);
    assert_eq!(desk.lapse("2026-11-20T00:00Z"), 0);
    // At the very instant it is due.
    assert_eq!(desk.lapse(days[3]), 1);
}

#[test]
fn an_escalation_happens_once_and_leaves_the_scan() {
    let mut desk = Desk::default();
    let id = desk.open(1, |task| task.on_expiry = OnExpiry::Escalate);
    desk.act(id, "ana", Action::Claim).unwrap();
    assert_eq!(desk.lapse("2026-11-12T16:00Z"), 1);
    let task = desk.tasks.get(&id).unwrap();
    assert_eq!(
        (task.status(), task.holder(), task.standing.escalated),
        (TaskStatus::Ready, None, true)
    );
    assert_eq!(task.audience, [role("grid"), role("chief")]);
    assert_eq!(
        (task.priority, task.due_at),
        (Priority::High, at("2026-11-16T16:00Z"))
    );
    assert_eq!(desk.lapse("2027-11-12T16:00Z"), 0);
    desk.act_as(id, "max", &["chief"], Action::Claim).unwrap();
}

#[test]
fn an_escalation_never_narrows_who_sees_a_task() {
    let mut desk = Desk::default();
    let id = desk.open(1, |task| {
        task.on_expiry = OnExpiry::Escalate;
        task.audience = Vec::new();
    });
    desk.lapse("2026-11-12T16:00Z");
    assert!(desk.tasks.get(&id).unwrap().is_seen_by(&[]));
}

#[test]
fn a_task_is_opened_once_and_only_in_its_own_stream() {
    let mut desk = Desk::default();
    let id = desk.open(1, |_| {});
    assert!(
        desk.write(id, TaskEvent::Opened(Box::new(opened(1))), NOW)
            .is_err()
    );
    assert!(
        desk.write(digest("other"), TaskEvent::Opened(Box::new(opened(2))), NOW)
            .is_err()
    );
    let nobody = TaskEvent::Claimed(Claimed { by: person("ana") });
    assert!(desk.write(digest("other"), nobody, NOW).is_err());
}

#[test]
fn events_with_gaps_unknown_fields_or_newer_kinds_are_told_apart() {
    let mut desk = Desk::default();
    let id = desk.open(1, |_| {});
    let event = desk.event(id, &TaskEvent::Expired(Expired {}), NOW);
    let gap = Event {
        version: 3,
        ..event.clone()
    };
    assert!(matches!(
        desk.tasks.apply(&gap),
        Err(ApplyError::Gap {
            expected: 2,
            version: 3,
            ..
        })
    ));
    let stray = Event {
        data: json!({ "by": "x" }),
        ..event.clone()
    };
    assert!(matches!(
        desk.tasks.apply(&stray),
        Err(ApplyError::Data { .. })
    ));
    let newer = Event {
        kind: Kind::new("task.praised").unwrap(),
        ..event
    };
    desk.tasks.apply(&newer).unwrap();
    assert_eq!(
        (desk.status(id), desk.tasks.get(&id).unwrap().version),
        (TaskStatus::Ready, 2)
    );
}

fn any_action(n: u8, calendar: &BusinessCalendar) -> Option<Action<'_>> {
    Some(match n {
        0..=2 => Action::Claim,
        3 => Action::Release,
        4 | 5 => done(i32::from(n), "note"),
        6 => Action::Skip {
            reason: "no".into(),
        },
        7 => Action::Reopen {
            reason: "yes".into(),
            calendar,
        },
        _ => return None,
    })
}

proptest! {
    #[test]
    fn the_fold_can_be_built_again_twice_over_and_its_indexes_agree(
        steps in prop::collection::vec((0u8..10, 0u128..4, 0usize..3, any::<bool>()), 1..60),
    ) {
        let (mut desk, calendar) = (Desk::default(), berlin(json!([])));
        for n in 0..4 {
            desk.open(n, |task| if n % 2 == 0 { task.on_expiry = OnExpiry::Escalate });
        }
        for (n, task, who, supervisor) in steps {
            let id = task_id(Uuid::from_u128(task), "breach");
            let role = if supervisor { "supervisor" } else { "grid" };
            match any_action(n, &calendar) {
                Some(action) => drop(desk.act_as(id, ["ana", "bob", "cem"][who], &[role], action)),
                None if supervisor => drop(desk.write(id, TaskEvent::Expired(Expired {}), NOW)),
                None => drop(desk.lapse("2026-11-13T00:00Z")),
            }
        }
        let mut again = Tasks::new();
        for event in desk.events.iter().flat_map(|event| [event, event]).chain(&desk.events) {
            again.apply(event).unwrap();
        }
        prop_assert_eq!(&again, &desk.tasks);
        let statuses = vec![TaskStatus::Ready, TaskStatus::Claimed, TaskStatus::Completed, TaskStatus::Skipped, TaskStatus::Expired];
        prop_assert_eq!(desk.page(&TaskQuery { statuses, ..TaskQuery::default() }).len(), 4);
        let open = desk.tasks.iter().filter(|task| task.status().is_open()).count();
        prop_assert_eq!(desk.page(&TaskQuery::default()).len(), open);
        let due = desk.tasks.fallen_due(at("2099-01-01T00:00Z"), &calendar).count();
        prop_assert_eq!(due, desk.tasks.iter().filter(|task| task.status().is_open() && task.standing.escalated.not()).count());
    }
}
