//! D2: all sets of up to three rules over a reduced domain, on all calls of it.
//!
//! The domain has every dimension that weighs (agent, capability, target, action, hours, when) with a
//! value that the call has and one that it has not, and every effect. What I3 and I4 say is asked of each.

use std::sync::Arc;

use serde_json::{Value, json};
use tipstaff_schema::{Effect, Profile};

use super::{Call, agent};
use crate::wire::RuleWire;
use crate::{DecidedBy, PolicySet, Rule, RuleContext, reference};

/// Every rule of the domain. Rules that match no call of it stand there once, as a rule for another
/// tool: all that they have in common is that they change nothing.
fn rules() -> Vec<Arc<Rule>> {
    let mut rules = Vec::new();
    for named in 0..8_u32 {
        for effect in ["allow", "ask", "deny", "guard"] {
            let mut rule = json!({"id": format!("r{}", rules.len()), "effect": if effect == "guard" { "deny" } else { effect }});
            let mut put = |bit: u32, key: &str, value: Value| {
                if named >> bit & 1 == 1 {
                    rule[key] = value;
                }
            };
            put(0, "agent", json!("coder"));
            put(1, "capability", json!("f:*"));
            put(2, "target", json!({"path": "/a/**"}));
            if effect == "guard" {
                rule["guard"] = json!(true);
            }
            rules.push(rule);
        }
    }
    let light = [
        ("action", json!("call")),
        ("hours", json!({"from": 8, "to": 18})),
        ("when", json!([{"path": "/n", "at_most": 1}])),
        ("capability", json!("other:x")),
    ];
    for effect in ["allow", "ask", "deny"] {
        for (key, value) in &light {
            let id = format!("r{}", rules.len());
            let mut rule = json!({"id": id, "effect": effect});
            rule[*key] = value.clone();
            rules.push(rule);
        }
    }
    let read = |(index, rule)| {
        let wire = RuleWire::from_value(rule);
        Arc::new(Rule::try_from_wire(wire, index, &RuleContext::default()).unwrap())
    };
    rules.into_iter().enumerate().map(read).collect()
}

/// What the light rules tell apart: an action, a moment, parameters.
fn details() -> impl Iterator<Item = (&'static str, &'static str, Value)> {
    (0..8_u32).map(|bits| {
        let has = |bit: u32| bits >> bit & 1 == 1;
        let action = if has(0) { "call" } else { "other" };
        let at = if has(1) {
            "2026-01-05T12:00:00Z"
        } else {
            "2026-01-05T20:00:00Z"
        };
        let params = if has(2) { json!({"n": 1}) } else { json!({}) };
        (action, at, params)
    })
}

fn calls() -> Vec<Call> {
    let mut calls = Vec::new();
    for who in ["coder", "ops"] {
        for tool in ["f:r", "g:r"] {
            for path in [None, Some("/a/x"), Some("/b")] {
                for (action, at, params) in details() {
                    let mut call = Call::to(tool).at(at).with(params);
                    call.agent = agent(who);
                    call.action = action.to_owned();
                    call.profile = Profile {
                        default_effect: Effect::Allow,
                        ..Profile::unknown("call")
                    };
                    calls.push(path.into_iter().fold(call, Call::path));
                }
            }
        }
    }
    calls
}

/// All sets of up to `most` of the rules, in the order of the file.
fn each_set(rules: &[Arc<Rule>], most: usize, mut ask: impl FnMut(&[Arc<Rule>])) {
    fn grow(
        rules: &[Arc<Rule>],
        set: &mut Vec<Arc<Rule>>,
        most: usize,
        ask: &mut impl FnMut(&[Arc<Rule>]),
    ) {
        ask(set);
        if set.len() < most {
            for (place, rule) in rules.iter().enumerate() {
                set.push(Arc::clone(rule));
                grow(&rules[place + 1..], set, most, ask);
                set.pop();
            }
        }
    }
    grow(rules, &mut Vec::new(), most, &mut ask);
}

/// What the table says of the rules that match, written without the engine: guards first, then
/// weight, then strictness.
fn by_the_table(rules: &[Arc<Rule>], call: &Call) -> Effect {
    let request = call.request();
    let matching = || {
        rules
            .iter()
            .filter(|rule| reference::matches(rule, &request))
    };
    if matching().any(|rule| rule.guard()) {
        return Effect::Deny;
    }
    let heaviest = matching().map(|rule| rule.specificity()).max();
    let strictest = matching().filter(|rule| Some(rule.specificity()) == heaviest);
    strictest
        .map(|rule| rule.effect())
        .max()
        .unwrap_or(call.profile.default_effect)
}

#[test]
fn d2_i3_only_what_weighs_more_lifts_a_deny_and_nothing_lifts_a_guard() {
    let (rules, calls) = (rules(), calls());
    each_set(&rules, 3, |set| {
        let engine = PolicySet::of_rules(set.to_vec()).unwrap();
        for call in &calls {
            let request = call.request();
            let decision = engine.decide_by_index(&request);
            assert_eq!(decision.effect, by_the_table(set, call), "{set:?} {call:?}");
            let matching = || set.iter().filter(|rule| reference::matches(rule, &request));
            let guarded = matching().any(|rule| rule.guard());
            assert_eq!(decision.source == DecidedBy::Guard, guarded);
            let denied = matching()
                .filter(|rule| rule.effect() == Effect::Deny)
                .map(|rule| rule.specificity())
                .max();
            if let (Some(deny), Effect::Allow | Effect::Ask) = (denied, decision.effect) {
                assert!(decision.specificity > deny, "{set:?} {call:?}");
            }
        }
    });
}

#[test]
fn d2_i4_one_more_deny_or_guard_never_makes_a_decision_less_strict() {
    let (rules, calls) = (rules(), calls());
    let denies: Vec<&Arc<Rule>> = rules
        .iter()
        .filter(|rule| rule.effect() == Effect::Deny)
        .collect();
    each_set(&rules, 2, |set| {
        for call in &calls {
            let before = reference::decide(set, &call.request()).effect;
            for deny in &denies {
                for place in 0..=set.len() {
                    let mut more = set.to_vec();
                    more.insert(place, Arc::clone(deny));
                    let after = reference::decide(&more, &call.request()).effect;
                    assert!(after >= before, "{set:?} and {deny:?} {call:?}");
                }
            }
        }
    });
}

#[test]
fn the_weights_are_those_of_the_table() {
    let weights = crate::Dimension::ALL.map(|dimension| (dimension.as_str(), dimension.weight()));
    let table = [
        ("agent", 8),
        ("capability", 4),
        ("target", 2),
        ("action", 1),
        ("hours", 1),
        ("when", 1),
        ("until", 0),
        ("cwd", 0),
        ("placement", 0),
    ];
    assert_eq!(weights, table);
}

#[test]
fn d2_one_more_ask_may_widen_which_is_why_check_says_so() {
    let rules = rules();
    let find = |effect: Effect, weight: u32| {
        let fits = |rule: &&Arc<Rule>| {
            rule.effect() == effect && rule.specificity() == weight && !rule.guard()
        };
        Arc::clone(rules.iter().find(fits).unwrap())
    };
    let call = Call::to("f:r").path("/a/x");
    let (deny, ask) = (find(Effect::Deny, 4), find(Effect::Ask, 8));
    assert_eq!(
        reference::decide(std::slice::from_ref(&deny), &call.request()).effect,
        Effect::Deny
    );
    assert_eq!(
        reference::decide(&[deny, ask], &call.request()).effect,
        Effect::Ask
    );
}
