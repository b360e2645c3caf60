//! The one door through which text from outside reaches an approver's eyes.
//!
//! Nothing is cut. What cannot be seen is spelled out, and long runs of blanks, which push text off a
//! screen, are shown as their number. Both marks use brackets that text from outside cannot contain.

use std::borrow::Cow;

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
    sanitize_for_display(&compact(value))
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

/// Compact JSON with collapsed strings. Written by hand: two keys that look the same once collapsed
/// must both be shown.
fn compact(value: &Value) -> String {
    let quoted = |text: &str| Value::String(collapse(text)).to_string();
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => quoted(text),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(compact).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(members) => {
            let member =
                |(key, value): (&String, &Value)| format!("{}:{}", quoted(key), compact(value));
            let members: Vec<String> = members.iter().map(member).collect();
            format!("{{{}}}", members.join(","))
        }
    }
}

/// Replaces long runs of blanks by their number, and spells out our own brackets.
fn collapse(text: &str) -> String {
    let mut short = String::with_capacity(text.len());
    let mut blanks = String::new();
    for c in text.chars() {
        if is_blank(c) {
            blanks.push(c);
            continue;
        }
        short.push_str(&run(&blanks));
        blanks.clear();
        match c {
            '⟦' | '⟧' => short.extend(c.escape_unicode()),
            _ => short.push(c),
        }
    }
    short + &run(&blanks)
}

/// A run of blanks, or its number when it is long. Line breaks are counted apart: to a shell they
/// end a command.
fn run(blanks: &str) -> Cow<'_, str> {
    let count = blanks.chars().count();
    let breaks = blanks.chars().filter(|c| breaks_line(*c)).count();
    match (count, breaks) {
        (0..=LONGEST_RUN, _) => Cow::Borrowed(blanks),
        (_, 0) => Cow::Owned(format!("⟦{count} blanks⟧")),
        _ => Cow::Owned(format!("⟦{count} blanks, {breaks} of them line breaks⟧")),
    }
}

fn breaks_line(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{B}' | '\u{C}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

fn is_blank(c: char) -> bool {
    // The braille blank and the Hangul fillers look like spaces but are none to Unicode.
    c.is_whitespace()
        || matches!(
            c,
            '\u{2800}' | '\u{3164}' | '\u{115F}' | '\u{1160}' | '\u{FFA0}'
        )
}
