//! Lines: one event as one line of JSON Lines, and back.
//!
//! A line is ASCII without control characters, so that no editor, terminal or pipe can change or
//! run it. It is the canonical JSON of the event with every other character as an escape.

use std::fmt::Write as _;

use serde::Deserialize as _;
use tipstaff_schema::{MAX_CANONICAL_DEPTH, parse_strict_within};

use crate::seal::render;
use crate::{Event, LineError};

/// The event as one line of an export, without a line end.
///
/// An event whose data has no canonical form (none that a journal made) becomes plain JSON; a
/// verifier reports it.
#[must_use]
pub fn to_line(event: &Event) -> String {
    let text = match render(event) {
        Some((text, _)) => text,
        None => serde_json::to_string(event).unwrap_or_default(),
    };
    ascii(text)
}

/// The same JSON in printable ASCII. Outside its texts JSON has no other characters.
pub(crate) fn ascii(text: String) -> String {
    if text.bytes().all(|b| matches!(b, b' '..=b'~')) {
        return text;
    }
    let mut line = String::with_capacity(text.len() + 64);
    let mut units = [0; 2];
    for c in text.chars() {
        if matches!(c, ' '..='~') {
            line.push(c);
        } else {
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(line, "\\u{unit:04x}");
            }
        }
    }
    line
}

/// Reads one line of an export, or the canonical text of one event. The hash is not checked: that
/// is the verifier's work.
///
/// # Errors
/// [`LineError::Json`] when it is no strict JSON (a key twice, say), [`LineError::Event`] when a
/// field is missing, unknown, or not spelled as we write it.
pub fn from_line(line: &str) -> Result<Event, LineError> {
    let value = parse_strict_within(line.as_bytes(), MAX_CANONICAL_DEPTH)
        .map_err(|err| LineError::Json { source: err.into() })?;
    Event::deserialize(value).map_err(|err| LineError::Event { source: err.into() })
}
