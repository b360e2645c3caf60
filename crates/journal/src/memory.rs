//! A journal in memory: for tests, for embedding without a disk, and as the model for the others.
//!
//! It is chained and sealed like any other, but an event lives only as long as the process.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::{
    AppendError, Appended, Bell, CheckedDraft, Draft, DraftError, Event, Feed, Filter, Head,
    Journal, OpenedBy, ReadJournalError, Stream, Subscription, check_drafts, check_expected,
    opening, seal,
};

/// A [`Journal`] that keeps its events in memory.
#[derive(Debug)]
pub struct MemoryJournal {
    log: Arc<Log>,
    bell: Arc<Bell>,
}

#[derive(Debug)]
struct Log(Mutex<Entries>);

#[derive(Debug)]
struct Entries {
    // INVARIANT: the event with `seq` n is at n - 1, and the last one's place and hash are `head`.
    events: Vec<Event>,
    streams: HashMap<Stream, Vec<usize>>,
    ids: HashSet<Uuid>,
    head: Head,
}

impl Entries {
    fn version(&self, stream: &Stream) -> u64 {
        self.streams
            .get(stream)
            .map_or(0, |places| places.len() as u64)
    }

    fn push(&mut self, event: &Event) {
        self.streams
            .entry(event.stream.clone())
            .or_default()
            .push(self.events.len());
        self.ids.insert(event.id);
        self.head = Head {
            seq: event.seq,
            hash: event.hash,
        };
        self.events.push(event.clone());
    }

    fn append(
        &mut self,
        expected: &[(Stream, u64)],
        drafts: Vec<CheckedDraft>,
    ) -> Result<Appended, AppendError> {
        check_expected(expected, |stream| {
            Ok::<_, AppendError>(self.version(stream))
        })?;
        for (index, draft) in drafts.iter().enumerate() {
            let id = draft.draft().id;
            if self.ids.contains(&id) {
                return Err(AppendError::Invalid {
                    index,
                    source: DraftError::DuplicateId { id },
                });
            }
        }
        let (sealed, head) = seal(drafts, self.head, |stream| {
            Ok::<_, AppendError>(self.version(stream))
        })?;
        let events: Vec<Event> = sealed.into_iter().map(|sealed| sealed.event).collect();
        events.iter().for_each(|event| self.push(event));
        Ok(Appended { events, head })
    }
}

impl Log {
    // A panic while the lock is held cannot leave half an append: `push` is the only change.
    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn scan(&self, from_seq: u64, limit: usize, filter: &Filter) -> Vec<Event> {
        let skip = usize::try_from(from_seq.saturating_sub(1)).unwrap_or(usize::MAX);
        let entries = self.lock();
        entries
            .events
            .iter()
            .skip(skip)
            .filter(|event| filter.passes(event))
            .take(limit)
            .cloned()
            .collect()
    }
}

impl MemoryJournal {
    /// A new journal with its `journal.opened` by the actor `journal`, whose event id is the
    /// journal's. A time outside the years 0 to 9999 is taken as 1970.
    #[must_use]
    #[expect(
        clippy::expect_used,
        reason = "INVARIANT: the actor and the time keep the rules of a draft"
    )]
    #[expect(clippy::missing_panics_doc, reason = "it cannot panic")]
    pub fn new(id: Uuid, created_at: DateTime<Utc>) -> Self {
        let at = crate::wire::whole_micros(created_at).unwrap_or_default();
        let by = OpenedBy {
            journal_id: id,
            at,
            event_id: id,
            actor: "journal".to_owned(),
        };
        Self::open(&by).expect("a draft that keeps the rules")
    }

    /// A new journal with its `journal.opened` as given.
    ///
    /// # Errors
    /// [`DraftError`] when the actor or the time breaks a rule.
    pub fn open(by: &OpenedBy) -> Result<Self, DraftError> {
        let event = opening(by)?.event;
        let head = Head {
            seq: event.seq,
            hash: event.hash,
        };
        let mut entries = Entries {
            events: Vec::new(),
            streams: HashMap::new(),
            ids: HashSet::new(),
            head,
        };
        entries.push(&event);
        Ok(Self {
            log: Arc::new(Log(Mutex::new(entries))),
            bell: Arc::new(Bell::default()),
        })
    }
}

impl Drop for MemoryJournal {
    fn drop(&mut self) {
        self.bell.close();
    }
}

#[async_trait]
impl Feed for Log {
    async fn page(&self, from_seq: u64, limit: usize) -> Result<Vec<Event>, ReadJournalError> {
        Ok(self.scan(from_seq, limit, &Filter::all()))
    }
}

#[async_trait]
impl Journal for MemoryJournal {
    async fn append(
        &self,
        expected: &[(Stream, u64)],
        drafts: Vec<Draft>,
    ) -> Result<Appended, AppendError> {
        let drafts = check_drafts(drafts)?;
        let appended = self.log.lock().append(expected, drafts)?;
        self.bell.ring();
        Ok(appended)
    }

    async fn read(&self, stream: &Stream) -> Result<Vec<Event>, ReadJournalError> {
        let entries = self.log.lock();
        let places = entries.streams.get(stream).into_iter().flatten();
        Ok(places
            .filter_map(|place| entries.events.get(*place).cloned())
            .collect())
    }

    async fn scan(
        &self,
        from_seq: u64,
        limit: usize,
        filter: &Filter,
    ) -> Result<Vec<Event>, ReadJournalError> {
        Ok(self.log.scan(from_seq, limit, filter))
    }

    async fn head(&self) -> Result<Head, ReadJournalError> {
        Ok(self.log.lock().head)
    }

    fn subscribe(&self, from_seq: u64) -> Subscription {
        Subscription::new(self.log.clone(), self.bell.clone(), from_seq)
    }
}
