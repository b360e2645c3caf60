//! Each draft is read as itself, and none of them reaches outside its document.

#![expect(
    clippy::needless_pass_by_value,
    reason = "literals read better without a reference"
)]

use super::schema::{check_refused, check_whole, compiled};
use super::*;
use crate::{UnknownParams, Validator};

const D4: &str = "http://json-schema.org/draft-04/schema#";
const D6: &str = "http://json-schema.org/draft-06/schema#";
const D7: &str = "http://json-schema.org/draft-07/schema#";
const D19: &str = "https://json-schema.org/draft/2019-09/schema";
const D20: &str = "https://json-schema.org/draft/2020-12/schema";

fn valid(schema: &Value, value: Value) -> bool {
    compiled(schema).check(&value).is_ok()
}

fn under(draft: &str, schema: Value) -> Value {
    json!({ "$schema": draft, "type": "object", "properties": { "a": schema } })
}

#[test]
fn every_draft_from_4_to_2020_12_checks_types_and_closes_keys() {
    for draft in [D4, D6, D7, D19, D20] {
        let schema = under(draft, json!({ "type": "integer" }));
        assert!(valid(&schema, json!({ "a": 3 })), "{draft}");
        assert!(!valid(&schema, json!({ "a": "3" })), "{draft}");
        assert!(!valid(&schema, json!({ "b": 3 })), "{draft}");
        assert!(valid(&schema, json!({ "a": u64::MAX })), "{draft}");
    }
}

#[test]
fn the_same_word_means_what_its_draft_says() {
    let exclusive = |draft| {
        valid(
            &under(draft, json!({ "minimum": 3, "exclusiveMinimum": true })),
            json!({ "a": 3 }),
        )
    };
    assert!(!exclusive(D4), "a boolean in draft 4");
    for draft in [D6, D7, D19, D20] {
        let boolean = under(draft, json!({ "exclusiveMinimum": true }));
        assert!(
            Validator::compile(&boolean, UnknownParams::Refuse).is_err(),
            "{draft}"
        );
        assert!(
            !valid(
                &under(draft, json!({ "exclusiveMinimum": 3 })),
                json!({ "a": 3 })
            ),
            "{draft}"
        );
    }
    let constant = |draft| valid(&under(draft, json!({ "const": 1 })), json!({ "a": 2 }));
    assert!(constant(D4), "draft 4 knows no `const`");
    assert!([D6, D7, D19, D20].into_iter().all(|draft| !constant(draft)));
    let choice = json!({ "if": { "const": 1 }, "then": false });
    assert!(
        [D4, D6]
            .into_iter()
            .all(|draft| valid(&under(draft, choice.clone()), json!({ "a": 1 })))
    );
    assert!(
        [D7, D19, D20]
            .into_iter()
            .all(|draft| !valid(&under(draft, choice.clone()), json!({ "a": 1 })))
    );
    let tuple = json!({ "items": [{ "type": "integer" }] });
    assert!(
        [D4, D6, D7, D19]
            .into_iter()
            .all(|draft| !valid(&under(draft, tuple.clone()), json!({ "a": ["x"] })))
    );
    let prefix = json!({ "prefixItems": [{ "type": "integer" }] });
    assert!(!valid(&under(D20, prefix.clone()), json!({ "a": ["x"] })));
    assert!(valid(&under(D19, prefix), json!({ "a": ["x"] })));
    let needs = json!({ "dependentRequired": { "x": ["y"] }, "additionalProperties": true });
    assert!(
        [D19, D20]
            .into_iter()
            .all(|draft| !valid(&under(draft, needs.clone()), json!({ "a": { "x": 1 } })))
    );
}

#[test]
fn recursion_by_each_draft_s_own_word_works() {
    let by = |draft: &str, anchor: Value, reference: Value| {
        let mut schema = json!({ "$schema": draft, "type": "object", "properties": { "n": { "type": "integer" }, "next": reference } });
        for (key, value) in anchor.as_object().unwrap() {
            schema[key] = value.clone();
        }
        check_whole(
            &schema,
            json!({ "n": 1, "next": { "n": 2, "next": {} } }),
            &[],
        );
        check_whole(
            &schema,
            json!({ "next": { "next": { "n": "x" } } }),
            &["`/next/next/n`: found \"x\", wanted an integer"],
        );
        check_whole(
            &schema,
            json!({ "next": { "other": 1 } }),
            &["`/next/other`: found 1, wanted no such key: the schema declares `n`, `next`"],
        );
    };
    by(D4, json!({}), json!({ "$ref": "#" }));
    by(D7, json!({}), json!({ "$ref": "#" }));
    by(
        D19,
        json!({ "$recursiveAnchor": true }),
        json!({ "$recursiveRef": "#" }),
    );
    by(
        D20,
        json!({ "$dynamicAnchor": "node" }),
        json!({ "$dynamicRef": "#node" }),
    );
    by(
        D20,
        json!({ "$anchor": "node" }),
        json!({ "$ref": "#node" }),
    );
}

#[test]
fn c115_no_base_makes_a_reference_reach_outside() {
    for base in [
        "file:///etc/",
        "http://127.0.0.1:9/",
        "https://evil.test/a/b",
        "urn:x:y",
    ] {
        for reference in [
            "passwd",
            "./passwd",
            "../passwd",
            "//evil.test/x",
            "x#/y",
            "file:passwd",
        ] {
            let schema = json!({ "$id": base, "type": "object", "properties": { "a": { "$ref": reference } } });
            for unknown in [UnknownParams::Refuse, UnknownParams::Allow] {
                let error = Validator::compile(&schema, unknown)
                    .unwrap_err()
                    .to_string();
                assert!(
                    error.contains("only references inside it are followed"),
                    "{base} {reference}: {error}"
                );
            }
        }
        // A base by itself is a name and nothing more.
        let schema = json!({
            "$id": base, "type": "object", "properties": { "a": { "$ref": "#/$defs/n" } },
            "$defs": { "n": { "type": "integer" } },
        });
        check_whole(
            &schema,
            json!({ "a": "x" }),
            &["`/a`: found \"x\", wanted an integer"],
        );
    }
}

#[test]
fn c115_no_place_of_a_reference_reaches_outside() {
    let away = json!({ "$ref": "file:///etc/passwd" });
    for holder in [
        json!({ "items": away }),
        json!({ "allOf": [away] }),
        json!({ "anyOf": [{}, away] }),
        json!({ "not": away }),
        json!({ "if": away }),
        json!({ "dependentSchemas": { "x": away } }),
        json!({ "patternProperties": { "x": away } }),
        json!({ "propertyNames": away }),
        json!({ "additionalProperties": away }),
        json!({ "unevaluatedProperties": away }),
        json!({ "contains": away }),
        json!({ "prefixItems": [away] }),
    ] {
        check_refused(
            &json!({ "type": "object", "properties": { "a": holder } }),
            "schema refers to `file:///etc/passwd`, which is not in the document: only references inside it are followed",
        );
    }
    // What is data is no reference.
    let schema = json!({ "type": "object", "properties": { "a": { "enum": [away], "default": away }, "$ref": { "type": "string" } } });
    check_whole(
        &schema,
        json!({ "a": { "$ref": "file:///etc/passwd" }, "$ref": "x" }),
        &[],
    );
    // In the drafts before 2019-09 what stands beside `$ref` is not looked at; what is outside still is.
    check_refused(
        &json!({ "$schema": D7, "type": "object", "properties": { "a": { "$ref": "http://evil.test/x", "type": "string" } } }),
        "schema refers to `http://evil.test/x`, which is not in the document: only references inside it are followed",
    );
}

#[test]
fn nothing_of_a_meta_schema_s_host_is_fetched() {
    // What is known by heart is answered from memory, see c115; anything else of that host is not.
    for other in [
        "http://json-schema.org/evil",
        "https://json-schema.org/draft/2077-01/schema",
    ] {
        let schema = json!({ "type": "object", "properties": { "a": { "$ref": other } } });
        assert!(
            Validator::compile(&schema, UnknownParams::Refuse).is_err(),
            "{other}"
        );
        let schema = json!({ "$schema": other, "type": "object" });
        assert!(
            Validator::compile(&schema, UnknownParams::Refuse).is_err(),
            "{other}"
        );
    }
}

#[test]
fn big_integers_are_compared_exactly() {
    let schema = |word: &str, limit: u64| json!({ "type": "object", "properties": { "a": { word: limit } } });
    let big = 9_007_199_254_740_993_u64;
    for (word, limit, value, want) in [
        ("maximum", big - 1, big, false),
        ("maximum", big, big, true),
        ("minimum", big, big - 1, false),
        ("exclusiveMaximum", big, big, false),
        ("exclusiveMinimum", big - 1, big, true),
        ("const", big, big - 1, false),
        ("const", u64::MAX, u64::MAX, true),
        ("multipleOf", 2, big, false),
        ("multipleOf", 3, big, true),
    ] {
        assert_eq!(
            valid(&schema(word, limit), json!({ "a": value })),
            want,
            "{word} {limit} {value}"
        );
    }
    let listed = json!({ "type": "object", "properties": { "a": { "enum": [big, i64::MIN] } } });
    assert!(valid(&listed, json!({ "a": i64::MIN })));
    assert!(!valid(&listed, json!({ "a": i64::MIN + 1 })));
    assert!(!valid(&listed, json!({ "a": big - 1 })));
    let unique = json!({ "type": "object", "properties": { "a": { "uniqueItems": true } } });
    assert!(valid(&unique, json!({ "a": [big, big - 1] })));
    assert!(!valid(&unique, json!({ "a": [big, big] })));
}
