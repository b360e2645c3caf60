//! What a tool says of itself, and where it lives.
//!
//! Everything here that came from a server is the server's word: shown, compared, searched, never
//! trusted. What the operator knows of a tool is its [`crate::Profile`].

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::one_form;
use crate::{Verb, float};

one_form!(
    ToolSource,
    ToolAnnotations,
    ToolUsage,
    ToolDescriptor,
    ScoredTool,
    ToolRoute
);

/// The id of a native backend, such as `memory`; a bare string on the wire.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct BackendId(pub String);

impl BackendId {
    /// The backend of this id.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    /// The id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Where a tool comes from. Its tag for a server is `mcp_server`; a route's is `mcp`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self", tag = "kind", rename_all = "snake_case")]
pub enum ToolSource {
    /// A mounted MCP server.
    McpServer {
        /// The server's name.
        server: String,
    },
    /// Code of the host.
    NativeBackend {
        /// The backend.
        backend: BackendId,
    },
    /// The terminal.
    Terminal,
}

/// The author's hints, as the wire has them: a hint not given reads as false.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self", default)]
pub struct ToolAnnotations {
    /// It changes nothing.
    pub read_only_hint: bool,
    /// What it does may be beyond repair.
    pub destructive_hint: bool,
    /// The same call twice does no more than once.
    pub idempotent_hint: bool,
}

/// Guidance on when to use a tool. Descriptive only: nothing is decided by it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self")]
pub struct ToolUsage {
    /// When it fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when_to_use: Option<String>,
    /// When it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when_not_to: Option<String>,
    /// What must be true first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub preconditions: Vec<String>,
    /// What it costs, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<String>,
    /// A call or a phrase that leads to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
    /// The tier in words, such as `read`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
}

impl ToolUsage {
    /// Whether nothing is said; then it is not written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A tool as the catalog lists it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self")]
pub struct ToolDescriptor {
    /// The id that tells it from every other tool.
    pub tool_id: String,
    /// Where it comes from.
    pub source: ToolSource,
    /// The verb that it answers to.
    pub verb: Verb,
    /// Its description. Untrusted: into prompts only through `sanitization`.
    pub description: String,
    /// The JSON Schema of its parameters.
    pub input_schema: Value,
    /// The JSON Schema of its answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// Tags, for routing only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<String>,
    /// The author's hints; always written.
    #[serde(default)]
    pub annotations: ToolAnnotations,
    /// Guidance for planners.
    #[serde(default, skip_serializing_if = "ToolUsage::is_empty")]
    pub usage: ToolUsage,
    /// A vector for search; not written when a number in it is not finite.
    #[serde(
        default,
        skip_serializing_if = "float::is_unset_list",
        serialize_with = "float::list"
    )]
    pub embedding: Option<Vec<f32>>,
    /// A name for people. Untrusted, as the description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The tool's name on its server, when the verb is friendlier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_name: Option<String>,
}

impl ToolDescriptor {
    /// The name that the server knows it by: `mcp_name`, else the verb's action.
    #[must_use]
    pub fn mcp_tool_name(&self) -> &str {
        self.mcp_name.as_deref().unwrap_or(&self.verb.action)
    }
}

/// A tool with the score of one search; higher is better, comparable within that search only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self")]
pub struct ScoredTool {
    /// The tool.
    pub tool: ToolDescriptor,
    /// Its score.
    #[serde(serialize_with = "float::one")]
    pub score: f32,
}

/// Where a token was routed to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self", tag = "kind", rename_all = "snake_case")]
pub enum ToolRoute {
    /// A tool of a mounted server.
    Mcp {
        /// The server's name.
        server: String,
        /// The server's own name for the tool.
        tool: String,
        /// The tool's id in the catalog.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool_id: Option<String>,
    },
    /// Code of the host.
    NativeBackend {
        /// The backend.
        backend: BackendId,
        /// The tool's id in the catalog.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool_id: Option<String>,
    },
    /// The terminal.
    Terminal {
        /// Which session.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session_hint: Option<String>,
        /// The tool's id in the catalog.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool_id: Option<String>,
    },
    /// No tool: a person must be asked.
    HumanConfirm {
        /// What to ask.
        ask: String,
    },
}
