//! The `Journal` trait: append, read, scan, head, subscribe.
//!
//! It is a trait so that the gate can stand on memory, SQLite or PostgreSQL alike; what each must
//! do is written as code in [`conformance`](crate::conformance).

use async_trait::async_trait;
use uuid::Uuid;

use crate::{
    AppendError, Draft, Event, Head, Kind, ReadJournalError, Report, Stream, StreamKind,
    Subscription, Verifier,
};

/// An append-only, hash-chained log of events.
#[async_trait]
pub trait Journal: Send + Sync + std::fmt::Debug {
    /// Appends all drafts, in order, or none; returns only when they are safe.
    ///
    /// `expected` says which version each named stream must have (0: no event yet). Streams that
    /// are not named are not checked; named ones need not be written to. Without drafts this only
    /// checks. Dropping the future leaves it open whether the append happens.
    ///
    /// # Errors
    /// [`AppendError::Conflict`] for the first stream that has another version,
    /// [`AppendError::Invalid`] when a draft breaks a rule, [`AppendError::Unavailable`] when the
    /// storage cannot be written.
    async fn append(
        &self,
        expected: &[(Stream, u64)],
        drafts: Vec<Draft>,
    ) -> Result<Appended, AppendError>;

    /// All events of one stream, in order; empty when there are none.
    ///
    /// # Errors
    /// [`ReadJournalError`] when the storage cannot be read or holds no event there.
    async fn read(&self, stream: &Stream) -> Result<Vec<Event>, ReadJournalError>;

    /// The first `limit` events from `from_seq` (inclusive) on that pass the filter, in order.
    ///
    /// # Errors
    /// [`ReadJournalError`] when the storage cannot be read or holds no event there.
    async fn scan(
        &self,
        from_seq: u64,
        limit: usize,
        filter: &Filter,
    ) -> Result<Vec<Event>, ReadJournalError>;

    /// The last event's place and hash. There always is one: `journal.opened`.
    ///
    /// # Errors
    /// [`ReadJournalError`] when the storage cannot be read.
    async fn head(&self) -> Result<Head, ReadJournalError>;

    /// Every event from `from_seq` (inclusive) on, first those that are there, then new ones, each
    /// exactly once and in order.
    fn subscribe(&self, from_seq: u64) -> Subscription;
}

const _: Option<&dyn Journal> = None; // Stops compiling if the trait can no longer be used as `dyn`.

/// What an append made.
#[derive(Debug, Clone, PartialEq)]
pub struct Appended {
    /// The events, in the order of the drafts.
    pub events: Vec<Event>,
    /// The journal's head after them. Keep it elsewhere to find truncation.
    pub head: Head,
}

/// Which events a scan returns; an empty list or `None` does not narrow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only events in streams of these kinds.
    pub streams: Vec<StreamKind>,
    /// Only events of these kinds.
    pub kinds: Vec<Kind>,
    /// Only events of this call or errand.
    pub correlation: Option<Uuid>,
}

impl Filter {
    /// Every event.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// Only events in streams of these kinds.
    pub fn streams(kinds: impl IntoIterator<Item = StreamKind>) -> Self {
        Self {
            streams: kinds.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Only events of these kinds.
    pub fn kinds(kinds: impl IntoIterator<Item = Kind>) -> Self {
        Self {
            kinds: kinds.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Only events of this call or errand.
    #[must_use]
    pub fn correlation(id: Uuid) -> Self {
        Self {
            correlation: Some(id),
            ..Self::default()
        }
    }

    /// Whether the event passes.
    #[must_use]
    pub fn passes(&self, event: &Event) -> bool {
        (self.streams.is_empty() || self.streams.contains(&event.stream.kind()))
            && (self.kinds.is_empty() || self.kinds.contains(&event.kind))
            && self
                .correlation
                .is_none_or(|id| event.correlation == Some(id))
    }
}

/// Verifies a live journal from its first event to its end, a thousand events at a time.
///
/// # Errors
/// [`ReadJournalError`] when the storage cannot be read; damage is in the report, no error.
pub async fn verify_journal(
    journal: &dyn Journal,
    trusted: Option<&Head>,
) -> Result<Report, ReadJournalError> {
    let mut verifier = Verifier::of_store(trusted.copied());
    let (mut from, mut limit) = (1, PAGE);
    loop {
        match journal.scan(from, limit, &Filter::all()).await {
            Ok(page) => {
                let Some(last) = page.last() else {
                    return Ok(verifier.finish());
                };
                from = last.seq.max(from).saturating_add(1);
                page.iter().for_each(|event| verifier.push(event));
            }
            // Up to the damaged event one by one, then past it.
            Err(ReadJournalError::Damaged { .. }) if limit > 1 => limit = 1,
            Err(ReadJournalError::Damaged { seq, why }) if seq >= from => {
                verifier.push_unreadable(seq, why);
                (from, limit) = (seq.saturating_add(1), PAGE);
            }
            Err(err) => return Err(err),
        }
    }
}

const PAGE: usize = 1000;
