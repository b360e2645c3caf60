//! The sentences for people when no tool is taken. Names in them are foreign text: cleaned and cut.

use std::fmt::Write as _;

use tipstaff_schema::sanitization::sanitize_for_display;
use tipstaff_schema::{IntentToken, SnapshotEntry};

/// Longest name shown, in characters.
const MAX_SHOWN: usize = 80;

/// A foreign name, cleaned and cut.
pub(crate) fn shown(text: &str) -> String {
    let head: String = text.chars().take(MAX_SHOWN).collect();
    let mut clean: String = sanitize_for_display(&head)
        .chars()
        .take(MAX_SHOWN)
        .collect();
    if text.chars().nth(MAX_SHOWN).is_some() {
        clean.push('…');
    }
    clean
}

fn verb(token: &IntentToken) -> String {
    format!(
        "{}.{}",
        shown(&token.verb.namespace),
        shown(&token.verb.action)
    )
}

/// Nothing fits; `nearest` are ids of tools that come close, best first.
pub(crate) fn nothing(token: &IntentToken, nearest: &[String]) -> String {
    let verb = verb(token);
    let mut ask = format!(
        "No tool found for `{verb}`. Register a tool for it in the registry, or wire up a backend."
    );
    if !nearest.is_empty() {
        let nearest: Vec<String> = nearest
            .iter()
            .map(|id| format!("`{}`", shown(id)))
            .collect();
        let _ = write!(ask, " Nearest tools: {}.", nearest.join(", "));
    }
    ask
}

/// Two servers' tools fit equally well.
pub(crate) fn tie(token: &IntentToken, one: &SnapshotEntry, other: &SnapshotEntry) -> String {
    let (one, other) = (
        shown(&one.descriptor.tool_id),
        shown(&other.descriptor.tool_id),
    );
    let verb = verb(token);
    format!(
        "`{verb}` fits two tools equally well: `{one}` and `{other}`. Name the one that is meant."
    )
}
