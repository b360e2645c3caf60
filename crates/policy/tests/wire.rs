//! Judges every golden vector against both its type and the type's schema.
//!
//! A vector is a promise: what is valid here was written by somebody, and stays valid. For a rule
//! the type judges more than the schema can say, so beyond the vectors only one way is asked: the
//! schema never refuses a rule that is read.
#![expect(clippy::unwrap_used, clippy::panic, reason = "test binary")]
#![expect(
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "test binary; the vectors are files"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tipstaff_policy::wire::{DecisionWire, RuleWire};
use tipstaff_policy::{PolicySet, World, wire_schemas};
use tipstaff_schema::parse_strict;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wire/v1")
}

/// Reads a value as the type and writes it again.
type Judge = fn(&Value) -> Result<Value, String>;

fn rule(value: &Value) -> Result<Value, String> {
    let wire: RuleWire =
        serde_json::from_value(value.clone()).map_err(|error| error.to_string())?;
    let (set, _) =
        PolicySet::compile(vec![wire], &World::default()).map_err(|bad| format!("{bad:?}"))?;
    Ok(set.rules()[0].to_wire().clone())
}

fn decision(value: &Value) -> Result<Value, String> {
    let wire: DecisionWire =
        serde_json::from_value(value.clone()).map_err(|error| error.to_string())?;
    serde_json::to_value(wire).map_err(|error| error.to_string())
}

fn judge_of(name: &str) -> Judge {
    match name {
        "policy_rule" => rule,
        "policy_decision" => decision,
        other => panic!("the schema `{other}` has no judge"),
    }
}

/// The vectors of one type: file name and value.
fn vectors(name: &str, verdict: &str) -> Vec<(String, Value)> {
    let folder = folder().join(name).join(verdict);
    let files =
        fs::read_dir(&folder).unwrap_or_else(|_| panic!("`{}` is missing", folder.display()));
    let read = |path: &Path| parse_strict(&fs::read(path).unwrap()).unwrap();
    files
        .map(|file| file.unwrap().path())
        .map(|path| (path.display().to_string(), read(&path)))
        .collect()
}

#[test]
fn type_and_schema_agree_on_every_vector() {
    for (name, schema) in wire_schemas() {
        let judge = judge_of(name);
        let schema = jsonschema::validator_for(&schema).unwrap();
        let (valid, invalid) = (vectors(name, "valid"), vectors(name, "invalid"));
        assert!(!valid.is_empty() && invalid.len() >= 2, "`{name}`");
        for (file, value) in valid {
            let written = judge(&value).unwrap_or_else(|error| panic!("{file}: {error}"));
            assert!(schema.is_valid(&value), "{file}: the schema refuses it");
            assert!(
                schema.is_valid(&written),
                "{file}: the schema refuses what we write: {written}"
            );
            assert_eq!(
                judge(&written),
                Ok(written),
                "{file}: writing it twice differs"
            );
        }
        for (file, value) in invalid {
            assert!(judge(&value).is_err(), "{file}: the type takes it");
            assert!(!schema.is_valid(&value), "{file}: the schema takes it");
        }
    }
}

/// Values of every kind, to stand where another was.
fn others() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(7),
        json!(-1),
        json!(1.5),
        json!(""),
        json!(" "),
        json!("x"),
        json!("*"),
        json!("08:00"),
        json!("10m"),
        json!("deny"),
        json!("any"),
        json!([]),
        json!(["x"]),
        json!({}),
        json!({ "path": "/x" }),
    ]
}

/// Every document one step away: a member gone, added or replaced, at any depth.
fn steps(value: &Value) -> Vec<Value> {
    let mut found = others();
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                let mut without = map.clone();
                without.remove(key);
                found.push(Value::Object(without));
                for other in steps(inner) {
                    let mut with = map.clone();
                    with.insert(key.clone(), other);
                    found.push(Value::Object(with));
                }
            }
            for key in [
                "guard", "until", "mind_id", "when", "fresh", "reason", "nonsense",
            ] {
                for other in others() {
                    let mut with = map.clone();
                    with.entry(key).or_insert(other);
                    found.push(Value::Object(with));
                }
            }
        }
        Value::Array(items) => {
            for (place, inner) in items.iter().enumerate() {
                for other in steps(inner) {
                    let mut with = items.clone();
                    with[place] = other;
                    found.push(Value::Array(with));
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    found
}

#[test]
fn the_schema_never_refuses_what_is_read() {
    let mut taken = 0;
    for (name, schema) in wire_schemas() {
        let judge = judge_of(name);
        let schema = jsonschema::validator_for(&schema).unwrap();
        for (file, value) in vectors(name, "valid")
            .iter()
            .chain(&vectors(name, "invalid"))
        {
            for step in steps(value) {
                if judge(&step).is_ok() {
                    taken += 1;
                    assert!(schema.is_valid(&step), "{file}: {step}");
                }
            }
        }
    }
    assert!(taken > 200, "only {taken} documents were read at all");
}

#[test]
fn every_folder_belongs_to_a_type() {
    let known: BTreeSet<_> = wire_schemas()
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .collect();
    let folders = fs::read_dir(folder()).unwrap();
    let there: BTreeSet<_> = folders
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(there, known);
}
