//! The one door through which text from outside reaches an approver's eyes.
//!
//! Nothing is cut. What cannot be seen is spelled out, and long runs of blanks, which push text off a
//! screen, are shown as their number. Both marks use brackets that text from outside cannot contain.

use serde_json::Value;
use tipstaff_schema::sanitization::sanitize_for_display;

/// A run of blanks longer than this is shown as its number.
const LONGEST_RUN: usize = 8;

/// Plain text as one line that is safe to show.
pub(crate) fn clean(text: &str) -> String {
    sanitize_for_display(&collapse(text))
}

/// A JSON value as one line that is safe to show; strings keep their quotes.
pub(crate) fn clean_json(value: &Value) -> String {
    sanitize_for_display(&collapsed(value).to_string())
}

/// Whether a text holds characters that cannot be seen or that move others (newlines and tabs aside).
pub(crate) fn hides(text: &str) -> bool {
    text.split(['\n', '\t'])
        .any(|part| sanitize_for_display(part) != part)
}

/// Whether any string or key in a value does.
pub(crate) fn json_hides(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
        Value::String(text) => hides(text),
        Value::Array(items) => items.iter().any(json_hides),
        Value::Object(members) => members
            .iter()
            .any(|(key, value)| hides(key) || json_hides(value)),
    }
}

fn collapsed(value: &Value) -> Value {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        Value::String(text) => Value::String(collapse(text)),
        Value::Array(items) => items.iter().map(collapsed).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| (collapse(key), collapsed(value)))
            .collect(),
    }
}

/// Replaces long runs of blanks by their number, and spells out our own brackets.
fn collapse(text: &str) -> String {
    let mut short = String::with_capacity(text.len());
    let mut blanks = String::new();
    for c in text.chars().map(Some).chain([None]) {
        if let Some(c) = c.filter(|c| is_blank(*c)) {
            blanks.push(c);
            continue;
        }
        match blanks.chars().count() {
            count if count > LONGEST_RUN => short.push_str(&format!("⟦{count} blanks⟧")),
            _ => short.push_str(&blanks),
        }
        blanks.clear();
        match c {
            Some(c @ ('⟦' | '⟧')) => short.extend(c.escape_unicode()),
            Some(c) => short.push(c),
            None => {}
        }
    }
    short
}

fn is_blank(c: char) -> bool {
    // The braille blank and the Hangul fillers look like spaces but are none to Unicode.
    c.is_whitespace()
        || matches!(
            c,
            '\u{2800}' | '\u{3164}' | '\u{115F}' | '\u{1160}' | '\u{FFA0}'
        )
}
