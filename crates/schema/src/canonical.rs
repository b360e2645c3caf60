//! Canonical JSON (RFC 8785): one spelling for each value, so that equal values hash equally.
//!
//! Sorts keys itself, in one pass over the value: whether a linked crate makes `serde_json` keep
//! insertion order changes nothing. An extension to the RFC: integers of `i64` and `u64` keep all
//! their digits. A float is written as ECMAScript writes it, 2^60 as 1152921504606847000; the
//! strict reader makes no such float, so texts that went through it never meet here.

use std::cmp::Ordering;

use serde_json::Value;

use crate::number;
use crate::plain::split_special;

/// How deep a value may nest to have a canonical form. Above the strict reader's limit, so that
/// an event or a journal line can wrap what came through it.
pub const MAX_CANONICAL_DEPTH: usize = 128;

/// A value without canonical form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CanonError {
    /// It nests deeper than [`MAX_CANONICAL_DEPTH`].
    #[error("the value is nested deeper than {MAX_CANONICAL_DEPTH} levels")]
    TooDeep,
    /// A number in it is not a finite 64-bit number.
    #[error("`{text}` is no finite 64-bit number")]
    Number {
        /// The number as it stands.
        text: String,
    },
}

/// The canonical text of a value.
///
/// # Errors
/// [`CanonError::TooDeep`] for a value nested deeper than [`MAX_CANONICAL_DEPTH`],
/// [`CanonError::Number`] for a number that fits no 64-bit type.
pub fn canonical(value: &Value) -> Result<String, CanonError> {
    let mut out = String::with_capacity(512);
    write(&mut out, value, MAX_CANONICAL_DEPTH)?;
    Ok(out)
}

/// Writes the canonical text of a string, for who writes canonical text piece by piece.
pub fn canonical_string(out: &mut String, text: &str) {
    write_string(out, text);
}

fn write(out: &mut String, value: &Value, depth: usize) -> Result<(), CanonError> {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => number::write(out, number)?,
        Value::String(text) => write_string(out, text),
        Value::Array(items) => {
            let depth = depth.checked_sub(1).ok_or(CanonError::TooDeep)?;
            let mut before = '[';
            for item in items {
                out.push(before);
                write(out, item, depth)?;
                before = ',';
            }
            out.push_str(if items.is_empty() { "[]" } else { "]" });
        }
        Value::Object(members) => {
            let depth = depth.checked_sub(1).ok_or(CanonError::TooDeep)?;
            write_object(out, members.iter(), depth)?;
        }
    }
    Ok(())
}

/// Writes members that come in any order.
pub(crate) fn write_object<'a>(
    out: &mut String,
    members: impl Iterator<Item = (&'a String, &'a Value)> + Clone,
    depth: usize,
) -> Result<(), CanonError> {
    // As a rule they come in order, and no key holds what sorts differently in UTF-16.
    let mut keys = members.clone().map(|(key, _)| key);
    let by_bytes = !keys.any(|key| is_beyond_bmp(key));
    if by_bytes && members.clone().map(|(key, _)| key).is_sorted() {
        return write_members(out, members, depth);
    }
    let mut sorted: Vec<_> = members.collect();
    sorted.sort_unstable_by(|(a, _), (b, _)| order(a, b));
    write_members(out, sorted.into_iter(), depth)
}

fn write_members<'a>(
    out: &mut String,
    members: impl Iterator<Item = (&'a String, &'a Value)>,
    depth: usize,
) -> Result<(), CanonError> {
    out.push('{');
    let mut between = "";
    for (key, value) in members {
        out.push_str(between);
        write_string(out, key);
        out.push(':');
        write(out, value, depth)?;
        between = ",";
    }
    out.push('}');
    Ok(())
}

/// Whether a text holds a character beyond U+FFFF; only then its order can differ from that of
/// its bytes.
fn is_beyond_bmp(text: &str) -> bool {
    text.bytes().fold(false, |any, byte| any | (byte >= 0xF0))
}

/// Orders by UTF-16 code units. UTF-8 bytes order alike, but for one thing: in UTF-16 what lies
/// beyond U+FFFF (lead bytes F0 to F4) comes before U+E000 to U+FFFF (lead bytes EE and EF).
fn order(a: &str, b: &str) -> Ordering {
    match a.bytes().zip(b.bytes()).find(|(a, b)| a != b) {
        Some((a, b)) => rank(a).cmp(&rank(b)),
        None => a.len().cmp(&b.len()),
    }
}

fn rank(byte: u8) -> u16 {
    match byte {
        0xEE | 0xEF => u16::from(byte) + 0x100,
        _ => u16::from(byte),
    }
}

fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some((plain, special, after)) = split_special(rest) {
        out.push_str(plain);
        match special {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            0x08 => out.push_str("\\b"),
            b'\t' => out.push_str("\\t"),
            b'\n' => out.push_str("\\n"),
            0x0C => out.push_str("\\f"),
            b'\r' => out.push_str("\\r"),
            control => {
                out.push_str(if control < 0x10 { "\\u000" } else { "\\u001" });
                out.push(char::from_digit(u32::from(control & 0xF), 16).unwrap_or('0'));
            }
        }
        rest = after;
    }
    out.push_str(rest);
    out.push('"');
}
