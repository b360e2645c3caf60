//! Listings of servers: what becomes callable, what goes into quarantine, what is told.

use proptest::prelude::*;

use super::*;
use crate::PinMode::{Captured, FirstUse, Reviewed};

const CHANGED: &str = "quarantined: its definition is no longer the one that was accepted";

pub(super) fn with(mut tool: Value, key: &str, value: Value) -> Value {
    tool[key] = value;
    tool
}

/// A world where `files:read` was accepted.
pub(super) fn reviewed() -> World {
    let mut world = World::default();
    world.offer(Reviewed, &[tool("read")]);
    world.accept("mcp:files:read", None).unwrap();
    world
}

#[test]
fn a_reviewed_server_s_tools_wait_for_a_person() {
    let mut world = World::default();
    assert_eq!(
        world.offer(Reviewed, &[tool("read")]),
        ["listed files", "registered mcp:files:read"]
    );
    assert_eq!(world.standing("files:read"), "unreviewed");
    assert_eq!(world.offer(Reviewed, &[tool("read")]), [""; 0]);
    world.accept("mcp:files:read", None).unwrap();
    assert_eq!(world.standing("files:read"), "callable");
    assert_eq!(world.offer(Reviewed, &[tool("read")]), [""; 0]);
    world.restart();
    assert_eq!(world.offer(Reviewed, &[tool("read")]), [""; 0]);
    assert_eq!(world.standing("files:read"), "callable");
}

#[test]
fn first_use_covers_the_first_listing_of_an_identity_only() {
    let mut world = World::default();
    assert_eq!(
        world.offer(FirstUse, &[tool("a")]),
        ["listed files", "pinned mcp:files:a FirstUse"]
    );
    assert_eq!(
        world.offer(FirstUse, &[tool("a"), tool("b")]),
        ["registered mcp:files:b"]
    );
    assert_eq!(
        (world.standing("files:a"), world.standing("files:b")),
        ("callable".to_owned(), "unreviewed".to_owned())
    );
    world.restart();
    assert_eq!(
        world.offer(FirstUse, &[tool("a"), tool("b"), tool("c")]),
        ["registered mcp:files:c"]
    );
    assert_eq!(world.standing("files:a"), "callable");
}

#[test]
fn an_empty_first_listing_uses_up_first_use() {
    let mut world = World::default();
    assert_eq!(world.offer(FirstUse, &[]), ["listed files"]);
    world.restart();
    assert_eq!(
        world.offer(FirstUse, &[tool("a")]),
        ["registered mcp:files:a"]
    );
    assert_eq!(world.standing("files:a"), "unreviewed");
}

#[test]
fn first_use_is_over_even_before_the_journal_knows() {
    let (catalog, pins) = (Catalog::default(), Pins::default());
    let offer =
        |tools: &[Value]| catalog.offer(&server("files"), &identity(), tools, &pins, FirstUse);
    assert_eq!(offer(&[]).changes.len(), 1);
    assert!(matches!(
        offer(&[tool("a")]).changes.as_slice(),
        [.., ToolChange::Registered { .. }]
    ));
}

#[test]
fn another_identity_voids_every_pin() {
    let mut world = reviewed();
    let other = ServerIdentity {
        args: vec!["--all".to_owned()],
        ..identity()
    };
    assert_eq!(
        world.offer_as("files", &other, FirstUse, &[tool("read")]),
        ["listed files", "quarantined mcp:files:read"]
    );
    assert_eq!(world.standing("files:read"), CHANGED);
}

#[test]
fn a_captured_listing_is_pinned_and_a_live_one_must_equal_it() {
    let mut world = World::default();
    assert_eq!(
        world.offer(Captured, &[tool("a")]),
        ["listed files", "pinned mcp:files:a Captured"]
    );
    assert_eq!(
        world.offer(FirstUse, &[tool("a"), tool("b")]),
        ["registered mcp:files:b"]
    );
    let changed = with(tool("a"), "description", json!("Other."));
    assert_eq!(
        world.offer(Reviewed, &[changed]),
        ["quarantined mcp:files:a", "removed mcp:files:b"]
    );
}

#[test]
fn c094_every_change_of_a_definition_puts_that_tool_in_quarantine() {
    for changed in [
        with(tool("read"), "description", json!("Read it.")),
        with(tool("read"), "title", json!("Read")),
        with(tool("read"), "annotations", json!({ "readOnlyHint": true })),
        with(tool("read"), "outputSchema", json!({ "type": "object" })),
        with(tool("read"), "_meta", json!({ "x": 1 })),
        with(
            tool("read"),
            "inputSchema",
            json!({ "type": "object", "properties": { "path": { "type": "string", "default": "/" } } }),
        ),
        with(
            tool("read"),
            "inputSchema",
            json!({ "type": "object", "properties": { "path": { "type": "string", "enum": ["/"] } } }),
        ),
        with(
            tool("read"),
            "inputSchema",
            json!({ "type": "object", "properties": { "path": { "type": "string", "description": "x" } } }),
        ),
        with(tool("read"), "inputSchema", json!({ "type": "intger" })),
    ] {
        let mut world = reviewed();
        assert_eq!(
            world.offer(Reviewed, &[tool("other"), changed.clone()]),
            ["registered mcp:files:other", "quarantined mcp:files:read"]
        );
        assert_eq!(world.standing("files:read"), CHANGED, "{changed}");
        assert_eq!(world.standing("files:other"), "unreviewed");
    }
}

#[test]
fn c094_the_order_of_keys_changes_nothing() {
    let mut world = World::default();
    let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    world.offer(
        Captured,
        &[parse(
            r#"{"name":"a","inputSchema":{"type":"object","title":"t"}}"#,
        )],
    );
    assert_eq!(
        world.offer(
            Reviewed,
            &[parse(
                r#"{"inputSchema":{"title":"t","type":"object"},"name":"a"}"#
            )]
        ),
        [""; 0]
    );
}

#[test]
fn a_quarantine_is_told_once_and_a_revert_does_not_lift_it() {
    let mut world = reviewed();
    let changed = with(tool("read"), "description", json!("Other."));
    assert_eq!(
        world.offer(Reviewed, std::slice::from_ref(&changed)),
        ["quarantined mcp:files:read"]
    );
    assert_eq!(world.offer(Reviewed, &[changed]), [""; 0]);
    // What is on offer by now is recorded for the reviewer, and lifts nothing.
    assert_eq!(
        world.offer(Reviewed, &[tool("read")]),
        ["registered mcp:files:read"]
    );
    assert_eq!(world.standing("files:read"), CHANGED);
    world.restart();
    assert_eq!(world.offer(FirstUse, &[tool("read")]), [""; 0]);
    assert_eq!(
        world.standing("files:read"),
        "quarantined: it was put in quarantine and not accepted since"
    );
    world.accept("mcp:files:read", None).unwrap();
    assert_eq!(world.standing("files:read"), "callable");
    assert_eq!(world.offer(Reviewed, &[tool("read")]), [""; 0]);
    assert_eq!(world.standing("files:read"), "callable");
}

#[test]
fn a_revert_does_not_lift_a_quarantine_that_the_journal_does_not_know_yet() {
    let world = reviewed();
    let offer = |tool: Value| {
        world.catalog.offer(
            &server("files"),
            &identity(),
            &[tool],
            &world.pins,
            Reviewed,
        )
    };
    offer(with(tool("read"), "title", json!("x")));
    offer(tool("read"));
    assert_eq!(world.standing("files:read"), CHANGED);
}

#[test]
fn an_acceptance_names_what_was_looked_at() {
    let mut world = reviewed();
    let before = world.catalog.snapshot().by_name("files:read").unwrap().pin;
    world.offer(Reviewed, &[with(tool("read"), "title", json!("x"))]);
    let error = world
        .catalog
        .accept("mcp:files:read", &before, None)
        .unwrap_err();
    assert!(matches!(error, CatalogError::Changed { .. }), "{error}");
    assert!(matches!(
        world.accept("mcp:files:none", None),
        Err(CatalogError::Unknown { .. })
    ));
}

#[test]
fn c095_a_rename_is_a_removal_and_a_new_tool_that_waits() {
    let mut world = World::default();
    world.offer(Captured, &[tool("send")]);
    world.restart();
    assert_eq!(
        world.offer(FirstUse, &[tool("deliver")]),
        ["registered mcp:files:deliver", "removed mcp:files:send"]
    );
    assert_eq!(
        (
            world.standing("files:deliver").as_str(),
            world.standing("files:send").as_str()
        ),
        ("unreviewed", "none")
    );
    // A tool that comes back must equal its pin.
    assert_eq!(
        world.offer(Reviewed, &[tool("send")]),
        ["registered mcp:files:send", "removed mcp:files:deliver"]
    );
    assert_eq!(world.standing("files:send"), "callable");
}

#[test]
fn c097_a_call_finishes_under_the_snapshot_that_it_began_with() {
    let mut world = World::default();
    world.offer(Captured, &[tool("a")]);
    let running = world.catalog.snapshot();
    world.offer(Reviewed, &[with(tool("a"), "title", json!("x")), tool("b")]);
    assert!(running.by_name("files:a").unwrap().standing.is_callable());
    assert_eq!(
        (
            world.standing("files:a").as_str(),
            world.standing("files:b").as_str()
        ),
        (CHANGED, "unreviewed")
    );
    world.catalog.withdraw(&server("files"));
    assert_eq!(world.standing("files:a"), "none");
    assert!(world.catalog.snapshot().version() > running.version());
}

#[test]
fn the_profile_comes_from_the_acceptance_and_the_book() {
    let mut world = reviewed();
    world
        .accept(
            "mcp:files:read",
            Some(json!({ "access": "read", "risk": "low", "default_effect": "allow" })),
        )
        .unwrap();
    let profile = |world: &World| {
        world
            .catalog
            .snapshot()
            .by_name("files:read")
            .unwrap()
            .profile
            .clone()
    };
    assert_eq!(
        profile(&world).default_effect,
        tipstaff_schema::Effect::Allow
    );
    world
        .catalog
        .set_book(book(json!([["files:*", { "locked": true }]])).unwrap());
    assert!(profile(&world).locked);
    world.offer(Reviewed, &[tool("read")]);
    assert_eq!(
        (profile(&world).locked, profile(&world).default_effect),
        (true, tipstaff_schema::Effect::Allow)
    );
    world.restart();
    world.offer(Reviewed, &[tool("read")]);
    assert_eq!(
        (profile(&world).locked, profile(&world).default_effect),
        (false, tipstaff_schema::Effect::Allow)
    );
}

#[test]
fn the_own_table_replaces_the_server_s_schema() {
    let mut world = World::default();
    world
        .catalog
        .set_book(book(json!([["files:*", { "params": { "n": { "type": "int" } } }]])).unwrap());
    world.offer(
        FirstUse,
        &[with(tool("a"), "inputSchema", json!({ "type": "intger" }))],
    );
    let now = world.catalog.snapshot();
    let validator = now.by_name("files:a").unwrap().validator.clone().unwrap();
    assert_eq!(validator.check(&json!({ "n": 1 })), Ok(()));
    assert!(validator.check(&json!({ "path": "x" })).is_err());
}

proptest! {
    #[test]
    fn the_order_of_a_listing_changes_nothing(names in prop::collection::vec("[abA][аb]?", 0..8).prop_shuffle(), first in any::<bool>()) {
        let mode = if first { FirstUse } else { Reviewed };
        let run = |names: &[String]| {
            let mut world = World::default();
            world.offer(Captured, &[tool("ab")]);
            let told = world.offer(mode, &names.iter().map(|name| tool(name)).collect::<Vec<_>>());
            let now = world.catalog.snapshot();
            (told, now.iter().map(|entry| (entry.name.clone(), entry.standing.clone())).collect::<Vec<_>>())
        };
        let mut sorted = names.clone();
        sorted.sort();
        prop_assert_eq!(run(&names), run(&sorted));
    }

    #[test]
    fn nothing_is_callable_without_a_pin(listings in prop::collection::vec(prop::collection::vec((0_u8..4, 0_u8..2), 0..4), 1..6)) {
        let mut world = World::default();
        for listing in listings {
            let tools: Vec<Value> = listing.iter().map(|(name, text)| with(tool(&format!("t{name}")), "title", json!(text))).collect();
            world.offer(FirstUse, &tools);
            for entry in world.catalog.snapshot().iter().filter(|entry| entry.standing.is_callable()) {
                let pinned = world.pins.get(entry.tool_id()).unwrap();
                prop_assert_eq!((pinned.pin, pinned.quarantined), (entry.pin, None));
            }
        }
    }
}
