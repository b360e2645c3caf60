//! Reads lines of bounded length.
//!
//! A line over the limit is not lost: its head is kept, the rest is read past while its outline is
//! taken, so that it can be answered or cut. Knows nothing of messages.

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

use crate::skim::{Skim, Skimmer};

/// One line, without its end.
#[derive(Debug)]
pub(crate) enum Line {
    /// All of it.
    Whole(Vec<u8>),
    /// It was longer than the limit.
    Over {
        /// Its first bytes, as many as the limit.
        head: Vec<u8>,
        /// How long it was.
        size: u64,
        /// Its outline.
        skim: Skim,
    },
}

/// Reads lines from a stream.
#[derive(Debug)]
pub(crate) struct LineReader<R> {
    inner: BufReader<R>,
    limit: usize,
    head: Vec<u8>,
    size: u64,
    over: Option<Skimmer>,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub(crate) fn new(inner: R, limit: usize) -> Self {
        Self {
            inner: BufReader::with_capacity(64 * 1024, inner),
            limit,
            head: Vec::new(),
            size: 0,
            over: None,
        }
    }

    /// The next line; `None` at the end of the stream. A last line without an end counts.
    /// May be dropped while it waits: what was read so far stays here.
    pub(crate) async fn next(&mut self) -> std::io::Result<Option<Line>> {
        loop {
            let available = self.inner.fill_buf().await?;
            if available.is_empty() {
                return Ok(if self.size == 0 {
                    None
                } else {
                    Some(self.finish())
                });
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let part = available
                .get(..end.unwrap_or(available.len()))
                .unwrap_or(available);
            let used = part.len() + usize::from(end.is_some());
            take(&mut self.head, &mut self.over, self.limit, part);
            self.size += part.len() as u64;
            self.inner.consume(used);
            if end.is_some() {
                return Ok(Some(self.finish()));
            }
        }
    }

    fn finish(&mut self) -> Line {
        let mut head = std::mem::take(&mut self.head);
        let size = std::mem::take(&mut self.size);
        match self.over.take() {
            Some(skimmer) => Line::Over {
                head,
                size,
                skim: skimmer.finish(),
            },
            None => {
                if head.last() == Some(&b'\r') {
                    head.pop();
                }
                Line::Whole(head)
            }
        }
    }
}

fn take(head: &mut Vec<u8>, over: &mut Option<Skimmer>, limit: usize, part: &[u8]) {
    let (kept, rest) = part.split_at(part.len().min(limit.saturating_sub(head.len())));
    head.extend_from_slice(kept);
    if rest.is_empty() {
        return;
    }
    let skimmer = over.get_or_insert_with(|| {
        let mut skimmer = Skimmer::new();
        skimmer.push(head);
        skimmer.mark();
        skimmer
    });
    skimmer.push(rest);
}
