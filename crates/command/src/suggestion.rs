//! What an allow rule for one command would say: its words and its ceiling. Plain data; `suggest` makes it.

use crate::Ceiling;

/// What a rule would say.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Suggestion {
    /// The words of its command pattern.
    pub words: Vec<String>,
    /// The ceiling of its effects.
    pub ceiling: Ceiling,
    /// How much it covers.
    pub breadth: Breadth,
}

/// How much a suggestion covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Breadth {
    /// Exactly these words.
    Exact,
    /// These words and any that are no flags behind them.
    AnyOperands,
}
