//! What all pairs of rules show: never a false finding, every call confirmed, and found where judging
//! every call of a small world finds it.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};
use tipstaff_schema::{CallAccess, Effect, Risk};

use super::small_world::{self, calls, matching, replay, rule};
use super::{compiled_in, of_kind};
use crate::{Analysis, Budget, Finding, FindingKind, PolicySet, Severity, World};

fn analysed(rules: Value, world: &World) -> (PolicySet, Analysis) {
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
fn a_guard_on_a_field_that_the_server_fills_in_fails_open() {
    let with = |property: Value, required: Value, when: Value| {
        let mut world = small_world::world();
        world.capabilities[0].input_schema = Some(
            json!({"type": "object", "properties": {"path": {"type": "string"}, "n": property}, "required": required}),
        );
        let rules = json!([{"id": "g", "capability": "f:r", "when": [when], "effect": "deny", "guard": true}]);
        let (set, analysis) = analysed(rules, &world);
        let found = of_kind(&analysis.findings, FindingKind::FailsOpen)
            .first()
            .copied()
            .cloned();
        if let Some(found) = &found {
            let call = found.witness.clone().unwrap();
            assert_eq!(
                matching(&set, &replay(&call, &world)),
                Vec::<String>::new(),
                "{call}"
            );
            assert_eq!(found.severity, Severity::Error);
        }
        found.map(|found| found.message)
    };
    let at_least = json!({"path": "/n", "at_least": 5});
    let message = with(
        json!({"type": "integer", "default": 9}),
        json!(["path"]),
        at_least.clone(),
    )
    .unwrap();
    assert!(message.contains("fills it in"), "{message}");
    assert!(
        with(json!({}), json!(["path", "n"]), at_least.clone())
            .unwrap()
            .contains("any type")
    );
    let first = json!({"path": "/n/0", "equals": "x"});
    let list = json!({"type": "array", "items": {"type": "string"}});
    assert!(
        with(list, json!(["path", "n"]), first)
            .unwrap()
            .contains("list of any length")
    );
    assert_eq!(
        with(json!({"type": "integer"}), json!(["path", "n"]), at_least),
        None
    );
    assert_eq!(
        with(
            json!({}),
            json!(["path"]),
            json!({"path": "/n", "exists": false})
        ),
        None
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

/// The rules that decide some call of the world.
fn alive(set: &PolicySet, world: &World) -> BTreeSet<String> {
    let decide = |call: &super::Call| call.decide(set).policy_id.map(|id| id.to_string());
    calls(world).iter().filter_map(decide).collect()
}

fn without(rules: &[Value], id: &str, world: &World) -> PolicySet {
    let named = rules.iter().enumerate().map(|(n, rule)| {
        let mut rule = rule.clone();
        rule["id"] = json!(format!("r{n}"));
        rule
    });
    compiled_in(
        named.filter(|rule| rule["id"] != json!(id)).collect(),
        world,
    )
    .0
}

/// So many cases, or as many as the variable said when this was built.
fn cases() -> ProptestConfig {
    let many = option_env!("TIPSTAFF_ANALYSIS_CASES").and_then(|n| n.parse().ok());
    ProptestConfig::with_cases(many.unwrap_or(16))
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn a_finding_is_never_false_and_what_judging_every_call_shows_is_found(rules in prop::collection::vec(rule(), 1..7)) {
        let world = small_world::world();
        let (set, analysis) = analysed(Value::Array(rules.clone()), &world);
        let alive = alive(&set, &world);
        let undecided = |kind| analysis.not_decided.get(&kind).copied().unwrap_or(0) > 0;
        for finding in &analysis.findings {
            let first = finding.rules.first().cloned().unwrap_or_default();
            let call = finding.witness.as_ref().map(|line| replay(line, &world));
            let matched = call.as_ref().map(|call| matching(&set, call)).unwrap_or_default();
            match finding.kind {
                FindingKind::Shadowed => {
                    prop_assert!(!alive.contains(&first), "{finding}");
                    prop_assert!(matched.contains(&first) && matched[0] != first, "{finding} {matched:?}");
                }
                FindingKind::NeverMatches => prop_assert!(!alive.contains(&first), "{finding}"),
                FindingKind::Redundant => {
                    prop_assert!(matched.first() == Some(&first), "{finding} {matched:?}");
                    let less = without(&rules, &first, &world);
                    for call in calls(&world) {
                        prop_assert_eq!(call.decide(&set).effect, call.decide(&less).effect, "{} {:?}", finding, call);
                    }
                }
                FindingKind::Conflict => {
                    prop_assert!(matched.first() == Some(&first) && matched.contains(&finding.rules[1]), "{finding} {matched:?}");
                }
                FindingKind::BroadAllow => prop_assert_eq!(matched.first(), Some(&first), "{}", finding),
                FindingKind::BadRule | FindingKind::DuplicateId | FindingKind::UnknownName | FindingKind::Expired
                | FindingKind::NeedsRoot | FindingKind::OutrankedDeny | FindingKind::NeverWinsTie | FindingKind::FailsOpen
                | FindingKind::NoSeparator | FindingKind::Hole | FindingKind::NotDecided => {}
            }
        }
        let dead: BTreeSet<&String> = analysis.findings.iter()
            .filter(|f| matches!(f.kind, FindingKind::Shadowed | FindingKind::NeverMatches | FindingKind::NeverWinsTie))
            .filter_map(|f| f.rules.first()).collect();
        for rule in set.rules() {
            let id = rule.id().to_string();
            prop_assert!(alive.contains(&id) || dead.contains(&id) || undecided(FindingKind::Shadowed), "{id} decides nothing: {rules:?}");
        }
        let conflicts: BTreeSet<(String, String)> = of_kind(&analysis.findings, FindingKind::Conflict).iter()
            .map(|f| (f.rules[0].clone(), f.rules[1].clone())).collect();
        for call in calls(&world).iter().filter(|call| !call.profile.locked) {
            let matched = set.explain(&call.request()).matched;
            for other in matched.iter().skip(1) {
                let winner = &matched[0];
                let tie = !winner.guard && winner.specificity == other.specificity && winner.effect != other.effect;
                let said = conflicts.contains(&(winner.id.clone(), other.id.clone())) || dead.contains(&other.id);
                prop_assert!(!tie || said || undecided(FindingKind::Conflict), "{} and {}: {rules:?}", winner.id, other.id);
            }
        }
    }

    #[test]
    fn a_rule_whose_removal_changes_nothing_is_found(rules in prop::collection::vec(rule(), 1..6)) {
        let world = small_world::world();
        let (set, analysis) = analysed(Value::Array(rules.clone()), &world);
        let said: BTreeSet<&String> = analysis.findings.iter().flat_map(|f| f.rules.first()).collect();
        let undecided = analysis.not_decided.contains_key(&FindingKind::Redundant) || analysis.not_decided.contains_key(&FindingKind::Shadowed);
        for rule in set.rules().iter().filter(|rule| rule.effect() != Effect::Deny) {
            let id = rule.id().to_string();
            let less = without(&rules, &id, &world);
            let same = calls(&world).iter().all(|call| call.decide(&set).effect == call.decide(&less).effect);
            // An allow where the default allows is left to its author.
            let default = rule.effect() == Effect::Allow;
            prop_assert!(!same || said.contains(&id) || undecided || default, "{id} changes nothing: {rules:?}");
        }
    }
}
