//! What was pinned, by whom, and what is in quarantine: a fold over the journal's `tool.*` events.
//!
//! Pure and total: unknown kinds change nothing, so that an old reader reads a newer journal. Data
//! that does not fit its kind is an error, never skipped: a lost quarantine would be an open door.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;
use tipstaff_journal::{Event, StreamKind, kinds};
use tipstaff_schema::{Digest, ServerName};

use crate::events::{Accepted, Pinned, PinnedBy, Quarantined, Registered, Removed};
use crate::wire::ProfilePatch;

/// What is known of one pinned tool.
#[derive(Debug, Clone, PartialEq)]
pub struct PinState {
    /// The pinned digest.
    pub pin: Digest,
    /// The pinned definition: what clients are shown, and what a change is compared with.
    pub raw: Arc<Value>,
    /// What was decided when it was accepted; the manifest refines it.
    pub profile: Option<ProfilePatch>,
    /// Who accepted it; `None` for first use and captured listings.
    pub accepted_by: Option<String>,
    /// How it was pinned without an answer; `None` where a person accepted it.
    pub how: Option<PinnedBy>,
    /// The digest that put it in quarantine; only an acceptance clears this.
    pub quarantined: Option<Digest>,
    /// The number of the event that pinned it: grants and remembered rules older than this are void.
    pub pinned_at_seq: u64,
}

/// An event of a tool whose data does not fit its kind.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[error("event {seq} (`{kind}`) of the journal does not hold what its kind says")]
pub struct FoldPinsError {
    /// The event's number.
    pub seq: u64,
    /// Its kind.
    pub kind: String,
    /// What was wrong.
    pub source: serde_json::Error,
}

/// All pins. Starts empty: a gate without a journal trusts nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pins {
    pinned: BTreeMap<String, PinState>,
    seen: BTreeMap<String, Digest>,
    // Quarantines of tools that were never pinned (shadowing names), by the digest on offer.
    held: BTreeMap<String, Digest>,
    listed: BTreeSet<(ServerName, Digest)>,
}

impl Pins {
    /// Takes in one event; those of other streams and of unknown kinds change nothing.
    ///
    /// # Errors
    /// [`FoldPinsError`] when the data does not fit the kind.
    pub fn apply(&mut self, event: &Event) -> Result<(), FoldPinsError> {
        if event.stream.kind() != StreamKind::Tool {
            return Ok(());
        }
        match event.kind {
            kinds::TOOL_REGISTERED => self.registered(read(event)?),
            kinds::TOOL_PINNED => self.pinned(read(event)?, event.seq),
            kinds::TOOL_ACCEPTED => self.accepted(read(event)?, event.seq),
            kinds::TOOL_QUARANTINED => self.quarantined(read(event)?),
            kinds::TOOL_REMOVED => {
                let Removed { tool_id } = read(event)?;
                self.seen.remove(&tool_id);
            }
            _ => {}
        }
        Ok(())
    }

    /// The pin of a tool; `None` if it was never pinned.
    #[must_use]
    pub fn get(&self, tool_id: &str) -> Option<&PinState> {
        self.pinned.get(tool_id)
    }

    /// All pins, by tool id.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &PinState)> {
        self.pinned.iter().map(|(id, state)| (id.as_str(), state))
    }

    /// Whether nothing was ever pinned or listed, as with a new or empty state folder.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pinned.is_empty() && self.seen.is_empty() && self.listed.is_empty()
    }

    /// Whether a whole listing of this server identity was seen before, so that first use is over.
    #[must_use]
    pub fn first_use_seen(&self, server: &ServerName, identity: &Digest) -> bool {
        self.listed.contains(&(server.clone(), *identity))
    }

    /// The tools that are listed and were never pinned, by id.
    #[must_use]
    pub fn unreviewed(&self) -> Vec<&str> {
        let seen = self.seen.keys().map(String::as_str);
        seen.filter(|id| !self.pinned.contains_key(*id)).collect()
    }

    /// The digest under which a tool was last seen; `None` if never, or after it was removed.
    #[must_use]
    pub fn seen(&self, tool_id: &str) -> Option<&Digest> {
        self.seen.get(tool_id)
    }

    /// The ids that were seen and not removed since, and begin so.
    pub(crate) fn seen_under<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = &'a str> {
        let from = self.seen.range::<str, _>((
            std::ops::Bound::Included(prefix),
            std::ops::Bound::Unbounded,
        ));
        from.map(|(id, _)| id.as_str())
            .take_while(move |id| id.starts_with(prefix))
    }

    /// The digest that put the tool in quarantine, if it is.
    #[must_use]
    pub fn quarantined_by(&self, tool_id: &str) -> Option<&Digest> {
        self.get(tool_id)
            .and_then(|state| state.quarantined.as_ref())
            .or_else(|| self.held.get(tool_id))
    }

    fn registered(&mut self, data: Registered) {
        if let (Some(server), Some(identity)) = (data.server, data.identity) {
            self.listed.insert((server, identity));
        }
        if let Some(pin) = data.pin {
            self.seen.insert(data.tool_id, pin);
        }
    }

    fn pinned(&mut self, data: Pinned, seq: u64) {
        // A pin without an answer never replaces one, and never lifts a quarantine.
        if self.pinned.contains_key(&data.tool_id) || self.held.contains_key(&data.tool_id) {
            return;
        }
        let state = PinState {
            pin: data.pin,
            raw: Arc::new(data.raw),
            profile: None,
            accepted_by: None,
            how: Some(data.how),
            quarantined: None,
            pinned_at_seq: seq,
        };
        self.seen.insert(data.tool_id.clone(), data.pin);
        self.pinned.insert(data.tool_id, state);
    }

    fn accepted(&mut self, data: Accepted, seq: u64) {
        let state = PinState {
            pin: data.pin,
            raw: Arc::new(data.raw),
            profile: data.profile,
            accepted_by: Some(data.by),
            how: None,
            quarantined: None,
            pinned_at_seq: seq,
        };
        self.held.remove(&data.tool_id);
        self.seen.insert(data.tool_id.clone(), data.pin);
        self.pinned.insert(data.tool_id, state);
    }

    fn quarantined(&mut self, data: Quarantined) {
        self.seen.insert(data.tool_id.clone(), data.offered);
        match self.pinned.get_mut(&data.tool_id) {
            Some(state) => state.quarantined = Some(data.offered),
            None => {
                self.held.insert(data.tool_id, data.offered);
            }
        }
    }
}

fn read<T: DeserializeOwned>(event: &Event) -> Result<T, FoldPinsError> {
    serde_json::from_value(event.data.clone()).map_err(|source| FoldPinsError {
        seq: event.seq,
        kind: event.kind.to_string(),
        source,
    })
}
