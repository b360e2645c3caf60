//! Why the strict reader refused a text, and where.

/// Why a text was refused; `at` is the byte where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StrictJsonError {
    /// It is not UTF-8.
    #[error("byte {at}: the text is not UTF-8")]
    NotUtf8 {
        /// Where.
        at: usize,
    },
    /// It is not JSON.
    #[error("byte {at}: expected {expected}")]
    Syntax {
        /// Where.
        at: usize,
        /// What should have stood there.
        expected: &'static str,
    },
    /// It nests too deep.
    #[error("byte {at}: nested deeper than {limit} levels")]
    TooDeep {
        /// Where.
        at: usize,
        /// The limit.
        limit: usize,
    },
    /// An object has a key twice.
    #[error("byte {at}: the key `{key}` stands twice in one object; keep one")]
    EqualKeys {
        /// Where the second one begins.
        at: usize,
        /// The key, escaped and cut.
        key: String,
    },
    /// A `\u` escape is half of a surrogate pair.
    #[error("byte {at}: the escape is half of a surrogate pair")]
    LoneSurrogate {
        /// Where.
        at: usize,
    },
    /// A number is too large for a 64-bit float.
    #[error("byte {at}: the number `{text}` is out of range")]
    OutOfRange {
        /// Where it begins.
        at: usize,
        /// The number, cut.
        text: String,
    },
    /// A whole number equals no 64-bit number.
    #[error("byte {at}: the whole number `{text}` cannot be held exactly; send it as a string")]
    NotExact {
        /// Where it begins.
        at: usize,
        /// The number, cut.
        text: String,
    },
}

impl StrictJsonError {
    /// The byte of the text where the fault is or begins.
    #[must_use]
    pub fn at(&self) -> usize {
        match self {
            Self::NotUtf8 { at }
            | Self::Syntax { at, .. }
            | Self::TooDeep { at, .. }
            | Self::EqualKeys { at, .. }
            | Self::LoneSurrogate { at }
            | Self::OutOfRange { at, .. }
            | Self::NotExact { at, .. } => *at,
        }
    }

    /// The line and the column of the fault in the text that was read, both from 1; columns count
    /// characters.
    #[must_use]
    pub fn line_and_column(&self, text: &[u8]) -> (usize, usize) {
        let before = text.get(..self.at()).unwrap_or(text);
        let breaks = before.iter().filter(|byte| **byte == b'\n').count();
        let line = before
            .rsplit(|byte| *byte == b'\n')
            .next()
            .unwrap_or(before);
        let characters = String::from_utf8_lossy(line).chars().count();
        (breaks + 1, characters + 1)
    }
}
