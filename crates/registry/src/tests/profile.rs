//! Profiles: defaults, refinement, derived risk, and what is refused.

use std::time::Duration;

use tipstaff_schema::{CallAccess, Effect, Profile, Reach, Risk};

use super::*;

fn no_hints() -> HintsAsSaid {
    HintsAsSaid::default()
}

fn destructive() -> HintsAsSaid {
    HintsAsSaid {
        destructive: Some(true),
        ..HintsAsSaid::default()
    }
}

#[test]
fn a_tool_that_nobody_described_is_the_worst() {
    let profile = ProfileBook::default().resolve("files:read", "mcp.read", &no_hints());
    assert_eq!(profile, Profile::unknown("mcp.read"));
}

#[track_caller]
fn check_risk(said: Value, hints: &HintsAsSaid, want: Risk) {
    assert_eq!(patch(said).finish("mcp.x", hints).risk, want);
}

#[test]
fn risk_is_derived_as_the_table_says() {
    for (reach, want) in [
        ("none", Risk::Low),
        ("local_state", Risk::Medium),
        ("process", Risk::High),
        ("external", Risk::High),
    ] {
        check_risk(
            json!({ "reach": reach, "access": "read" }),
            &no_hints(),
            want,
        );
        check_risk(
            json!({ "reach": reach, "reversible": true }),
            &no_hints(),
            want,
        );
        check_risk(json!({ "reach": reach }), &no_hints(), Risk::Critical);
        check_risk(
            json!({ "reach": reach, "access": "write", "reversible": false }),
            &no_hints(),
            Risk::Critical,
        );
        check_risk(
            json!({ "reach": reach, "access": "read", "reversible": true }),
            &destructive(),
            Risk::Critical,
        );
    }
    check_risk(json!({ "access": "read" }), &no_hints(), Risk::High);
}

#[test]
fn a_risk_that_the_operator_set_stands() {
    check_risk(json!({ "risk": "low" }), &no_hints(), Risk::Low);
    check_risk(json!({ "risk": "low" }), &destructive(), Risk::Low);
    check_risk(
        json!({ "risk": "critical", "access": "read", "reach": "none" }),
        &no_hints(),
        Risk::Critical,
    );
}

#[test]
fn c103_a_hint_alone_never_allows() {
    let hints = [
        json!({ "readOnlyHint": true }),
        json!({ "read_only_hint": true }),
        json!({ "readOnlyHint": "true" }),
        json!({ "readOnlyHint": 1 }),
        json!({ "readOnlyHint": true, "destructiveHint": true }),
        json!({ "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true }),
        json!(null),
    ];
    for said in &hints {
        let profile = ProfileBook::default().resolve("a:b", "mcp.b", &HintsAsSaid::from_mcp(said));
        assert_eq!(profile, Profile::unknown("mcp.b"), "{said}");
    }
}

#[test]
fn c103_a_destructive_hint_takes_back_a_default_of_allow() {
    let said = json!({ "access": "read", "reach": "none", "default_effect": "allow" });
    assert_eq!(
        patch(said.clone()).finish("x", &no_hints()).default_effect,
        Effect::Allow
    );
    assert_eq!(
        patch(said.clone())
            .finish("x", &destructive())
            .default_effect,
        Effect::Ask
    );
    let mistyped = HintsAsSaid::from_mcp(&json!({ "destructiveHint": "true" }));
    assert_eq!(
        patch(said).finish("x", &mistyped).default_effect,
        Effect::Allow
    );
}

#[test]
fn later_entries_refine_earlier_ones() {
    let book = book(json!([
        ["*", { "reach": "process", "timeout": "5s" }],
        ["files:*", { "reach": "local_state", "side_effects": "disk" }],
        ["files:read", { "access": "read", "action": "read", "default_effect": "allow" }],
    ]))
    .unwrap();
    let read = book.resolve("files:read", "mcp.read", &no_hints());
    assert_eq!(
        (read.reach, read.access, read.risk),
        (Reach::LocalState, CallAccess::Read, Risk::Medium)
    );
    assert_eq!(
        (read.action.as_str(), read.side_effects.as_str()),
        ("read", "disk")
    );
    assert_eq!(
        (read.timeout, read.default_effect),
        (Duration::from_secs(5), Effect::Allow)
    );
    let other = book.resolve("git:log", "mcp.log", &no_hints());
    assert_eq!(
        (other.reach, other.action.as_str(), other.default_effect),
        (Reach::Process, "mcp.log", Effect::Ask)
    );
}

#[test]
fn the_book_refines_what_was_accepted() {
    let accepted = patch(json!({ "access": "read", "risk": "low", "default_effect": "allow" }));
    let locked = book(json!([["files:*", { "locked": true, "default_effect": "ask" }]])).unwrap();
    let merged = locked.patch("files:read", Some(&accepted));
    assert_eq!(
        merged,
        patch(json!({ "access": "read", "risk": "low", "default_effect": "ask", "locked": true }))
    );
}

#[track_caller]
fn check_refused(entries: Value, want: &[&str]) {
    assert_eq!(book(entries).unwrap_err(), want);
}

#[test]
fn critical_cannot_default_to_allow() {
    let said = "profile 0 (`a:b`): risk critical cannot default to allow: it is set so; set `default_effect: ask`, or say what makes it milder";
    check_refused(
        json!([["a:b", { "risk": "critical", "default_effect": "allow" }]]),
        &[said],
    );
    let derived = "profile 0 (`a:*`): risk critical cannot default to allow: a write that is not `reversible: true` is critical unless `risk` is set; set `default_effect: ask`, or say what makes it milder";
    check_refused(json!([["a:*", { "default_effect": "allow" }]]), &[derived]);
    let later = "profile 1 (`a:b`): risk critical cannot default to allow: it is set so; set `default_effect: ask`, or say what makes it milder";
    check_refused(
        json!([["a:*", { "risk": "low", "default_effect": "allow" }], ["a:b", { "risk": "critical" }]]),
        &[later],
    );
    assert!(book(json!([["a:b", { "reversible": true, "default_effect": "allow" }]])).is_ok());
}

#[test]
fn a_default_of_allow_that_slips_through_is_an_ask() {
    // The first entry is fine for the names that its own text stands for; only `ab` meets both.
    let book = book(json!([["a?", { "risk": "low", "default_effect": "allow" }], ["?b", { "risk": "critical" }]])).unwrap();
    assert_eq!(
        book.resolve("ab", "x", &no_hints()).default_effect,
        Effect::Ask
    );
}

#[test]
fn open_parameters_cannot_default_to_allow() {
    let said = "profile 0 (`a:b`): `unknown_params: allow` cannot default to allow: set `default_effect: ask`";
    check_refused(
        json!([["a:b", { "risk": "low", "unknown_params": "allow", "default_effect": "allow" }]]),
        &[said],
    );
    let open =
        patch(json!({ "unknown_params": "allow", "risk": "low", "default_effect": "allow" }))
            .finish("x", &no_hints());
    assert_eq!(
        (open.default_effect, open.allow_unknown_params),
        (Effect::Ask, true)
    );
}

#[test]
fn every_fault_of_every_entry_is_told() {
    check_refused(
        json!([
            ["a:b", { "resource": { "kind": "path", "from": "path" }, "action": "" }],
            ["a:c", { "resources": [{ "kind": "url", "from": "/a~2" }], "estimate": { "money": -1.0 } }],
            ["a:d", { "params": { "n": { "type": "int", "max_len": 3 } } }],
        ]),
        &[
            "profile 0 (`a:b`): `action` must have 1 to 128 bytes without control characters",
            "profile 0 (`a:b`): `path` is no JSON pointer: write `/name`, with `~0` for `~` and `~1` for `/`",
            "profile 1 (`a:c`): `estimate` must hold numbers from 0",
            "profile 1 (`a:c`): `/a~2` is no JSON pointer: write `/name`, with `~0` for `~` and `~1` for `/`",
            "profile 2 (`a:d`): `params.n.max_len` is for texts only: string, url, path",
        ],
    );
}

#[track_caller]
fn check_wire(said: Value, want: Result<Value, &str>) {
    let read = serde_json::from_value::<ProfilePatch>(said)
        .map(|patch| serde_json::to_value(patch).unwrap());
    match (read, want) {
        (Ok(read), want) => assert_eq!(Ok(read), want),
        (Err(error), Err(want)) => assert!(error.to_string().contains(want), "{error}"),
        (Err(error), Ok(_)) => panic!("{error}"),
    }
}

#[test]
fn a_timeout_has_a_unit() {
    check_wire(
        json!({ "timeout": 60 }),
        Err("timeout `60` has no unit: write `60s`"),
    );
    check_wire(
        json!({ "timeout": -1 }),
        Err("timeout `-1` has no unit: write `60s`"),
    );
    check_wire(
        json!({ "timeout": 1.5 }),
        Err("`1500ms` for parts of a second"),
    );
    check_wire(
        json!({ "timeout": "60" }),
        Err("timeout `60` is no time from 1ms to 24h: write `60s`"),
    );
    check_wire(json!({ "timeout": "0s" }), Err("is no time"));
    check_wire(json!({ "timeout": "25h" }), Err("is no time"));
    check_wire(
        json!({ "timeout": "99999999999999999999s" }),
        Err("is no time"),
    );
    check_wire(json!({ "timeout": true }), Err("a time with its unit"));
    check_wire(json!({ "timeout": "2m" }), Ok(json!({ "timeout": "120s" })));
    check_wire(
        json!({ "timeout": "1500ms" }),
        Ok(json!({ "timeout": "1500ms" })),
    );
}

#[test]
fn every_field_is_read_and_written() {
    let whole = json!({
        "reach": "process", "reversible": true, "access": "read", "risk": "high", "action": "go",
        "resources": [{ "kind": "path", "from": "/p", "access": "delete", "optional": true, "on": "remote" }],
        "default_effect": "deny", "locked": true, "side_effects": "none", "idempotent": true, "timeout": "60s",
        "estimate": { "wall_seconds": 1.0, "network_operations": 2, "money": 0.5, "llm_tokens": 3 },
        "output_trust": "low", "unknown_params": "allow", "canonical": "keep",
        "params": { "p": { "type": "path", "required": true, "max_len": 9, "description": "where" } },
    });
    check_wire(whole.clone(), Ok(whole));
}

#[test]
fn aliases_and_single_resources_are_read() {
    let want = json!({ "resources": [{ "kind": "path", "from": "/p" }] });
    check_wire(
        json!({ "resource": { "target_kind": "path", "from": "/p" } }),
        Ok(want.clone()),
    );
    check_wire(
        json!({ "resource": [{ "kind": "path", "from": "/p" }] }),
        Ok(want),
    );
    check_wire(json!({ "resource": "path" }), Err("a resource rule"));
    check_wire(
        json!({ "resource": [], "resources": [] }),
        Err("duplicate field"),
    );
}

#[test]
fn unknown_keys_and_types_are_refused() {
    check_wire(
        json!({ "defualt_effect": "deny" }),
        Err("unknown field `defualt_effect`"),
    );
    check_wire(
        json!({ "params": { "a": { "type": "float" } } }),
        Err("unknown variant `float`"),
    );
    check_wire(
        json!({ "params": { "a": { "type": "int", "min": 1 } } }),
        Err("unknown field `min`"),
    );
    check_wire(
        json!({ "estimate": { "monkey": 1 } }),
        Err("unknown field `monkey`"),
    );
}
