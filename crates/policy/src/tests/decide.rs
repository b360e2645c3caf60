//! Evaluation: weights, ties, guards, inheritance, and the exact words of reasons.

use serde_json::{Value, json};
use tipstaff_schema::{Effect, Profile, ResourceKind};

use super::{Call, check, compiled};
use crate::DecidedBy;

fn reason(rules: Value, call: &Call) -> String {
    call.decide(&compiled(rules)).reason()
}

#[test]
fn every_dimension_weighs_what_the_table_says() {
    let weights = [
        (json!({}), 0),
        (json!({"agent": "coder"}), 8),
        (json!({"capability": "files:read"}), 4),
        (json!({"capability": "files:*"}), 4),
        (json!({"capability": "*"}), 0),
        (json!({"target": "/srv/**"}), 2),
        (json!({"target": "*"}), 0),
        (json!({"action": "call"}), 1),
        (json!({"action": "*"}), 0),
        (json!({"hours": {"from": 0, "to": 24}}), 1),
        (
            json!({"when": [{"path": "/a", "equals": 1}, {"path": "/b", "equals": 1}]}),
            1,
        ),
        (json!({"until": "2030-01-01T00:00:00Z"}), 0),
        (
            json!({"agent": "coder", "capability": "files:read", "target": "/srv/**", "action": "call",
                "hours": {"from": 0, "to": 24}, "when": [{"path": "/a", "equals": 1}]}),
            17,
        ),
    ];
    for (mut rule, weight) in weights {
        rule["effect"] = json!("allow");
        let call = Call::to("files:read")
            .path("/srv/a")
            .with(json!({"a": 1, "b": 1}));
        let decision = call.decide(&compiled(json!([rule.clone()])));
        assert_eq!(
            (decision.specificity, decision.considered),
            (weight, 1),
            "{rule}"
        );
    }
}

#[test]
fn reasons_are_in_the_exact_words() {
    let call = Call::to("files:read").path("/srv/a");
    assert_eq!(
        reason(json!([]), &call),
        "no matching policy; capability default"
    );
    assert_eq!(
        reason(json!([{"id": "a", "effect": "allow"}]), &call),
        "policy a (specificity 0): global rule allow on * target *"
    );
    assert_eq!(
        reason(
            json!([{"id": "a", "agent": "coder", "capability": "files:*", "target": "/srv/**", "effect": "ask"}]),
            &call
        ),
        "policy a (specificity 14): agent rule ask on files:* target /srv/**"
    );
    assert_eq!(
        reason(
            json!([{"id": "a", "effect": "deny", "guard": true, "reason": "secrets stay"}]),
            &call
        ),
        "policy a (specificity 0): secrets stay"
    );
    let locked = Call {
        profile: Profile {
            locked: true,
            ..Profile::unknown("call")
        },
        ..call
    };
    let decision = locked.decide(&compiled(json!([{"effect": "allow"}])));
    assert_eq!(decision.reason(), "capability is locked to DENY by design");
    assert_eq!(
        (decision.effect, decision.considered, decision.locked),
        (Effect::Deny, 0, true)
    );
    assert_eq!(decision.source, DecidedBy::Locked);
}

#[test]
fn the_decision_wire_always_holds_the_five_and_the_rest_when_set() {
    let set = compiled(json!([{"id": "g", "effect": "deny", "guard": true}]));
    let mut wire = serde_json::to_value(crate::wire::DecisionWire::from(
        &Call::to("a:b").decide(&set),
    ))
    .unwrap();
    assert_eq!(
        wire["policy_digest"].take(),
        json!(set.digest().to_string())
    );
    let want = json!({"effect": "deny", "policy_id": "g", "specificity": 0, "considered": 1, "locked": false,
        "guard": true, "policy_digest": null, "reason": "policy g (specificity 0): global rule deny on * target *"});
    assert_eq!(wire, want);
    let set = compiled(json!([]));
    let mut wire = serde_json::to_value(crate::wire::DecisionWire::from(
        &Call::to("a:b").decide(&set),
    ))
    .unwrap();
    wire.as_object_mut().unwrap().remove("policy_digest");
    let want = json!({"effect": "ask", "specificity": 0, "considered": 0, "locked": false,
        "reason": "no matching policy; capability default"});
    assert_eq!(wire, want);
}

#[test]
fn c122_a_tie_goes_to_the_stricter_effect_in_any_order() {
    let pairs = [
        (
            json!({"capability": "a:b", "effect": "allow"}),
            json!({"capability": "a:b", "effect": "deny"}),
        ),
        (
            json!({"capability": "a:*", "effect": "allow"}),
            json!({"capability": "a:b", "effect": "deny"}),
        ),
        (
            json!({"capability": "a:b", "effect": "ask"}),
            json!({"capability": "*", "agent": "x", "effect": "deny"}),
        ),
    ];
    let want = [Effect::Deny, Effect::Deny, Effect::Ask];
    for ((a, b), want) in pairs.into_iter().zip(want) {
        check(json!([a, b]), Call::to("a:b"), want);
        check(json!([b, a]), Call::to("a:b"), want);
    }
    let words = |words: &[&str], effect: &str| json!({"capability": "spawn", "target": {"command": words}, "effect": effect});
    check(
        json!([
            words(&["rm", "*tmp"], "allow"),
            words(&["rm", "/*"], "deny")
        ]),
        Call::command(&["rm", "/a/tmp"]),
        Effect::Deny,
    );
    // The contract's outcome: the allow weighs more, so it wins; the load reports it.
    let (allow, deny) = (
        json!({"capability": "x:y", "target": "*", "effect": "allow"}),
        json!({"target": "/t1", "effect": "deny"}),
    );
    check(
        json!([allow, deny]),
        Call::to("x:y").path("/t1"),
        Effect::Allow,
    );
    let (allow, deny) = (
        json!({"hours": {"from": 0, "to": 24, "days": ["mon-fri"]}, "effect": "allow"}),
        json!({"effect": "deny"}),
    );
    check(json!([allow, deny]), Call::to("x:y"), Effect::Allow);
}

#[test]
fn c121_a_deny_that_begins_with_a_star_weighs_like_any_other() {
    let rules = json!([{"target": "/home/me/projects/**", "effect": "allow"}, {"target": "**/.env", "effect": "deny"}]);
    check(
        rules.clone(),
        Call::to("f:r").path("/home/me/projects/a/.env"),
        Effect::Deny,
    );
    check(
        rules,
        Call::to("f:r").path("/home/me/projects/a/b"),
        Effect::Allow,
    );
    let rules = json!([
        {"capability": "spawn", "target": {"command": ["cat", "**"]}, "effect": "allow"},
        {"capability": "spawn", "target": {"command": ["*", "*id_rsa*"]}, "effect": "deny"},
    ]);
    check(
        rules,
        Call::command(&["cat", "/home/me/.ssh/id_rsa"]),
        Effect::Deny,
    );
}

#[test]
fn a_guard_beats_whatever_weighs_more() {
    let rules = json!([
        {"agent": "coder", "capability": "f:r", "target": "/srv/**", "action": "call", "effect": "allow"},
        {"id": "g", "effect": "deny", "guard": true},
    ]);
    let decision = Call::to("f:r").path("/srv/a").decide(&compiled(rules));
    assert_eq!(
        (decision.effect, decision.guard, decision.considered),
        (Effect::Deny, true, 2)
    );
    assert_eq!(decision.policy_id.as_deref(), Some("g"));
}

#[test]
fn of_equal_rules_the_earlier_decides() {
    let rules = json!([{"id": "b", "effect": "allow"}, {"id": "a", "effect": "allow"}]);
    assert_eq!(
        Call::to("f:r")
            .decide(&compiled(rules))
            .policy_id
            .as_deref(),
        Some("b")
    );
}

#[test]
fn asks_and_denies_hold_for_started_agents_and_allows_only_with_inherit() {
    let by_child = || Call::to("f:r").by("child", &["coder", "root"]);
    check(
        json!([{"agent": "coder", "effect": "deny"}]),
        by_child(),
        Effect::Deny,
    );
    check(
        json!([{"agent": "root", "effect": "deny", "guard": true}]),
        by_child(),
        Effect::Deny,
    );
    check(
        json!([{"agent": "coder", "effect": "allow"}]),
        by_child(),
        Effect::Ask,
    );
    check(
        json!([{"agent": "coder", "effect": "allow", "inherit": true}]),
        by_child(),
        Effect::Allow,
    );
    check(
        json!([{"agent": "child", "effect": "deny"}]),
        Call::to("f:r"),
        Effect::Ask,
    );
}

#[test]
fn a_rule_with_a_target_needs_a_resource_of_its_kind() {
    let rules = json!([{"target": "/srv/**", "effect": "allow"}]);
    check(rules.clone(), Call::to("f:r"), Effect::Ask);
    check(rules.clone(), Call::to("f:r").path("/srv/x"), Effect::Allow);
    check(
        rules,
        Call::to("f:r").on(ResourceKind::Service, "x"),
        Effect::Ask,
    );
    let rules = json!([{"target": {"host": "evil.example"}, "effect": "deny"}]);
    check(
        rules,
        Call::to("f:r").on(ResourceKind::Url, "https://evil.example/x"),
        Effect::Deny,
    );
}

#[test]
fn paths_fold_case_for_denies_and_not_for_allows() {
    check(
        json!([{"target": "/srv/a", "effect": "deny"}]),
        Call::to("f:r").path("/SRV/A"),
        Effect::Deny,
    );
    check(
        json!([{"target": "/srv/a", "effect": "allow"}]),
        Call::to("f:r").path("/SRV/A"),
        Effect::Ask,
    );
}

#[test]
fn only_a_command_pattern_allows_a_command() {
    let call = || Call::command(&["git", "status"]);
    check(
        json!([{"capability": "spawn", "effect": "allow"}]),
        call(),
        Effect::Ask,
    );
    check(json!([{"effect": "allow"}]), call(), Effect::Ask);
    check(
        json!([{"capability": "spawn", "effect": "deny"}]),
        call(),
        Effect::Deny,
    );
    check(
        json!([{"capability": "spawn", "target": {"command": ["git", "status"]}, "effect": "allow"}]),
        call(),
        Effect::Allow,
    );
    check(
        json!([{"capability": "spawn", "target": {"command": ["git", "status"]}, "effect": "allow"}]),
        Call::command(&["git", "push"]),
        Effect::Ask,
    );
}

#[test]
fn c056_deny_ask_and_guard_fold_case_and_allow_does_not() {
    for (rule, want) in [
        (json!({"effect": "deny"}), Effect::Deny),
        (json!({"effect": "deny", "guard": true}), Effect::Deny),
        (json!({"effect": "ask"}), Effect::Ask),
    ] {
        let mut rule = rule;
        rule["target"] = json!("**/.env");
        let rules = json!([rule, {"id": "home", "target": "/home/me/**", "effect": "allow"}]);
        check(rules, Call::to("f:r").path("/home/me/p/.Env"), want);
    }
    let allow = json!([{"target": "/home/me/**", "effect": "allow"}]);
    check(
        allow.clone(),
        Call::to("f:r").path("/home/me/x"),
        Effect::Allow,
    );
    check(allow, Call::to("f:r").path("/home/ME/x"), Effect::Ask);
}

#[test]
fn a_server_that_keeps_raw_spellings_is_allowed_only_by_exact_patterns() {
    let raw = |path: &str| Call {
        profile: Profile {
            keep_raw_resources: true,
            ..Profile::unknown("call")
        },
        ..Call::to("f:r").path(path)
    };
    check(
        json!([{"target": "/srv/**", "effect": "allow"}]),
        raw("/srv/a"),
        Effect::Ask,
    );
    check(
        json!([{"target": "/srv/a", "effect": "allow"}]),
        raw("/srv/a"),
        Effect::Allow,
    );
    check(
        json!([{"target": "/srv/**", "effect": "deny"}]),
        raw("/srv/a"),
        Effect::Deny,
    );
    check(json!([{"effect": "allow"}]), raw("/srv/a"), Effect::Ask);
    // A folder and a class are no exact patterns either, whatever characters they are written with.
    for target in ["/srv/a/", "/srv/[a]", "/srv/{a,b}", "/srv/?"] {
        check(
            json!([{"target": target, "effect": "allow"}]),
            raw("/srv/a"),
            Effect::Ask,
        );
    }
    check(
        json!([{"target": "/srv/\\*", "effect": "allow"}]),
        raw("/srv/*"),
        Effect::Allow,
    );
}

#[test]
fn c136_a_rule_is_gone_after_its_until() {
    let rules = json!([{"until": "2026-12-01T09:00:00+01:00", "effect": "allow"}]);
    check(
        rules.clone(),
        Call::to("f:r").at("2026-12-01T08:00:00Z"),
        Effect::Allow,
    );
    check(
        rules,
        Call::to("f:r").at("2026-12-01T08:00:01Z"),
        Effect::Ask,
    );
}

#[test]
fn a_placement_is_a_dimension_and_local_where_none_is_said() {
    let rules = json!([{"capability": "spawn", "target": {"command": ["ls"]}, "placement": "lab", "effect": "allow"}]);
    let lab = Call {
        placement: Some("lab".to_owned().try_into().unwrap()),
        ..Call::command(&["ls"])
    };
    check(rules.clone(), lab, Effect::Allow);
    check(rules, Call::command(&["ls"]), Effect::Ask);
    let rules = json!([{"capability": "spawn", "target": {"command": ["ls"]}, "placement": "local", "effect": "allow"}]);
    check(rules, Call::command(&["ls"]), Effect::Allow);
}

#[test]
fn a_hole_is_a_deny_with_a_target_that_might_concern_the_tool() {
    let set = compiled(json!([
        {"id": "other", "capability": "db:*", "target": "**/.env*", "effect": "deny"},
        {"id": "ask", "target": "**/.env*", "effect": "ask"},
        {"id": "g", "target": "**/.env*", "effect": "deny", "guard": true},
    ]));
    let hole = |call: Call| set.hole(&call.request()).map(|rule| rule.id().to_string());
    assert_eq!(hole(Call::to("f:r")), Some("g".to_owned()));
    assert_eq!(hole(Call::to("db:r")), Some("other".to_owned()));
    assert!(
        compiled(json!([{"effect": "deny"}]))
            .hole(&Call::to("f:r").request())
            .is_none()
    );
}

#[test]
fn the_digest_is_of_meaning_and_not_of_spelling() {
    let digest = |rule: Value| compiled(json!([rule])).digest();
    let plain = digest(
        json!({"id": "a", "agent": "x", "target": "/s/**", "action": "r", "effect": "allow", "hours": {"from": 8, "to": 18}}),
    );
    let aliased = json!({"id": "a", "mind_id": "x", "target_pattern": {"path": "/s/**"}, "action_kind": "r", "capability": "*",
        "effect": "allow", "hours_from": "08:00", "hours_to": "18:00"});
    assert_eq!(digest(aliased), plain);
    assert_ne!(
        digest(json!({"id": "a", "agent": "x", "target": "/s/*", "effect": "allow"})),
        plain
    );
}
