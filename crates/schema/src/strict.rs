//! The strict JSON reader: what it lets through means one thing only.
//!
//! RFC 8259, and refused beyond it: equal keys in one object (one reader takes the first, another
//! the last), lone surrogates, deep nesting, numbers that overflow, and whole numbers that no
//! 64-bit number equals. Decimals round to the nearest `f64`. Everything that is judged comes
//! through here, so that what is judged is what is sent.

mod error;

use serde_json::map::Entry;
use serde_json::{Map, Value};

pub use self::error::StrictJsonError;
use crate::number::{self, Unheld};
use crate::plain::plain_length;

/// How deep arrays and objects may nest in a text from outside.
pub const MAX_DEPTH: usize = 64;

/// Reads one JSON value from text that comes from outside; at most [`MAX_DEPTH`] levels.
///
/// # Errors
/// [`StrictJsonError`] with the place, for text that is not JSON or could be read in two ways.
pub fn parse_strict(text: &[u8]) -> Result<Value, StrictJsonError> {
    parse_strict_within(text, MAX_DEPTH)
}

/// As [`parse_strict`], with another limit for nesting (at most
/// [`MAX_CANONICAL_DEPTH`](crate::MAX_CANONICAL_DEPTH)): for our own documents, which wrap what
/// came from outside.
///
/// # Errors
/// As [`parse_strict`].
pub fn parse_strict_within(text: &[u8], max_depth: usize) -> Result<Value, StrictJsonError> {
    let text = std::str::from_utf8(text).map_err(|error| StrictJsonError::NotUtf8 {
        at: error.valid_up_to(),
    })?;
    let limit = max_depth.min(crate::canonical::MAX_CANONICAL_DEPTH);
    let mut reader = Reader {
        text,
        at: 0,
        depth: 0,
        limit,
        scratch: String::new(),
    };
    let value = reader.value()?;
    reader.blanks();
    if reader.at < text.len() {
        reader.expected("the end of the text")
    } else {
        Ok(value)
    }
}

/// Whether a value nests no deeper than a text may, with so many levels above it.
pub(crate) fn fits(value: &Value, above: usize) -> bool {
    let inside = above + 1;
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
        Value::Array(items) => inside <= MAX_DEPTH && items.iter().all(|item| fits(item, inside)),
        Value::Object(members) => {
            inside <= MAX_DEPTH && members.values().all(|member| fits(member, inside))
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    // INVARIANT: on a character boundary of `text`: it moves over ASCII bytes one at a time, and
    // over other characters only up to the next ASCII byte.
    at: usize,
    depth: usize,
    limit: usize,
    // Where strings with escapes are put together.
    scratch: String,
}

impl<'a> Reader<'a> {
    fn expected<T>(&self, expected: &'static str) -> Result<T, StrictJsonError> {
        Err(StrictJsonError::Syntax {
            at: self.at,
            expected,
        })
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Moves over the byte if it is next.
    fn take(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    /// Moves over all bytes of the kind and gives them.
    fn run(&mut self, kind: impl Fn(u8) -> bool) -> &str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let run = rest.bytes().take_while(|byte| kind(*byte)).count();
        self.at += run;
        rest.get(..run).unwrap_or_default()
    }

    fn blanks(&mut self) {
        self.run(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
    }

    fn value(&mut self) -> Result<Value, StrictJsonError> {
        self.blanks();
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => Ok(Value::String(self.string()?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            Some(_) | None => self.expected("a value"),
        }
    }

    fn word(&mut self, word: &'static str, value: Value) -> Result<Value, StrictJsonError> {
        if !self
            .text
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(word))
        {
            return self.expected("a value");
        }
        self.at += word.len();
        Ok(value)
    }

    fn nested(
        &mut self,
        read: fn(&mut Self) -> Result<Value, StrictJsonError>,
    ) -> Result<Value, StrictJsonError> {
        if self.depth == self.limit {
            return Err(StrictJsonError::TooDeep {
                at: self.at,
                limit: self.limit,
            });
        }
        self.depth += 1;
        self.at += 1; // The bracket, which the caller saw.
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn array(&mut self) -> Result<Value, StrictJsonError> {
        let mut items = Vec::new();
        self.blanks();
        if self.take(b']') {
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value()?);
            self.blanks();
            if self.take(b']') {
                return Ok(Value::Array(items));
            }
            if !self.take(b',') {
                return self.expected("`,` or `]`");
            }
        }
    }

    fn object(&mut self) -> Result<Value, StrictJsonError> {
        let mut members = Map::new();
        self.blanks();
        if self.take(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            self.blanks();
            let at = self.at;
            let key = self.string()?;
            self.blanks();
            if !self.take(b':') {
                return self.expected("`:`");
            }
            let value = self.value()?;
            match members.entry(key) {
                Entry::Vacant(free) => free.insert(value),
                Entry::Occupied(taken) => {
                    let key = crate::names::shown(taken.key());
                    return Err(StrictJsonError::EqualKeys { at, key });
                }
            };
            self.blanks();
            if self.take(b'}') {
                return Ok(Value::Object(members));
            }
            if !self.take(b',') {
                return self.expected("`,` or `}`");
            }
        }
    }

    fn number(&mut self) -> Result<Value, StrictJsonError> {
        let at = self.at;
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _sign = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        let text = self.text.get(at..self.at).unwrap_or_default();
        number::read(text).map(Value::Number).map_err(|why| {
            let text = crate::names::shown(text);
            match why {
                Unheld::Overflow => StrictJsonError::OutOfRange { at, text },
                Unheld::NotExact => StrictJsonError::NotExact { at, text },
            }
        })
    }

    fn digits(&mut self) -> Result<(), StrictJsonError> {
        let none = self.run(|byte| byte.is_ascii_digit()).is_empty();
        if none {
            self.expected("a digit")
        } else {
            Ok(())
        }
    }

    fn string(&mut self) -> Result<String, StrictJsonError> {
        if !self.take(b'"') {
            return self.expected("`\"`");
        }
        // Most strings have no escape and are copied at once; the others grow in one place, so that
        // each takes no more memory than it needs.
        let plain = self.plain();
        if self.take(b'"') {
            return Ok(plain.to_owned());
        }
        let mut grown = std::mem::take(&mut self.scratch);
        grown.clear();
        grown.push_str(plain);
        while !self.take(b'"') {
            if !self.take(b'\\') {
                return self.expected("a character or `\"`");
            }
            grown.push(self.escape()?);
            grown.push_str(self.plain());
        }
        let out = grown.as_str().to_owned();
        self.scratch = grown;
        Ok(out)
    }

    /// Moves over the characters that stand for themselves and gives them.
    fn plain(&mut self) -> &'a str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let plain = rest
            .get(..plain_length(rest.as_bytes()))
            .unwrap_or_default();
        self.at += plain.len();
        plain
    }

    /// The character of an escape, after its backslash.
    fn escape(&mut self) -> Result<char, StrictJsonError> {
        let escaped = match self.peek() {
            Some(plain @ (b'"' | b'\\' | b'/')) => char::from(plain),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(),
            Some(_) | None => return self.expected("an escape"),
        };
        self.at += 1;
        Ok(escaped)
    }

    fn unicode(&mut self) -> Result<char, StrictJsonError> {
        let at = self.at - 1; // The backslash before the `u`.
        let first = self.unit()?;
        let second = match first {
            0xD800..=0xDBFF if self.take(b'\\') => Some(self.unit()?),
            _ => None,
        };
        let units = std::iter::once(first).chain(second);
        match char::decode_utf16(units).next() {
            Some(Ok(c)) => Ok(c),
            Some(Err(_)) | None => Err(StrictJsonError::LoneSurrogate { at }),
        }
    }

    /// One UTF-16 unit: `u` and four hexadecimal digits.
    fn unit(&mut self) -> Result<u16, StrictJsonError> {
        if !self.take(b'u') {
            return self.expected("the second half of a surrogate pair");
        }
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            let Some(digit) = digit.and_then(|digit| u16::try_from(digit).ok()) else {
                return self.expected("a hexadecimal digit");
            };
            unit = unit << 4 | digit;
            self.at += 1;
        }
        Ok(unit)
    }
}
