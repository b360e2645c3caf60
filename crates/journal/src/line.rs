//! Lines: one event as one line of JSON Lines, and back.
//!
//! A line is ASCII without control characters, so that no editor, terminal or pipe can change or
//! run it. It is the canonical JSON of the event with every other character as an escape.

use std::fmt::Write as _;

use serde_json::error::Category;

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

/// Reads one line of an export, or the canonical text of one event.
///
/// Neither the hash nor the spelling is checked: that is the verifier's work. Where the data has a
/// key twice the last one counts here, and the verifier finds that the line is not as we write it.
///
/// # Errors
/// [`LineError`] when it is no JSON, or no event: a field is missing, unknown, there twice, or not
/// spelled as we write it.
pub fn from_line(line: &str) -> Result<Event, LineError> {
    serde_json::from_str(line).map_err(|err| match err.classify() {
        Category::Data => LineError::Event { source: err.into() },
        Category::Io | Category::Syntax | Category::Eof => LineError::Json { source: err.into() },
    })
}
