//! Removes what hides or moves text; the rest stays as it is.
//!
//! Each decision looks only at what is kept, so cleaning clean text changes nothing. State goes
//! on from piece to piece: a sequence split between two pieces is found as if it were whole.

use std::borrow::Cow;

use super::characters::{Class, class, is_common, is_needed};
use super::removed::{Hidden, Removed};
use super::sequences::Sequences;

/// Cleans a text that comes in pieces: what the pieces give, put together, is what the whole
/// would give.
///
/// ```
/// use tipstaff_schema::sanitization::Cleaner;
///
/// let (mut cleaner, mut out) = (Cleaner::new(), String::new());
/// cleaner.push("red\u{1b}[3", &mut out);
/// cleaner.push("1m alert", &mut out);
/// cleaner.finish(&mut out);
/// assert_eq!(out, "red alert");
/// ```
#[derive(Debug, Clone, Default)]
pub struct Cleaner {
    sequences: Sequences,
    last: Option<char>,
    held: Held,
    removed: Removed,
}

/// The joiners and selectors since the last kept character. They count as removed until one of
/// them is kept.
#[derive(Debug, Clone, Copy, Default)]
enum Held {
    #[default]
    None,
    One(char, Hidden),
    /// Several in a row carry hidden data, not text.
    Run,
}

impl Cleaner {
    /// At the beginning of a text.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next piece and appends what is certain to `out`.
    pub fn push(&mut self, piece: &str, out: &mut String) {
        let mut rest = piece;
        while let Some(c) = rest.chars().next() {
            self.take(c, out);
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
            if matches!((self.sequences, self.held), (Sequences::Text, Held::None)) {
                rest = self.take_common(rest, out);
            }
        }
    }

    /// Between sequences, takes what is plain for certain at the beginning in one go; gives the
    /// rest.
    fn take_common<'a>(&mut self, text: &'a str, out: &mut String) -> &'a str {
        let end = text.find(|c| !is_common(c)).unwrap_or(text.len());
        let (common, rest) = text.split_at_checked(end).unwrap_or(("", text));
        out.push_str(common);
        self.last = common.chars().next_back().or(self.last);
        rest
    }

    /// Ends the text, appends what was held back and says what was removed.
    pub fn finish(mut self, out: &mut String) -> Removed {
        self.release(None, out);
        self.removed
    }

    fn take(&mut self, c: char, out: &mut String) {
        let before = self.sequences;
        if !self.sequences.is_text(c) {
            let alone = matches!((before, self.sequences), (Sequences::Text, Sequences::Text));
            let sort = if alone {
                Hidden::Control
            } else {
                Hidden::Sequence
            };
            return self.removed.add(sort);
        }
        let kept = match class(c) {
            Class::Gone(sort) => return self.removed.add(sort),
            Class::Helper(sort) => {
                self.held = match self.held {
                    Held::None => Held::One(c, sort),
                    Held::One(..) | Held::Run => Held::Run,
                };
                return self.removed.add(sort);
            }
            Class::LineBreak => '\n',
            Class::Plain => c,
        };
        self.release(Some(kept), out);
        out.push(kept);
        self.last = Some(kept);
        self.held = Held::None;
    }

    fn release(&mut self, next: Option<char>, out: &mut String) {
        match self.held {
            Held::One(helper, sort) if is_needed(helper, self.last, next) => {
                self.removed.keep(sort);
                out.push(helper);
            }
            Held::None | Held::One(..) | Held::Run => {}
        }
    }
}

/// Removes what hides or moves text: controls but newline and tab, whole terminal sequences,
/// direction marks, zero-width, tag, private and unassigned characters. Line and paragraph
/// separators become newlines. Idempotent; borrows what is clean already.
#[must_use]
pub fn sanitize(text: &str) -> Cow<'_, str> {
    if text.bytes().all(is_plain) || text.chars().all(is_common) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut cleaner = Cleaner::new();
    cleaner.push(text, &mut out);
    cleaner.finish(&mut out);
    if out == text {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(out)
    }
}

fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\n' | b'\t')
}

/// What cleaning would remove from a text, by sort. A text with line or paragraph separators is
/// changed and yet loses nothing.
#[must_use]
pub fn removed(text: &str) -> Removed {
    let (mut cleaner, mut out) = (Cleaner::new(), String::with_capacity(text.len()));
    cleaner.push(text, &mut out);
    cleaner.finish(&mut out)
}

/// Whether cleaning would change nothing. If not, the text hides something, and whoever is shown
/// it must be told.
#[must_use]
pub fn is_clean(text: &str) -> bool {
    matches!(sanitize(text), Cow::Borrowed(_))
}
