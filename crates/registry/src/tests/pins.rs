//! The pin's digest, and the fold of the journal.

use super::*;
use crate::pin;

fn digest(raw: &Value, identity: &ServerIdentity) -> Digest {
    pin("mcp:files:read", raw, identity).unwrap()
}

#[test]
fn the_pin_covers_tool_identity_and_instructions() {
    let base = digest(&tool("read"), &identity());
    assert_ne!(
        base,
        pin("mcp:files:other", &tool("read"), &identity()).unwrap()
    );
    for other in [
        ServerIdentity {
            command: Some("other".to_owned()),
            ..identity()
        },
        ServerIdentity {
            args: vec!["x".to_owned()],
            ..identity()
        },
        ServerIdentity {
            cwd: Some("/srv".to_owned()),
            ..identity()
        },
        ServerIdentity {
            env_names: vec!["TOKEN".to_owned()],
            ..identity()
        },
        ServerIdentity {
            url: Some("https://a.test".to_owned()),
            ..identity()
        },
        ServerIdentity {
            instructions: Some("Hi.".to_owned()),
            ..identity()
        },
    ] {
        assert_ne!(base, digest(&tool("read"), &other), "{other:?}");
    }
}

#[test]
fn the_order_of_variables_does_not_count_and_instructions_are_no_identity() {
    let names = |names: [&str; 2]| ServerIdentity {
        env_names: names.map(str::to_owned).to_vec(),
        ..identity()
    };
    assert_eq!(
        digest(&tool("read"), &names(["A", "B"])),
        digest(&tool("read"), &names(["B", "A"]))
    );
    let talkative = ServerIdentity {
        instructions: Some("Hi.".to_owned()),
        ..identity()
    };
    assert_eq!(talkative.digest().unwrap(), identity().digest().unwrap());
}

#[test]
fn a_pin_that_no_person_gave_replaces_none_and_lifts_no_quarantine() {
    let mut world = World::default();
    world.offer(PinMode::Captured, &[tool("a")]);
    let before = world.pins.clone();
    let forged = ToolChange::Pinned {
        tool_id: "mcp:files:a".to_owned(),
        pin: Digest::of_canonical(Domain::Tool, b"x"),
        how: crate::events::PinnedBy::FirstUse,
        raw: std::sync::Arc::new(json!({})),
        server_digest: None,
    };
    world.journal(&forged.event().unwrap());
    let state = |pins: &Pins| {
        (
            pins.get("mcp:files:a").cloned(),
            pins.offered("mcp:files:a").cloned(),
        )
    };
    assert_eq!(state(&world.pins), state(&before));
}

#[test]
fn an_acceptance_is_remembered_with_who_and_when() {
    let mut world = World::default();
    assert!(world.pins.is_empty());
    world.offer(PinMode::Reviewed, &[tool("a")]);
    world
        .accept("mcp:files:a", Some(json!({ "locked": true })))
        .unwrap();
    let state = world.pins.get("mcp:files:a").unwrap();
    assert_eq!(
        (state.accepted_by.as_deref(), state.pinned_at_seq),
        (Some("ana"), world.seq)
    );
    assert_eq!(
        (state.profile.clone(), &*state.raw),
        (Some(patch(json!({ "locked": true }))), &tool("a"))
    );
}

#[test]
fn data_that_does_not_fit_its_kind_is_an_error() {
    let mut event = sealed(
        7,
        &ToolChange::Removed {
            tool_id: "mcp:a:b".to_owned(),
        }
        .event()
        .unwrap(),
    );
    event.data = json!({ "tool": "mcp:a:b" });
    let error = Pins::default().apply(&event).unwrap_err();
    assert_eq!(
        error.to_string(),
        "event 7 (`tool.removed`) of the journal does not hold what its kind says"
    );
}

#[test]
fn events_of_others_and_unknown_kinds_change_nothing() {
    let mut event = sealed(
        1,
        &ToolChange::Removed {
            tool_id: "mcp:a:b".to_owned(),
        }
        .event()
        .unwrap(),
    );
    event.kind = tipstaff_journal::Kind::new("tool.praised").unwrap();
    let mut pins = Pins::default();
    pins.apply(&event).unwrap();
    event.stream = "call/x".parse().unwrap();
    event.kind = tipstaff_journal::kinds::TOOL_REMOVED;
    event.data = json!({});
    pins.apply(&event).unwrap();
    assert!(pins.is_empty());
}
