//! Reads ids, times and verb parts in the one spelling that the wire has for each.
//!
//! The crates that hold them read more: an id without hyphens or in braces, a time with a blank for
//! its `T`. Nobody writes those, and the published schema refuses them.

use chrono::{DateTime, Utc};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use uuid::Uuid;

/// A UUID with hyphens, in either case.
pub(crate) fn id<'de, D: Deserializer<'de>>(from: D) -> Result<Uuid, D::Error> {
    read_id(&String::deserialize(from)?)
}

/// The same, or nothing.
pub(crate) fn maybe_id<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Uuid>, D::Error> {
    let text = Option::<String>::deserialize(from)?;
    text.as_deref().map(read_id).transpose()
}

fn read_id<E: Error>(text: &str) -> Result<Uuid, E> {
    let id = Uuid::try_parse(text).ok().filter(|_| text.len() == 36);
    id.ok_or_else(|| {
        let text = crate::names::shown(text);
        E::custom(format!("`{text}` is no UUID with hyphens"))
    })
}

/// A time as RFC 3339 has it, with any offset; kept as UTC.
pub(crate) fn time<'de, D: Deserializer<'de>>(from: D) -> Result<DateTime<Utc>, D::Error> {
    let text = String::deserialize(from)?;
    let has_t = matches!(text.as_bytes().get(10), Some(b'T' | b't'));
    let time = DateTime::parse_from_rfc3339(&text).ok().filter(|_| has_t);
    time.map(|time| time.to_utc()).ok_or_else(|| {
        let text = crate::names::shown(&text);
        D::Error::custom(format!(
            "`{text}` is no RFC 3339 time such as `2026-03-01T09:30:00Z`"
        ))
    })
}

/// A part of a verb: not empty.
pub(crate) fn verb_part<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let text = String::deserialize(from)?;
    if text.is_empty() {
        return Err(D::Error::custom(
            "the verb needs both a namespace and an action",
        ));
    }
    Ok(text)
}
