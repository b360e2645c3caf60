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
use crate::pin::ServerIdentity;
use crate::pins::Pins;
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
    /// A whole listing of this server identity, or one with these instructions, was seen for the
    /// first time; first use of the identity is over.
    Listed {
        /// The server.
        server: ServerName,
        /// The digest of its identity.
        identity: Digest,
        /// What it is and says of itself.
        offered_by: Arc<ServerIdentity>,
    },
    /// A tool without a pin, or a definition that was not seen before of one that is in quarantine.
    Registered {
        /// The tool.
        tool_id: String,
        /// The server that it is of.
        server: ServerName,
        /// The digest of its definition.
        pin: Digest,
        /// Its definition; `None` where that is the pinned one.
        raw: Option<Arc<Value>>,
        /// The digest of what offered it.
        server_digest: Option<Digest>,
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
        /// The digest of what offered it.
        server_digest: Option<Digest>,
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
        /// The digest of what offered it.
        server_digest: Option<Digest>,
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
            Self::Listed {
                server,
                identity,
                offered_by,
            } => {
                let data = listing(server, identity, &offered_by);
                tool_event(&data.tool_id, kinds::TOOL_REGISTERED, &data)
            }
            Self::Registered {
                tool_id,
                server,
                pin,
                raw,
                server_digest,
            } => {
                let data = seen(tool_id, server, pin, (raw, server_digest));
                tool_event(&data.tool_id, kinds::TOOL_REGISTERED, &data)
            }
            Self::Pinned {
                tool_id,
                pin,
                how,
                raw,
                server_digest,
            } => {
                let data = Pinned {
                    tool_id,
                    pin,
                    how,
                    raw: Value::clone(&raw),
                    server_digest,
                };
                tool_event(&data.tool_id, kinds::TOOL_PINNED, &data)
            }
            Self::Quarantined {
                tool_id,
                pinned,
                offered,
                why,
                raw,
                server_digest,
            } => {
                let raw = Value::clone(&raw);
                let data = Quarantined {
                    tool_id,
                    pinned,
                    offered,
                    why,
                    raw,
                    server_digest,
                };
                tool_event(&data.tool_id, kinds::TOOL_QUARANTINED, &data)
            }
            Self::Removed { tool_id } => {
                let data = Removed { tool_id };
                tool_event(&data.tool_id, kinds::TOOL_REMOVED, &data)
            }
            Self::Refused { .. } => None,
        }
    }

    /// Whether two gates over one journal must not both tell this: who is later looks again.
    #[must_use]
    pub const fn is_first(&self) -> bool {
        match self {
            Self::Listed { .. } | Self::Pinned { .. } | Self::Quarantined { .. } => true,
            Self::Registered { .. } | Self::Removed { .. } | Self::Refused { .. } => false,
        }
    }
}

/// That a definition was seen, and who offers it.
fn seen(
    tool_id: String,
    server: ServerName,
    pin: Digest,
    (raw, server_digest): (Option<Arc<Value>>, Option<Digest>),
) -> Registered {
    Registered {
        tool_id,
        server: Some(server),
        pin: Some(pin),
        identity: None,
        server_digest,
        server_identity: None,
        raw: raw.map(|raw| Value::clone(&raw)),
    }
}

/// That a listing was seen whole, and of whom.
fn listing(server: ServerName, identity: Digest, offered_by: &ServerIdentity) -> Registered {
    Registered {
        tool_id: format!("mcp:{server}"),
        server: Some(server),
        pin: None,
        identity: Some(identity),
        server_digest: offered_by.whole_digest().ok(),
        server_identity: Some(offered_by.for_journal()),
        raw: None,
    }
}

/// An acceptance as the journal takes it; `None` as for [`ToolChange::event`].
#[must_use]
pub fn accepted_event(
    entry: &ToolEntry,
    profile: Option<ProfilePatch>,
    by: &str,
) -> Option<ToolEvent> {
    let data = Accepted {
        tool_id: entry.tool_id().to_owned(),
        pin: entry.pin,
        profile,
        by: by.to_owned(),
        raw: Value::clone(&entry.raw),
        server_digest: entry.server_digest,
    };
    tool_event(entry.tool_id(), kinds::TOOL_ACCEPTED, &data)
}

/// An acceptance of what the journal last saw of a tool, where no gate is running that lists it;
/// `None` where it never saw a whole definition, or not since the tool was removed.
#[must_use]
pub fn accepted_from_journal(
    pins: &Pins,
    tool_id: &str,
    profile: Option<ProfilePatch>,
    by: &str,
) -> Option<ToolEvent> {
    let offered = pins.offered(tool_id)?;
    let data = Accepted {
        tool_id: tool_id.to_owned(),
        pin: offered.pin,
        profile,
        by: by.to_owned(),
        raw: Value::clone(offered.raw.as_deref()?),
        server_digest: offered.server_digest,
    };
    tool_event(tool_id, kinds::TOOL_ACCEPTED, &data)
}

fn tool_event(tool_id: &str, kind: Kind, data: &impl Serialize) -> Option<ToolEvent> {
    let stream = Stream::new(StreamKind::Tool, tool_id).ok()?;
    let data = serde_json::to_value(data).ok()?;
    Some(ToolEvent { stream, kind, data })
}
