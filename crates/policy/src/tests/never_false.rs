//! What all pairs of rules show is never false, every call of it is confirmed, and what judging every
//! call of a small world shows is found.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};
use tipstaff_schema::Effect;

use super::analysis::analysed;
use super::small_world::{self, calls, matching, replay, rule};
use super::{compiled_in, of_kind};
use crate::{FindingKind, PolicySet, World};

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
