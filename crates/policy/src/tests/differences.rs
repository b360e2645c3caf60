//! What changes between two policies: every difference of a small world is covered, none is invented.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};
use tipstaff_schema::Effect;

use super::small_world::{self, calls, replay, rule};
use super::{Call, compiled_in};
use crate::{Budget, ChangeKind, Direction, PolicyDiff, PolicySet, Side, ToolFact, World, diff};

fn set(rules: &Value, world: &World) -> PolicySet {
    compiled_in(rules.clone(), world).0
}

fn compare(old: &Value, new: &Value) -> PolicyDiff {
    let world = small_world::world();
    let (old, new) = (set(old, &world), set(new, &world));
    let side = |set| Side { set, world: &world };
    diff(side(&old), side(&new), &Budget::default())
}

#[test]
fn a_new_allow_is_widening_and_shown_by_a_call() {
    let old =
        json!([{"id": "a", "capability": "f:r", "target": {"path": "/a/x"}, "effect": "allow"}]);
    let new =
        json!([{"id": "a", "capability": "f:r", "target": {"path": "/a/**"}, "effect": "allow"}]);
    let diff = compare(&old, &new);
    assert_eq!(
        (diff.edited.as_slice(), diff.not_decided),
        (&["a".to_owned()][..], 0)
    );
    assert_eq!(diff.changes.len(), 1, "{:?}", diff.changes);
    let change = &diff.changes[0];
    assert_eq!(
        (change.kind, change.direction),
        (ChangeKind::NewlyAllowed, Direction::Widening)
    );
    assert_eq!(
        (
            change.old.policy_id.as_deref(),
            change.new.policy_id.as_deref()
        ),
        (None, Some("a"))
    );
    assert!(diff.widens());
    let back = compare(&new, &old);
    assert_eq!(
        (back.changes[0].kind, back.changes[0].direction),
        (ChangeKind::NewlyAsked, Direction::Narrowing)
    );
    assert!(!back.widens());
}

#[test]
fn a_rule_that_only_says_the_same_otherwise_changes_nothing() {
    let old = json!([{"id": "a", "capability": "f:r", "effect": "deny"}]);
    let new =
        json!([{"id": "b", "capability": "mcp:f:r", "effect": "deny", "reason": "other words"}]);
    let diff = compare(&old, &new);
    assert_eq!(
        (diff.changes.len(), diff.not_decided),
        (0, 0),
        "{:?}",
        diff.changes
    );
    assert_eq!(
        (diff.added, diff.removed),
        (vec!["b".to_owned()], vec!["a".to_owned()])
    );
}

#[test]
fn an_ask_that_any_grant_may_answer_again_is_other_terms_and_widening() {
    let old = json!([{"id": "a", "capability": "f:r", "effect": "ask", "fresh": true}]);
    let new = json!([{"id": "a", "capability": "f:r", "effect": "ask"}]);
    let change = compare(&old, &new).changes.remove(0);
    assert_eq!(
        (change.kind, change.direction),
        (ChangeKind::OtherTerms, Direction::Widening)
    );
    let change = compare(&new, &old).changes.remove(0);
    assert_eq!(
        (change.kind, change.direction),
        (ChangeKind::OtherTerms, Direction::Narrowing)
    );
}

#[test]
fn a_changed_default_and_a_lost_lock_are_shown() {
    let (old, mut new) = (small_world::world(), small_world::world());
    new.capabilities[0].profile.default_effect = Effect::Allow;
    new.capabilities[3].profile.locked = false;
    let rules = set(&json!([]), &old);
    let found = diff(
        Side {
            set: &rules,
            world: &old,
        },
        Side {
            set: &rules,
            world: &new,
        },
        &Budget::default(),
    );
    let facts: Vec<(&str, ToolFact, Direction)> = found
        .tools
        .iter()
        .map(|t| (t.name.as_str(), t.fact, t.direction))
        .collect();
    assert_eq!(
        facts,
        [
            ("f:r", ToolFact::Default, Direction::Widening),
            ("f:l", ToolFact::Locked, Direction::Widening)
        ]
    );
    let calls: BTreeSet<&str> = found
        .changes
        .iter()
        .map(|change| change.witness["tool"].as_str().unwrap())
        .collect();
    assert_eq!(calls, BTreeSet::from(["f:l", "f:r"]));
    assert!(found.widens());
}

fn by(set: &PolicySet, call: &Call) -> (Effect, Option<String>) {
    let decision = call.decide(set);
    (decision.effect, decision.policy_id.map(|id| id.to_string()))
}

/// So many cases, or as many as the variable said when this was built.
fn cases() -> ProptestConfig {
    let many = option_env!("TIPSTAFF_ANALYSIS_CASES").and_then(|n| n.parse().ok());
    ProptestConfig::with_cases(many.unwrap_or(16))
}

/// Two policies that share some rules.
fn policies() -> impl Strategy<Value = (Value, Value)> {
    let named = |rules: Vec<Value>, prefix: &str| -> Vec<Value> {
        rules
            .into_iter()
            .enumerate()
            .map(|(n, mut rule)| {
                rule["id"] = json!(format!("{prefix}{n}"));
                rule
            })
            .collect()
    };
    let some = || prop::collection::vec(rule(), 0..4);
    (some(), some(), some(), any::<bool>()).prop_map(move |(both, old, new, front)| {
        let both = named(both, "both");
        let join = |own: Vec<Value>| -> Value {
            if front {
                both.iter().cloned().chain(own).collect()
            } else {
                own.into_iter().chain(both.iter().cloned()).collect()
            }
        };
        (join(named(old, "old")), join(named(new, "new")))
    })
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn every_difference_is_covered_and_none_is_invented((old, new) in policies()) {
        let world = small_world::world();
        let found = compare(&old, &new);
        let (old, new) = (set(&old, &world), set(&new, &world));
        let mut covered = BTreeSet::new();
        for change in &found.changes {
            let call = replay(&change.witness, &world);
            prop_assert_eq!(by(&old, &call), (change.old.effect, change.old.policy_id.clone()));
            prop_assert_eq!(by(&new, &call), (change.new.effect, change.new.policy_id.clone()));
            prop_assert_ne!(change.old.effect, change.new.effect);
            covered.insert((change.old.policy_id.clone(), change.new.policy_id.clone(), change.old.effect, change.new.effect));
        }
        for call in calls(&world) {
            let (before, after) = (by(&old, &call), by(&new, &call));
            if before.0 != after.0 {
                let default = before.1.is_none() || after.1.is_none();
                let same = |(a, b, x, y): &(Option<String>, Option<String>, Effect, Effect)| {
                    *a == before.1 && *b == after.1 && (default || (*x, *y) == (before.0, after.0))
                };
                prop_assert!(covered.iter().any(same) || found.not_decided > 0, "{before:?} to {after:?} by {call:?}");
            }
        }
    }
}
