//! Work, size and nesting of foreign schemas are bounded.

use super::schema::{check, check_refused, check_whole, compiled};
use super::*;
use crate::{UnknownParams, Validator};

#[test]
fn c116_recursion_is_legal_and_bounded() {
    let schema = json!({
        "$defs": { "n": { "type": "object", "properties": { "c": { "$ref": "#/$defs/n" } } } }, "$ref": "#/$defs/n",
    });
    check_whole(&schema, json!({ "c": { "c": { "c": {} } } }), &[]);
    check_whole(
        &schema,
        json!({ "c": { "c": { "d": 1 } } }),
        &["`/c/c/d`: found 1, wanted no such key: the schema declares `c`"],
    );
    let deep = (0..70).fold(json!({}), |inner, _| json!({ "c": inner }));
    check_whole(
        &schema,
        deep,
        &["``: found an object of 1 keys, wanted nesting to be at most 64"],
    );
    check_refused(
        &json!({ "$ref": "#/$defs/none" }),
        "schema refers to `#/$defs/none`, which is not in the document: only references inside it are followed",
    );
}

#[test]
fn c116_alternatives_that_recur_do_not_multiply() {
    let node = json!({ "type": "object", "properties": { "c": { "$ref": "#/$defs/n" } } });
    let schema = json!({ "$defs": { "n": { "anyOf": [node, node, node] } }, "$ref": "#/$defs/n" });
    let value = |depth| (0..depth).fold(json!({ "c": {} }), |inner, _| json!({ "c": inner }));
    check_whole(
        &schema,
        value(60),
        &[
            "``: found an object of 1 keys, wanted a value that the schema can judge in bounded work",
        ],
    );
    check_whole(&schema, value(6), &[]);
    let wrong = (0..7).fold(json!({ "c": 1 }), |inner, _| json!({ "c": inner }));
    check_whole(
        &schema,
        wrong,
        &[
            "``: found an object of 1 keys, wanted a value that fits the schema (it has too many alternatives to say where)",
        ],
    );
}

#[test]
fn c116_alternatives_that_differ_in_type_may_recur_deeply() {
    let schema = json!({
        "properties": { "a": { "$ref": "#/$defs/json" } },
        "$defs": { "json": { "anyOf": [
            { "type": ["string", "number", "boolean", "null"] },
            { "type": "array", "items": { "$ref": "#/$defs/json" } },
            { "type": "object", "additionalProperties": { "$ref": "#/$defs/json" } },
        ] } },
    });
    let value = (0..28).fold(json!(1), |inner, _| json!({ "c": [inner, "x"] }));
    check_whole(&schema, json!({ "a": value }), &[]);
}

#[test]
fn c116_references_without_end_are_refused() {
    let endless = "schema refers to itself without end";
    check_refused(&json!({ "$ref": "#" }), endless);
    check_refused(
        &json!({ "properties": { "a": { "anyOf": [{ "$ref": "#/properties/a" }] } } }),
        endless,
    );
    let mut chain: serde_json::Map<String, Value> = (0..2000)
        .map(|n| {
            (
                format!("d{n}"),
                json!({ "$ref": format!("#/$defs/d{}", n + 1) }),
            )
        })
        .collect();
    chain.insert("d2000".to_owned(), json!({}));
    check_refused(&json!({ "$defs": chain, "$ref": "#/$defs/d0" }), endless);
}

#[test]
fn references_that_double_level_by_level_are_counted() {
    let mut defs: serde_json::Map<String, Value> = (0..40)
        .map(|n| (format!("d{n}"), json!({ "allOf": [{ "$ref": format!("#/$defs/d{}", n + 1) }, { "$ref": format!("#/$defs/d{}", n + 1) }] })))
        .collect();
    defs.insert("d40".to_owned(), json!({}));
    let schema = json!({ "$defs": defs, "$ref": "#/$defs/d0" });
    check_whole(
        &schema,
        json!({}),
        &[
            "``: found an object of 0 keys, wanted a value that the schema can judge in bounded work",
        ],
    );
}

#[test]
fn patterns_are_bounded() {
    check(
        json!({ "pattern": "^(a+)+$" }),
        json!(format!("{}b", "a".repeat(40))),
        false,
    );
    check(
        json!({ "pattern": "^(?=(a+)+b)(a|aa)+$" }),
        json!("a".repeat(60)),
        false,
    );
    let big = json!({ "properties": { "a": { "pattern": "(?:(?:x{1000}){1000}){1000}" } } });
    assert!(Validator::compile(&big, UnknownParams::Refuse).is_err());
}

#[test]
fn schemas_are_bounded() {
    let deep = (0..70).fold(json!({}), |inner, _| json!({ "not": inner }));
    check_refused(&deep, "schema is too large: nesting is over 60");
    check_refused(
        &json!({ "enum": vec![0; 20_001] }),
        "schema is too large: the number of values is over 20000",
    );
    check_refused(
        &json!({ "description": "x".repeat(300_000) }),
        "schema is too large: the text in bytes is over 131072",
    );
    // Each key has its own combination of alternatives: their number must not explode.
    let alternatives: Vec<Value> = (0..18)
        .map(|n| json!({ "type": "object", "properties": { format!("k{n}"): { "$ref": "#" }, "all": { "$ref": "#" } } }))
        .collect();
    assert!(Validator::compile(&json!({ "anyOf": alternatives }), UnknownParams::Refuse).is_ok());
}

#[test]
fn at_most_twenty_errors_and_no_long_values() {
    let schema = json!({ "type": "object", "additionalProperties": { "type": "integer" } });
    let many: serde_json::Map<String, Value> = (0..30)
        .map(|n| (format!("k{n}"), json!("v".repeat(1000))))
        .collect();
    let errors = compiled(&schema).check(&Value::Object(many)).unwrap_err();
    assert_eq!(errors.len(), 20);
    assert!(errors.iter().all(|error| error.to_string().len() < 200));
}

#[test]
fn long_chains_of_references_are_judged_without_overflow() {
    let mut defs: serde_json::Map<String, Value> = (0..450)
        .map(|n| {
            (
                format!("d{n}"),
                json!({ "allOf": [{ "$ref": format!("#/$defs/d{}", n + 1) }] }),
            )
        })
        .collect();
    defs.insert(
        "d450".to_owned(),
        json!({ "properties": { "a": { "type": "integer" } } }),
    );
    let short: serde_json::Map<String, Value> = defs
        .iter()
        .filter(|(key, _)| key.len() < 4 || key.as_str() >= "d300")
        .map(|(k, v)| (k.clone(), v.clone()))
        .collect();
    check_refused(
        &json!({ "$defs": defs, "$ref": "#/$defs/d0" }),
        "schema refers to itself without end",
    );
    check_whole(
        &json!({ "$defs": short, "$ref": "#/$defs/d300" }),
        json!({ "a": "x" }),
        &["`/a`: found \"x\", wanted an integer"],
    );
}

#[test]
fn ids_inside_the_document_never_change_what_a_reference_means() {
    let scope = |reference: &str| {
        format!(
            "schema holds `{reference}`, whose meaning depends on an `$id` inside the document: use `#/$defs/…` without `$id`"
        )
    };
    check_refused(
        &json!({ "$defs": { "a": { "$id": "https://a.test/b" } } }),
        &scope("https://a.test/b"),
    );
    check_refused(
        &json!({ "$defs": { "a": { "$id": "T", "properties": { "b": { "$ref": "#/x" } } } } }),
        &scope("#/x"),
    );
    let twice = json!({ "$defs": { "a": { "$id": "T" }, "b": { "$id": "T" } }, "$ref": "T" });
    check_refused(
        &twice,
        "schema refers to `T`, which is not in the document: only references inside it are followed",
    );
    let once = json!({ "$defs": { "a": { "$id": "T", "properties": { "x": {} } } }, "$ref": "T" });
    check_whole(&once, json!({ "x": 1 }), &[]);
}
/// A text of so many bytes against a pattern.
#[track_caller]
fn check_match(pattern: &str, bytes: usize, want: Option<&str>) {
    let schema = json!({ "type": "object", "properties": { "a": { "pattern": pattern } } });
    let value = json!({ "a": "01".repeat(bytes / 2) });
    check_whole(&schema, value, want.as_slice());
}

#[test]
fn what_a_pattern_may_cost_is_weighed_with_the_text_before_it_is_matched() {
    let bounded =
        "``: found an object of 1 keys, wanted a value that the schema can judge in bounded work";
    check_match("^[01]*$", 1 << 20, None);
    check_match("^(?!.*2)[01]*$", 8 << 10, None);
    // Reads the rest of the text for each of its bytes.
    check_match("(?=[01]*2)0", 64 << 10, Some(bounded));
    // Keeps thousands of places in mind for each byte.
    check_match("[01]*1[01]{3000}2", 64 << 10, Some(bounded));
    check_match("^[01]*$", 3 << 20, Some(bounded));
    let keys = json!({ "type": "object", "patternProperties": { "(?=[01]*2)0": {} }, "additionalProperties": true });
    check_whole(&keys, json!({ "0".repeat(64 << 10): 1 }), &[bounded]);
    let names = json!({ "type": "object", "propertyNames": { "pattern": "(?=[01]*2)0" }, "additionalProperties": true });
    check_whole(&names, json!({ "0".repeat(64 << 10): 1 }), &[bounded]);
}

#[test]
fn the_memory_of_all_patterns_together_is_bounded() {
    let large = |count: usize| {
        let properties: serde_json::Map<String, Value> = (0..count)
            .map(|n| {
                (
                    format!("k{n}"),
                    json!({ "pattern": format!("^[a-y]{{{}}}z", 500 + n) }),
                )
            })
            .collect();
        Validator::compile(&json!({ "properties": properties }), UnknownParams::Refuse)
    };
    assert!(large(20).is_ok());
    let error = large(3000).unwrap_err().to_string();
    assert!(error.contains("is not valid here"), "{error}");
    let around = json!({ "properties": { "a": { "pattern": "(?=[a-x]{400}y)".repeat(2000) } } });
    assert!(Validator::compile(&around, UnknownParams::Refuse).is_err());
}
