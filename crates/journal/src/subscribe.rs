//! Subscriptions: read what is there, then sleep until the bell rings.
//!
//! Small on purpose, and free of any runtime: a journal rings its bell after each append, and a
//! subscription scans again. So it can never miss, repeat or reorder an event, and a slow reader
//! costs the writer nothing. A storage error is returned; the next call tries again.

use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use async_trait::async_trait;

use crate::{Event, ReadJournalError, StorageFault};

const PAGE: usize = 256;

/// Where a subscription reads: the readable half of a journal.
#[async_trait]
pub trait Feed: Send + Sync {
    /// The first `limit` events from `from_seq` (inclusive) on.
    ///
    /// # Errors
    /// [`ReadJournalError`] when the storage cannot be read.
    async fn page(&self, from_seq: u64, limit: usize) -> Result<Vec<Event>, ReadJournalError>;
}

/// What a journal rings after an append. Rings are counted, so none is lost between looking and sleeping.
#[derive(Debug, Default)]
pub struct Bell(Mutex<Rings>);

#[derive(Debug, Default)]
struct Rings {
    count: u64,
    closed: bool,
    next_key: u64,
    sleepers: BTreeMap<u64, Waker>,
}

impl Bell {
    fn lock(&self) -> MutexGuard<'_, Rings> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self, change: impl FnOnce(&mut Rings)) {
        let sleepers = {
            let mut rings = self.lock();
            change(&mut rings);
            std::mem::take(&mut rings.sleepers)
        };
        sleepers.into_values().for_each(Waker::wake);
    }

    /// Wakes every subscription: there may be something new.
    pub fn ring(&self) {
        self.wake(|rings| rings.count = rings.count.wrapping_add(1));
    }

    /// The journal is gone: subscriptions drain what is there and then end with [`StorageFault::Closed`].
    pub fn close(&self) {
        self.wake(|rings| rings.closed = true);
    }

    fn state(&self) -> (u64, bool) {
        let rings = self.lock();
        (rings.count, rings.closed)
    }
}

/// Resolves when the bell was rung since `seen`, or closed.
struct Rung<'a> {
    bell: &'a Bell,
    seen: u64,
    key: Option<u64>,
}

impl Future for Rung<'_> {
    type Output = ();
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let bell = self.bell;
        let mut rings = bell.lock();
        if rings.count != self.seen || rings.closed {
            return Poll::Ready(());
        }
        let key = self.key.unwrap_or(rings.next_key);
        if self.key.is_none() {
            rings.next_key = rings.next_key.wrapping_add(1);
            self.key = Some(key);
        }
        rings.sleepers.insert(key, cx.waker().clone());
        Poll::Pending
    }
}

impl Drop for Rung<'_> {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.bell.lock().sleepers.remove(&key);
        }
    }
}

/// A reader that follows a journal.
pub struct Subscription {
    feed: Arc<dyn Feed>,
    bell: Arc<Bell>,
    next: u64,
    page: VecDeque<Event>,
}

impl Subscription {
    /// Follows this feed from `from_seq` (inclusive) on; for those who implement a journal.
    pub fn new(feed: Arc<dyn Feed>, bell: Arc<Bell>, from_seq: u64) -> Self {
        Self {
            feed,
            bell,
            next: from_seq,
            page: VecDeque::new(),
        }
    }

    /// The next event; waits until there is one. Cancel-safe: a dropped future loses nothing.
    ///
    /// # Errors
    /// [`ReadJournalError`] when the storage cannot be read (call again to try again), and
    /// [`StorageFault::Closed`] when the journal is gone and everything was delivered.
    pub async fn next(&mut self) -> Result<Event, ReadJournalError> {
        loop {
            if let Some(event) = self.page.pop_front() {
                self.next = event.seq.saturating_add(1);
                return Ok(event);
            }
            let (seen, closed) = self.bell.state();
            self.page = self.feed.page(self.next, PAGE).await?.into();
            if self.page.is_empty() {
                if closed {
                    return Err(ReadJournalError::Unavailable {
                        fault: StorageFault::Closed,
                        source: None,
                    });
                }
                Rung {
                    bell: &self.bell,
                    seen,
                    key: None,
                }
                .await;
            }
        }
    }

    /// The `seq` from which the next event will come.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.next
    }
}

impl std::fmt::Debug for Subscription {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subscription")
            .field("next", &self.next)
            .finish_non_exhaustive()
    }
}
