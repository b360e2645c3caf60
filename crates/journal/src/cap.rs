//! Caps: what is too large for an event is replaced by its digest, its length and its beginning.
//!
//! The callers cap, since they know what matters; the journal only refuses what is still too large.

use serde_json::{Value, json};
use tipstaff_schema::{CanonError, Digest, Domain, canonical};

/// The longest data of one event, in bytes of canonical JSON: 1 MiB.
pub const MAX_DATA_BYTES: usize = 1 << 20;

/// How deep data may be nested. Well under what [`canonical`] and the reader of lines allow, and over
/// what the strict reader lets in, so that what was judged can always be journaled.
pub(crate) const MAX_DEPTH: usize = 100;

const LONG_TEXT: usize = 1024;
const SHOWN_CHARS: usize = 256;

/// Whether a value is nested at most this deep (a plain value: 0). Never recurses further than that.
pub(crate) fn depth_within(value: &Value, max: usize) -> bool {
    match (value, max.checked_sub(1)) {
        (Value::Array(items), Some(max)) => items.iter().all(|item| depth_within(item, max)),
        (Value::Object(map), Some(max)) => map.values().all(|item| depth_within(item, max)),
        (Value::Array(_) | Value::Object(_), None) => false,
        (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_), _) => true,
    }
}

/// The value, if its canonical JSON has at most `max` bytes and it is not nested too deeply; else
/// the value with each long text replaced by `{"$capped": {bytes, digest, start}}`; if that is
/// still too much, one such marker for the whole.
///
/// The digest is that of [`Domain::Answer`] over the canonical JSON of what was replaced, `bytes`
/// its length, so that the whole can be proven later.
///
/// # Errors
/// [`CanonError`] when the value has no canonical form, and so no digest.
pub fn cap_value(value: &Value, max: usize) -> Result<Value, CanonError> {
    let text = canonical(value)?;
    // Room for the data that will hold the value.
    let shallow = depth_within(value, MAX_DEPTH - 20);
    if text.len() <= max && shallow {
        return Ok(value.clone());
    }
    if shallow {
        let smaller = cap_texts(value)?;
        if canonical(&smaller)?.len() <= max {
            return Ok(smaller);
        }
    }
    Ok(marker(&text))
}

fn cap_texts(value: &Value) -> Result<Value, CanonError> {
    Ok(match value {
        Value::String(text) if text.len() > LONG_TEXT => marker(&canonical(value)?),
        Value::Array(items) => Value::Array(items.iter().map(cap_texts).collect::<Result<_, _>>()?),
        Value::Object(map) => {
            let capped = map
                .iter()
                .map(|(key, item)| Ok((key.clone(), cap_texts(item)?)));
            Value::Object(capped.collect::<Result<_, CanonError>>()?)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    })
}

fn marker(text: &str) -> Value {
    let digest = Digest::of_canonical(Domain::Answer, text.as_bytes());
    let start: String = text.chars().take(SHOWN_CHARS).collect();
    json!({ "$capped": { "bytes": text.len(), "digest": digest.to_string(), "start": start } })
}
