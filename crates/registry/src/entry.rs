//! One tool as the catalog holds it: what the wire says of it, and what we know beside that.

use std::sync::Arc;

use serde_json::Value;
use tipstaff_schema::{Digest, HintsAsSaid, Profile, ServerName, ToolDescriptor};

use crate::findings::TextFinding;
use crate::raw_tool::findings_of;
use crate::validator::Validator;
use crate::wire::ProfilePatch;

/// Whether a tool may be called at all, before any policy is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// Its definition is ours, or equals its pin.
    Callable,
    /// No pin yet: listed, and called only after a person looked at it.
    Unreviewed,
    /// It no longer equals its pin, or its name passes for another's: never called until accepted.
    Quarantined {
        /// What is wrong, for people.
        why: String,
        /// The pin that was accepted; `None` where there never was one (a shadowing name).
        pinned: Option<Digest>,
    },
    /// It cannot be called, whoever accepts it: its schema or its name cannot be used.
    Refused {
        /// What is wrong, for people.
        why: String,
    },
}

impl Standing {
    /// Whether it may be called.
    #[must_use]
    pub const fn is_callable(&self) -> bool {
        matches!(self, Self::Callable)
    }
}

/// One tool of the catalog.
#[derive(Debug, Clone)]
pub struct ToolEntry {
    /// The wire form. For tools of servers all its texts are untrusted.
    pub descriptor: Arc<ToolDescriptor>,
    /// What rules and people call it: `<server>:<tool>`, or the id of a tool of ours.
    pub name: String,
    /// The `tools/list` entry as received; for a tool of ours its descriptor as JSON.
    pub raw: Arc<Value>,
    /// The governing facts.
    pub profile: Profile,
    /// What was decided when it was accepted; the profile is this, refined by the book.
    pub accepted: Option<ProfilePatch>,
    /// The digest of the definition on offer now.
    pub pin: Digest,
    /// The digest of the server's identity with its instructions; `None` for tools of ours.
    pub server_digest: Option<Digest>,
    /// Whether it may be called.
    pub standing: Standing,
    /// Checks parameters; the text says why there is none, and then nothing is ever valid.
    pub validator: Result<Arc<Validator>, String>,
    /// Checks answers, where the tool declares a schema that compiles.
    pub output: Option<Arc<Validator>>,
    /// The hints that its author gave.
    pub hints: HintsAsSaid,
    /// The server that it is of; `None` for tools of ours.
    pub server: Option<ServerName>,
}

impl ToolEntry {
    /// The tool's id.
    #[must_use]
    pub fn tool_id(&self) -> &str {
        &self.descriptor.tool_id
    }

    /// What a reviewer should see in its texts; nothing for a tool of ours.
    ///
    /// Looked for anew each time: a listing, which every start makes, does without.
    #[must_use]
    pub fn findings(&self) -> Vec<TextFinding> {
        match &self.server {
            Some(_) => findings_of(&self.raw),
            None => Vec::new(),
        }
    }
}
