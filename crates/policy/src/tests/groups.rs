//! What is found at load by groups is what holding every rule against every other finds.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{agent, compiled_in, world};
use crate::analyse::{outranked, tie};
use crate::{FindingKind, PolicySet, Severity, World, WorldAgent};

fn rule() -> impl Strategy<Value = Value> {
    let some =
        |values: &'static [&'static str]| proptest::option::of(proptest::sample::select(values));
    (
        some(&["coder", "child", "ops"]),
        some(&["db:query", "mcp:db:query", "db:*", "*:query", "web:get", "w*", "spawn"]),
        some(&["/a/**", "**/x", "/a/x", "/b/*.rs"]),
        some(&["call", "query", "other"]),
        proptest::sample::select(&["allow", "ask", "deny", "deny"][..]),
        any::<bool>(),
    )
        .prop_map(|(agent, capability, path, action, effect, inherit)| {
            let target = path.map(|path| json!({ "path": path }));
            let inherit = (effect == "allow" && inherit).then_some(true);
            let mut rule = json!({"agent": agent, "capability": capability, "target": target, "action": action, "effect": effect, "inherit": inherit});
            rule.as_object_mut().unwrap().retain(|_, value| !value.is_null());
            rule
        })
}

fn worlds() -> Vec<World> {
    let mut family = world();
    for (id, parent) in [("child", Some("coder")), ("ops", None)] {
        family.agents.push(WorldAgent {
            id: agent(id),
            root: Some("/srv/x".to_owned()),
            parent: parent.map(agent),
        });
    }
    vec![World::default(), family]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn groups_find_what_all_pairs_find(rules in proptest::collection::vec(rule(), 2..14)) {
        for world in worlds() {
            let (set, _) = compiled_in(Value::Array(rules.clone()), &World::default());
            let mut outranked = outranked::all(&set, &world);
            // How much was not looked at since enough is shown is counted by groups only.
            outranked.retain(|f| f.kind != FindingKind::NotDecided || f.severity != Severity::Note);
            prop_assert_eq!(outranked, outranked::pairwise(&set, &world));
            prop_assert_eq!(tie::all(&set, &world), tie::pairwise(&set, &world));
        }
    }
}

#[test]
fn what_a_load_does_not_look_at_is_counted() {
    let lifted = (0..120).flat_map(|n| {
        let tool = format!("t:n{n}");
        [
            json!({"capability": tool, "effect": "deny"}),
            json!({"capability": tool, "agent": "coder", "effect": "allow"}),
            json!({"capability": tool, "agent": "ops", "effect": "allow"}),
        ]
    });
    let (set, findings) = compiled_in(lifted.collect(), &World::default());
    let of = |kind| {
        findings
            .iter()
            .filter(|finding| finding.kind == kind)
            .count()
    };
    assert_eq!(
        (set.rules().len(), of(FindingKind::OutrankedDeny)),
        (360, 200)
    );
    let told = findings
        .iter()
        .find(|finding| finding.kind == FindingKind::NotDecided)
        .unwrap();
    assert!(
        told.message.contains("20 denies were not held"),
        "{}",
        told.message
    );
}

#[test]
fn rules_that_a_deny_is_not_held_against_since_enough_is_shown_are_counted() {
    let deny = json!({"id": "d", "capability": "t:*", "effect": "deny"});
    let lifting =
        (0..10).map(|n| json!({"capability": "t:a", "agent": format!("a{n}"), "effect": "allow"}));
    let rules: Vec<Value> = [deny].into_iter().chain(lifting).collect();
    let (_, findings) = compiled_in(Value::Array(rules), &World::default());
    let shown = |kind| findings.iter().filter(move |finding| finding.kind == kind);
    assert_eq!(shown(FindingKind::OutrankedDeny).count(), 3);
    let told: Vec<&str> = shown(FindingKind::NotDecided)
        .map(|finding| finding.message.as_str())
        .collect();
    assert!(
        matches!(told.as_slice(), [one] if one.contains("and 7 more rules")),
        "{told:?}"
    );
}

#[test]
fn the_digest_is_that_of_the_canonical_rules() {
    let rules = json!([
        {"effect": "ask", "approval": {"expire": "10m", "audience": ["ops"]}, "reason": "a \"b\" \n ü", "created_by": "ana", "created_at": "2026-01-01T00:00:00Z"},
        {"effect": "allow", "capability": "spawn", "target": {"command": ["git", "status"]}, "effects": "any", "cwd": "/srv/**", "placement": "box", "agent": "coder"},
        {"effect": "deny", "target": {"url": "https://x.example/"}, "when": [{"path": "/n", "at_most": 1.5}], "hours": {"from": 8, "to": 18}, "until": "2027-01-01T00:00:00Z", "action": "call"},
    ]);
    let (set, _) = compiled_in(rules, &World::default());
    let rules: Vec<Value> = set.rules().iter().map(|rule| rule.to_wire()).collect();
    let whole =
        tipstaff_schema::Digest::of(tipstaff_schema::Domain::Policy, &json!({ "rules": rules }));
    assert_eq!(set.digest(), whole.unwrap());
    let again = PolicySet::of_rules(set.rules().iter().map(Arc::clone).collect()).unwrap();
    assert_eq!(again.digest(), set.digest());
}
