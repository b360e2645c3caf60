//! Calls made from a schema: one that fits, and ones that are wrong in one way each.
//!
//! Reads what servers write in practice, not all of JSON Schema; whether a call fits is asked of the
//! plain validator afterwards.

use serde_json::{Map, Value, json};

/// Deepest nesting of what is made.
const MAX_DEPTH: usize = 6;

/// A call that should fit: every declared key has a value, as in a thorough call.
pub(super) fn valid(schema: &Value) -> Option<Value> {
    let made = make(schema, schema, 0);
    made.is_object().then_some(made)
}

/// The same call with a required key gone, a value of another type, and a key too many.
pub(super) fn invalid(schema: &Value, call: &Value) -> Vec<Value> {
    let Some(members) = call.as_object() else {
        return Vec::new();
    };
    let with = |edit: &dyn Fn(&mut Map<String, Value>)| {
        let mut members = members.clone();
        edit(&mut members);
        Value::Object(members)
    };
    let mut wrong = Vec::new();
    let required = schema.get("required").and_then(Value::as_array);
    if let Some(key) = required.and_then(|keys| keys.first()?.as_str()) {
        wrong.push(with(&|members| drop(members.remove(key))));
    }
    let typed = |key: &&String| {
        let kind = schema.pointer(&format!("/properties/{key}/type"));
        kind.is_some_and(Value::is_string)
    };
    if let Some(key) = members.keys().find(typed) {
        let other = if members[key.as_str()].is_boolean() {
            json!("x")
        } else {
            json!(true)
        };
        wrong.push(with(&|members| {
            drop(members.insert(key.clone(), other.clone()))
        }));
    }
    let closed = |word: &str| schema.get(word).is_none_or(|value| *value == json!(false));
    if closed("additionalProperties") && schema.get("patternProperties").is_none() {
        wrong.push(with(&|members| {
            drop(members.insert("notDeclared".to_owned(), json!(1)))
        }));
    }
    wrong
}

fn make(root: &Value, schema: &Value, depth: usize) -> Value {
    let Some(words) = schema.as_object() else {
        return json!("any");
    };
    let text = |word: &str| words.get(word).and_then(Value::as_str);
    if let Some(target) = text("$ref").and_then(|r| root.pointer(r.trim_start_matches('#'))) {
        return if depth > MAX_DEPTH {
            json!(null)
        } else {
            make(root, target, depth + 1)
        };
    }
    if let Some(value) = words.get("const") {
        return value.clone();
    }
    if let Some(value) = words.get("enum").and_then(|list| list.get(0)) {
        return value.clone();
    }
    for word in ["anyOf", "oneOf", "allOf"] {
        if let Some(first) = words.get(word).and_then(|list| list.get(0))
            && !words.contains_key("properties")
        {
            return make(root, first, depth + 1);
        }
    }
    let kind = match words.get("type") {
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str),
        kind => kind.and_then(Value::as_str),
    };
    let number = |word: &str| words.get(word).and_then(Value::as_i64);
    match kind {
        Some("string") => string(words),
        Some("integer" | "number") => {
            let least = number("minimum").or(number("exclusiveMinimum").map(|n| n + 1));
            let most = number("maximum").or(number("exclusiveMaximum").map(|n| n - 1));
            json!(least.unwrap_or(7.min(most.unwrap_or(7))))
        }
        Some("boolean") => json!(true),
        Some("null") => json!(null),
        Some("array") => {
            let items = words.get("items").unwrap_or(&Value::Null);
            let count = number("minItems").unwrap_or(2).max(1);
            let count = number("maxItems").map_or(count, |most| count.min(most));
            (0..count).map(|_| make(root, items, depth + 1)).collect()
        }
        Some("object") | None if kind.is_some() || words.contains_key("properties") => {
            object(root, words, depth)
        }
        _ => json!("any"),
    }
}

fn object(root: &Value, words: &Map<String, Value>, depth: usize) -> Value {
    let required = words.get("required").and_then(Value::as_array);
    let needed = |key: &str| required.is_some_and(|keys| keys.iter().any(|name| name == key));
    let properties = words.get("properties").and_then(Value::as_object);
    let members = properties.into_iter().flatten();
    let members = members.filter(|(key, _)| depth <= MAX_DEPTH || needed(key));
    members
        .map(|(key, schema)| (key.clone(), make(root, schema, depth + 1)))
        .collect::<Map<_, _>>()
        .into()
}

fn string(words: &Map<String, Value>) -> Value {
    let made = match words.get("format").and_then(Value::as_str) {
        Some("uri") => "https://example.test/a/b?c=d".to_owned(),
        Some("date-time") => "2026-01-01T00:00:00Z".to_owned(),
        Some("date") => "2026-01-01".to_owned(),
        Some("email") => "ana@example.test".to_owned(),
        Some("uuid") => "00000000-0000-4000-8000-000000000001".to_owned(),
        _ => "/srv/data/report-2026.txt".to_owned(),
    };
    let length = |word: &str| words.get(word).and_then(Value::as_u64).map(|n| n as usize);
    let made = match length("maxLength") {
        Some(most) if made.len() > most => made.chars().take(most).collect(),
        _ => made,
    };
    let missing = length("minLength").unwrap_or(0).saturating_sub(made.len());
    json!(format!("{made}{}", "x".repeat(missing)))
}
