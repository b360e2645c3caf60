//! Encoded text within a text: runs that decode to something readable, and long ones that do not.

use super::{FindingKind, TextFinding};
use crate::show;

/// Shortest run of letters and digits that counts as encoded data, whatever it decodes to.
const LONG_RUN: usize = 64;
/// Shortest run that is decoded; identifiers are mostly shorter, and hardly ever decode to text.
const SHORT_RUN: usize = 20;

/// The runs of one text.
pub(super) fn found(text: &str) -> Vec<TextFinding> {
    let mut found = Vec::new();
    let mut at = 0;
    for word in text.split_inclusive(|c: char| !is_of_run(c)) {
        let run = word.trim_end_matches(|c: char| !is_of_run(c));
        let span = at..at + run.len();
        at += word.len();
        if run.len() < SHORT_RUN {
            continue;
        }
        let why = if let Some(says) = decoded(run) {
            format!("encoded text: it reads `{}`", show::name(&says))
        } else if is_long(run) {
            format!("{} letters and digits in a row: encoded data?", run.len())
        } else {
            continue;
        };
        found.push(TextFinding {
            kind: FindingKind::Encoded,
            span,
            why,
        });
    }
    found
}

fn is_of_run(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '-' | '_')
}

/// Paths and hyphened words are no blobs: only runs without their marks count.
fn is_long(run: &str) -> bool {
    run.split(['/', '-', '_']).any(|part| {
        part.len() >= LONG_RUN
            && part.bytes().any(|b| b.is_ascii_digit())
            && part.bytes().any(|b| b.is_ascii_alphabetic())
    })
}

/// What a run says in base64, either alphabet, or in hexadecimal; nothing unless all is readable.
fn decoded(run: &str) -> Option<String> {
    readable(hexadecimal(run)).or_else(|| readable(base64(run)))
}

fn readable(bytes: Option<Vec<u8>>) -> Option<String> {
    let bytes = bytes.filter(|bytes| bytes.len() >= SHORT_RUN / 2)?;
    let plain = |b: &u8| matches!(b, b' '..=b'~' | b'\n' | b'\r' | b'\t');
    bytes
        .iter()
        .all(plain)
        .then(|| String::from_utf8(bytes).ok())
        .flatten()
}

fn hexadecimal(run: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = run.chars().map(|c| c.to_digit(16)).collect();
    let pairs = digits.filter(|digits| digits.len() % 2 == 0)?;
    pairs
        .chunks_exact(2)
        .map(|pair| u8::try_from(pair.iter().fold(0, |value, digit| value * 16 + digit)).ok())
        .collect()
}

fn base64(run: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(run.len());
    let (mut held, mut bits) = (0_u32, 0);
    for b in run.trim_end_matches('=').bytes() {
        let value = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        held = (held << 6 | u32::from(value)) & 0xffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(held >> bits & 0xff).ok()?);
        }
    }
    Some(bytes)
}
