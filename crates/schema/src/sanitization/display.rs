//! Shows a text on one line with nothing left out: for terminals and pages.
//!
//! Nothing is removed, since an approver must see all of it: what cannot be seen is spelled out.
//! A page escapes the result for HTML as it does any other text; that is its template's work.

use super::characters::{is_common, is_invisible, is_mark};

/// So many marks in a row are text (no writing needs more on one letter); more would paint over the
/// lines above and below.
const MOST_MARKS: usize = 8;

/// Spells out newlines, tabs and every invisible character, as `\n` or `\u{202e}`; blanks other
/// than the plain one too, and marks at the start, which would sit on our own text before it, or
/// after eight others. What it gives holds no control character and no line break. Idempotent.
///
/// ```
/// use tipstaff_schema::sanitization::sanitize_for_display;
///
/// assert_eq!(sanitize_for_display("/p\nTarget: \u{202e}x"), r"/p\nTarget: \u{202e}x");
/// ```
#[must_use]
pub fn sanitize_for_display(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut marks = MOST_MARKS; // Before the first character there is nothing to sit on.
    let mut rest = text;
    loop {
        let end = rest.find(|c| !is_shown(c)).unwrap_or(rest.len());
        let (shown, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        out.push_str(shown);
        marks = if shown.is_empty() { marks } else { 0 };
        let mut chars = after.chars();
        let Some(c) = chars.next() else { return out };
        rest = chars.as_str();
        marks = if is_mark(c) { marks + 1 } else { 0 };
        match c {
            '\n' | '\r' | '\t' => out.extend(c.escape_default()),
            _ if is_invisible(c) || marks > MOST_MARKS => {
                out.extend(c.escape_unicode());
                marks = marks.max(1) - 1; // What is spelled out sits on nothing.
            }
            _ => out.push(c),
        }
    }
}

/// Whether a character stands for itself for certain, and on no other.
fn is_shown(c: char) -> bool {
    matches!(c, ' '..='~') || (c > '\u{A0}' && is_common(c))
}
