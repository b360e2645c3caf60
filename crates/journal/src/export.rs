//! Verifies an export (JSON Lines) as it streams by, one line in memory at a time.
//!
//! Reads whatever the caller opened; opens nothing itself.

use std::io::{self, BufRead};

use crate::{Head, Report, Tear, Verifier, from_line};

/// No line that we write is longer: each byte of the data can become six.
const MAX_LINE_BYTES: u64 = 8 << 20;

/// Verifies an export. Blank lines are passed over; a last line without a line end that is no
/// event is set aside as a tear; every other line that is no event is damage.
///
/// # Errors
/// [`io::Error`] when the reader fails.
pub fn verify_export(mut from: impl BufRead, trusted: Option<&Head>) -> io::Result<Report> {
    let mut verifier = Verifier::of_export(trusted.copied());
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        // One byte more than allowed shows that the line is too long.
        let read = io::Read::take(&mut from, MAX_LINE_BYTES + 1).read_until(b'\n', &mut bytes)?;
        if read == 0 {
            break;
        }
        let too_long = read as u64 > MAX_LINE_BYTES;
        let more = if too_long && bytes.last() != Some(&b'\n') {
            skip_line(&mut from)?
        } else {
            Rest::default()
        };
        let ended = more.ended || bytes.last() == Some(&b'\n');
        if !too_long && bytes.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let event = match std::str::from_utf8(&bytes) {
            Ok(_) if too_long => Err("it is longer than any event can be".to_owned()),
            Ok(text) => {
                let text = text.strip_suffix('\n').unwrap_or(text);
                from_line(text)
                    .map(|event| (event, text))
                    .map_err(|err| why(&err))
            }
            Err(_) => Err("it is not UTF-8".to_owned()),
        };
        match event {
            Ok((event, line)) => verifier.push_line(&event, line),
            Err(_) if !ended => verifier.set_tear(Tear {
                line,
                bytes: read as u64 + more.bytes,
            }),
            Err(why) => verifier.push_unreadable(line, why),
        }
    }
    Ok(verifier.finish())
}

#[derive(Default)]
struct Rest {
    bytes: u64,
    ended: bool,
}

/// Passes over the rest of a line.
fn skip_line(from: &mut impl BufRead) -> io::Result<Rest> {
    let mut rest = Rest::default();
    while !rest.ended {
        let buffer = from.fill_buf()?;
        if buffer.is_empty() {
            break;
        }
        let end = buffer.iter().position(|b| *b == b'\n');
        let used = end.map_or(buffer.len(), |end| end + 1);
        rest.ended = end.is_some();
        rest.bytes += used as u64;
        from.consume(used);
    }
    Ok(rest)
}

/// The error with its cause, on one line.
fn why(err: &dyn std::error::Error) -> String {
    match err.source() {
        Some(source) => format!("{err}: {source}").escape_debug().to_string(),
        None => err.to_string(),
    }
}
