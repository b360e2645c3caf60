//! What one listing changed: for people to be told, and for the journal.
//!
//! The catalog has already acted on these when it returns them; the caller journals every one that
//! has an event before it answers anything else.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use tipstaff_journal::{Kind, Stream, StreamKind, kinds};
use tipstaff_schema::{Digest, ServerName};

use crate::entry::ToolEntry;
use crate::events::{Accepted, Pinned, PinnedBy, Quarantined, Registered, Removed};
use crate::wire::ProfilePatch;

/// What an offered listing changed: the listing itself, what could not be read, tools by id, removals.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Listing {
    /// The changes; empty when everything is as it was.
    pub changes: Vec<ToolChange>,
}

/// One change that a listing brought.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolChange {
    /// A whole listing of this server identity was seen for the first time; first use is over.
    Listed {
        /// The server.
        server: ServerName,
        /// The digest of its identity.
        identity: Digest,
    },
    /// A tool without a pin, or a new definition of one.
    Registered {
        /// The tool.
        tool_id: String,
        /// The server that it is of.
        server: ServerName,
        /// The digest of its definition.
        pin: Digest,
    },
    /// A tool was pinned without an answer.
    Pinned {
        /// The tool.
        tool_id: String,
        /// The digest of its definition.
        pin: Digest,
        /// How.
        how: PinnedBy,
        /// Its definition.
        raw: Arc<Value>,
    },
    /// A tool went into quarantine: said once, on the edge.
    Quarantined {
        /// The tool.
        tool_id: String,
        /// The accepted pin; `None` for a name that shadows another and never had one.
        pinned: Option<Digest>,
        /// The digest on offer.
        offered: Digest,
        /// What is wrong.
        why: String,
        /// The definition on offer.
        raw: Arc<Value>,
    },
    /// The server no longer lists a tool.
    Removed {
        /// The tool.
        tool_id: String,
    },
    /// An entry that can never be called. Not journaled: it holds nothing that could be pinned.
    Refused {
        /// The tool, or its place in the listing where it has no usable name; cleaned.
        tool: String,
        /// What is wrong.
        why: String,
    },
}

/// A change as the journal takes it; the caller adds id, time and actor.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolEvent {
    /// Where it goes.
    pub stream: Stream,
    /// Its kind.
    pub kind: Kind,
    /// Its data.
    pub data: Value,
}

impl ToolChange {
    /// The event that tells the journal; `None` where nothing is to be remembered.
    #[must_use]
    pub fn event(&self) -> Option<ToolEvent> {
        match self.clone() {
            Self::Listed { server, identity } => {
                let tool_id = format!("mcp:{server}");
                let data = Registered {
                    tool_id,
                    server: Some(server),
                    pin: None,
                    identity: Some(identity),
                };
                tool_event(&data.tool_id.clone(), kinds::TOOL_REGISTERED, &data)
            }
            Self::Registered {
                tool_id,
                server,
                pin,
            } => {
                let data = Registered {
                    tool_id,
                    server: Some(server),
                    pin: Some(pin),
                    identity: None,
                };
                tool_event(&data.tool_id.clone(), kinds::TOOL_REGISTERED, &data)
            }
            Self::Pinned {
                tool_id,
                pin,
                how,
                raw,
            } => {
                let data = Pinned {
                    tool_id,
                    pin,
                    how,
                    raw: Value::clone(&raw),
                };
                tool_event(&data.tool_id.clone(), kinds::TOOL_PINNED, &data)
            }
            Self::Quarantined {
                tool_id,
                pinned,
                offered,
                why,
                raw,
            } => {
                let data = Quarantined {
                    tool_id,
                    pinned,
                    offered,
                    why,
                    raw: Value::clone(&raw),
                };
                tool_event(&data.tool_id.clone(), kinds::TOOL_QUARANTINED, &data)
            }
            Self::Removed { tool_id } => {
                let data = Removed { tool_id };
                tool_event(&data.tool_id.clone(), kinds::TOOL_REMOVED, &data)
            }
            Self::Refused { .. } => None,
        }
    }
}

/// An acceptance as the journal takes it; `None` as for [`ToolChange::event`].
#[must_use]
pub fn accepted_event(
    entry: &ToolEntry,
    profile: Option<ProfilePatch>,
    by: &str,
) -> Option<ToolEvent> {
    let raw = Value::clone(&entry.raw);
    let data = Accepted {
        tool_id: entry.tool_id().to_owned(),
        pin: entry.pin,
        profile,
        by: by.to_owned(),
        raw,
    };
    tool_event(entry.tool_id(), kinds::TOOL_ACCEPTED, &data)
}

fn tool_event(tool_id: &str, kind: Kind, data: &impl Serialize) -> Option<ToolEvent> {
    let stream = Stream::new(StreamKind::Tool, tool_id).ok()?;
    let data = serde_json::to_value(data).ok()?;
    Some(ToolEvent { stream, kind, data })
}
