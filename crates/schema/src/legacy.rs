//! The approval hash of an older system, to check approvals that were exported from it.
//!
//! Never binds a new approval: it is cut to 128 bits and has no domain. It is SHA-256 over a JSON
//! object with the keys M, C, T, P as Go's `encoding/json` writes it.

use std::fmt::Write as _;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::{CanonError, MAX_CANONICAL_DEPTH, number};

/// The hash: the first 32 hexadecimal digits. Text that is not UTF-8 counts as Go counts it.
///
/// # Errors
/// [`CanonError`] when the parameters nest too deep or hold a number of more than 64 bits.
///
/// ```
/// # fn main() -> Result<(), tipstaff_schema::CanonError> {
/// let params = serde_json::json!({"path": "/tmp/x"});
/// let hash = tipstaff_schema::legacy::noema_hash("m1", "file.write", "/tmp/x", &params)?;
/// assert_eq!(hash, "ea8daf1da8d934df8231c16b1de378e2");
/// # Ok(())
/// # }
/// ```
pub fn noema_hash(
    agent: impl AsRef<[u8]>,
    capability: impl AsRef<[u8]>,
    target: impl AsRef<[u8]>,
    params: &Value,
) -> Result<String, CanonError> {
    let mut text = String::from("{\"M\":");
    write_string(&mut text, agent.as_ref());
    text.push_str(",\"C\":");
    write_string(&mut text, capability.as_ref());
    text.push_str(",\"T\":");
    write_string(&mut text, target.as_ref());
    text.push_str(",\"P\":");
    write(&mut text, params, MAX_CANONICAL_DEPTH)?;
    text.push('}');
    let hash = Sha256::digest(text.as_bytes());
    Ok(hash.iter().take(16).fold(String::new(), |mut hex, byte| {
        let _infallible = write!(hex, "{byte:02x}");
        hex
    }))
}

fn write(out: &mut String, value: &Value, depth: usize) -> Result<(), CanonError> {
    let inside = || depth.checked_sub(1).ok_or(CanonError::TooDeep);
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(yes) => out.push_str(if *yes { "true" } else { "false" }),
        Value::Number(number) => number::write(out, number)?,
        Value::String(text) => write_string(out, text.as_bytes()),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                write(out, item, inside()?)?;
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by(|(a, _), (b, _)| a.as_bytes().cmp(b.as_bytes()));
            out.push('{');
            for (index, (key, value)) in members.into_iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                write_string(out, key.as_bytes());
                out.push(':');
                write(out, value, inside()?)?;
            }
            out.push('}');
        }
    }
    Ok(())
}

/// Writes a string as Go does: HTML's characters and the line separators escaped, each bad byte
/// as the escape of U+FFFD.
fn write_string(out: &mut String, text: &[u8]) {
    out.push('"');
    for chunk in text.utf8_chunks() {
        chunk.valid().chars().for_each(|c| write_char(out, c));
        chunk.invalid().iter().for_each(|_| out.push_str("\\ufffd"));
    }
    out.push('"');
}

fn write_char(out: &mut String, c: char) {
    match c {
        '"' | '\\' => out.extend(['\\', c]),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        '\0'..='\u{1F}' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
            let _infallible = write!(out, "\\u{:04x}", u32::from(c));
        }
        _ => out.push(c),
    }
}
