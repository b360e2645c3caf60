//! The own parameter table.

use super::*;
use crate::{ParamTable, UnknownParams, Validator};

fn table() -> ParamTable {
    serde_json::from_value(json!({
        "name": { "type": "string", "required": true, "max_len": 4, "description": "who" },
        "n": { "type": "int" },
        "on": { "type": "bool" },
        "to": { "type": "url" },
        "at": { "type": "path" },
    }))
    .unwrap()
}

#[track_caller]
fn check(mut params: Value, want: &[&str]) {
    let members = params.as_object_mut().unwrap();
    members.entry("name").or_insert_with(|| json!("ana"));
    let validator = Validator::compile(&table().to_schema(), UnknownParams::Refuse).unwrap();
    let got = validator.check(&params).err().unwrap_or_default();
    assert_eq!(
        got.iter().map(ToString::to_string).collect::<Vec<_>>(),
        want,
        "{params}"
    );
}

#[test]
fn each_type_is_checked() {
    check(
        json!({ "n": 3, "on": true, "to": "https://a.test/x", "at": "b/c" }),
        &[],
    );
    check(json!({ "n": 3.0 }), &[]);
    check(json!({ "n": 3.9 }), &["`/n`: found 3.9, wanted an integer"]);
    check(
        json!({ "n": "3" }),
        &["`/n`: found \"3\", wanted an integer"],
    );
    check(
        json!({ "on": "true" }),
        &["`/on`: found \"true\", wanted a boolean"],
    );
    check(
        json!({ "to": "a.test" }),
        &["`/to`: found \"a.test\", wanted an absolute URL"],
    );
    check(
        json!({ "at": "a\u{0}b" }),
        &["`/at`: found \"a\\u{0}b\", wanted a path of a file or folder"],
    );
    check(
        json!({ "other": 1 }),
        &[
            "`/other`: found 1, wanted no such key: the schema declares `at`, `n`, `name`, `on`, `to`",
        ],
    );
}

#[test]
fn lengths_are_in_bytes() {
    check(json!({ "name": "éé" }), &[]);
    check(
        json!({ "name": "ééé" }),
        &["`/name`: found \"ééé\", wanted at most 4 bytes"],
    );
    check(
        json!({ "name": "abcde" }),
        &[
            "`/name`: found \"abcde\", wanted at most 4 bytes",
            "`/name`: found \"abcde\", wanted at most 4 characters",
        ],
    );
}

#[test]
fn required_means_required() {
    let validator = Validator::compile(&table().to_schema(), UnknownParams::Refuse).unwrap();
    let errors = validator.check(&json!({})).unwrap_err();
    assert_eq!(
        errors.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["``: found no such key, wanted the key \"name\""]
    );
}
