//! Shows a text on one line with nothing left out: for terminals and the console.
//!
//! Nothing is removed, since an approver must see all of it: what cannot be seen is spelled out.

use super::characters::{is_invisible, is_mark};

/// Spells out newlines, tabs and every invisible character, as `\n` or `\u{202e}`; blanks other
/// than the plain one too, and a mark at the start, which would sit on our own text before it.
/// What it gives holds no control character and no line break. Idempotent.
///
/// ```
/// use tipstaff_schema::sanitization::sanitize_for_display;
///
/// assert_eq!(sanitize_for_display("/p\nTarget: \u{202e}x"), r"/p\nTarget: \u{202e}x");
/// ```
#[must_use]
pub fn sanitize_for_display(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            ' '..='~' => out.push(c),
            '\n' | '\r' | '\t' => out.extend(c.escape_default()),
            _ if is_invisible(c) || (out.is_empty() && is_mark(c)) => {
                out.extend(c.escape_unicode());
            }
            _ => out.push(c),
        }
    }
    out
}
