//! Removes what hides or moves text; the rest stays as it is.
//!
//! Each decision looks only at what is kept, so cleaning clean text changes nothing. State goes
//! on from piece to piece: a sequence split between two pieces is found as if it were whole.

use std::borrow::Cow;

use super::characters::{Class, class, is_needed};
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
}

/// The joiners and selectors since the last kept character.
#[derive(Debug, Clone, Copy, Default)]
enum Held {
    #[default]
    None,
    One(char),
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
                rest = self.take_plain(rest, out);
            }
        }
    }

    /// Between sequences, takes the plain ASCII at the beginning in one go; gives the rest.
    fn take_plain<'a>(&mut self, text: &'a str, out: &mut String) -> &'a str {
        let end = text
            .bytes()
            .position(|byte| !is_plain(byte))
            .unwrap_or(text.len());
        let (plain, rest) = text.split_at_checked(end).unwrap_or(("", text));
        out.push_str(plain);
        self.last = plain.chars().next_back().or(self.last);
        rest
    }

    /// Ends the text and appends what was held back.
    pub fn finish(self, out: &mut String) {
        self.release(None, out);
    }

    fn take(&mut self, c: char, out: &mut String) {
        if !self.sequences.is_text(c) {
            return;
        }
        let kept = match class(c) {
            Class::Gone => return,
            Class::Helper => {
                self.held = match self.held {
                    Held::None => Held::One(c),
                    Held::One(_) | Held::Run => Held::Run,
                };
                return;
            }
            Class::LineBreak => '\n',
            Class::Plain => c,
        };
        self.release(Some(kept), out);
        out.push(kept);
        self.last = Some(kept);
        self.held = Held::None;
    }

    fn release(&self, next: Option<char>, out: &mut String) {
        match self.held {
            Held::One(helper) if is_needed(helper, self.last, next) => out.push(helper),
            Held::None | Held::One(_) | Held::Run => {}
        }
    }
}

/// Removes what hides or moves text: controls but newline and tab, whole terminal sequences,
/// direction marks, zero-width, tag, private and unassigned characters. Line and paragraph
/// separators become newlines. Idempotent; borrows what is clean already.
#[must_use]
pub fn sanitize(text: &str) -> Cow<'_, str> {
    if text
        .bytes()
        .all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t'))
    {
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

/// Whether cleaning would change nothing. If not, the text hides something, and whoever is shown
/// it must be told.
#[must_use]
pub fn is_clean(text: &str) -> bool {
    matches!(sanitize(text), Cow::Borrowed(_))
}
