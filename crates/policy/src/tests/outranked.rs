//! Denies that a more specific rule lifts: found with a call that shows it, and never found falsely.

use serde_json::{Value, json};
use tipstaff_resource::{Base, Resource};
use tipstaff_schema::{Access, ResourceKind};

use super::{Call, agent, compiled_in, findings, of_kind, time, world};
use crate::{FindingKind, Severity, World};

/// The outranked denies that are found, as (deny, winner).
fn outranked(rules: Value, world: &World) -> Vec<(String, String)> {
    let found = findings(rules, world);
    of_kind(&found, FindingKind::OutrankedDeny)
        .iter()
        .map(|f| (f.rules[0].clone(), f.rules[1].clone()))
        .collect()
}

fn pair(a: &str, b: &str) -> Vec<(String, String)> {
    vec![(a.to_owned(), b.to_owned())]
}

#[test]
fn a_deny_that_a_more_specific_allow_lifts_is_an_error_with_a_call_that_shows_it() {
    let rules = json!([
        {"id": "no-env", "target": "**/.env", "effect": "deny"},
        {"id": "mine", "agent": "coder", "capability": "db:read_file", "effect": "allow"},
    ]);
    let found = findings(rules, &world());
    let error = of_kind(&found, FindingKind::OutrankedDeny)[0].clone();
    assert_eq!(error.severity, Severity::Error);
    assert_eq!(error.rules, ["no-env", "mine"]);
    assert!(
        error.fix.contains("guard: true") && error.fix.contains("overridable: true"),
        "{}",
        error.fix
    );
    let call = error.witness.unwrap();
    assert_eq!(
        (&call["agent"], &call["tool"]),
        (&json!("coder"), &json!("db:read_file"))
    );
    assert!(
        call["params"]["path"].as_str().unwrap().ends_with("/.env"),
        "{call}"
    );
}

#[test]
fn the_two_fixes_silence_it() {
    let rules = |more: Value| {
        let mut deny = json!({"id": "d", "target": "**/.env", "effect": "deny"});
        deny.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        json!([deny, {"id": "a", "agent": "coder", "effect": "allow"}])
    };
    assert_eq!(outranked(rules(json!({})), &world()), pair("d", "a"));
    assert_eq!(outranked(rules(json!({"guard": true})), &world()), []);
    assert_eq!(outranked(rules(json!({"overridable": true})), &world()), []);
    assert_eq!(
        outranked(rules(json!({})), &World::default()),
        pair("d", "a")
    );
}

#[test]
fn c122_pairs_that_are_no_ties_are_reported() {
    let allow = json!({"id": "a", "capability": "db:read_file", "target": "*", "effect": "allow"});
    let deny = json!({"id": "d", "target": "/t1", "effect": "deny"});
    assert_eq!(outranked(json!([allow, deny]), &world()), pair("d", "a"));
    let allow =
        json!({"id": "a", "hours": {"from": 8, "to": 18, "days": ["mon-fri"]}, "effect": "allow"});
    let deny = json!({"id": "d", "effect": "deny"});
    assert_eq!(outranked(json!([deny, allow]), &world()), pair("d", "a"));
    let tie = json!([{"id": "a", "capability": "db:*", "effect": "allow"}, {"id": "d", "capability": "db:*", "effect": "deny"}]);
    assert_eq!(outranked(tie, &world()), []);
}

#[test]
fn rules_that_never_meet_are_not_reported() {
    let apart = [
        (
            json!({"agent": "coder"}),
            json!({"agent": "helper", "action": "call", "effect": "allow"}),
        ),
        (
            json!({"capability": "db:read_file"}),
            json!({"capability": "db:drop-database", "action": "call"}),
        ),
        (
            json!({"target": "/a/**"}),
            json!({"target": "/b/**", "action": "call"}),
        ),
        (
            json!({"target": {"host": "a.example"}}),
            json!({"target": "/b/**", "action": "call"}),
        ),
        (
            json!({"action": "call"}),
            json!({"action": "other", "agent": "coder"}),
        ),
        (
            json!({"hours": {"from": 8, "to": 12}}),
            json!({"hours": {"from": 12, "to": 18}, "agent": "coder"}),
        ),
        (
            json!({"when": [{"path": "/n", "at_most": 1}]}),
            json!({"when": [{"path": "/n", "at_least": 2}], "agent": "coder"}),
        ),
        (
            json!({"until": "2020-01-01T00:00:00Z"}),
            json!({"agent": "coder"}),
        ),
    ];
    let world = World {
        now: Some(time("2026-01-05T12:00:00Z")),
        ..world()
    };
    for (mut deny, mut allow) in apart {
        deny["effect"] = json!("deny");
        allow["effect"] = json!("allow");
        // `helper` is started by `coder`, so a deny for `coder` reaches it: only the other way round is apart.
        if deny["agent"] == "coder" {
            deny["agent"] = json!("helper");
            allow["agent"] = json!("coder");
        }
        let rules = json!([deny, allow]);
        let found = findings(rules.clone(), &world);
        let found: Vec<String> = found
            .iter()
            .filter(|f| matches!(f.kind, FindingKind::OutrankedDeny | FindingKind::NotDecided))
            .map(ToString::to_string)
            .collect();
        assert_eq!(found, Vec::<String>::new(), "{rules}");
    }
}

#[test]
fn a_deny_for_an_agent_meets_rules_of_the_agents_that_it_starts() {
    let rules = json!([{"id": "d", "agent": "coder", "effect": "deny"}, {"id": "a", "agent": "helper", "capability": "db:*", "effect": "allow"}]);
    assert_eq!(outranked(rules, &world()), pair("d", "a"));
}

#[test]
fn a_lifted_deny_that_a_guard_backs_is_not_reported() {
    let rules = json!([
        {"id": "d", "target": "**/.env", "effect": "deny"},
        {"id": "g", "target": "**/.env*", "effect": "deny", "guard": true},
        {"id": "a", "agent": "coder", "effect": "allow"},
    ]);
    let found = findings(rules, &world());
    assert!(of_kind(&found, FindingKind::OutrankedDeny).is_empty());
    assert!(of_kind(&found, FindingKind::NotDecided).is_empty());
}

#[test]
fn conditions_on_the_field_of_the_resource_are_taken_together_with_it() {
    let rules = |value: &str| {
        json!([
            {"id": "d", "target": "/srv/secret/**", "effect": "deny"},
            {"id": "a", "agent": "coder", "capability": "db:read_file", "when": [{"path": "/path", "equals": value}], "effect": "allow"},
        ])
    };
    assert_eq!(outranked(rules("/srv/secret/a"), &world()), pair("d", "a"));
    assert_eq!(outranked(rules("/srv/open/a"), &world()), []);
}

#[test]
fn commands_are_compared_word_by_word() {
    let rules = |allow: Value| {
        json!([
            {"id": "d", "capability": "spawn", "target": {"command": ["git", "push", "**"]}, "effect": "deny"},
            {"id": "a", "agent": "coder", "capability": "spawn", "target": {"command": allow}, "effect": "allow"},
        ])
    };
    assert_eq!(
        outranked(rules(json!(["git", "*"])), &world()),
        pair("d", "a")
    );
    assert_eq!(outranked(rules(json!(["git", "status"])), &world()), []);
    let found = findings(rules(json!(["git", "push"])), &world());
    assert_eq!(
        of_kind(&found, FindingKind::OutrankedDeny)[0]
            .witness
            .as_ref()
            .unwrap()["params"],
        json!({"input": "!git push"})
    );
}

#[test]
fn the_witness_is_judged_as_it_is_said_to_be() {
    let rules = json!([
        {"id": "d", "target": "./src/**", "effect": "deny"},
        {"id": "a", "agent": "coder", "capability": "db:read_file", "effect": "allow"},
    ]);
    let (set, found) = compiled_in(rules, &world());
    let call = of_kind(&found, FindingKind::OutrankedDeny)[0]
        .witness
        .clone()
        .unwrap();
    let base = Base {
        cwd: None,
        root: Some("/srv/repo"),
    };
    let path = call["params"]["path"].as_str().unwrap();
    let resource = Resource::parse(ResourceKind::Path, path, Access::Read, &base).unwrap();
    let call = Call {
        resource: Some(resource),
        agent: agent("coder"),
        ..Call::to("db:read_file")
    };
    assert_eq!(call.decide(&set).policy_id.as_deref(), Some("a"));
    assert_eq!(set.explain(&call.request()).matched.len(), 2);
}
