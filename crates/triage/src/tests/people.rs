//! What people may do with tasks, and in which order refusals are found.

use super::desk::*;
use super::*;

#[test]
fn refusals_of_a_claim_are_found_in_the_order_of_the_page() {
    let mut desk = Desk::default();
    let id = desk.open(1, |_| {});
    let claim = |desk: &mut Desk, id, who: &str, roles: &[&str]| {
        desk.act_as(id, who, roles, Action::Claim).unwrap_err()
    };
    assert_eq!(
        claim(&mut desk, digest("other"), "eve", &[]),
        TaskRefusal::NotFound
    );
    assert_eq!(
        claim(&mut desk, id, "eve", &[]),
        TaskRefusal::Excluded {
            person: person("eve")
        }
    );
    assert_eq!(
        claim(&mut desk, id, "bob", &["office"]),
        TaskRefusal::WrongRole {
            person: person("bob")
        }
    );
    desk.act(id, "ana", Action::Claim).unwrap();
    let held = StepRefusal::AlreadyClaimed {
        holder: person("ana"),
    };
    assert_eq!(
        claim(&mut desk, id, "bob", &["grid"]),
        TaskRefusal::State(held)
    );
    assert_eq!(desk.act(id, "ana", Action::Claim), Ok(false));
    desk.act(id, "ana", done(1, "")).unwrap();
    let over = StepRefusal::NotPending {
        status: TaskStatus::Completed,
    };
    assert_eq!(
        claim(&mut desk, id, "bob", &["grid"]),
        TaskRefusal::State(over)
    );
    assert_eq!(
        claim(&mut desk, id, "bob", &["office"]),
        TaskRefusal::WrongRole {
            person: person("bob")
        }
    );
}

#[test]
fn a_second_completion_writes_nothing() {
    let mut desk = Desk::default();
    let id = desk.open(1, |_| {});
    desk.act(id, "ana", Action::Claim).unwrap();
    desk.act(id, "ana", done(1, "ok")).unwrap();
    assert_eq!(
        desk.act(id, "ana", done(1, "ok")),
        Err(TaskRefusal::State(StepRefusal::Duplicate))
    );
    let conflict = StepRefusal::Conflict { by: person("ana") };
    assert_eq!(
        desk.act(id, "ana", done(2, "ok")),
        Err(TaskRefusal::State(conflict))
    );
    assert_eq!(desk.tasks.get(&id).unwrap().version, 3);
}

#[test]
fn a_note_is_required_where_the_rule_says_so() {
    let mut desk = Desk::default();
    let id = desk.open(1, |task| task.note_required = true);
    desk.act(id, "ana", Action::Claim).unwrap();
    assert_eq!(
        desk.act(id, "ana", done(1, " ")),
        Err(TaskRefusal::NoteRequired)
    );
    assert_eq!(desk.act(id, "ana", done(1, "seen")), Ok(true));
}

const SUPERVISOR: &[&str] = &["supervisor"];

#[test]
fn supervisors_give_what_others_hold_to_somebody_who_may_have_it() {
    let mut desk = Desk::default();
    let id = desk.open(1, |_| {});
    desk.act(id, "ana", Action::Claim).unwrap();
    assert!(desk.act(id, "bob", Action::Release).is_err());
    let (person, roles) = (person("cem"), [role("grid")]);
    let give = |roles| Action::Delegate {
        to: Worker {
            person: &person,
            roles,
        },
    };
    let wrong = TaskRefusal::WrongRole {
        person: person.clone(),
    };
    assert_eq!(desk.act_as(id, "sue", SUPERVISOR, give(&[])), Err(wrong));
    desk.act_as(id, "sue", SUPERVISOR, give(&roles)).unwrap();
    assert_eq!(desk.tasks.get(&id).unwrap().holder(), Some(&person));
    desk.act_as(id, "sue", SUPERVISOR, Action::Release).unwrap();
    let history = desk.tasks.get(&id).unwrap().history.iter();
    let what: Vec<&str> = history.map(|past| past.what.as_str()).collect();
    assert_eq!(
        what,
        [
            "task.opened",
            "task.claimed",
            "task.delegated",
            "task.released"
        ]
    );
}

#[test]
fn only_a_supervisor_reopens_and_the_task_gets_a_new_deadline() {
    let mut desk = Desk::default();
    let id = desk.open(1, |task| task.due_at = at("2026-11-09T16:00Z"));
    desk.act(id, "bob", Action::Claim).unwrap();
    desk.act(
        id,
        "bob",
        Action::Skip {
            reason: "twice".into(),
        },
    )
    .unwrap();
    let calendar = berlin(json!([]));
    let reopen = || Action::Reopen {
        reason: "not done".into(),
        calendar: &calendar,
    };
    let wrong = TaskRefusal::WrongRole {
        person: person("bob"),
    };
    assert_eq!(desk.act(id, "bob", reopen()), Err(wrong));
    desk.act_as(id, "sue", SUPERVISOR, reopen()).unwrap();
    assert_eq!(desk.status(id), TaskStatus::Ready);
    assert_eq!(desk.tasks.get(&id).unwrap().due_at, at("2026-11-12T16:00Z"));
}
