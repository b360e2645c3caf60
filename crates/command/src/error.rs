//! What can be wrong with a command pattern or a program table.

/// A command pattern that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CommandPatternError {
    /// It has no words.
    #[error("a command pattern without words matches nothing; write `[\"**\"]` for every command")]
    Empty,
    /// It has too many words.
    #[error("a command pattern holds at most 32 words; end it with `**`")]
    TooLong,
    /// A word of the pattern breaks a rule.
    #[error("word {index} of the command pattern, `{word}`: {why}")]
    Word {
        /// Which word, from 0.
        index: usize,
        /// The word, cut and escaped.
        word: String,
        /// What is wrong, and what to write.
        why: &'static str,
    },
}

/// A program table that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramTableError {
    /// It is no table of ours.
    #[error("the program table cannot be read")]
    Read {
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
