//! Which keys a schema declares, also where it forgets to close itself.

use super::schema::{check, check_whole};
use super::*;
use crate::{UnknownParams, Validator};

#[test]
fn keys_that_the_schema_forgets_to_close_are_refused() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "object", "properties": { "b": {} } } } });
    check_whole(
        &schema,
        json!({ "x": 1 }),
        &["`/x`: found 1, wanted no such key: the schema declares `a`"],
    );
    check_whole(
        &schema,
        json!({ "a": { "b": { "any": 1 }, "x": 1 } }),
        &["`/a/x`: found 1, wanted no such key: the schema declares `b`"],
    );
    check_whole(
        &json!({ "type": "object" }),
        json!({ "x": 1 }),
        &["`/x`: found 1, wanted no such key: the schema declares no key"],
    );
    check_whole(&json!({ "type": "object" }), json!({}), &[]);
}

#[test]
fn keys_that_the_schema_declares_open_pass() {
    check(json!({ "type": "object" }), json!({ "x": 1 }), true);
    check(
        json!({ "type": "object", "properties": {} }),
        json!({ "x": 1 }),
        false,
    );
    check(
        json!({ "additionalProperties": true }),
        json!({ "x": 1 }),
        true,
    );
    check(
        json!({ "additionalProperties": { "properties": { "y": {} } } }),
        json!({ "x": { "y": 1 } }),
        true,
    );
    check(
        json!({ "additionalProperties": { "properties": { "y": {} } } }),
        json!({ "x": { "z": 1 } }),
        false,
    );
    check(
        json!({ "patternProperties": { "^x": { "type": "integer" } } }),
        json!({ "x1": 1 }),
        true,
    );
    check(
        json!({ "patternProperties": { "^x": { "type": "integer" } } }),
        json!({ "y1": 1 }),
        false,
    );
    check(
        json!({ "items": { "properties": { "y": {} } } }),
        json!([{ "y": 1 }, { "z": 1 }]),
        false,
    );
}

#[test]
fn alternatives_declare_keys_together() {
    check(
        json!({ "anyOf": [{ "type": "object" }, { "properties": { "y": {} } }] }),
        json!({ "z": 1 }),
        true,
    );
    check(
        json!({ "anyOf": [{ "properties": { "x": {} } }, { "properties": { "y": {} } }] }),
        json!({ "y": 1 }),
        true,
    );
    check(
        json!({ "properties": { "y": {} }, "anyOf": [{ "required": ["y"] }, {}] }),
        json!({ "z": 1 }),
        false,
    );
    check(
        json!({ "allOf": [{ "properties": { "x": {} } }, { "properties": { "y": {} } }] }),
        json!({ "x": 1, "y": 1 }),
        true,
    );
    check(
        json!({ "if": { "properties": { "x": { "const": 1 } } }, "then": { "properties": { "y": {} } } }),
        json!({ "x": 1, "y": 1 }),
        true,
    );
}

#[test]
fn the_operator_may_let_unknown_keys_pass() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "integer" } } });
    let open = Validator::compile(&schema, UnknownParams::Allow).unwrap();
    assert_eq!(open.check(&json!({ "x": 1 })), Ok(()));
    assert!(open.check(&json!({ "a": "x" })).is_err());
    assert!(open.check(&json!([])).is_err());
}
