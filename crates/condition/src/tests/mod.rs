//! What conditions mean, and what is refused.

mod dead;
mod properties;
mod schema;
mod sound;

use std::borrow::Borrow;

use serde_json::{Value, json};

use crate::{Condition, ConditionError, Conditions, select};

#[track_caller]
fn condition(wire: Value) -> Condition {
    Condition::try_from(serde_json::from_value::<crate::wire::ConditionWire>(wire).unwrap())
        .unwrap()
}

#[track_caller]
fn check(wire: Value, document: impl Borrow<Value>, want: bool) {
    assert_eq!(condition(wire).holds(document.borrow()), want);
}

/// The error of a condition that is refused when it is read, or when it is checked.
#[track_caller]
fn refusal(wire: Value) -> String {
    match serde_json::from_value::<crate::wire::ConditionWire>(wire) {
        Err(error) => error.to_string(),
        Ok(wire) => Condition::try_from(wire).unwrap_err().to_string(),
    }
}

#[track_caller]
fn refused(wire: Value, words: &[&str]) {
    let error = refusal(wire);
    assert!(words.iter().all(|word| error.contains(word)), "{error}");
}

fn set(wires: Value) -> Result<Conditions, ConditionError> {
    Conditions::from_wire(serde_json::from_value(wires).unwrap())
        .map_err(|errors| errors[0].1.clone())
}

#[track_caller]
fn set_refused(wires: Value, words: &[&str]) {
    let error = set(wires).unwrap_err().to_string();
    assert!(words.iter().all(|word| error.contains(word)), "{error}");
}

#[test]
fn c137_an_index_has_no_leading_zero_and_a_dash_selects_nothing() {
    let document = json!({"a": [10, 11]});
    assert_eq!(select(&document, "/a/0"), Some(&json!(10)));
    assert_eq!(select(&document, "/a/1"), Some(&json!(11)));
    for pointer in [
        "/a/01", "/a/00", "/a/2", "/a/-", "/a/+1", "/a/ 1", "/a/", "/a/1e0",
    ] {
        assert_eq!(select(&document, pointer), None, "{pointer}");
    }
    refused(
        json!({"path": "/a/01", "exists": true}),
        &["leading zero", "RFC 6901", "never fire"],
    );
    refused(json!({"path": "/a/00", "equals": 1}), &["leading zero"]);
    check(
        json!({"path": "/a/-", "exists": false}),
        document.clone(),
        true,
    );
    check(
        json!({"path": "/a/1", "equals": 11}),
        document.clone(),
        true,
    );
    check(json!({"path": "/a/2", "at_least": 0}), document, false);
}

#[test]
fn c139_escapes_are_read_in_order_and_bad_ones_are_refused() {
    let document = json!({"~1": 1, "/": 2, "m~n": 3, "a~": 4, "%41": 5});
    check(json!({"path": "/~01", "equals": 1}), &document, true);
    check(json!({"path": "/~1", "equals": 2}), &document, true);
    check(
        json!({"path": "/m~0n", "equals": 3}),
        document.clone(),
        true,
    );
    check(json!({"path": "/%41", "equals": 5}), &document, true);
    for path in ["/m~n", "/a~", "/a~2"] {
        refused(json!({"path": path, "exists": true}), &["RFC 6901", "~"]);
        assert_eq!(select(&document, path), None);
    }
}

#[test]
fn c140_null_false_empty_and_missing_stay_apart() {
    let document = json!({"a": null, "b": false, "c": "", "d": [], "e": {"f": null}});
    check(
        json!({"path": "/a", "exists": true}),
        document.clone(),
        true,
    );
    check(
        json!({"path": "/z", "exists": true}),
        document.clone(),
        false,
    );
    check(
        json!({"path": "/z", "exists": false}),
        document.clone(),
        true,
    );
    check(
        json!({"path": "/a", "exists": false}),
        document.clone(),
        false,
    );
    check(
        json!({"path": "/a", "equals": null}),
        document.clone(),
        true,
    );
    check(
        json!({"path": "/z", "equals": null}),
        document.clone(),
        false,
    );
    check(
        json!({"path": "/e/f/g", "exists": true}),
        document.clone(),
        false,
    );
    check(
        json!({"path": "/b", "in": [0, "", null]}),
        document.clone(),
        false,
    );
    check(
        json!({"path": "/c", "at_least": 0}),
        document.clone(),
        false,
    );
    let note = condition(json!({"path": "/c", "at_least": 0}))
        .why_not(&document)
        .unwrap();
    assert!(note.contains("wrong type"), "{note}");
}

#[test]
fn c142_large_integers_are_compared_exactly() {
    check(
        json!({"path": "/n", "at_least": 9_007_199_254_740_993_u64}),
        json!({"n": 9_007_199_254_740_992_u64}),
        false,
    );
    check(
        json!({"path": "/n", "equals": 9_007_199_254_740_993_u64}),
        json!({"n": 9_007_199_254_740_992_u64}),
        false,
    );
    check(
        json!({"path": "/n", "at_most": 9_007_199_254_740_992_u64}),
        json!({"n": 9_007_199_254_740_993_u64}),
        false,
    );
    check(
        json!({"path": "/n", "at_least": i64::MIN}),
        json!({"n": -9_223_372_036_854_775_808_f64}),
        true,
    );
    check(
        json!({"path": "/n", "equals": u64::MAX}),
        json!({"n": 18_446_744_073_709_551_615_f64}),
        false,
    );
    let lost: Value =
        serde_json::from_str(r#"{"path": "/n", "equals": 18446744073709551617}"#).unwrap();
    refused(lost, &["not exact"]);
    let lost: Value =
        serde_json::from_str(r#"{"path": "/n", "at_most": 9007199254740993.0}"#).unwrap();
    refused(lost, &["not exact"]);
}

#[test]
fn c143_small_numbers_and_minus_zero_pass_and_texts_do_not() {
    let rule = json!({"path": "/n", "at_least": 0});
    for (text, want) in [
        ("1e-400", true),
        ("-0", true),
        ("-0.0", true),
        ("\"NaN\"", false),
        ("0", true),
        ("-1e-300", false),
    ] {
        let document: Value = serde_json::from_str(&format!("{{\"n\": {text}}}")).unwrap();
        check(rule.clone(), document, want);
    }
    for text in ["1e400", "-1e400", "NaN", "Infinity", "0x10", "01", "1."] {
        assert!(
            serde_json::from_str::<Value>(&format!("{{\"n\": {text}}}")).is_err(),
            "{text}"
        );
    }
}

#[test]
fn numbers_are_equal_by_value_and_strings_byte_for_byte() {
    check(json!({"path": "/n", "equals": 1}), json!({"n": 1.0}), true);
    check(
        json!({"path": "/n", "equals": {"a": [1.0, 2]}}),
        json!({"n": {"a": [1, 2.0]}}),
        true,
    );
    check(
        json!({"path": "/n", "equals": {"a": 1}}),
        json!({"n": {"a": 1, "b": 2}}),
        false,
    );
    check(
        json!({"path": "/n", "equals": [1, 2]}),
        json!({"n": [2, 1]}),
        false,
    );
    check(json!({"path": "/n", "equals": "1"}), json!({"n": 1}), false);
    check(
        json!({"path": "/n", "equals": true}),
        json!({"n": 1}),
        false,
    );
    check(
        json!({"path": "/n", "equals": "é"}),
        json!({"n": "e\u{301}"}),
        false,
    );
    check(
        json!({"path": "/n", "in": [1, "a"]}),
        json!({"n": "a"}),
        true,
    );
    check(
        json!({"path": "/n", "in": [1, "a"]}),
        json!({"n": ["a"]}),
        false,
    );
}

#[test]
fn bounds_compare_whole_numbers_with_fractions() {
    check(json!({"path": "/n", "at_most": 0.5}), json!({"n": 0}), true);
    check(
        json!({"path": "/n", "at_least": 0.5}),
        json!({"n": 0}),
        false,
    );
    check(
        json!({"path": "/n", "at_least": -0.5}),
        json!({"n": 0}),
        true,
    );
    check(
        json!({"path": "/n", "at_least": -0.5}),
        json!({"n": -1}),
        false,
    );
    check(
        json!({"path": "/n", "at_most": 5}),
        json!({"n": 1e300}),
        false,
    );
    check(
        json!({"path": "/n", "at_least": 5}),
        json!({"n": -1e300}),
        false,
    );
}

#[test]
fn each_needs_an_array_that_is_not_empty_and_every_element() {
    let rule = json!({"path": "/to", "in": ["a", "b"], "each": true});
    check(rule.clone(), json!({"to": ["a", "b", "a"]}), true);
    check(rule.clone(), json!({"to": ["a", "c"]}), false);
    check(rule.clone(), json!({"to": []}), false);
    check(rule.clone(), json!({"to": "a"}), false);
    check(rule, json!({}), false);
    check(
        json!({"path": "/to", "in": [["a"]]}),
        json!({"to": ["a"]}),
        true,
    );
}

#[test]
fn exactly_one_operator() {
    refused(json!({"path": "/a"}), &["no operator", "`equals`"]);
    refused(
        json!({"path": "/a", "equals": 1, "at_most": 2}),
        &["2 operators", "`equals`", "`at_most`"],
    );
    refused(
        json!({"path": "/a", "equal": 1}),
        &["`equal`", "did you mean `equals`"],
    );
    refused(
        json!({"path": "/a", "atLeast": 1}),
        &["did you mean `at_least`"],
    );
    refused(
        json!({"path": "/a", "gte": 1}),
        &["did you mean `at_least`"],
    );
    refused(
        json!({"path": "/a", "exist": true}),
        &["did you mean `exists`"],
    );
    refused(
        json!({"pointer": "/a", "exists": true}),
        &["did you mean `path`"],
    );
    refused(
        json!({"path": "/a", "exists": true, "negate": true}),
        &["unknown key `negate`"],
    );
    refused(json!({"exists": true}), &["no `path`"]);
    refused(json!({"path": "/a", "exists": "yes"}), &["boolean"]);
    let twice = serde_json::from_str::<crate::wire::ConditionWire>(
        r#"{"path": "/a", "equals": 1, "equals": 2}"#,
    );
    assert!(twice.unwrap_err().to_string().contains("twice"));
}

#[test]
fn what_can_never_hold_is_refused_in_known_words() {
    refused(json!({"path": "", "exists": true}), &["empty"]);
    refused(
        json!({"path": "a/b", "exists": true}),
        &["RFC 6901", "`/a/b`"],
    );
    refused(
        json!({"path": "$.a.b", "exists": true}),
        &["RFC 6901", "`/a/b`"],
    );
    refused(json!({"path": "/a", "in": []}), &["never fire"]);
    refused(
        json!({"path": "/a", "at_least": "5"}),
        &["finite", "a string"],
    );
    refused(json!({"path": "/a", "at_most": f64::INFINITY}), &["finite"]);
    refused(
        json!({"path": "/a", "exists": false, "each": true}),
        &["never fire"],
    );
    refused(
        json!({"path": "/a".repeat(200), "exists": true}),
        &["never fire"],
    );
    set_refused(
        json!([{"path": "/a", "at_least": 5}, {"path": "/a", "at_most": 4}]),
        &["cross", "never fire"],
    );
    set_refused(
        json!([{"path": "/a", "equals": 1}, {"path": "/a", "equals": 2}]),
        &["never fire"],
    );
    set_refused(
        json!([{"path": "/a/b", "exists": true}, {"path": "/a", "exists": false}]),
        &["never fire"],
    );
    set_refused(
        json!([{"path": "/a/b", "exists": true}, {"path": "/a", "at_least": 1}]),
        &["never fire"],
    );
    set_refused(
        json!([{"path": "/a", "equals": 1, "each": true}, {"path": "/a/0", "equals": 2}]),
        &["never fire"],
    );
    set_refused(
        json!([{"path": "/a", "in": [1, 2]}, {"path": "/a", "in": [2, 3]}, {"path": "/a", "in": [1, 3]}]),
        &["never fire"],
    );
    assert!(set(json!([{"path": "/a", "at_least": 5}, {"path": "/a", "at_most": 5}])).is_ok());
    assert!(
        set(json!([{"path": "/a", "equals": 1, "each": true}, {"path": "/a", "exists": true}]))
            .is_ok()
    );
}

#[test]
fn all_errors_are_reported_at_once() {
    let wires = json!([{"path": "a", "exists": true}, {"path": "/b", "exists": true}, {"path": "/c", "in": []}]);
    let errors = Conditions::from_wire(serde_json::from_value(wires).unwrap()).unwrap_err();
    assert_eq!(
        errors.iter().map(|(index, _)| *index).collect::<Vec<_>>(),
        [Some(0), Some(2)]
    );
}
