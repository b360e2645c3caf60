//! The text of a task for people, with slots filled from an answer.
//!
//! What comes from the answer is cleaned and kept short, so that it can neither fake a line nor
//! drown the operator's own words. Nothing is computed: a slot shows one value.

use serde_json::Value;
use tipstaff_condition::select;
use tipstaff_schema::sanitization::sanitize_for_display;

/// The longest text that one slot shows, in characters.
const MAX_SLOT: usize = 200;
/// The longest summary as written, in bytes.
const MAX_TEMPLATE: usize = 2_000;

/// A summary, split into text and slots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Summary(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Slot(String),
}

/// A summary that cannot be filled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SummaryError {
    /// It says nothing.
    #[error("the summary is empty")]
    Empty,
    /// It is too long.
    #[error("the summary has {bytes} bytes, at most 2000 are allowed")]
    TooLong {
        /// How long it is.
        bytes: usize,
    },
    /// A slot is opened and never closed.
    #[error("the slot that begins with `{text}` is not closed by `}}`")]
    Open {
        /// Its beginning, escaped.
        text: String,
    },
    /// A slot holds no RFC 6901 pointer.
    #[error("`{pointer}` is no RFC 6901 pointer: after `~` only `0` or `1` may stand")]
    Pointer {
        /// The offending text, escaped.
        pointer: String,
    },
}

impl Summary {
    pub(crate) fn parse(text: &str) -> Result<Self, SummaryError> {
        if text.trim().is_empty() {
            return Err(SummaryError::Empty);
        }
        if text.len() > MAX_TEMPLATE {
            return Err(SummaryError::TooLong { bytes: text.len() });
        }
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{/") {
            let (slot, end) = after.split_once('}').ok_or_else(|| SummaryError::Open {
                text: crate::error::shown(after),
            })?;
            if slot.replace("~0", "").replace("~1", "").contains('~') {
                return Err(SummaryError::Pointer {
                    pointer: crate::error::shown(slot),
                });
            }
            pieces.push(Piece::Text(before.to_owned()));
            pieces.push(Piece::Slot(format!("/{slot}")));
            rest = end;
        }
        pieces.push(Piece::Text(rest.to_owned()));
        Ok(Self(pieces))
    }

    /// As it was written.
    pub(crate) fn text(&self) -> String {
        let pieces = self.0.iter().map(|piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Slot(pointer) => format!("{{{pointer}}}"),
        });
        pieces.collect()
    }

    pub(crate) fn fill(&self, answer: &Value) -> String {
        let pieces = self.0.iter().map(|piece| match piece {
            Piece::Text(text) => sanitize_for_display(text),
            Piece::Slot(pointer) => shown(select(answer, pointer)),
        });
        pieces.collect()
    }
}

fn shown(value: Option<&Value>) -> String {
    let text = match value {
        None => return "(not there)".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let clean = sanitize_for_display(&text);
    if clean.chars().count() <= MAX_SLOT {
        return clean;
    }
    clean.chars().take(MAX_SLOT - 1).chain(['…']).collect()
}
