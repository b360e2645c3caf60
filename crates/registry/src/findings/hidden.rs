//! Characters of a text that nobody sees: what the schema's cleaning takes away, place by place.

use std::ops::Range;

use tipstaff_schema::sanitization::sanitize;

use super::{FindingKind, TextFinding};

/// What cleaning would remove, run by run. A carriage return before a newline hides nothing.
pub(super) fn runs(text: &str) -> Vec<Range<usize>> {
    let clean = sanitize(text);
    let mut kept = clean.chars().peekable();
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let shown = if matches!(c, '\u{2028}' | '\u{2029}') {
            '\n'
        } else {
            c
        };
        if kept.next_if_eq(&shown).is_some()
            || (c == '\r' && chars.peek().is_some_and(|(_, next)| *next == '\n'))
        {
            continue;
        }
        let end = at + c.len_utf8();
        match runs.last_mut() {
            Some(run) if run.end == at => run.end = end,
            Some(_) | None => runs.push(at..end),
        }
    }
    runs
}

/// One run, for people.
pub(super) fn told(text: &str, span: Range<usize>) -> TextFinding {
    let first = text
        .get(span.clone())
        .and_then(|run| run.chars().next())
        .map_or(0, u32::from);
    let why = format!("characters that are not shown, from U+{first:04X}");
    TextFinding {
        kind: FindingKind::Hidden,
        span,
        why,
    }
}
