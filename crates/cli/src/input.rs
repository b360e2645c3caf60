//! Standard input as text, piece by piece: what is not UTF-8 becomes U+FFFD and is counted.

use std::io::Read;

use crate::exit::{FAILED, Failure};

/// The most bytes that are kept of an input that is needed as a whole.
pub(crate) const MOST: usize = 64 * 1024 * 1024;

/// How much is read at a time.
const PIECE: usize = 64 * 1024;

/// What an input came to.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Seen {
    /// Its bytes.
    pub(crate) bytes: usize,
    /// How many times something in it was not UTF-8.
    pub(crate) not_utf8: usize,
}

/// Reads standard input to its end and shows it to `see` as it comes.
pub(crate) fn pieces(mut see: impl FnMut(&str) -> Result<(), Failure>) -> Result<Seen, Failure> {
    let mut input = std::io::stdin().lock();
    let (mut seen, mut waiting, mut piece) = (Seen::default(), Vec::new(), vec![0; PIECE]);
    loop {
        let read = match input.read(&mut piece) {
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Failure::environment(&error)),
        };
        if read == 0 {
            break;
        }
        seen.bytes += read;
        waiting.extend_from_slice(piece.get(..read).unwrap_or_default());
        let whole = whole_characters(&waiting);
        let rest = waiting.split_off(whole);
        seen.not_utf8 += show(&waiting, &mut see)?;
        waiting = rest;
    }
    seen.not_utf8 += show(&waiting, &mut see)?;
    Ok(seen)
}

/// All of standard input, which must not be larger than [`MOST`].
pub(crate) fn whole() -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(MOST).unwrap_or(u64::MAX).saturating_add(1);
    let input = std::io::stdin().lock();
    input
        .take(limit)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::environment(&error))?;
    if bytes.len() > MOST {
        return Err(too_large());
    }
    Ok(bytes)
}

/// An input that was to be kept and is too large for that.
pub(crate) fn too_large() -> Failure {
    let most = MOST / (1024 * 1024);
    Failure::new(
        FAILED,
        format!("standard input has more than {most} MiB; send less at a time"),
    )
}

/// The length without a character whose last bytes are still to come.
fn whole_characters(bytes: &[u8]) -> usize {
    let cut = bytes
        .utf8_chunks()
        .last()
        .map(|chunk| chunk.invalid().len());
    let open = cut.filter(|open| {
        let tail = bytes.get(bytes.len() - open..).unwrap_or_default();
        std::str::from_utf8(tail).is_err_and(|error| error.error_len().is_none())
    });
    bytes.len() - open.unwrap_or_default()
}

fn show(bytes: &[u8], see: &mut impl FnMut(&str) -> Result<(), Failure>) -> Result<usize, Failure> {
    let mut bad = 0;
    for chunk in bytes.utf8_chunks() {
        see(chunk.valid())?;
        if !chunk.invalid().is_empty() {
            bad += 1;
            see("\u{fffd}")?;
        }
    }
    Ok(bad)
}
