//! What can be wrong with a rule when it is loaded.
//!
//! Nothing goes wrong when a rule is judged.

/// One thing wrong with one rule: where, what, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("rule {}{}: {problem}; {fix}", .index + 1, shown_id(.id.as_deref()))]
pub struct RuleError {
    /// Which rule, counted from 0 over the rules as they were given.
    pub index: usize,
    /// The rule's id, where it has one.
    pub id: Option<String>,
    /// The field, such as `hours.from`; `None` where it is the rule as a whole.
    pub field: Option<String>,
    /// What is wrong, without a full stop.
    pub problem: String,
    /// What to do about it.
    pub fix: String,
}

fn shown_id(id: Option<&str>) -> String {
    id.map(|id| format!(" (`{}`)", escape(id)))
        .unwrap_or_default()
}

/// A text from a file as errors show it: escaped, and cut to 120 characters.
pub(crate) fn escape(text: &str) -> String {
    text.chars()
        .take(120)
        .flat_map(char::escape_debug)
        .collect::<String>()
        .replace("\\\"", "\"")
        .replace("\\'", "'")
}
