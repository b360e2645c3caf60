//! The envelope of an event, the draft that becomes one, and the head of a journal.
//!
//! An event is plain data: nothing in it is trusted until a [`Verifier`](crate::Verifier) saw it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tipstaff_schema::Digest;
use uuid::Uuid;

use crate::{Kind, Stream};
use tipstaff_schema::one_form;

one_form!(Head);

/// The version of the envelope that this crate writes.
pub const EVENT_VERSION: u32 = 1;

/// What somebody wants to append; numbers and hashes come from the journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// The event's own id, a UUID v7; an id that is already there is refused.
    pub id: Uuid,
    /// When it happened, kept to the microsecond. Order is by `seq`, never by this.
    pub ts: DateTime<Utc>,
    /// The stream it belongs to.
    pub stream: Stream,
    /// What it tells.
    pub kind: Kind,
    /// The call or the errand that it belongs to.
    pub correlation: Option<Uuid>,
    /// The event that caused it.
    pub causation: Option<Uuid>,
    /// Who did it: 1 to 256 bytes.
    pub actor: String,
    /// The typed data of its owner crate, at most [`MAX_DATA_BYTES`](crate::MAX_DATA_BYTES) as canonical JSON.
    pub data: Value,
}

impl Draft {
    /// A draft without correlation and causation.
    pub fn new(
        id: Uuid,
        ts: DateTime<Utc>,
        stream: Stream,
        kind: Kind,
        actor: impl Into<String>,
        data: Value,
    ) -> Self {
        Self {
            id,
            ts,
            stream,
            kind,
            correlation: None,
            causation: None,
            actor: actor.into(),
            data,
        }
    }

    /// The same draft, belonging to this call or errand.
    #[must_use]
    pub fn correlated(mut self, id: Uuid) -> Self {
        self.correlation = Some(id);
        self
    }

    /// The same draft, caused by this event.
    #[must_use]
    pub fn caused_by(mut self, id: Uuid) -> Self {
        self.causation = Some(id);
        self
    }
}

/// One event of a journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "crate::wire::EventWire", into = "crate::wire::EventWire")]
pub struct Event {
    /// The version of the envelope.
    pub v: u32,
    /// The place in the journal, from 1, without gaps.
    pub seq: u64,
    /// The event's own id.
    pub id: Uuid,
    /// When it happened, to the microsecond; clocks may go back.
    pub ts: DateTime<Utc>,
    /// The stream it belongs to.
    pub stream: Stream,
    /// The place in its stream, from 1, without gaps.
    pub version: u64,
    /// What it tells; an unknown kind is kept.
    pub kind: Kind,
    /// The call or the errand that it belongs to.
    pub correlation: Option<Uuid>,
    /// The event that caused it.
    pub causation: Option<Uuid>,
    /// Who did it.
    pub actor: String,
    /// The typed data of its owner crate.
    pub data: Value,
    /// The hash of the event before it.
    pub prev: Digest,
    /// The digest of everything else in the event.
    pub hash: Digest,
}

impl Event {
    /// The hash that the event should have; `None` when its data has no canonical form.
    #[must_use]
    pub fn computed_hash(&self) -> Option<Digest> {
        crate::seal::render(self).map(|(_, hash)| hash)
    }

    /// The event as a journal stores it: canonical JSON, with the hash that it claims. `None` when
    /// its data has no canonical form.
    #[must_use]
    pub fn canonical_text(&self) -> Option<String> {
        crate::seal::render(self).map(|(text, _)| text)
    }
}

/// The end of a journal: keep it elsewhere, and no truncation or rewriting goes unseen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Head {
    /// The last event's place.
    pub seq: u64,
    /// The last event's hash.
    pub hash: Digest,
}

/// How a new journal is opened; used only when it does not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedBy {
    /// The new journal's id.
    pub journal_id: Uuid,
    /// The time of its opening.
    pub at: DateTime<Utc>,
    /// The id of the `journal.opened` event.
    pub event_id: Uuid,
    /// Who opens it.
    pub actor: String,
}
