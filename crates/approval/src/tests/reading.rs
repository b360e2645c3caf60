//! The wire: spellings, what is written, and what is refused when read.

use serde::de::DeserializeOwned;
use serde_json::Value;
use tipstaff_journal::{Kind, kinds};
use tipstaff_schema::Reach;

use super::*;

fn write(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap()
}

fn reads<T: DeserializeOwned>(value: Value) -> bool {
    serde_json::from_value::<T>(value).is_ok()
}

#[test]
fn previews_are_written_in_pascal_case_under_the_names_of_the_page() {
    let written = write(&preview());
    assert_eq!(written["side_effect_level"], "LocalState");
    assert_eq!(written["durability"], "Persistent");
    assert_eq!(written["execution_category"], "ExclusivePersistentMutation");
    assert_eq!(written["approval_category"], "Filesystem");
    assert_eq!(written["capabilities"], json!(["FilesystemWrite"]));
    assert_eq!(write(&Power::Custom("x".into())), json!({"Custom": "x"}));
    for absent in ["placement", "commands", "powers"] {
        assert_eq!(written.get(absent), None, "{absent}");
    }
    assert_eq!(
        serde_json::from_value::<Preview>(written).unwrap(),
        preview()
    );
}

#[test]
fn what_reach_is_not_known_counts_as_external() {
    assert_eq!(
        serde_json::from_value::<SideEffectLevel>(json!("Sideways")).unwrap(),
        SideEffectLevel::External
    );
    assert_eq!(
        SideEffectLevel::from(None::<Reach>),
        SideEffectLevel::External
    );
    assert_eq!(
        SideEffectLevel::from(Some(Reach::Process)),
        SideEffectLevel::Process
    );
    assert!(!is_consequential(SideEffectLevel::None));
    assert!(is_consequential(SideEffectLevel::LocalState));
}

#[test]
fn answers_carry_their_type_and_nothing_unknown() {
    assert_eq!(write(&Answer::Approve), json!({"type": "approve"}));
    assert_eq!(
        write(&deny()),
        json!({"type": "deny", "reason": "not today"})
    );
    assert_eq!(
        write(&review(ReviewAnswer::Never)),
        json!({"type": "review", "review": "never"})
    );
    assert!(reads::<Answer>(json!({"type": "approve"})));
    assert!(!reads::<Answer>(
        json!({"type": "approve", "person": "mallory"})
    ));
    assert!(!reads::<Answer>(json!({"type": "deny"})));
}

#[test]
fn events_come_back_as_they_were_written() {
    let mut desk = Desk::default();
    let id = desk.asked("R");
    desk.answer(id, "R", &Answer::Approve, "bob", 1).unwrap();
    desk.used(id, "R", "s1", 2).unwrap();
    let tool = desk.asks(tool_ask("pin"), &Terms::default(), 3);
    desk.voided(tool, 4).unwrap();
    for event in &desk.events {
        let read = ApprovalEvent::read(&event.kind, &event.data)
            .unwrap()
            .unwrap();
        assert_eq!(
            (read.kind(), read.data().unwrap()),
            (event.kind.clone(), event.data.clone())
        );
    }
    assert_eq!(desk.events[0].data["subject"]["kind"], "call");
}

#[test]
fn unknown_fields_of_an_event_are_refused_and_unknown_kinds_are_left_alone() {
    let stray = json!({"reason": "x", "by": "y"});
    assert!(ApprovalEvent::read(&kinds::APPROVAL_VOIDED, &stray).is_err());
    let later = Kind::new("approval.reminded").unwrap();
    assert!(ApprovalEvent::read(&later, &stray).unwrap().is_none());
}

#[test]
fn a_kind_of_a_newer_version_only_counts_as_an_event_of_the_stream() {
    let mut desk = Desk::default();
    let id = desk.asked("R");
    let mut event = desk.event(id, &ApprovalEvent::Expired(Expired {}), 1);
    event.kind = Kind::new("approval.reminded").unwrap();
    desk.approvals.apply(&event).unwrap();
    let request = desk.approvals.get(id).unwrap();
    assert_eq!((request.version, request.state.as_str()), (2, "pending"));
}

#[test]
fn the_digest_of_what_was_shown_changes_with_every_part_of_it() {
    let shown = |change: fn(&mut Preview)| {
        let mut preview = preview();
        change(&mut preview);
        preview.shown_digest().unwrap()
    };
    let plain = shown(|_| {});
    assert_ne!(plain, shown(|p| p.summary.push('x')));
    assert_ne!(plain, shown(|p| p.commands.push("ls".into())));
    assert_ne!(plain, shown(|p| p.risk = Risk::Low));
}
