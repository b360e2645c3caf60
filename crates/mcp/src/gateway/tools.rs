//! What a client is told of a tool: its definition as it was received, under our name, with its
//! texts cleaned.
//!
//! Keys that we do not know are passed on, since the pin covers them. What steers a validator
//! (names of properties, `enum`, `default`, `pattern`) is left as it is; only prose is cleaned.

use std::borrow::Cow;

use serde_json::{Value, json};
use tipstaff_registry::ToolEntry;
use tipstaff_schema::sanitization::sanitize;

use crate::message::Object;

/// The entry of `tools/list` for a tool.
pub(crate) fn shown(entry: &ToolEntry, name: &str) -> Value {
    let mut tool = match (&entry.server, entry.raw.as_ref()) {
        (Some(_), Value::Object(raw)) => raw.clone(),
        (Some(_) | None, _) => ours(entry),
    };
    for (key, value) in &mut tool {
        match key.as_str() {
            "inputSchema" | "outputSchema" => clean_prose(value),
            "icons" => keep_harmless(value),
            _ => clean_all(value),
        }
    }
    tool.insert("name".to_owned(), Value::String(name.to_owned()));
    Value::Object(tool)
}

/// A tool of ours in the form of a listing.
fn ours(entry: &ToolEntry) -> Object {
    let descriptor = &entry.descriptor;
    let hints = &descriptor.annotations;
    let mut tool = Object::new();
    tool.insert("description".to_owned(), json!(descriptor.description));
    tool.insert("inputSchema".to_owned(), descriptor.input_schema.clone());
    if let Some(schema) = &descriptor.output_schema {
        tool.insert("outputSchema".to_owned(), schema.clone());
    }
    let annotations = json!({
        "readOnlyHint": hints.read_only_hint,
        "destructiveHint": hints.destructive_hint,
        "idempotentHint": hints.idempotent_hint,
    });
    tool.insert("annotations".to_owned(), annotations);
    tool
}

fn clean(text: &mut String) {
    if let Cow::Owned(cleaned) = sanitize(text) {
        *text = cleaned;
    }
}

fn clean_all(value: &mut Value) {
    match value {
        Value::String(text) => clean(text),
        Value::Array(items) => items.iter_mut().for_each(clean_all),
        Value::Object(members) => members.values_mut().for_each(clean_all),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn clean_prose(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            for (key, value) in members {
                match value {
                    Value::String(text)
                        if matches!(key.as_str(), "description" | "title" | "$comment") =>
                    {
                        clean(text);
                    }
                    Value::Object(_) | Value::Array(_) => clean_prose(value),
                    Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(clean_prose),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Icons that a client can draw without running or reading anything of this machine.
fn keep_harmless(icons: &mut Value) {
    let Value::Array(icons) = icons else {
        *icons = json!([]);
        return;
    };
    icons.retain(|icon| {
        let source = icon.get("src").and_then(Value::as_str).unwrap_or_default();
        source.starts_with("https://")
            || source.starts_with("data:image/png")
            || source.starts_with("data:image/jpeg")
    });
}
