//! What kind of thing an event tells: `word.word`, checked.
//!
//! The journal knows the names of the kinds, never the form of their data: that belongs to the
//! crate that writes them. A kind that this version does not know is kept as it is.

use serde::{Deserialize, Serialize};

use crate::kinds;

/// The kind of an event, such as `call.received`; the known ones are constants of
/// [`kinds`], and can be matched on.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Kind(Repr);

// INVARIANT: a text of `kinds::ALL` is always `Known`, so that the derived equality is that of the texts.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Repr {
    Known(&'static str),
    Other(String),
}

/// A text that is no kind of event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error(
    "`{text}` is no event kind: two words of `a-z` and `_` with a dot between, at most 64 bytes"
)]
pub struct KindError {
    /// The offending text, cut to 80 characters and escaped.
    pub text: String,
}

impl Kind {
    pub(crate) const fn known(text: &'static str) -> Self {
        Self(Repr::Known(text))
    }

    /// Checks the text. A kind that is not in [`kinds::ALL`] is accepted when its form is right.
    ///
    /// # Errors
    /// [`KindError`] when it is not two words with a dot between.
    pub fn new(text: &str) -> Result<Self, KindError> {
        if let Some(known) = kinds::ALL.iter().find(|kind| kind.as_str() == text) {
            return Ok(known.clone());
        }
        let word = |word: &str| {
            !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
        };
        match text.split_once('.') {
            Some((thing, what)) if text.len() <= 64 && word(thing) && word(what) => {
                Ok(Self(Repr::Other(text.to_owned())))
            }
            Some(_) | None => Err(KindError {
                text: text
                    .chars()
                    .take(80)
                    .flat_map(char::escape_default)
                    .collect(),
            }),
        }
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Known(text) => text,
            Repr::Other(text) => text,
        }
    }

    /// Whether this version of tipstaff writes this kind.
    #[must_use]
    pub fn is_known(&self) -> bool {
        matches!(self.0, Repr::Known(_))
    }
}

impl TryFrom<String> for Kind {
    type Error = KindError;
    fn try_from(text: String) -> Result<Self, KindError> {
        Self::new(&text)
    }
}

impl From<Kind> for String {
    fn from(kind: Kind) -> Self {
        kind.as_str().to_owned()
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
