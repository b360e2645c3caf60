//! Foreign schemas: what compiles, what is refused, and what they then let pass.

#![expect(
    clippy::needless_pass_by_value,
    reason = "literals read better without a reference"
)]

use tipstaff_schema::parse_strict;

use super::*;
use crate::{UnknownParams, Validator};

#[track_caller]
pub(super) fn compiled(schema: &Value) -> Validator {
    Validator::compile(schema, UnknownParams::Refuse).unwrap_or_else(|error| panic!("{error}"))
}

/// `value` stands under the key `a`, whose schema this is.
#[track_caller]
pub(super) fn check(schema: Value, value: Value, want: bool) {
    let whole = json!({ "type": "object", "properties": { "a": schema } });
    let got = compiled(&whole).check(&json!({ "a": value }));
    assert_eq!(got.is_ok(), want, "{whole} with {value}: {got:?}");
}

#[track_caller]
pub(super) fn check_whole(schema: &Value, value: Value, want: &[&str]) {
    let got = compiled(schema).check(&value).err().unwrap_or_default();
    assert_eq!(
        got.iter().map(ToString::to_string).collect::<Vec<_>>(),
        want,
        "{value}"
    );
}

#[track_caller]
pub(super) fn check_refused(schema: &Value, want: &str) {
    let error = Validator::compile(schema, UnknownParams::Refuse).unwrap_err();
    assert_eq!(error.to_string(), want);
}

#[test]
fn c115_nothing_outside_the_document_is_followed() {
    for (word, reference) in [
        ("$ref", "http://169.254.169.254/x"),
        ("$ref", "file:///etc/passwd"),
        ("$ref", "other.json#/x"),
        ("$dynamicRef", "https://evil.test/s"),
    ] {
        let schema = json!({ "type": "object", "properties": { "a": { word: reference } } });
        let error = Validator::compile(&schema, UnknownParams::Refuse)
            .unwrap_err()
            .to_string();
        assert!(error.contains(reference.trim_end_matches("#/x")), "{error}");
        assert!(Validator::compile(&schema, UnknownParams::Allow).is_err());
        assert!(Validator::compile_output(&schema).is_err());
    }
    check_refused(
        &json!({ "type": "object", "$schema": "https://evil.test/meta" }),
        "schema refers to `https://evil.test/meta`, which is not in the document: only references inside it are followed",
    );
}

#[test]
fn c115_references_inside_the_document_work() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "definitions": { "n": { "type": "integer" } },
        "$defs": { "m": { "$anchor": "m", "type": "integer" } },
        "properties": { "a": { "$ref": "#/definitions/n" }, "b": { "$ref": "http://json-schema.org/draft-07/schema#" } },
    });
    check_whole(
        &schema,
        json!({ "a": 1, "b": { "type": "string", "x-any": 1 } }),
        &[],
    );
    check_whole(
        &schema,
        json!({ "a": "x" }),
        &["`/a`: found \"x\", wanted an integer"],
    );
}

#[test]
fn c118_a_mistyped_value_is_refused_with_its_place() {
    check_refused(
        &json!({ "type": "object", "properties": { "zip": { "type": "intger" } } }),
        "schema at `/properties/zip/type`: `\"intger\"` is not valid here: one of 2 alternatives: one of \"array\", \"boolean\", \"integer\", \"null\", \"number\", \"object\", \"string\", or an array",
    );
    check_refused(
        &json!({ "type": "object", "required": "a" }),
        "schema at `/required`: `\"a\"` is not valid here: an array",
    );
}

#[test]
fn c118_a_mistyped_word_is_told() {
    let told = |schema: Value| {
        crate::schema_lint::lint(&schema)
            .into_iter()
            .map(|finding| finding.why)
            .collect::<Vec<_>>()
    };
    let near = |at: &str, word: &str| {
        format!(
            "`/inputSchema{at}`: no word of JSON Schema and so without effect; `{word}` was meant?"
        )
    };
    assert_eq!(
        told(json!({ "properties": { "a": { "minimun": 3 } } })),
        [near("/properties/a/minimun", "minimum")]
    );
    assert_eq!(
        told(json!({ "additionalPropertis": false })),
        [near("/additionalPropertis", "additionalProperties")]
    );
    assert_eq!(
        told(json!({ "maxlength": 3 })),
        [near("/maxlength", "maxLength")]
    );
    // Names of parameters are no words of the schema, nor are words of other vocabularies.
    assert_eq!(
        told(json!({ "properties": { "tiype": {} }, "x-order": 1, "markdownDescription": "" })),
        [""; 0]
    );
}

#[test]
fn c119_words_that_do_nothing_or_block_everything() {
    check(
        json!({ "type": "string", "nullable": true }),
        json!(null),
        false,
    );
    // Formats are annotations; pinned here, since acting on one is a change for every server.
    check(json!({ "format": "date" }), json!("nope"), true);
    check(
        json!({ "allOf": [{ "properties": { "b": {} } }], "additionalProperties": false }),
        json!({ "b": 1 }),
        false,
    );
    check(json!({ "type": ["string", "null"] }), json!(null), true);
    check(
        json!({ "required": ["b"], "properties": { "b": {} } }),
        json!({ "b": null }),
        true,
    );
    check(json!({ "pattern": "^a$" }), json!("a\n"), false);
    check(json!({ "maxLength": 1 }), json!("\u{1F600}"), true);
}

#[test]
fn c145_whole_floats_are_integers() {
    let integer = || json!({ "type": "integer" });
    for (text, want) in [
        ("1.0", true),
        ("1e2", true),
        ("3.0", true),
        ("3.9", false),
        ("1.5", false),
        ("\"1\"", false),
        ("true", false),
        ("-0.0", true),
    ] {
        check(integer(), parse_strict(text.as_bytes()).unwrap(), want);
    }
    // Valid by the schema, and refused at the door, where a number that is not held exactly stops.
    check(
        integer(),
        serde_json::from_str("18446744073709551616").unwrap(),
        true,
    );
    assert!(parse_strict(b"18446744073709551616").is_err());
    check(json!({ "maximum": u64::MAX }), json!(u64::MAX), true);
    check(json!({ "maximum": u64::MAX - 1 }), json!(u64::MAX), false);
}

#[test]
fn the_draft_is_the_one_that_the_schema_names() {
    let tuple = |draft: &str| json!({ "$schema": draft, "properties": { "a": { "items": [{ "type": "integer" }] } } });
    assert!(
        Validator::compile(
            &tuple("http://json-schema.org/draft-04/schema#"),
            UnknownParams::Refuse
        )
        .is_ok()
    );
    assert!(
        Validator::compile(
            &tuple("http://json-schema.org/draft-07/schema#"),
            UnknownParams::Refuse
        )
        .is_ok()
    );
    // Without a draft it is 2020-12, where a list of items is called `prefixItems`.
    check(
        json!({ "prefixItems": [{ "type": "integer" }] }),
        json!(["x"]),
        false,
    );
}

#[test]
fn errors_name_place_find_and_wish() {
    let schema = json!({
        "type": "object", "required": ["a", "b"],
        "properties": { "a": { "enum": ["x", "y"] }, "b": { "minimum": 3 }, "l": { "items": { "type": "string" } } },
    });
    check_whole(
        &schema,
        json!({ "a": "z\u{1b}[31m\u{202e}", "l": ["x", 1] }),
        &[
            "``: found no such key, wanted the key \"b\"",
            "`/a`: found \"z\\u{1b}[31m\\u{202e}\", wanted one of \"x\", \"y\"",
            "`/l/1`: found 1, wanted a string",
        ],
    );
    check_whole(
        &schema,
        json!("text"),
        &["``: found \"text\", wanted an object"],
    );
}
