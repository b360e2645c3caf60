//! What a server writes to its standard output that is no message: counted, and said once.

use std::sync::atomic::{AtomicU64, Ordering};

use tipstaff_schema::ServerName;
use tipstaff_schema::sanitization::sanitize_for_display;

const MAX_SAMPLE: usize = 120;

/// The count for one server, over all its restarts.
#[derive(Debug, Default)]
pub(crate) struct Noise(AtomicU64);

impl Noise {
    pub(crate) fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Skips one line; the first is logged with a cleaned sample.
    pub(crate) fn skip(&self, server: &ServerName, why: &str, line: &[u8]) {
        if self.0.fetch_add(1, Ordering::Relaxed) > 0 {
            return;
        }
        let sample = String::from_utf8_lossy(line.get(..MAX_SAMPLE).unwrap_or(line));
        let sample = sanitize_for_display(&sample);
        tracing::warn!(%server, why, sample, "skipped a line of the server that is no message; further ones are only counted");
    }
}
