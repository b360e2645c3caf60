//! Canonical JSON: the RFC's published vectors, and that one value has one text.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::json;
use crate::canonical::write_object;
use crate::{CanonError, canonical, parse_strict};

#[track_caller]
fn check(text: &str, want: &str) {
    // Not the strict reader: the RFC's examples hold whole numbers that it refuses.
    let value: Value = serde_json::from_str(text).unwrap();
    assert_eq!(canonical(&value).unwrap(), want);
}

#[test]
fn rfc_8785_example_of_section_3_2() {
    // Its numbers are given as Rust's: `serde_json` alone does not round 333333333.33333329 to
    // the nearest float.
    let value = json!({
        "numbers": [333_333_333.333_333_3, 1E30, 4.50, 2e-3, 0.000_000_000_000_000_000_000_000_001],
        "string": "\u{20ac}$\u{f}\nA'B\"\\\\\"/",
        "literals": [null, true, false],
    });
    let want = r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#;
    assert_eq!(canonical(&value).unwrap(), want);
}

#[test]
fn rfc_8785_keys_sort_by_utf16_units() {
    check(
        r#"{ "\u20ac": "Euro Sign", "\r": "Carriage Return",
             "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
             "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control",
             "\u00f6": "Latin Small Letter O With Diaeresis" }"#,
        "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",\
         \"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\
         \"😀\":\"Emoji: Grinning Face\",\"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}",
    );
}

#[test]
fn rfc_8785_test_data_of_its_author() {
    check(
        r#"[56, { "d": true, "10": null, "1": [ ] }]"#,
        r#"[56,{"1":[],"10":null,"d":true}]"#,
    );
    check(
        r#"{ "peach": "This sorting order", "péché": "is wrong according to French",
             "pêche": "but canonicalization MUST", "sin": "ignore locale" }"#,
        r#"{"peach":"This sorting order","péché":"is wrong according to French","pêche":"but canonicalization MUST","sin":"ignore locale"}"#,
    );
    check(
        r#"{ "1": {"f": {"f": "hi","F": 5} ,"\n": 56.0}, "10": { }, "": "empty", "a": { },
             "111": [ {"e": "yes","E": "no" } ], "A": { } }"#,
        r#"{"":"empty","1":{"\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"A":{},"a":{}}"#,
    );
    check(
        "{ \"Unnormalized Unicode\":\"A\\u030a\" }",
        "{\"Unnormalized Unicode\":\"A\u{30a}\"}",
    );
}

#[test]
fn strings_escape_no_more_than_they_must() {
    check(
        r#""\u0000\u0008\u0009\u000a\u000b\u000c\u000d\u001f""#,
        r#""\u0000\b\t\n\u000b\f\r\u001f""#,
    );
    check("\"\u{7f}\u{2028}<>&/\"", "\"\u{7f}\u{2028}<>&/\"");
}

#[test]
fn integers_keep_all_their_digits() {
    check(
        "[18446744073709551615, -9223372036854775808]",
        "[18446744073709551615,-9223372036854775808]",
    );
    check("[9007199254740993]", "[9007199254740993]");
}

fn canon(text: &str) -> String {
    canonical(&parse_strict(text.as_bytes()).unwrap()).unwrap()
}

#[test]
fn c085_order_spacing_and_escapes_change_nothing() {
    assert_eq!(
        canon(r#"{"a":1,"b":"\u00e9"}"#),
        canon(" {\"b\" : \"é\",\n\"a\":1}")
    );
    assert_eq!(canon(r#"{"a":1}"#), canon(r#"{"a":1.0}"#));
    assert_eq!(canon(r#""\u2028""#), canon("\"\u{2028}\""));
}

#[test]
fn c085_every_other_difference_changes_it() {
    for (one, other) in [
        (r#"{"a":1}"#, r#"{"a":1.5}"#),
        (r#"{"a":"1"}"#, r#"{"a":1}"#),
        (r#"{"a":null}"#, "{}"),
        ("\"e\u{301}\"", "\"\u{e9}\""),
        ("[1,2]", "[2,1]"),
    ] {
        assert_ne!(canon(one), canon(other));
    }
}

#[test]
fn a_value_too_deep_has_no_canonical_form() {
    let nest = |levels| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    assert!(canonical(&nest(128)).is_ok());
    assert_eq!(canonical(&nest(129)), Err(CanonError::TooDeep));
}

#[track_caller]
fn members_in(order: &[&str], want: &str) {
    let members: Vec<_> = order
        .iter()
        .map(|key| ((*key).to_owned(), json!(1)))
        .collect();
    let mut out = String::new();
    let members = members.iter().map(|(key, value)| (key, value));
    write_object(&mut out, members, 1).unwrap();
    assert_eq!(out, want);
}

#[test]
fn members_in_any_order_come_out_in_one() {
    members_in(&["b", "a", "aa", ""], r#"{"":1,"a":1,"aa":1,"b":1}"#);
    let want = "{\"a\":1,\"b\":1,\"😀\":1,\"\u{fb33}\":1}";
    members_in(&["b", "\u{fb33}", "a", "😀"], want);
    members_in(&["😀", "b", "\u{fb33}", "a"], want);
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the run that is to have `preserve_order` says so in its environment"
)]
fn the_run_has_the_order_of_keys_that_it_is_meant_to_have() {
    let map: Map<_, _> = [("b".to_owned(), json!(1)), ("a".to_owned(), json!(2))]
        .into_iter()
        .collect();
    let keeps_order = map.keys().next().is_some_and(|key| key == "b");
    if std::env::var_os("TIPSTAFF_TEST_PRESERVE_ORDER").is_some() {
        assert!(keeps_order, "`serde_json/preserve_order` is off");
    }
    assert_eq!(canonical(&map.into()).unwrap(), r#"{"a":2,"b":1}"#);
}

#[test]
fn order_is_by_bytes_but_for_what_lies_beyond_the_bmp() {
    let object =
        json!({ "\u{ffff}": 1, "😀": 2, "\u{e000}": 3, "z": 4, "\u{10ffff}": 5, "\u{d7ff}": 6 });
    let want = "{\"z\":4,\"\u{d7ff}\":6,\"😀\":2,\"\u{10ffff}\":5,\"\u{e000}\":3,\"\u{ffff}\":1}";
    assert_eq!(canonical(&object).unwrap(), want);
}

#[test]
fn every_control_is_escaped_wherever_it_stands_in_a_look() {
    for at in 0..40 {
        for special in ('\0'..' ').chain(['"', '\\']) {
            let text = format!("{}{special}{}", "x".repeat(at), "y".repeat(39 - at));
            let written = canonical(&Value::from(text.as_str())).unwrap();
            assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text);
            assert!(!written.contains(|c: char| c < ' '), "{written:?}");
        }
    }
}

proptest! {
    #[test]
    fn canonical_text_reads_back_as_the_value(value in json()) {
        let text = canonical(&value).unwrap();
        prop_assert_eq!(&parse_strict(text.as_bytes()).unwrap(), &value);
        prop_assert_eq!(&serde_json::from_str::<Value>(&text).map(|_| ()).ok(), &Some(()));
    }

    #[test]
    fn canonical_text_is_its_own_canonical_text(value in json()) {
        let text = canonical(&value).unwrap();
        prop_assert_eq!(canonical(&parse_strict(text.as_bytes()).unwrap()).unwrap(), text);
    }

    #[test]
    fn insertion_order_changes_nothing(
        members in prop::collection::btree_map(super::text(), json(), 0..8),
    ) {
        let forward: Map<_, _> = members.clone().into_iter().collect();
        let backward: Map<_, _> = members.into_iter().rev().collect();
        prop_assert_eq!(canonical(&forward.into()), canonical(&backward.into()));
    }

    #[test]
    fn keys_sort_as_their_utf16_units(a in super::text(), b in super::text()) {
        prop_assume!(a != b);
        let text = canonical(&json!({ a.as_str(): 1, b.as_str(): 1 })).unwrap();
        let (first, last) = if a.encode_utf16().lt(b.encode_utf16()) { (a, b) } else { (b, a) };
        let alone = |key: String| canonical(&json!({ key: 1 })).unwrap();
        let both = format!("{},{}", alone(first), alone(last)).replace("},{", ",");
        prop_assert_eq!(text, both);
    }
}
