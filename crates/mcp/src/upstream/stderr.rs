//! The last words of a server: its standard error, bounded, cleaned when shown.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tipstaff_schema::sanitization::sanitize_for_display;
use tokio::io::{AsyncRead, AsyncReadExt};

const KEPT: usize = 16 * 1024;

/// The end of what a server wrote to its standard error, over its restarts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stderr(Arc<Mutex<VecDeque<u8>>>);

impl Stderr {
    pub(crate) fn push(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(
            bytes
                .get(bytes.len().saturating_sub(KEPT)..)
                .unwrap_or(bytes),
        );
        let excess = kept.len().saturating_sub(KEPT);
        kept.drain(..excess);
    }

    /// The last lines, oldest first, each cleaned.
    pub(crate) fn lines(&self, most: usize) -> Vec<String> {
        let bytes: Vec<u8> = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .copied()
            .collect();
        let text = String::from_utf8_lossy(&bytes);
        let mut last: Vec<String> = text
            .lines()
            .rev()
            .filter(|line| !line.trim().is_empty())
            .take(most)
            .map(|line| sanitize_for_display(line.trim_end()))
            .collect();
        last.reverse();
        last
    }

    /// Reads until the stream ends; never stops reading, so that the server never blocks on it.
    pub(crate) async fn follow(self, mut stream: impl AsyncRead + Unpin) {
        let mut buffer = vec![0; 4096];
        while let Ok(read) = stream.read(&mut buffer).await {
            if read == 0 {
                return;
            }
            self.push(buffer.get(..read).unwrap_or_default());
        }
    }
}
