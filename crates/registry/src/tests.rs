//! The rules of the registry, one by one.

mod bounds;
mod catalog;
mod diff;
mod drafts;
mod findings;
mod keys;
mod names;
mod offer;
mod params;
mod pins;
mod profile;
mod registry;
mod schema;

use serde_json::{Value, json};
use tipstaff_journal::Event;
use tipstaff_schema::{Digest, Domain, HintsAsSaid, NamePattern, ServerName};

use crate::{
    Catalog, CatalogError, PinMode, Pins, ProfileBook, ProfilePatch, ServerIdentity, ToolChange,
    ToolEvent, accepted_event,
};

pub(crate) fn server(name: &str) -> ServerName {
    ServerName::new(name).unwrap()
}

pub(crate) fn identity() -> ServerIdentity {
    ServerIdentity {
        command: Some("files-mcp".to_owned()),
        ..ServerIdentity::default()
    }
}

pub(crate) fn tool(name: &str) -> Value {
    json!({ "name": name, "description": "Does it.", "inputSchema": { "type": "object", "properties": { "path": { "type": "string" } } } })
}

pub(crate) fn patch(value: Value) -> ProfilePatch {
    serde_json::from_value(value).unwrap()
}

pub(crate) fn book(entries: Value) -> Result<ProfileBook, Vec<String>> {
    let Value::Array(entries) = entries else {
        panic!("a list of pairs")
    };
    let entries = entries.into_iter().map(|pair| {
        (
            NamePattern::new(pair[0].as_str().unwrap()).unwrap(),
            patch(pair[1].clone()),
        )
    });
    ProfileBook::new(entries.collect())
        .map_err(|errors| errors.iter().map(ToString::to_string).collect())
}

/// An event as a journal would hand it back; the chain is no concern of a fold.
pub(crate) fn sealed(seq: u64, event: &ToolEvent) -> Event {
    let hash = Digest::of_canonical(Domain::Event, &seq.to_be_bytes()).to_string();
    serde_json::from_value(json!({
        "v": 1, "seq": seq, "id": "00000000-0000-7000-8000-000000000001", "ts": "2026-01-01T00:00:00.000000Z",
        "stream": event.stream.to_string(), "version": seq, "kind": event.kind.as_str(), "actor": "gate",
        "data": event.data, "prev": hash, "hash": hash,
    }))
    .unwrap()
}

/// A catalog with the pins that a gate would keep beside it.
#[derive(Default)]
pub(crate) struct World {
    pub(crate) catalog: Catalog,
    pub(crate) pins: Pins,
    pub(crate) seq: u64,
}

impl World {
    fn journal(&mut self, event: &ToolEvent) {
        self.seq += 1;
        self.pins.apply(&sealed(self.seq, event)).unwrap();
    }

    /// Offers a listing of `files`, journals the changes, and tells them in short.
    pub(crate) fn offer(&mut self, mode: PinMode, tools: &[Value]) -> Vec<String> {
        self.offer_as("files", &identity(), mode, tools)
    }

    pub(crate) fn offer_as(
        &mut self,
        name: &str,
        identity: &ServerIdentity,
        mode: PinMode,
        tools: &[Value],
    ) -> Vec<String> {
        let listing = self
            .catalog
            .offer(&server(name), identity, tools, &self.pins, mode);
        for event in listing.changes.iter().filter_map(ToolChange::event) {
            self.journal(&event);
        }
        listing.changes.iter().map(short).collect()
    }

    /// What a person who looked at the tool as it is now does.
    pub(crate) fn accept(
        &mut self,
        tool_id: &str,
        profile: Option<Value>,
    ) -> Result<(), CatalogError> {
        let now = self.catalog.snapshot();
        let Some(entry) = now.by_id(tool_id) else {
            return Err(CatalogError::Unknown {
                tool_id: tool_id.to_owned(),
            });
        };
        let profile = profile.map(patch);
        self.catalog.accept(tool_id, &entry.pin, profile.as_ref())?;
        self.journal(&accepted_event(entry, profile, "ana").unwrap());
        Ok(())
    }

    /// The same state folder in a new process.
    pub(crate) fn restart(&mut self) {
        self.catalog = Catalog::default();
    }

    pub(crate) fn standing(&self, name: &str) -> String {
        self.catalog
            .snapshot()
            .by_name(name)
            .map_or("none".to_owned(), |entry| match &entry.standing {
                crate::Standing::Callable => "callable".to_owned(),
                crate::Standing::Unreviewed => "unreviewed".to_owned(),
                crate::Standing::Quarantined { why, .. } => format!("quarantined: {why}"),
                crate::Standing::Refused { why } => format!("refused: {why}"),
            })
    }
}

fn short(change: &ToolChange) -> String {
    match change {
        ToolChange::Listed { server, .. } => format!("listed {server}"),
        ToolChange::Registered { tool_id, .. } => format!("registered {tool_id}"),
        ToolChange::Pinned { tool_id, how, .. } => format!("pinned {tool_id} {how:?}"),
        ToolChange::Quarantined { tool_id, .. } => format!("quarantined {tool_id}"),
        ToolChange::Removed { tool_id } => format!("removed {tool_id}"),
        ToolChange::Refused { tool, why } => format!("refused {tool}: {why}"),
    }
}
