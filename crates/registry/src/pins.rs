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
use crate::pin::ServerIdentity;
use crate::wire::ProfilePatch;

/// What is known of one pinned tool.
#[derive(Debug, Clone, PartialEq)]
pub struct PinState {
    /// The pinned digest.
    pub pin: Digest,
    /// The pinned definition: what clients are shown, and what a change is compared with.
    pub raw: Arc<Value>,
    /// The digest of the server's identity and instructions that it was accepted with.
    pub server_digest: Option<Digest>,
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

/// What a server was last seen to offer as a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Offered {
    /// Its digest.
    pub pin: Digest,
    /// The definition; `None` where the journal holds only its digest.
    pub raw: Option<Arc<Value>>,
    /// The digest of the server's identity and instructions.
    pub server_digest: Option<Digest>,
    /// How many definitions were seen since one was pinned or accepted.
    pub(crate) sightings: u32,
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
    seen: BTreeMap<String, Offered>,
    // Quarantines of tools that were never pinned (shadowing names), by the digest on offer.
    held: BTreeMap<String, Digest>,
    listed: BTreeSet<(ServerName, Digest)>,
    // By digest; what events name by it.
    servers: BTreeMap<Digest, Arc<ServerIdentity>>,
    // How many events each tool's stream has.
    versions: BTreeMap<String, u64>,
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
        self.versions
            .insert(event.stream.id().to_owned(), event.version);
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
        self.offered(tool_id).map(|offered| &offered.pin)
    }

    /// What was last offered as this tool; `None` if nothing ever was, or it was removed.
    #[must_use]
    pub fn offered(&self, tool_id: &str) -> Option<&Offered> {
        self.seen.get(tool_id)
    }

    /// The server identity of this digest, with its instructions as far as the journal keeps them.
    #[must_use]
    pub fn server(&self, digest: &Digest) -> Option<&ServerIdentity> {
        self.servers.get(digest).map(AsRef::as_ref)
    }

    /// The version of a tool's stream, for conditional appends; 0 without any event.
    #[must_use]
    pub fn version(&self, tool_id: &str) -> u64 {
        self.versions.get(tool_id).copied().unwrap_or_default()
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
        if let (Some(digest), Some(identity)) = (data.server_digest, data.server_identity) {
            self.servers.insert(digest, Arc::new(identity));
        }
        if let Some(pin) = data.pin {
            let raw = data.raw.map(Arc::new);
            self.see(data.tool_id, pin, raw, data.server_digest);
        }
    }

    /// A definition was offered; without it, it may be the pinned one.
    fn see(
        &mut self,
        tool_id: String,
        pin: Digest,
        raw: Option<Arc<Value>>,
        server_digest: Option<Digest>,
    ) {
        let pinned = self.pinned.get(&tool_id).filter(|state| state.pin == pin);
        let raw = raw.or_else(|| pinned.map(|state| Arc::clone(&state.raw)));
        let before = self.seen.get(&tool_id);
        let sightings = before
            .map_or(0, |before| before.sightings)
            .saturating_add(1);
        let offered = Offered {
            pin,
            raw,
            server_digest,
            sightings,
        };
        self.seen.insert(tool_id, offered);
    }

    /// A definition is the pinned one from now on.
    fn pin(&mut self, tool_id: String, state: PinState) {
        let offered = Offered {
            pin: state.pin,
            raw: Some(Arc::clone(&state.raw)),
            server_digest: state.server_digest,
            sightings: 0,
        };
        self.seen.insert(tool_id.clone(), offered);
        self.pinned.insert(tool_id, state);
    }

    fn pinned(&mut self, data: Pinned, seq: u64) {
        // A pin without an answer never replaces one, and never lifts a quarantine.
        if self.pinned.contains_key(&data.tool_id) || self.held.contains_key(&data.tool_id) {
            return;
        }
        let state = PinState {
            pin: data.pin,
            raw: Arc::new(data.raw),
            server_digest: data.server_digest,
            profile: None,
            accepted_by: None,
            how: Some(data.how),
            quarantined: None,
            pinned_at_seq: seq,
        };
        self.pin(data.tool_id, state);
    }

    fn accepted(&mut self, data: Accepted, seq: u64) {
        let state = PinState {
            pin: data.pin,
            raw: Arc::new(data.raw),
            server_digest: data.server_digest,
            profile: data.profile,
            accepted_by: Some(data.by),
            how: None,
            quarantined: None,
            pinned_at_seq: seq,
        };
        self.held.remove(&data.tool_id);
        self.pin(data.tool_id, state);
    }

    fn quarantined(&mut self, data: Quarantined) {
        let (tool_id, offered) = (data.tool_id, data.offered);
        let raw = Some(Arc::new(data.raw));
        self.see(tool_id.clone(), offered, raw, data.server_digest);
        match self.pinned.get_mut(&tool_id) {
            Some(state) => state.quarantined = Some(offered),
            None => {
                self.held.insert(tool_id, offered);
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
