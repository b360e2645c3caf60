//! The governing facts about a tool, kept by the operator and never taken from the server.
//!
//! Plain data: the registry resolves profiles from the operator's table, policy reads them, the
//! gate derives resources by their rules. A server's hints can make a profile stricter, never milder.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Effect;
use crate::one_form;

one_form!(
    Reach,
    Risk,
    CallAccess,
    Access,
    ResourceKind,
    ResourcePlace,
    ResourceRule,
    OutputTrust,
    Estimate
);

/// How far the effects of a call reach, mild to far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum Reach {
    /// Nothing outside the answer.
    None,
    /// State on this machine.
    LocalState,
    /// Other processes.
    Process,
    /// Anything beyond this machine; what is unknown counts as this.
    External,
}

/// How much a wrong call can hurt, mild to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum Risk {
    /// Little.
    Low,
    /// Some; undone with work.
    Medium,
    /// Much.
    High,
    /// Beyond repair. Cannot default to allow.
    Critical,
}

/// Whether a tool only reads, or may also write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum CallAccess {
    /// Changes nothing.
    Read,
    /// May change something.
    Write,
}

/// What a call does to one resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum Access {
    /// Reads it.
    Read,
    /// Creates or changes it.
    Write,
    /// Removes it.
    Delete,
    /// Runs it.
    Execute,
    /// Opens a connection to it.
    Connect,
}

/// The kinds of resource; each has its own canonical form and patterns (`tipstaff-resource`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum ResourceKind {
    /// A file or folder.
    Path,
    /// A URL.
    Url,
    /// A host name or address.
    Host,
    /// A DNS domain.
    Domain,
    /// A named service.
    Service,
    /// A source repository.
    Repository,
    /// A command of the spawn tool.
    Command,
    /// A plain text with no structure of its own.
    None,
}

/// Where the files and hosts of a resource are to be looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum ResourcePlace {
    /// On the gate's machine: symlinks are probed.
    Local,
    /// Elsewhere: nothing is probed.
    Remote,
}

/// How a resource is derived from a call's parameters. Data, so that analysis and export see it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct ResourceRule {
    /// The kind that the value has.
    #[serde(alias = "target_kind")]
    pub kind: ResourceKind,
    /// RFC 6901 pointer into the parameters; one that selects an array gives a resource per element.
    pub from: String,
    /// What the call does to it; absent means what the profile's access says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<Access>,
    /// Whether the pointer may select nothing; otherwise such a call is refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// Where it lives; absent means local for stdio servers and commands, else remote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<ResourcePlace>,
}

/// How far the text of a tool's answers is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum OutputTrust {
    /// Text of the operator's own.
    Operator,
    /// Text of the tool.
    Tool,
    /// Text from anywhere, such as the web.
    Low,
}

/// What one call is expected to cost; zero means negligible.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(!remote)
)]
#[serde(remote = "Self", default, deny_unknown_fields)]
pub struct Estimate {
    /// Seconds on the clock.
    pub wall_seconds: f64,
    /// Requests over the network.
    pub network_operations: u64,
    /// Money, in the operator's currency.
    pub money: f64,
    /// Tokens of a language model.
    pub llm_tokens: u64,
}

/// The resolved profile of one tool: every field has a value, defaults applied.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// How far effects reach.
    pub reach: Reach,
    /// Whether what it does can be undone.
    pub reversible: bool,
    /// Read or write.
    pub access: CallAccess,
    /// The operator's risk, or the derived one.
    pub risk: Risk,
    /// The action label that rules may name.
    pub action: String,
    /// How resources are derived, in order.
    pub resources: Vec<ResourceRule>,
    /// What holds when no rule matches.
    pub default_effect: Effect,
    /// Locked means deny, always.
    pub locked: bool,
    /// Side effects, as text for people.
    pub side_effects: String,
    /// Whether the same call may be sent again.
    pub idempotent: bool,
    /// The time limit of one call.
    pub timeout: Duration,
    /// Expected cost.
    pub estimate: Estimate,
    /// Trust in its answers.
    pub output_trust: OutputTrust,
    /// Whether keys that the schema does not declare are passed on (then never default allow).
    pub allow_unknown_params: bool,
    /// Whether the server needs the raw spelling of resources (then only exact patterns allow).
    pub keep_raw_resources: bool,
}

impl Profile {
    /// The profile of a tool that the operator said nothing of: external reach, write, irreversible,
    /// risk critical (an irreversible write), ask. Source: the defaults table of the registry's page.
    #[must_use]
    pub fn unknown(action: impl Into<String>) -> Self {
        Self {
            reach: Reach::External,
            reversible: false,
            access: CallAccess::Write,
            risk: Risk::Critical,
            action: action.into(),
            resources: Vec::new(),
            default_effect: Effect::Ask,
            locked: false,
            side_effects: String::new(),
            idempotent: false,
            timeout: Duration::from_secs(60),
            estimate: Estimate::default(),
            output_trust: OutputTrust::Tool,
            allow_unknown_params: false,
            keep_raw_resources: false,
        }
    }
}
