//! The sentences for people when no tool is taken. Names in them are foreign text: cleaned and cut.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use tipstaff_schema::sanitization::sanitize_for_display;
use tipstaff_schema::{IntentToken, SnapshotEntry};

/// Longest name shown, in characters.
const MAX_SHOWN: usize = 80;

/// A foreign name, cleaned and cut. Nearly every name is short and plain, and stands for itself.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_graphic() || byte == b' ';
    if text.len() <= MAX_SHOWN && text.bytes().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let head: String = text.chars().take(MAX_SHOWN).collect();
    let mut clean: String = sanitize_for_display(&head)
        .chars()
        .take(MAX_SHOWN)
        .collect();
    if text.chars().nth(MAX_SHOWN).is_some() {
        clean.push('…');
    }
    Cow::Owned(clean)
}

/// The verb's dotted form, for people.
struct Dotted<'a>(&'a IntentToken);

impl fmt::Display for Dotted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = &self.0.verb;
        f.write_str(&shown(&verb.namespace))?;
        f.write_str(".")?;
        f.write_str(&shown(&verb.action))
    }
}

/// Nothing fits; `nearest` are ids of tools that come close, best first.
pub(crate) fn nothing(token: &IntentToken, nearest: &[String]) -> String {
    let verb = Dotted(token);
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
    let verb = Dotted(token);
    format!(
        "`{verb}` fits two tools equally well: `{one}` and `{other}`. Name the one that is meant."
    )
}
