//! The parts of a word that have an end of their own: `$'…'` and everything between brackets.
//!
//! Belongs to `words`; apart only because each is a small reader of its own.

use super::words::Scanner;
use crate::UnknownKind;

impl Scanner {
    /// The text up to the closer that belongs to the opener before it, past quotes and comments.
    pub(super) fn until_closed(&mut self, open: char, close: char) -> String {
        let mut inner = String::new();
        let mut depth = 1_usize;
        let mut quote = None;
        let mut before = ' ';
        while let Some(c) = self.next() {
            match (quote, c) {
                (None | Some('"'), '\\') => {
                    inner.push(c);
                    inner.extend(self.next());
                    before = 'x';
                    continue;
                }
                (Some(mark), c) if mark == c => quote = None,
                (Some(_), _) => {}
                (None, '\'' | '"' | '`') => quote = Some(c),
                (None, '#')
                    if open == '(' && (before.is_whitespace() || ";&|(".contains(before)) =>
                {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                    continue;
                }
                (None, c) if c == open => depth += 1,
                (None, c) if c == close => {
                    depth -= 1;
                    if depth == 0 {
                        return inner;
                    }
                }
                (None, _) => {}
            }
            inner.push(c);
            before = c;
        }
        self.read.problem(UnknownKind::Syntax);
        inner
    }

    /// `$'…'`: escapes as in C.
    pub(super) fn ansi(&mut self) {
        while let Some(c) = self.next() {
            match c {
                '\'' => return,
                '\\' => self.escape(),
                _ => self.read.literal(c),
            }
        }
        self.read.problem(UnknownKind::Syntax);
    }

    fn escape(&mut self) {
        let code = match self.next() {
            Some('n') => Some(10),
            Some('t') => Some(9),
            Some('r') => Some(13),
            Some('a') => Some(7),
            Some('b') => Some(8),
            Some('f') => Some(12),
            Some('v') => Some(11),
            Some('e' | 'E') => Some(27),
            Some(c @ ('\\' | '\'' | '"' | '?')) => Some(u32::from(c)),
            Some('x') => self.digits(16, 2),
            Some('u') => self.digits(16, 4),
            Some('U') => self.digits(16, 8),
            Some('0'..='7') => {
                self.at -= 1;
                self.digits(8, 3)
            }
            Some(_) | None => None,
        };
        // Bytes past 127 and control characters: which character that is depends on the locale.
        match code
            .and_then(char::from_u32)
            .filter(|c| *c == '\n' || *c == '\t' || (' '..='~').contains(c))
        {
            Some(c) => self.read.literal(c),
            None => {
                self.read.problem(UnknownKind::Control);
                self.read.literal('\u{fffd}');
            }
        }
    }

    fn digits(&mut self, radix: u32, most: usize) -> Option<u32> {
        let mut value = None;
        for _ in 0..most {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(radix)) else {
                break;
            };
            self.at += 1;
            value = Some(
                value
                    .unwrap_or(0_u32)
                    .checked_mul(radix)?
                    .checked_add(digit)?,
            );
        }
        value
    }
}
