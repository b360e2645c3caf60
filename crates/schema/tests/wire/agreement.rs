//! Type and schema agree not only on the vectors but on every document that is one step away.

use serde_json::{Map, Value, json};
use tipstaff_schema::{parse_strict, wire_schemas};

use crate::judges::judge_of;
use crate::vectors::vectors;

/// What takes the place of each part of a document in turn.
fn replacements() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1),
        json!(1.000_000_01),
        json!(0.5),
        json!(-1e-50),
        json!(65_535),
        json!(65_536),
        json!(u64::MAX),
        json!(i64::MIN),
        json!({"read": null}),
        json!(["terminal"]),
        json!(""),
        json!(" "),
        json!("a"),
        json!("A b"),
        json!("\u{0}"),
        json!("\u{202e}"),
        json!("é"),
        json!("x".repeat(300)),
        json!("local"),
        json!("read"),
        json!("terminal"),
        json!("intent-token/2"),
        json!("6f9619ff-8b86-4011-b42d-00c04fc964ff"),
        json!("6F9619FF-8B86-4011-B42D-00C04FC964FF"),
        json!("6f9619ff8b864011b42d00c04fc964ff"),
        json!("{6f9619ff-8b86-4011-b42d-00c04fc964ff}"),
        json!("urn:uuid:6f9619ff-8b86-4011-b42d-00c04fc964ff"),
        json!("2026-03-01T09:30:00Z"),
        json!("2026-03-01t09:30:00z"),
        json!("2026-03-01 09:30:00Z"),
        json!("2026-03-01T09:30:00+02:00"),
        json!("2026-03-01T09:30:00+0200"),
        json!("2026-03-01T09:30:00 +02:00"),
        json!("2026-03-01T09:30:00"),
        json!("2026-03-01T09:30Z"),
        json!("2026-3-1T9:30:00Z"),
        json!("2026-02-30T09:30:00Z"),
        json!("2026-03-01T24:00:00Z"),
        json!("2016-12-31T23:59:60Z"),
        json!("2026-03-01T09:30:00.123456789123Z"),
        json!("+12026-03-01T09:30:00Z"),
        json!([]),
        json!([null]),
        json!(["a"]),
        json!([1.5]),
        json!({}),
        json!({"a": 1}),
        json!({"namespace": "", "action": "x"}),
    ]
}

/// Every document that differs from this one in one place: a part replaced, a key left out, a key
/// more, an object as an array of its members, a word as the key of an object.
fn neighbours(document: &Value) -> Vec<Value> {
    let mut all = replacements();
    match document {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                for changed in neighbours(item) {
                    let mut items = items.clone();
                    items[index] = changed;
                    all.push(Value::Array(items));
                }
            }
        }
        Value::Object(members) => {
            all.extend(members.keys().map(|key| without(members, key)));
            all.push(with(members, "unknown", json!(1)));
            all.push(members.values().cloned().collect());
            for tag in ["kind", "op", "source"]
                .iter()
                .filter_map(|tag| members.get(*tag))
            {
                all.push(
                    std::iter::once(tag)
                        .chain(members.values())
                        .cloned()
                        .collect(),
                );
            }
            for (key, member) in members {
                all.extend(
                    neighbours(member)
                        .into_iter()
                        .map(|new| with(members, key, new)),
                );
            }
        }
        Value::String(word) => all.push(json!({ word: null })),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    all
}

fn without(members: &Map<String, Value>, key: &str) -> Value {
    let kept = members.iter().filter(|(other, _)| *other != key);
    Value::Object(
        kept.map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
    )
}

fn with(members: &Map<String, Value>, key: &str, value: Value) -> Value {
    let mut members = members.clone();
    members.insert(key.to_owned(), value);
    Value::Object(members)
}

#[test]
fn type_and_schema_agree_on_every_document_one_step_from_a_vector() {
    let mut tried = 0;
    let mut apart = Vec::new();
    for (name, schema) in wire_schemas() {
        let judge = judge_of(name);
        let schema = jsonschema::options()
            .should_validate_formats(true)
            .build(&schema)
            .unwrap();
        for (file, text) in vectors(name, "valid") {
            for document in neighbours(&parse_strict(&text).unwrap()) {
                tried += 1;
                let taken = judge(document.to_string().as_bytes());
                if taken.is_ok() != schema.is_valid(&document) {
                    apart.push(format!(
                        "{name}, from {file}: type {taken:?}, document {document}"
                    ));
                }
            }
        }
    }
    assert!(tried > 15_000, "{tried}");
    assert!(
        apart.is_empty(),
        "{} apart:\n{}",
        apart.len(),
        apart.join("\n")
    );
}
