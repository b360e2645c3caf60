//! Judges a whole listing of one server: which of its tools may be called, and what changed.
//!
//! Pure: catalog, pins and listing in, entries and changes out. Independent of the order in which
//! the listing comes. Whatever is doubtful is not callable, and one bad tool never spoils another.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;
use tipstaff_schema::{Digest, ServerName};

use crate::bounds;
use crate::change::ToolChange;
use crate::entry::{Standing, ToolEntry};
use crate::events::PinnedBy;
use crate::pin::ServerIdentity;
use crate::pins::Pins;
use crate::raw_tool;
use crate::shadow::skeleton_of;
use crate::show;
use crate::snapshot::CatalogSnapshot;

/// What becomes of tools that have no pin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PinMode {
    /// They wait for a person.
    #[default]
    Reviewed,
    /// The first complete listing of a server identity is pinned as it is; later ones wait.
    FirstUse,
    /// The listing is a file of the operator's: pinned as it is.
    Captured,
}

/// Most definitions of one tool that are recorded between two acceptances of it. A server that
/// changes its tools all the time must not fill the journal with them.
const MAX_SIGHTINGS: u32 = 20;

/// A listing and what it is judged against.
pub(crate) struct Offer<'a> {
    pub(crate) server: &'a ServerName,
    pub(crate) identity: &'a ServerIdentity,
    pub(crate) raw: &'a [Value],
    pub(crate) pins: &'a Pins,
    pub(crate) mode: PinMode,
    pub(crate) now: &'a CatalogSnapshot,
}

/// What a listing comes to.
pub(crate) struct Judged {
    pub(crate) entries: Vec<ToolEntry>,
    pub(crate) changes: Vec<ToolChange>,
    pub(crate) listed: Option<(ServerName, Digest)>,
}

impl Offer<'_> {
    pub(crate) fn judge(&self) -> Judged {
        let identity = self.identity.digest().ok();
        let listed = identity.map(|digest| (self.server.clone(), digest));
        let known = |key: &(ServerName, Digest)| {
            self.pins.first_use_seen(&key.0, &key.1) || self.now.listed.contains(key)
        };
        let first = listed.as_ref().filter(|key| !known(key));
        let server_digest = self.identity.whole_digest().ok();
        let told = |digest: &Digest| self.pins.server(digest).is_some();
        let news = listed
            .clone()
            .filter(|_| first.is_some() || server_digest.is_some_and(|digest| !told(&digest)));
        let unpinned = match (self.mode, first) {
            (PinMode::Captured, _) => Some(PinnedBy::Captured),
            (PinMode::FirstUse, Some(_)) => Some(PinnedBy::FirstUse),
            (PinMode::FirstUse, None) | (PinMode::Reviewed, _) => None,
        };
        let (mut tools, mut changes) = self.read();
        let shadows = self.shadows(&tools);
        for entry in tools.values_mut() {
            if entry.standing == Standing::Callable {
                entry.standing = self.standing(entry, shadows.get(entry.tool_id()), unpinned);
            }
            changes.extend(self.change(entry, unpinned));
        }
        changes.extend(self.gone(&tools));
        if let Some((server, identity)) = news {
            let offered_by = Arc::new(self.identity.clone());
            let listed = ToolChange::Listed {
                server,
                identity,
                offered_by,
            };
            changes.insert(0, listed);
        }
        Judged {
            entries: tools.into_values().collect(),
            changes,
            listed,
        }
    }

    /// The entries by tool id, callable so far unless they can never be, and what could not be read.
    fn read(&self) -> (BTreeMap<String, ToolEntry>, Vec<ToolChange>) {
        let mut tools: BTreeMap<String, ToolEntry> = BTreeMap::new();
        let mut refused = Vec::new();
        for (place, raw) in self.raw.iter().enumerate() {
            let read = || {
                if let Err((what, limit)) = bounds::DEFINITION.count(raw) {
                    return Err((format!("entry {place}"), format!("{what} is over {limit}")));
                }
                let name = raw_tool::name(raw).map_err(|why| (format!("entry {place}"), why))?;
                raw_tool::entry_of(self.server, name, raw, self.identity, self.now, self.pins)
                    .map_err(|why| (show::name(&format!("{}:{name}", self.server)), why))
            };
            match read() {
                Err((tool, why)) => refused.push(ToolChange::Refused { tool, why }),
                Ok(entry) => match tools.get_mut(entry.tool_id()) {
                    None => drop(tools.insert(entry.tool_id().to_owned(), entry)),
                    Some(there) if there.pin == entry.pin => {}
                    Some(there) => {
                        // Kept is the one with the lower digest, so that their order does not count.
                        if entry.pin < there.pin {
                            *there = entry;
                        }
                        there.standing = Standing::Refused {
                            why: "the server lists this name twice, with two definitions"
                                .to_owned(),
                        };
                    }
                },
            }
        }
        (tools, refused)
    }

    /// Why a name of this listing passes for another, by tool id. A pinned name is never a shadow.
    fn shadows(&self, tools: &BTreeMap<String, ToolEntry>) -> BTreeMap<String, String> {
        let mut alike: BTreeMap<String, Vec<&ToolEntry>> = BTreeMap::new();
        for entry in tools.values() {
            alike
                .entry(skeleton_of(&entry.name))
                .or_default()
                .push(entry);
        }
        let stands = |entry: &&ToolEntry| {
            entry.server.as_ref() != Some(self.server)
                && matches!(entry.standing, Standing::Callable | Standing::Unreviewed)
        };
        let mut shadows = BTreeMap::new();
        let new = |entry: &&&ToolEntry| self.pins.get(entry.tool_id()).is_none();
        for (skeleton, own) in &alike {
            for entry in own.iter().filter(new) {
                let others = self.now.passing_for(skeleton).map(AsRef::as_ref);
                let other = others
                    .filter(stands)
                    .chain(own.iter().copied())
                    .find(|other| other.name != entry.name)
                    .map(|other| show::name(&other.name));
                let why = match other {
                    Some(other) => format!("shadowing: its name passes for that of `{other}`"),
                    None if crate::shadow::hides(&entry.name) => {
                        "shadowing: its name holds characters that cannot be seen".to_owned()
                    }
                    None => continue,
                };
                shadows.insert(entry.tool_id().to_owned(), why);
            }
        }
        shadows
    }

    fn standing(
        &self,
        entry: &ToolEntry,
        shadow: Option<&String>,
        unpinned: Option<PinnedBy>,
    ) -> Standing {
        let pinned = self.pins.get(entry.tool_id()).map(|state| state.pin);
        let quarantined = |why: String| Standing::Quarantined { why, pinned };
        // A quarantine holds until it is accepted, whatever the server lists meanwhile: by the
        // journal, or, where its event is still on the way there, by the catalog.
        if let Some(Standing::Quarantined {
            why,
            pinned: before,
        }) = self.before(entry).map(|old| &old.standing)
            && (*before == pinned || self.pins.quarantined_by(entry.tool_id()).is_some())
        {
            return quarantined(why.clone());
        }
        if self.pins.quarantined_by(entry.tool_id()).is_some() {
            return quarantined("it was put in quarantine and not accepted since".to_owned());
        }
        match (pinned, shadow) {
            (Some(pin), _) if pin != entry.pin => {
                quarantined("its definition is no longer the one that was accepted".to_owned())
            }
            (None, Some(why)) => quarantined(why.clone()),
            (pinned, _) => match &entry.validator {
                Err(why) => Standing::Refused { why: why.clone() },
                Ok(_) if pinned.is_some() || unpinned.is_some() => Standing::Callable,
                Ok(_) => Standing::Unreviewed,
            },
        }
    }

    fn before(&self, entry: &ToolEntry) -> Option<&ToolEntry> {
        self.now.by_id(entry.tool_id()).map(AsRef::as_ref)
    }

    /// What changed about one tool. A quarantine is told once: on the edge. What a tool that is not
    /// callable becomes after that is recorded too, up to a bound, so that a reviewer sees it.
    fn change(&self, entry: &ToolEntry, unpinned: Option<PinnedBy>) -> Option<ToolChange> {
        let tool_id = entry.tool_id().to_owned();
        let (pin, server_digest) = (entry.pin, entry.server_digest);
        let before = self.before(entry);
        let raw = || Arc::clone(&entry.raw);
        match (&entry.standing, unpinned) {
            (Standing::Callable, Some(how)) if self.pins.get(&tool_id).is_none() => {
                let told = before.is_some_and(|old| old.standing.is_callable() && old.pin == pin);
                (!told).then(|| ToolChange::Pinned {
                    tool_id,
                    pin,
                    how,
                    raw: raw(),
                    server_digest,
                })
            }
            (Standing::Callable | Standing::Unreviewed, _) => self.registered(entry),
            (Standing::Quarantined { why, pinned }, _) => {
                let told = self.pins.quarantined_by(&tool_id).is_some()
                    || before
                        .is_some_and(|old| matches!(old.standing, Standing::Quarantined { .. }));
                if told {
                    return self.registered(entry);
                }
                Some(ToolChange::Quarantined {
                    tool_id,
                    pinned: *pinned,
                    offered: pin,
                    why: why.clone(),
                    raw: raw(),
                    server_digest,
                })
            }
            (Standing::Refused { why }, _) => {
                let told =
                    before.is_some_and(|old| old.standing == entry.standing && old.pin == pin);
                (!told).then(|| ToolChange::Refused {
                    tool: show::name(&entry.name),
                    why: why.clone(),
                })
            }
        }
    }

    /// That a definition was seen, if it is news and the tool did not change too often already.
    fn registered(&self, entry: &ToolEntry) -> Option<ToolChange> {
        let tool_id = entry.tool_id();
        let offered = self.pins.offered(tool_id);
        let new = self.before(entry).is_none_or(|old| old.pin != entry.pin)
            && offered.is_none_or(|offered| offered.pin != entry.pin);
        let often = offered.is_some_and(|offered| offered.sightings >= MAX_SIGHTINGS);
        let pinned = self.pins.get(tool_id);
        let is_pinned = pinned.is_some_and(|state| state.pin == entry.pin);
        (new && !often).then(|| ToolChange::Registered {
            tool_id: tool_id.to_owned(),
            server: self.server.clone(),
            pin: entry.pin,
            raw: (!is_pinned).then(|| Arc::clone(&entry.raw)),
            server_digest: entry.server_digest,
        })
    }

    /// Tools that were there, in this process or by the journal, and are no longer listed.
    fn gone(&self, tools: &BTreeMap<String, ToolEntry>) -> Vec<ToolChange> {
        let in_catalog = self.now.of_server(self.server).map(|entry| entry.tool_id());
        let prefix = format!("mcp:{}:", self.server);
        let ids: BTreeSet<&str> = in_catalog.chain(self.pins.seen_under(&prefix)).collect();
        let gone = ids.into_iter().filter(|id| !tools.contains_key(*id));
        gone.map(|id| ToolChange::Removed {
            tool_id: id.to_owned(),
        })
        .collect()
    }
}
