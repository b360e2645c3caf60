//! The dead rules that the policy page lists: each keyword refuses what it rules out, and passes what
//! stands right beside it.

use serde_json::{Value, json};

use super::condition;
use crate::Conditions;

/// The first is refused for a reason that holds the word; the second, its neighbour, passes.
#[track_caller]
fn dead(schema: &Value, refused: Value, word: &str, passed: Value) {
    let against = |wire: Value| {
        let set = Conditions::new(vec![condition(wire)]).unwrap();
        set.check_against(schema)
    };
    let found = against(refused);
    assert!(
        found.len() == 1
            && found[0].message.contains(word)
            && found[0].message.contains("never fire"),
        "{found:?}"
    );
    assert_eq!(against(passed), []);
}

fn of(schema: Value) -> Value {
    let mut object = json!({ "type": "object", "properties": {} });
    object["properties"]["a"] = schema;
    object
}

#[test]
fn properties() {
    let schema = of(json!({ "properties": { "b": { "type": "string" } } }));
    dead(
        &schema,
        json!({ "path": "/a/b", "equals": 1 }),
        "string",
        json!({ "path": "/a/b", "equals": "1" }),
    );
}

#[test]
fn pattern_properties() {
    let schema = json!({ "patternProperties": { "^x-": { "type": "boolean" } } });
    dead(
        &schema,
        json!({ "path": "/x-a", "equals": "true" }),
        "boolean",
        json!({ "path": "/y", "equals": "true" }),
    );
}

#[test]
fn prefix_items() {
    let schema =
        of(json!({ "type": "array", "prefixItems": [{ "type": "string" }, { "type": "number" }] }));
    dead(
        &schema,
        json!({ "path": "/a/1", "equals": "x" }),
        "number",
        json!({ "path": "/a/0", "equals": "x" }),
    );
}

#[test]
fn items() {
    let schema =
        of(json!({ "type": "array", "prefixItems": [true], "items": { "type": "number" } }));
    dead(
        &schema,
        json!({ "path": "/a/1", "equals": "x" }),
        "number",
        json!({ "path": "/a/0", "equals": "x" }),
    );
    let listed = of(json!({ "type": "array", "items": { "enum": ["x", "y"] } }));
    dead(
        &listed,
        json!({ "path": "/a", "equals": "z", "each": true }),
        "lists",
        json!({ "path": "/a", "equals": "x", "each": true }),
    );
}

#[test]
fn no_items_beyond_the_listed_ones() {
    let schema = of(json!({ "type": "array", "prefixItems": [true], "items": false }));
    dead(
        &schema,
        json!({ "path": "/a/1", "exists": true }),
        "nothing",
        json!({ "path": "/a/0", "exists": true }),
    );
    let short = of(json!({ "type": "array", "maxItems": 1 }));
    dead(
        &short,
        json!({ "path": "/a/1", "exists": true }),
        "no item",
        json!({ "path": "/a/0", "exists": true }),
    );
    let none = of(json!({ "type": "array", "prefixItems": [true], "unevaluatedItems": false }));
    dead(
        &none,
        json!({ "path": "/a/1", "exists": true }),
        "no item",
        json!({ "path": "/a/0", "exists": true }),
    );
    let old = json!({ "$schema": "http://json-schema.org/draft-07/schema#",
        "properties": { "a": { "type": "array", "items": [true], "additionalItems": false } } });
    dead(
        &old,
        json!({ "path": "/a/1", "exists": true }),
        "nothing",
        json!({ "path": "/a/0", "exists": true }),
    );
}

#[test]
fn additional_properties() {
    let closed = json!({ "properties": { "a": true }, "additionalProperties": false });
    dead(
        &closed,
        json!({ "path": "/b", "exists": true }),
        "additionalProperties",
        json!({ "path": "/a", "exists": true }),
    );
    let typed =
        json!({ "properties": { "a": true }, "additionalProperties": { "type": "string" } });
    dead(
        &typed,
        json!({ "path": "/b", "equals": 1 }),
        "string",
        json!({ "path": "/a", "equals": 1 }),
    );
}

#[test]
fn unevaluated_properties() {
    let closed = json!({ "properties": { "a": true }, "unevaluatedProperties": false });
    dead(
        &closed,
        json!({ "path": "/b", "exists": true }),
        "unevaluatedProperties",
        json!({ "path": "/a", "exists": true }),
    );
}

#[test]
fn one_type_and_several() {
    let one = of(json!({ "type": "string" }));
    dead(
        &one,
        json!({ "path": "/a/b", "exists": true }),
        "has no fields",
        json!({ "path": "/a", "exists": true }),
    );
    let several = of(json!({ "type": ["string", "null"] }));
    dead(
        &several,
        json!({ "path": "/a", "at_least": 1 }),
        "number",
        json!({ "path": "/a", "equals": null }),
    );
    dead(
        &several,
        json!({ "path": "/a", "equals": "x", "each": true }),
        "array",
        json!({ "path": "/a", "equals": "x" }),
    );
}

#[test]
fn enum_and_const() {
    let schema =
        json!({ "properties": { "a": { "enum": ["x", 2] }, "b": { "const": { "c": 1 } } } });
    dead(
        &schema,
        json!({ "path": "/a", "equals": "y" }),
        "lists",
        json!({ "path": "/a", "equals": 2.0 }),
    );
    dead(
        &schema,
        json!({ "path": "/b/c", "at_least": 2 }),
        "lists",
        json!({ "path": "/b/c", "at_least": 1 }),
    );
}

#[test]
fn minimum_and_maximum() {
    let schema = of(json!({ "minimum": 1, "maximum": 9_007_199_254_740_992_u64 }));
    dead(
        &schema,
        json!({ "path": "/a", "at_least": 9_007_199_254_740_993_u64 }),
        "maximum",
        json!({ "path": "/a", "at_least": 9_007_199_254_740_992_u64 }),
    );
    dead(
        &schema,
        json!({ "path": "/a", "at_most": 0.5 }),
        "minimum",
        json!({ "path": "/a", "at_most": 1.0 }),
    );
    let open = of(json!({ "exclusiveMinimum": 1, "exclusiveMaximum": 5 }));
    dead(
        &open,
        json!({ "path": "/a", "in": [1, 5] }),
        "exclusive",
        json!({ "path": "/a", "in": [1, 4] }),
    );
}

#[test]
fn a_local_reference() {
    let schema = json!({ "$defs": { "n": { "type": "number" } },
        "properties": { "a": { "$ref": "#/$defs/n" } } });
    dead(
        &schema,
        json!({ "path": "/a", "equals": "x" }),
        "number",
        json!({ "path": "/a", "equals": 1 }),
    );
}

#[test]
fn all_of() {
    let schema = of(json!({ "allOf": [{ "type": ["number", "string"] }, { "minimum": 3 }] }));
    dead(
        &schema,
        json!({ "path": "/a", "at_most": 2 }),
        "minimum",
        json!({ "path": "/a", "equals": "x" }),
    );
}

#[test]
fn any_of_and_one_of_only_where_every_branch_refuses() {
    for key in ["anyOf", "oneOf"] {
        let schema = of(json!({ key: [{ "type": "string" }, { "type": "boolean" }] }));
        dead(
            &schema,
            json!({ "path": "/a", "equals": 1 }),
            "string",
            json!({ "path": "/a", "equals": true }),
        );
    }
}

#[test]
fn a_field_that_every_call_has() {
    let schema = json!({ "type": "object", "required": ["a"], "properties": { "a": {}, "b": {} } });
    dead(
        &schema,
        json!({ "path": "/a", "exists": false }),
        "requires",
        json!({ "path": "/b", "exists": false }),
    );
}

#[test]
fn a_word_that_a_draft_does_not_have_refuses_nothing() {
    let passes = |draft: &str, schema: Value, wire: Value| {
        let mut schema = of(schema);
        schema["$schema"] = json!(draft);
        let set = Conditions::new(vec![condition(wire)]).unwrap();
        assert_eq!(set.check_against(&schema), [], "{schema}");
    };
    let seven = "http://json-schema.org/draft-07/schema#";
    let four = "http://json-schema.org/draft-04/schema#";
    passes(
        seven,
        json!({ "prefixItems": [{ "type": "string" }] }),
        json!({ "path": "/a/0", "equals": 1 }),
    );
    passes(
        seven,
        json!({ "properties": {}, "unevaluatedProperties": false }),
        json!({ "path": "/a/b", "exists": true }),
    );
    passes(
        four,
        json!({ "const": 1 }),
        json!({ "path": "/a", "equals": 2 }),
    );
    passes(
        four,
        json!({ "exclusiveMaximum": 1 }),
        json!({ "path": "/a", "at_least": 2 }),
    );
}
