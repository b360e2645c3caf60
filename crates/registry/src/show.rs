//! Untrusted text in our messages: cleaned, and cut to what one line can carry.
//!
//! Not for prompts: there the fence of the schema crate's sanitisation is the rule.

use serde_json::Value;
use tipstaff_schema::sanitization::sanitize_for_display;

/// The longest piece of foreign text in a message, in characters.
const MAX_SHOWN: usize = 80;

/// A name or other plain text.
pub(crate) fn name(text: &str) -> String {
    // Cut before cleaning too: cleaning a megabyte to show a line of it is wasted work.
    let head: String = text.chars().take(MAX_SHOWN).collect();
    let clean = sanitize_for_display(&head);
    let mut shown: String = clean.chars().take(MAX_SHOWN).collect();
    if text.chars().nth(MAX_SHOWN).is_some() || clean.chars().nth(MAX_SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

/// The JSON pointer to a key below another place.
pub(crate) fn pointer(at: &str, key: &str) -> String {
    name(&format!(
        "{at}/{}",
        key.replace('~', "~0").replace('/', "~1")
    ))
}

/// A value: small ones as they are, others by what they are.
pub(crate) fn value(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => format!("\"{}\"", name(text)),
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(members) => format!("an object of {} keys", members.len()),
    }
}
