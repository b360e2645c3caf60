//! What all pairs of rules show, kind by kind.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tipstaff_schema::{CallAccess, Risk};

use super::small_world;
use super::{compiled_in, of_kind};
use crate::{Analysis, Budget, Finding, FindingKind, PolicySet, Severity, World};

pub(super) fn analysed(rules: Value, world: &World) -> (PolicySet, Analysis) {
    let set = compiled_in(rules, world).0;
    let analysis = set.analyse(world, &Budget::default());
    (set, analysis)
}

fn kinds(rules: Value) -> Vec<(FindingKind, Vec<String>)> {
    let (_, analysis) = analysed(rules, &small_world::world());
    analysis
        .findings
        .into_iter()
        .map(|f| (f.kind, f.rules))
        .collect()
}

#[track_caller]
fn found(rules: Value, kind: FindingKind) -> Finding {
    let (_, analysis) = analysed(rules, &small_world::world());
    let all: Vec<String> = analysis.findings.iter().map(ToString::to_string).collect();
    of_kind(&analysis.findings, kind)
        .first()
        .copied()
        .cloned()
        .unwrap_or_else(|| panic!("{}", all.join("\n")))
}

#[track_caller]
fn none(rules: Value, kind: FindingKind) {
    let (_, analysis) = analysed(rules, &small_world::world());
    assert_eq!(of_kind(&analysis.findings, kind), Vec::<&Finding>::new());
}

#[test]
fn a_rule_behind_one_that_covers_it_is_shadowed() {
    let rules = json!([
        {"id": "wide", "capability": "f:r", "target": {"path": "/a/**"}, "effect": "ask"},
        {"id": "dead", "capability": "f:r", "target": {"path": "/a/x"}, "effect": "allow"},
    ]);
    // At load it is seen as a tie that is always lost; that is not said twice.
    assert!(kinds(rules.clone()).contains(&(
        FindingKind::NeverWinsTie,
        vec!["dead".to_owned(), "wide".to_owned()]
    )));
    none(rules, FindingKind::Shadowed);
    let rules = json!([
        {"id": "g", "target": {"path": "/a/**"}, "effect": "deny", "guard": true},
        {"id": "dead", "agent": "coder", "capability": "f:r", "target": {"path": "/a/x"}, "effect": "allow"},
    ]);
    let finding = found(rules, FindingKind::Shadowed);
    assert_eq!(
        (finding.severity, finding.rules.as_slice()),
        (Severity::Warning, &["dead".to_owned(), "g".to_owned()][..])
    );
    assert!(
        finding
            .message
            .contains("a guard is judged before everything"),
        "{}",
        finding.message
    );
    assert_eq!(finding.witness.unwrap()["params"]["path"], json!("/a/x"));
}

#[test]
fn a_union_shadows_what_none_of_its_rules_does() {
    let by_time = json!([
        {"id": "day", "agent": "coder", "hours": {"from": 8, "to": 18}, "effect": "ask"},
        {"id": "night", "agent": "coder", "hours": {"from": 18, "to": 8}, "effect": "ask"},
        {"id": "dead", "agent": "coder", "effect": "allow"},
    ]);
    let finding = found(by_time, FindingKind::Shadowed);
    assert_eq!(finding.rules.iter().collect::<BTreeSet<_>>().len(), 3);
    let by_path = json!([
        {"id": "file", "agent": "coder", "capability": "f:r", "target": {"path": "/a"}, "effect": "deny"},
        {"id": "below", "agent": "coder", "capability": "f:r", "target": {"path": "/a/*/**"}, "effect": "deny"},
        {"id": "in", "agent": "coder", "capability": "f:r", "target": {"path": "/a/*"}, "effect": "deny"},
        {"id": "dead", "capability": "f:r", "target": {"path": "/a/**"}, "agent": "coder", "effect": "allow"},
    ]);
    assert_eq!(found(by_path, FindingKind::Shadowed).rules[0], "dead");
}

#[test]
fn a_rule_that_one_call_still_needs_is_not_shadowed() {
    let rules = json!([
        {"id": "file", "agent": "coder", "capability": "f:r", "target": {"path": "/a"}, "effect": "deny"},
        {"id": "in", "agent": "coder", "capability": "f:r", "target": {"path": "/a/*"}, "effect": "deny"},
        {"id": "alive", "capability": "f:r", "target": {"path": "/a/**"}, "agent": "coder", "effect": "allow"},
    ]);
    none(rules, FindingKind::Shadowed);
    // A deny by name also holds for what its agent starts, an allow does not.
    let rules = json!([
        {"id": "alive", "agent": "coder", "capability": "f:r", "effect": "deny"},
        {"id": "other", "agent": "coder", "capability": "f:r", "action": "r", "effect": "allow"},
    ]);
    none(rules, FindingKind::Shadowed);
}

#[test]
fn a_rule_over_locked_tools_alone_decides_nothing() {
    let finding = found(
        json!([{"id": "dead", "capability": "f:l", "effect": "allow"}]),
        FindingKind::NeverMatches,
    );
    assert!(finding.message.contains("locked"), "{}", finding.message);
}

#[test]
fn a_rule_without_which_all_is_the_same_is_redundant() {
    let rules = json!([
        {"id": "wide", "capability": "f:r", "effect": "ask"},
        {"id": "again", "agent": "coder", "capability": "f:r", "target": {"path": "/a/x"}, "effect": "ask"},
    ]);
    assert!(kinds(rules).contains(&(
        FindingKind::Redundant,
        vec!["again".to_owned(), "wide".to_owned()]
    )));
    let rules = json!([
        {"id": "wide", "capability": "f:r", "effect": "allow"},
        {"id": "again", "capability": "f:?", "action": "r", "effect": "allow"},
    ]);
    let said = kinds(rules);
    assert!(
        said.contains(&(
            FindingKind::Redundant,
            vec!["again".to_owned(), "wide".to_owned()]
        )),
        "{said:?}"
    );
    // Not where a rule of another effect lies between.
    let rules = json!([
        {"id": "wide", "capability": "f:r", "effect": "ask"},
        {"id": "between", "capability": "f:r", "target": {"path": "/a/**"}, "effect": "allow"},
        {"id": "needed", "agent": "coder", "capability": "f:r", "target": {"path": "/a/x"}, "effect": "ask"},
    ]);
    assert!(
        !kinds(rules)
            .iter()
            .any(|(kind, rules)| *kind == FindingKind::Redundant && rules[0] == "needed")
    );
    // An ask that only a person answers is more than an ask.
    let rules = json!([
        {"id": "wide", "capability": "f:r", "effect": "ask"},
        {"id": "fresh", "agent": "coder", "capability": "f:r", "effect": "ask", "fresh": true},
    ]);
    assert!(
        !kinds(rules)
            .iter()
            .any(|(kind, rules)| *kind == FindingKind::Redundant && rules[0] == "fresh")
    );
}

#[test]
fn c122_equal_rules_of_different_effect_that_meet_are_a_conflict() {
    let rules = json!([
        {"id": "a", "capability": "f:r", "target": {"path": "/a/**"}, "effect": "allow"},
        {"id": "b", "capability": "f:*", "target": {"path": "**/x"}, "effect": "ask"},
    ]);
    let finding = found(rules, FindingKind::Conflict);
    assert_eq!(
        (finding.rules.as_slice(), finding.severity),
        (&["b".to_owned(), "a".to_owned()][..], Severity::Warning)
    );
    assert_eq!(finding.witness.unwrap()["params"]["path"], json!("/a/x"));
    // Not where a third rule decides all that they share.
    let rules = json!([
        {"id": "a", "capability": "f:r", "target": {"path": "/a/**"}, "effect": "allow"},
        {"id": "b", "capability": "f:*", "target": {"path": "**/x"}, "effect": "ask"},
        {"id": "g", "target": {"path": "/a/**"}, "effect": "deny", "guard": true},
    ]);
    none(rules, FindingKind::Conflict);
}

#[test]
fn an_allow_over_a_dangerous_tool_or_without_a_target_is_broad() {
    let finding = found(
        json!([{"id": "a", "capability": "f:w", "effect": "allow"}]),
        FindingKind::BroadAllow,
    );
    assert_eq!(finding.severity, Severity::Warning);
    none(
        json!([{"id": "a", "capability": "f:w", "target": {"path": "/a/x"}, "effect": "allow"}]),
        FindingKind::BroadAllow,
    );
    let mut mild = small_world::world();
    for tool in &mut mild.capabilities {
        tool.profile.risk = Risk::Low;
    }
    let rules = json!([{"id": "a", "capability": "f:w", "effect": "allow"}]);
    let (_, analysis) = analysed(rules.clone(), &mild);
    assert_eq!(
        of_kind(&analysis.findings, FindingKind::BroadAllow)[0].severity,
        Severity::Note
    );
    for tool in &mut mild.capabilities {
        tool.profile.access = CallAccess::Read;
    }
    let (_, analysis) = analysed(rules, &mild);
    assert_eq!(
        of_kind(&analysis.findings, FindingKind::BroadAllow),
        Vec::<&Finding>::new()
    );
}

#[test]
fn a_hole_and_a_missing_separator_come_with_a_call() {
    let rules = json!([{"id": "g", "target": {"path": "/a/**"}, "effect": "deny", "guard": true}]);
    let finding = found(rules, FindingKind::Hole);
    assert_eq!(finding.witness.unwrap()["tool"], json!("f:n"));
    let rules = json!([{"id": "a", "capability": "f:r", "target": {"path": "/srv/data*"}, "effect": "allow"}]);
    let finding = found(rules, FindingKind::NoSeparator);
    assert_eq!(
        finding.witness.unwrap()["params"]["path"],
        json!("/srv/datax")
    );
}

#[test]
fn commands_are_compared_word_by_word_and_shown_by_a_line() {
    let told = |rules: Value| analysed(rules, &super::world()).1;
    let rules = json!([
        {"id": "g", "capability": "spawn", "target": {"command": ["git", "push", "**flags"]}, "effect": "deny", "guard": true},
        {"id": "dead", "capability": "spawn", "target": {"command": ["git", "push", "origin"]}, "effect": "allow"},
    ]);
    let found = told(rules);
    assert_eq!(
        of_kind(&found.findings, FindingKind::Shadowed)[0].rules,
        ["dead", "g"]
    );
    let rules = json!([
        {"id": "a", "capability": "spawn", "target": {"command": ["git", "**"]}, "effect": "allow"},
        {"id": "b", "capability": "spawn", "target": {"command": ["*", "push", "**"]}, "effect": "ask"},
    ]);
    let found = told(rules);
    let conflict = of_kind(&found.findings, FindingKind::Conflict)[0].clone();
    assert_eq!(
        conflict.witness.unwrap()["params"]["input"],
        json!("!git push")
    );
    let rules = json!([{"id": "a", "capability": "spawn", "target": {"command": ["*", "**"]}, "effect": "allow"}]);
    assert_eq!(
        of_kind(&told(rules).findings, FindingKind::BroadAllow)[0].severity,
        Severity::Warning
    );
}

#[test]
fn a_spent_budget_is_counted_and_nothing_is_guessed() {
    let world = small_world::world();
    let rules = json!([
        {"id": "g", "target": {"path": "/a/**"}, "effect": "deny", "guard": true},
        {"id": "dead", "agent": "coder", "capability": "f:r", "target": {"path": "/a/x"}, "effect": "allow"},
    ]);
    let set = compiled_in(rules, &world).0;
    let analysis = set.analyse(
        &world,
        &Budget {
            steps: 1,
            shown: 100,
        },
    );
    assert_eq!(
        of_kind(&analysis.findings, FindingKind::Shadowed),
        Vec::<&Finding>::new()
    );
    assert!(
        analysis.not_decided[&FindingKind::Shadowed] >= 1,
        "{:?}",
        analysis.not_decided
    );
}

#[test]
fn what_is_not_shown_is_counted() {
    let world = small_world::world();
    let dead = |n: usize| json!({"id": format!("d{n}"), "agent": "coder", "capability": "f:r", "target": {"path": "/a/x"}, "effect": "allow"});
    let rules: Vec<Value> = (0..5)
        .map(dead)
        .chain([json!({"id": "g", "target": {"path": "/a/**"}, "effect": "deny", "guard": true})])
        .collect();
    let set = compiled_in(Value::Array(rules), &world).0;
    let analysis = set.analyse(
        &world,
        &Budget {
            shown: 2,
            ..Budget::default()
        },
    );
    assert_eq!(of_kind(&analysis.findings, FindingKind::Shadowed).len(), 2);
    assert_eq!(analysis.left_out[&FindingKind::Shadowed], 3);
}

#[test]
fn pairs_that_are_not_looked_at_since_enough_is_shown_are_counted() {
    let world = small_world::world();
    let allows = (0..12).map(|n| json!({"id": format!("a{n}"), "capability": "f:r", "target": {"path": format!("/{{b,x{n}}}/**")}, "effect": "allow"}));
    let rules: Vec<Value> = allows
        .chain([json!({"id": "strict", "capability": "f:*", "target": {"path": "**/x"}, "effect": "ask"})])
        .collect();
    let (_, analysis) = analysed(Value::Array(rules), &world);
    let shown = of_kind(&analysis.findings, FindingKind::Conflict).len();
    let rest = analysis.not_looked_at[&FindingKind::Conflict];
    assert_eq!((shown, rest), (5, 7), "{:?}", analysis.not_decided);
}

#[test]
fn rules_that_are_hard_to_judge_leave_the_budget_to_others() {
    let world = small_world::world();
    // Together these cover every hour, which takes more than one search may spend to see.
    let hours = (0..24).map(|n| json!({"id": format!("g{n}"), "capability": "f:*", "target": {"path": "/a/**"}, "hours": {"from": n, "to": n + 1}, "effect": "deny", "guard": true}));
    let hard = (0..10).map(|n| json!({"id": format!("h{n}"), "agent": "coder", "capability": "f:r", "target": {"path": format!("/a/x{n}")}, "effect": "allow"}));
    let easy = [
        json!({"id": "c", "capability": "f:w", "target": {"path": "/c"}, "effect": "deny", "guard": true}),
        json!({"id": "dead", "agent": "helper", "capability": "f:w", "target": {"path": "/c"}, "effect": "allow"}),
    ];
    let rules: Vec<Value> = hard.chain(hours).chain(easy).collect();
    let set = compiled_in(Value::Array(rules), &world).0;
    let budget = Budget {
        steps: 20_000,
        ..Budget::default()
    };
    let analysis = set.analyse(&world, &budget);
    let shadowed = of_kind(&analysis.findings, FindingKind::Shadowed);
    let shadowed: Vec<&str> = shadowed
        .iter()
        .map(|found| found.rules[0].as_str())
        .collect();
    assert_eq!(shadowed, ["dead"]);
    assert!(analysis.not_decided[&FindingKind::Shadowed] >= 10);
}
