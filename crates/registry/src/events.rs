//! What the journal holds of tools: the typed data of the `tool.*` events.
//!
//! All go to the stream `tool/<tool id>`. Who writes them is the gate; what they mean is [`crate::Pins`].

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tipstaff_schema::{Digest, ServerName};

use crate::pin::ServerIdentity;
use crate::wire::ProfilePatch;
use tipstaff_schema::one_form;

one_form!(Registered, Pinned, PinnedBy, Accepted, Quarantined, Removed);

/// `tool.registered`: a definition was seen that was not known, also of a tool in quarantine. Without
/// a `pin` of its own, it records that a server's listing was seen whole (`tool_id` is then
/// `mcp:<server>`), and who the server said that it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Registered {
    /// The tool, or `mcp:<server>` for the listing itself.
    pub tool_id: String,
    /// The server that it is of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerName>,
    /// The digest of its definition; absent for the listing itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pin: Option<Digest>,
    /// The digest of the server's identity; present for the listing itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<Digest>,
    /// The digest of the server's identity with its instructions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_digest: Option<Digest>,
    /// The server's identity with its instructions; present for the listing itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_identity: Option<ServerIdentity>,
    /// The definition, for reviewers; absent where it equals the pinned one, and for the listing itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<Value>,
}

/// `tool.pinned`: a definition became the pinned one without a person's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Pinned {
    /// The tool.
    pub tool_id: String,
    /// The digest of its definition.
    pub pin: Digest,
    /// How it came to be pinned.
    pub how: PinnedBy,
    /// The definition, for later comparison.
    pub raw: Value,
    /// The digest of the server's identity with its instructions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_digest: Option<Digest>,
}

/// How a pin came about without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum PinnedBy {
    /// The first complete listing of a server that is trusted on first use.
    FirstUse,
    /// A captured listing that the operator keeps beside the manifest.
    Captured,
}

/// `tool.accepted`: a person looked at a definition and pinned it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Accepted {
    /// The tool.
    pub tool_id: String,
    /// The digest of the definition that was looked at.
    pub pin: Digest,
    /// What was decided of it; the manifest refines this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<ProfilePatch>,
    /// Who accepted it.
    pub by: String,
    /// The definition, for later comparison.
    pub raw: Value,
    /// The digest of the server's identity with its instructions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_digest: Option<Digest>,
}

/// `tool.quarantined`: the definition on offer no longer equals the pin, or the name shadows another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Quarantined {
    /// The tool.
    pub tool_id: String,
    /// The accepted pin, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned: Option<Digest>,
    /// The digest on offer.
    pub offered: Digest,
    /// What is wrong, for people.
    pub why: String,
    /// The definition on offer.
    pub raw: Value,
    /// The digest of the server's identity with its instructions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_digest: Option<Digest>,
}

/// `tool.removed`: the server no longer lists it. Its pin stays: should it return, it must equal it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Removed {
    /// The tool.
    pub tool_id: String,
}
