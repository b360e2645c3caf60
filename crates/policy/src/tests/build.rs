//! What is refused when a rule is loaded, and in which words.

use serde_json::{Value, json};

use super::{compiled, wires};
use crate::{Finding, PolicySet, World};

fn refusals(rules: &Value) -> Vec<Finding> {
    PolicySet::compile(wires(rules), &World::default())
        .map(|_| ())
        .unwrap_err()
}

/// One rule is refused for one reason, at this field, in these words.
#[track_caller]
pub(super) fn refused(rule: impl Into<Value>, field: &str, words: &str) {
    let found = refusals(&json!([rule.into()]));
    let shown: Vec<String> = found
        .iter()
        .map(|f| format!("{f} @{:?}", f.field))
        .collect();
    assert_eq!(found.len(), 1, "{shown:#?}");
    assert_eq!(found[0].field.as_deref(), Some(field), "{shown:#?}");
    assert!(shown[0].contains(words), "{shown:#?}");
    assert!(!found[0].fix.is_empty());
}

pub(super) fn with(mut more: Value) -> Value {
    let mut rule = json!({"id": "a", "effect": "allow"});
    rule.as_object_mut()
        .unwrap()
        .append(more.as_object_mut().unwrap());
    rule
}

#[test]
fn c128_an_unknown_effect_or_key_is_named_with_its_near_miss() {
    refused(
        json!({"id": "a", "effect": "alow"}),
        "effect",
        "did you mean `allow`",
    );
    refused(
        json!({"id": "a", "effect": "block"}),
        "effect",
        "unknown effect `block`",
    );
    refused(
        json!({"id": "a", "effect": "Deny"}),
        "effect",
        "did you mean `deny`",
    );
    refused(json!({"id": "a"}), "effect", "no `effect`");
    refused(json!({"effect": "deny"}), "id", "no `id`");
    refused(
        with(json!({"taget": "/a"})),
        "taget",
        "did you mean `target`",
    );
    refused(
        with(json!({"tool": "a:b"})),
        "tool",
        "did you mean `capability`",
    );
    refused(
        with(json!({"colour": "red"})),
        "colour",
        "unknown key `colour`",
    );
    refused(with(json!({"target": "/a/[b"})), "target", "/a/[b");
}

#[test]
fn a_field_beside_its_alias_is_refused() {
    refused(
        with(json!({"agent": "x", "mind_id": "x"})),
        "agent",
        "alias `mind_id`",
    );
    refused(
        with(json!({"target": "/x", "target_pattern": "/x"})),
        "target",
        "alias `target_pattern`",
    );
    refused(
        with(json!({"action": "x", "action_kind": "x"})),
        "action",
        "alias `action_kind`",
    );
    refused(
        with(json!({"hours": {"from": 1, "to": 2}, "hours_from": 1})),
        "hours",
        "alias",
    );
    refused(
        with(json!({"hours": {"from": 1, "to": 2, "hours_to": 3}})),
        "hours.to",
        "alias `hours_to`",
    );
}

#[test]
fn an_empty_text_is_no_wildcard() {
    for field in ["agent", "capability", "target", "action"] {
        let mut rule = with(json!({}));
        rule[field] = json!("");
        refused(rule, field, "empty");
    }
    refused(json!({"id": " ", "effect": "deny"}), "id", "empty");
    refused(with(json!({"agent": null})), "agent", "no value");
    refused(with(json!({"agent": "*"})), "agent", "leave `agent` out");
    refused(with(json!({"when": []})), "when", "empty");
}

#[test]
fn fields_hold_only_beside_their_effect() {
    refused(
        with(json!({"guard": true})),
        "guard",
        "only with `effect: deny`",
    );
    refused(
        with(json!({"overridable": true})),
        "overridable",
        "only with `effect: deny`",
    );
    refused(
        with(json!({"fresh": true})),
        "fresh",
        "only with `effect: ask`",
    );
    refused(
        with(json!({"approval": {"quorum": 2}})),
        "approval",
        "only with `effect: ask`",
    );
    let guard = |more: Value| {
        with(json!({"effect": "deny", "guard": true}))
            .as_object()
            .unwrap()
            .clone()
            .into_iter()
            .chain(more.as_object().unwrap().clone())
            .collect::<Value>()
    };
    refused(
        guard(json!({"until": "2030-01-01T00:00:00Z"})),
        "until",
        "guard has no `until`",
    );
    refused(
        guard(json!({"overridable": true})),
        "overridable",
        "cannot be outranked",
    );
    compiled(
        json!([{"effect": "ask", "fresh": true, "approval": {"expire": "10m", "use_within": "5m", "audience": ["approver"], "quorum": 2, "four_eyes": true}}]),
    );
}

#[test]
fn the_kind_of_a_target_is_told_or_asked_for() {
    refused(
        with(json!({"target": "api.example"})),
        "target",
        "{host: \"api.example\"}",
    );
    refused(with(json!({"target": "prod*"})), "target", "name the kind");
    refused(
        with(json!({"target": {"hots": "x"}})),
        "target",
        "did you mean `host`",
    );
    refused(
        with(json!({"target": {"host": "x", "path": "/x"}})),
        "target",
        "2 kinds",
    );
    refused(with(json!({"target": "/a/** "})), "target", "blank");
    refused(
        with(json!({"target": 5})),
        "target",
        "neither a text nor a map",
    );
    refused(
        with(json!({"capability": "spawn", "target": {"command": "git status"}})),
        "target.command",
        "list of words",
    );
}

#[test]
fn c125_a_tilde_is_not_taken_literally_without_a_word() {
    for target in [
        json!("~/x"),
        json!({"path": "~/x"}),
        json!({"path": "~me/x"}),
    ] {
        assert!(!refusals(&json!([with(json!({"target": target}))])).is_empty());
    }
}

#[test]
fn command_rules_need_spawn_and_their_fields_need_a_command() {
    let command = json!({"command": ["git", "status"]});
    refused(
        with(json!({"target": command})),
        "capability",
        "capability: spawn",
    );
    refused(
        with(json!({"capability": "files:*", "target": command})),
        "capability",
        "`spawn`, not `files:*`",
    );
    refused(
        with(json!({"capability": "spawn", "target": command, "action": "read"})),
        "action",
        "never fire",
    );
    refused(
        with(json!({"effects": "any"})),
        "effects",
        "only in a rule with a command pattern",
    );
    refused(
        with(json!({"placement": "lab"})),
        "placement",
        "command pattern",
    );
    refused(with(json!({"cwd": "/srv"})), "cwd", "command pattern");
    let set = compiled(json!([with(
        json!({"capability": "spawn", "target": command})
    )]));
    assert!(set.rules()[0].ceiling().is_some());
    let short = crate::wire::RuleWire::from_command(
        json!({"id": "a", "command": ["git", "status"], "effect": "allow"}),
    );
    let (from_short, _) = PolicySet::compile(vec![short], &World::default()).unwrap();
    assert_eq!(from_short.digest(), set.digest());
}

#[test]
fn conditions_keep_their_words() {
    refused(
        with(json!({"when": [{"path": "/a", "equal": 1}]})),
        "when.0",
        "did you mean `equals`",
    );
    refused(
        with(json!({"when": [{"path": "/a", "in": []}]})),
        "when.0",
        "never fire",
    );
    refused(
        with(json!({"when": [{"path": "/a", "exists": true}, {"path": "b", "exists": true}]})),
        "when.1",
        "RFC 6901",
    );
    refused(
        with(json!({"when": [{"path": "/a", "at_least": 2}, {"path": "/a", "at_most": 1}]})),
        "when",
        "cross",
    );
    refused(
        with(json!({"when": {"path": "/a", "exists": true}})),
        "when",
        "no list",
    );
}

#[test]
fn all_errors_of_all_rules_are_reported_at_once() {
    let found = refusals(&json!([
        {"id": "a", "effect": "alow", "agnt": "x", "hours": {"from": 8}},
        {"id": "b", "effect": "deny"},
        {"id": "b", "effect": "deny"},
        "not a rule",
    ]));
    let fields: Vec<(usize, Option<&str>)> = found
        .iter()
        .map(|f| (f.indexes[0], f.field.as_deref()))
        .collect();
    for wanted in [
        (0, Some("effect")),
        (0, Some("agnt")),
        (0, Some("hours.to")),
        (2, Some("id")),
        (3, None),
    ] {
        assert!(fields.contains(&wanted), "{wanted:?} {fields:?}");
    }
    assert!(
        found
            .iter()
            .any(|f| f.message.contains("both have the id `b`"))
    );
}

#[test]
fn a_rule_reads_back_from_its_canonical_form() {
    let set = compiled(json!([
        {"agent": "x", "capability": "f:*", "target": {"host": "*.example"}, "action": "r", "effect": "ask", "fresh": true,
            "hours": {"from": 22, "to": 6, "days": ["fri-mon"], "tz": "Europe/Berlin"}, "reason": "why", "created_by": "ana",
            "when": [{"path": "/a", "in": [1, 2], "each": true}], "until": "2030-01-01T00:00:00+02:00",
            "approval": {"expire": "10m", "audience": ["approver"]}, "created_at": "2026-01-01T00:00:00Z"},
        {"capability": "spawn", "target": {"command": ["git", "**"]}, "effect": "allow", "placement": "local"},
        {"target": "**/.env", "effect": "deny", "guard": true},
    ]));
    let canonical: Vec<Value> = set
        .rules()
        .iter()
        .map(|rule| rule.to_wire().clone())
        .collect();
    assert_eq!(compiled(Value::Array(canonical)).digest(), set.digest());
}

#[test]
fn a_repeated_key_is_refused() {
    let wire: crate::wire::RuleWire =
        serde_json::from_str(r#"{"id": "a", "effect": "deny", "effect": "allow"}"#).unwrap();
    let found = PolicySet::compile(vec![wire], &World::default())
        .map(|_| ())
        .unwrap_err();
    assert!(found[0].message.contains("twice"));
}
