//! What holds for all sets of rules: I3 and I4 at this size, order, duplicates, no panic.

use proptest::prelude::*;
use serde_json::{Value, json};
use tipstaff_schema::{Effect, Profile};

use super::{Call, compiled};
use crate::PolicySet;

/// A rule over a small world, so that rules meet often.
fn rule() -> impl Strategy<Value = Value> {
    let some = |value: &'static [&'static str]| {
        proptest::option::weighted(0.3, proptest::sample::select(value))
    };
    let dimensions = (
        some(&["coder", "ops"]),
        some(&["f:r", "f:*", "*:r", "*"]),
        some(&["/a/**", "**/x", "/a/x", "*"]),
        some(&["call", "call", "other"]),
        proptest::option::weighted(0.1, Just(json!({"from": 8, "to": 18}))),
        proptest::option::weighted(
            0.1,
            proptest::sample::select(vec![
                json!([{"path": "/n", "at_most": 1}]),
                json!([{"path": "/n", "exists": true}]),
            ]),
        ),
    );
    let effect = proptest::sample::select(&["allow", "ask", "deny", "guard"][..]);
    (dimensions, effect, any::<bool>()).prop_map(|((agent, capability, target, action, hours, when), effect, inherit)| {
        let guard = effect == "guard";
        let mut rule = json!({"agent": agent, "capability": capability, "target": target, "action": action, "hours": hours, "when": when,
            "effect": if guard { "deny" } else { effect }, "guard": guard, "inherit": inherit});
        rule.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        rule
    })
}

fn call() -> impl Strategy<Value = Call> {
    (
        proptest::sample::select(&["coder", "ops", "child"][..]),
        proptest::sample::select(&["f:r", "f:w", "g:r"][..]),
        proptest::option::of(proptest::sample::select(&["/a/x", "/a/b", "/c/x"][..])),
        proptest::sample::select(&["2026-01-05T12:00:00Z", "2026-01-05T20:00:00Z"][..]),
        proptest::sample::select(vec![json!({}), json!({"n": 1}), json!({"n": 2})]),
        any::<bool>(),
    )
        .prop_map(|(agent, tool, path, at, params, locked)| {
            let call = Call::to(tool)
                .by(agent, if agent == "child" { &["coder"] } else { &[] })
                .at(at)
                .with(params);
            let call = path.into_iter().fold(call, Call::path);
            Call {
                profile: Profile {
                    locked: locked && tool == "g:r",
                    ..Profile::unknown("call")
                },
                ..call
            }
        })
}

fn set(rules: &[Value]) -> PolicySet {
    compiled(Value::Array(rules.to_vec()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn i4_adding_a_deny_never_makes_a_decision_less_strict(rules in proptest::collection::vec(rule(), 0..6), mut deny in rule(), place in 0_usize..6, calls in proptest::collection::vec(call(), 8)) {
        deny["effect"] = json!("deny");
        let before = set(&rules);
        let mut more = rules;
        more.insert(place.min(more.len()), deny);
        let after = set(&more);
        for call in calls {
            prop_assert!(call.decide(&after).effect >= call.decide(&before).effect);
        }
    }

    #[test]
    fn i4_a_guard_that_matches_denies(rules in proptest::collection::vec(rule(), 0..6), mut guard in rule(), calls in proptest::collection::vec(call(), 8)) {
        guard["effect"] = json!("deny");
        guard["guard"] = json!(true);
        let alone = set(std::slice::from_ref(&guard));
        let mut more = rules;
        more.push(guard);
        let with = set(&more);
        for call in calls {
            if call.decide(&alone).guard {
                prop_assert_eq!(call.decide(&with).effect, Effect::Deny);
            }
        }
    }

    #[test]
    fn c124_order_and_duplicates_change_no_effect(rules in proptest::collection::vec(rule(), 0..7), seed in proptest::collection::vec(0_usize..100, 14), calls in proptest::collection::vec(call(), 8)) {
        let mut shuffled: Vec<(usize, Value)> = seed.iter().copied().zip(rules.iter().chain(&rules).cloned()).collect();
        shuffled.sort_by_key(|(key, _)| *key);
        let shuffled: Vec<Value> = shuffled.into_iter().map(|(_, rule)| rule).collect();
        let (before, after) = (set(&rules), set(&shuffled));
        for call in calls {
            let (a, b) = (call.decide(&before), call.decide(&after));
            prop_assert_eq!((a.effect, a.specificity, a.guard, a.source), (b.effect, b.specificity, b.guard, b.source));
        }
    }

    #[test]
    fn an_explanation_agrees_with_the_decision(rules in proptest::collection::vec(rule(), 0..6), call in call()) {
        let explanation = set(&rules).explain(&call.request());
        let decision = &explanation.decision;
        if !decision.locked {
            prop_assert_eq!(explanation.matched.len(), decision.considered);
            prop_assert_eq!(explanation.matched.first().map(|m| m.id.as_str()), decision.policy_id.as_deref());
        }
    }

    #[test]
    fn an_outranked_deny_is_found_whenever_one_of_two_rules_lifts_the_other(a in rule(), b in rule(), calls in proptest::collection::vec(call(), 20)) {
        let (found_set, found) = super::compiled_in(json!([a, b]), &crate::World::default());
        let outranked = found.iter().any(|f| matches!(f.kind, crate::FindingKind::OutrankedDeny | crate::FindingKind::NotDecided));
        for call in calls.iter().filter(|call| !call.profile.locked) {
            let matched = found_set.explain(&call.request()).matched;
            let lifted = matched.len() == 2 && matched[0].effect != Effect::Deny && matched[1].effect == Effect::Deny;
            prop_assert!(!lifted || outranked, "{a} {b} {call:?}");
        }
    }

    #[test]
    fn no_rule_text_panics(text in "\\PC{0,40}", key in proptest::sample::select(&["agent", "capability", "target", "action", "hours", "when", "effect", "until", "effects", "approval"][..])) {
        let mut rule = json!({"id": "a", "effect": "deny"});
        rule[key] = json!(text);
        let _ = PolicySet::compile(vec![crate::wire::RuleWire::from_value(rule)], &crate::World::default());
    }
}
