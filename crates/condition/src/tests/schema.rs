//! What a schema refuses, and what it must pass.

use std::borrow::Borrow;

use serde_json::{Value, json};

use super::condition;
use crate::Conditions;

/// The messages of `check_against`.
fn against(wire: Value, schema: impl Borrow<Value>) -> Vec<String> {
    let conditions = Conditions::new(vec![condition(wire)]).unwrap();
    conditions
        .check_against(schema.borrow())
        .into_iter()
        .map(|finding| finding.message)
        .collect()
}

#[track_caller]
fn impossible(wire: Value, schema: impl Borrow<Value>, word: &str) {
    let found = against(wire, schema);
    assert!(
        found
            .iter()
            .any(|message| message.contains(word) && message.contains("never fire")),
        "{found:?}"
    );
}

#[track_caller]
fn possible(wire: Value, schema: impl Borrow<Value>) {
    assert_eq!(against(wire, schema), Vec::<String>::new());
}

#[test]
fn a_schema_refuses_what_it_never_yields() {
    let closed = json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false});
    impossible(
        json!({"path": "/b", "exists": true}),
        &closed,
        "additionalProperties",
    );
    impossible(
        json!({"path": "/a/b", "exists": true}),
        &closed,
        "has no fields",
    );
    impossible(json!({"path": "/a", "equals": 1}), &closed, "string");
    impossible(json!({"path": "/a", "at_least": 1}), &closed, "number");
    impossible(
        json!({"path": "/a", "equals": "x", "each": true}),
        closed,
        "array",
    );
    let types =
        json!({"properties": {"a": {"type": ["integer", "null"], "minimum": 1, "maximum": 9}}});
    impossible(json!({"path": "/a", "equals": 1.5}), &types, "integer");
    impossible(json!({"path": "/a", "equals": 10}), &types, "maximum");
    impossible(json!({"path": "/a", "at_least": 9.5}), &types, "maximum");
    impossible(json!({"path": "/a", "at_most": 0}), &types, "minimum");
    impossible(json!({"path": "/a", "in": ["x", 0]}), types, "");
}

#[test]
fn a_schema_refuses_values_items_and_references_that_do_not_fit() {
    let listed = json!({"properties": {"a": {"enum": ["x", "y"]}, "b": {"const": {"c": 1}}}});
    impossible(json!({"path": "/a", "equals": "z"}), &listed, "lists");
    impossible(json!({"path": "/b/c", "equals": 2}), &listed, "lists");
    impossible(json!({"path": "/b/d", "exists": true}), listed, "lists");
    let array = json!({"properties": {"a": {"type": "array", "prefixItems": [{"type": "string"}], "items": false}}});
    impossible(json!({"path": "/a/1", "exists": true}), &array, "");
    impossible(json!({"path": "/a/0", "equals": 1}), &array, "string");
    impossible(
        json!({"path": "/a", "equals": 1, "each": true}),
        &array,
        "string",
    );
    impossible(
        json!({"path": "/a/b", "exists": true}),
        array,
        "has no fields",
    );
    let referred =
        json!({"$defs": {"n": {"type": "number"}}, "properties": {"a": {"$ref": "#/$defs/n"}}});
    impossible(json!({"path": "/a", "equals": "x"}), referred, "number");
}

#[test]
fn a_schema_refuses_through_its_branches_and_unknown_keys() {
    let all = json!({"allOf": [{"properties": {"a": {"type": "string"}}}]});
    impossible(json!({"path": "/a", "equals": 1}), all, "string");
    let any = json!({"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "boolean"}]}}});
    impossible(json!({"path": "/a", "equals": 1}), &any, "");
    possible(json!({"path": "/a", "equals": true}), any);
    impossible(
        json!({"path": "/a", "exists": false}),
        json!({"required": ["a"]}),
        "requires",
    );
    let unevaluated = json!({"properties": {"a": true}, "unevaluatedProperties": false});
    impossible(
        json!({"path": "/b", "exists": true}),
        unevaluated,
        "unevaluatedProperties",
    );
    let patterned =
        json!({"patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": false});
    impossible(
        json!({"path": "/y", "exists": true}),
        &patterned,
        "additionalProperties",
    );
    impossible(json!({"path": "/x-a", "equals": 1}), &patterned, "string");
    possible(json!({"path": "/x-a", "equals": "1"}), patterned);
}

#[test]
fn a_schema_passes_what_it_may_yield() {
    possible(json!({"path": "/a", "exists": true}), json!({}));
    possible(json!({"path": "/a", "exists": true}), json!(true));
    possible(
        json!({"path": "/a", "exists": false}),
        json!({"properties": {"a": {}}, "additionalProperties": false}),
    );
    possible(
        json!({"path": "/a/b", "exists": false}),
        json!({"required": ["a"], "properties": {"a": {"required": ["b"]}}}),
    );
    possible(
        json!({"path": "/a/0", "exists": true}),
        json!({"properties": {"a": {"type": ["array", "string"]}}}),
    );
    possible(
        json!({"path": "/a", "equals": 2.0}),
        json!({"properties": {"a": {"type": "integer"}}}),
    );
    possible(
        json!({"path": "/xy", "exists": true}),
        json!({"patternProperties": {"^x[a-z]$": {}}, "additionalProperties": false}),
    );
    possible(
        json!({"path": "/b", "exists": true}),
        json!({"anyOf": [{"properties": {"b": true}}], "unevaluatedProperties": false}),
    );
    let cyclic = json!({"$ref": "#"});
    possible(json!({"path": "/a", "exists": true}), cyclic);
    let wide = json!({"$defs": {"n": {"anyOf": [{"$ref": "#/$defs/n"}, {"$ref": "#/$defs/n"}]}}, "$ref": "#/$defs/n"});
    possible(json!({"path": "/a", "exists": true}), wide);
    let old = json!({"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"any": {}},
        "properties": {"a": {"$ref": "#/definitions/any", "type": "string"}}});
    possible(json!({"path": "/a", "equals": 1}), old);
    let nested = json!({"properties": {"a": {"$id": "https://x.example/a", "$ref": "#/$defs/t"}}, "$defs": {"t": {"type": "string"}}});
    possible(json!({"path": "/a", "equals": 1}), nested);
}
