//! What there is beside the rules: agents, servers and tools. Plain data that the manifest or an
//! embedder fills; it is read when a set is compiled and never when it decides.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde_json::Value;
use tipstaff_schema::{AgentId, Profile, ServerName};

/// What there is. An empty world means that nothing is known, and then nothing is refused for being unknown.
#[derive(Debug, Clone, Default)]
pub struct World {
    /// The agents. Empty means not known.
    pub agents: Vec<WorldAgent>,
    /// The servers. Empty (with no capabilities either) means not known.
    pub servers: Vec<WorldServer>,
    /// The tools with their profiles.
    pub capabilities: Vec<WorldCapability>,
    /// The zone of windows that name none.
    pub timezone: Tz,
    /// The time at which rules count as expired; `None` means that no rule does.
    pub now: Option<DateTime<Utc>>,
}

/// An agent.
#[derive(Debug, Clone)]
pub struct WorldAgent {
    /// Its id.
    pub id: AgentId,
    /// Its root folder, absolute.
    pub root: Option<String>,
    /// The agent that starts it.
    pub parent: Option<AgentId>,
}

/// A server.
#[derive(Debug, Clone)]
pub struct WorldServer {
    /// Its name.
    pub name: ServerName,
    /// Whether its tools are captured or pinned, so that `capabilities` lists them all.
    pub listed: bool,
}

/// A tool.
#[derive(Debug, Clone)]
pub struct WorldCapability {
    /// Its name: `<server>:<tool>`, or that of a tool of our own.
    pub name: String,
    /// Its id.
    pub tool_id: String,
    /// Its profile.
    pub profile: Profile,
    /// Its input schema, where it is known.
    pub input_schema: Option<Value>,
    /// Whether its definition is captured or pinned; otherwise only its profile is known.
    pub known: bool,
    /// It stands for the tools that a pattern of the profiles may come to mean: witnesses may name it,
    /// nothing is said of it, and no such tool need exist.
    pub sample: bool,
}
