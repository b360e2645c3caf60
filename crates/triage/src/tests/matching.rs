//! The index finds what a look at every rule finds, and says why a rule does not match.

use proptest::prelude::*;
use tipstaff_condition::wire::ConditionWire;

use super::*;

fn facts<'a>(agent: &'a AgentId, answer: &'a Value) -> AnswerFacts<'a> {
    AnswerFacts {
        call_id: Uuid::from_u128(1),
        correlation: None,
        tool_name: "grid:status",
        tool_id: "mcp:grid:status",
        agent,
        answer,
        at: at("2026-11-10T14:00Z"),
    }
}

/// A few words and numbers, so that rules and answers often meet; some that only look alike.
fn scalar() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!(null),
        json!(true),
        json!("a"),
        json!("b"),
        json!(""),
        json!(0),
        json!(-0.0),
        json!(1),
        json!(1.0),
        json!(1.5),
        json!(9_007_199_254_740_992_i64),
        json!(9_007_199_254_740_993_i64),
        json!(9_007_199_254_740_992.0),
        json!(u64::MAX),
        json!(-7),
        json!(1e300),
        json!([]),
        json!({}),
    ])
}

fn document() -> impl Strategy<Value = Value> {
    let key = prop::sample::select(vec!["a", "b", "a/b", "m~n", "0", "1", ""]);
    scalar().prop_recursive(3, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key.clone().prop_map(str::to_owned), inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn condition() -> impl Strategy<Value = Value> {
    let steps = prop::sample::select(vec!["a", "b", "a~1b", "m~0n", "0", "1", "-", "00x", ""]);
    let path = prop::collection::vec(steps, 1..4).prop_map(|steps| format!("/{}", steps.join("/")));
    let number = || scalar().prop_filter("a bound", Value::is_number);
    let ask = prop_oneof![
        scalar().prop_map(|value| ("equals", value)),
        prop::collection::vec(scalar(), 1..4).prop_map(|values| ("in", json!(values))),
        number().prop_map(|bound| ("at_least", bound)),
        number().prop_map(|bound| ("at_most", bound)),
        any::<bool>().prop_map(|exists| ("exists", json!(exists))),
    ];
    (path, ask).prop_map(|(path, (operator, value))| json!({ "path": path, operator: value }))
}

/// Rules that load; the others are left out.
fn loaded(conditions: Vec<Vec<Value>>) -> TriageSet {
    let loads = |when: &Vec<Value>| {
        let wires: Vec<ConditionWire> = serde_json::from_value(json!(when)).unwrap();
        tipstaff_condition::Conditions::from_wire(wires).is_ok()
    };
    let wires = conditions.iter().filter(|when| loads(when)).enumerate();
    let wires = wires.map(|(n, when)| {
        rule(|rule| {
            rule["name"] = json!(format!("r{n}"));
            rule["when"] = json!(when);
            rule["applies_to"] = json!(if n % 5 == 4 { ["files:*"] } else { ["*"] });
        })
    });
    set(wires.collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn the_index_equals_the_scan(
        conditions in prop::collection::vec(prop::collection::vec(condition(), 1..4), 1..40),
        answers in prop::collection::vec(document(), 1..8),
    ) {
        let (set, agent) = (loaded(conditions), AgentId::new("coder").unwrap());
        for answer in &answers {
            let facts = facts(&agent, answer);
            let names = |rules: Vec<&TriageRule>| rules.into_iter().map(|rule| rule.name.clone()).collect::<Vec<_>>();
            let by_scan = names(set.matching_by_scan(&facts).collect());
            prop_assert_eq!(names(set.matching(&facts).collect()), by_scan.clone(), "{}", answer);
            for rule in set.rules() {
                prop_assert_eq!(rule.why_not(&facts).is_empty(), by_scan.contains(&rule.name));
            }
        }
    }

    #[test]
    fn a_rule_reads_back_from_its_wire_form(when in prop::collection::vec(condition(), 1..4), bits in 0u8..16) {
        let said = |bit: u8| bits >> bit & 1 == 1;
        let wire = || rule(|rule| {
            rule["when"] = json!(when);
            if said(0) { (rule["on_expiry"], rule["escalate_to"]) = (json!("escalate"), json!(["chief"])); }
            if said(1) { rule["applies_to"] = json!({ "tools": ["grid:*"], "agents": ["coder"] }); }
            if said(2) { rule["note_required"] = json!(true); }
            if said(3) { rule["require_output_schema"] = json!(true); }
        });
        if let Ok(set) = TriageSet::new(vec![wire()], &berlin(json!([]))) {
            let again = set.rules()[0].to_wire();
            let read: TriageRuleWire = serde_json::from_value(again).unwrap();
            prop_assert_eq!(read, wire());
        }
    }
}

#[test]
fn c140_absent_null_false_and_empty_stay_apart_and_a_wrong_type_is_said() {
    let answer = json!({ "a": null, "b": false, "c": "", "d": [], "e": { "f": null } });
    let cases = [
        (json!({ "path": "/a", "exists": true }), true),
        (json!({ "path": "/z", "exists": true }), false),
        (json!({ "path": "/a", "equals": null }), true),
        (json!({ "path": "/z", "equals": null }), false),
        (json!({ "path": "/e/f/g", "exists": true }), false),
        (json!({ "path": "/b", "in": [0, "", null] }), false),
        (json!({ "path": "/c", "at_least": 0 }), false),
    ];
    let agent = AgentId::new("coder").unwrap();
    for (condition, holds) in cases {
        let set = set(vec![rule(|rule| rule["when"] = json!([condition]))]);
        let facts = facts(&agent, &answer);
        assert_eq!(set.matching(&facts).count() == 1, holds, "{condition}");
        let whys = set.rules()[0].why_not(&facts);
        let wrong_type = whys.iter().any(|why| why.contains("wrong type"));
        assert_eq!(wrong_type, condition["path"] == "/c", "{whys:?}");
    }
}

#[test]
fn c137_c139_pointers_of_rules_are_read_strictly_and_select_what_they_say() {
    let answer = json!({ "a": [10, 11], "~1": 1, "/": 2, "m~n": 3, "a~": 4, "%41": 5 });
    let agent = AgentId::new("coder").unwrap();
    let matches = |path: &str, value: i32| {
        let rule = rule(|rule| rule["when"] = json!([{ "path": path, "equals": value }]));
        let set = TriageSet::new(vec![rule], &berlin(json!([]))).ok()?;
        Some(set.matching(&facts(&agent, &answer)).count() == 1)
    };
    for (path, value) in [
        ("/a/0", 10),
        ("/a/1", 11),
        ("/~01", 1),
        ("/~1", 2),
        ("/m~0n", 3),
        ("/%41", 5),
    ] {
        assert_eq!(matches(path, value), Some(true), "{path}");
    }
    for path in ["/a/01", "/a/00", "/m~n", "/a~", "/a~2"] {
        assert_eq!(matches(path, 10), None, "{path}");
    }
    assert_eq!(matches("/a/2", 10), Some(false));
    assert_eq!(matches("/a/-", 10), Some(false));
}

#[test]
fn c142_large_integers_are_compared_exactly() {
    let agent = AgentId::new("coder").unwrap();
    let matches = |condition: Value, answer: Value| {
        let set = set(vec![rule(|rule| rule["when"] = json!([condition]))]);
        set.matching(&facts(&agent, &answer)).count() == 1
    };
    let (even, odd) = (9_007_199_254_740_992_i64, 9_007_199_254_740_993_i64);
    assert!(!matches(
        json!({ "path": "/n", "at_least": odd }),
        json!({ "n": even })
    ));
    assert!(matches(
        json!({ "path": "/n", "at_least": even }),
        json!({ "n": odd })
    ));
    assert!(!matches(
        json!({ "path": "/n", "at_most": even }),
        json!({ "n": odd })
    ));
    assert!(!matches(
        json!({ "path": "/n", "equals": odd }),
        json!({ "n": even })
    ));
    assert!(matches(
        json!({ "path": "/n", "equals": 1 }),
        json!({ "n": 1.0 })
    ));
}

#[test]
fn c143_numbers_beyond_the_finite_ones_are_not_judged() {
    let at_least_zero = set(vec![rule(|rule| {
        rule["when"] = json!([{ "path": "/n", "at_least": 0 }]);
    })]);
    let agent = AgentId::new("coder").unwrap();
    let judged = |text: &str| {
        let answer = judgeable(None, Some(text))?.into_owned();
        Some(at_least_zero.matching(&facts(&agent, &answer)).count() == 1)
    };
    for text in ["1e400", "-1e400", "NaN", "Infinity", "0x10", "01", "1."] {
        assert_eq!(judged(&format!("{{\"n\":{text}}}")), None, "{text}");
    }
    assert_eq!(judged(r#"{"n":"NaN"}"#), Some(false));
    assert_eq!(judged(r#"{"n":-0}"#), Some(true));
    assert_eq!(judged(r#"{"n":1e-400}"#), Some(true));
}
