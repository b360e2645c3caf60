//! The sections of `tipstaff.yaml` as they are written. Unknown keys are refused everywhere.
//!
//! Rules, profiles, triage rules and calendars have their wire forms in the crates that own them.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use tipstaff_schema::{AgentId, Effect, Person, Placement, Role};

use crate::calls::CallLine;
use tipstaff_schema::one_form_read;

one_form_read!(
    AgentWire,
    ServerWire,
    PinWire,
    ApprovalsWire,
    HoldWire,
    PersonWire,
    StoreWire,
    SpawnWire,
    SandboxWire,
    TestWire
);

/// One agent.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(remote = "Self", default, deny_unknown_fields)]
pub(crate) struct AgentWire {
    pub(crate) owner: Option<Person>,
    pub(crate) root: Option<String>,
    pub(crate) parent: Option<AgentId>,
    pub(crate) token_file: Option<String>,
}

/// One server.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(remote = "Self", default, deny_unknown_fields)]
pub(crate) struct ServerWire {
    pub(crate) command: Option<String>,
    pub(crate) args: Vec<String>,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) cwd: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) pin: PinWire,
    pub(crate) tools_from: Option<String>,
}

/// How the tools of a server come to be trusted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "kebab-case")]
pub(crate) enum PinWire {
    #[default]
    Reviewed,
    FirstUse,
}

/// The terms of approvals where a rule says nothing.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(remote = "Self", default, deny_unknown_fields)]
pub(crate) struct ApprovalsWire {
    pub(crate) expire: Option<String>,
    pub(crate) use_within: Option<String>,
    pub(crate) audience: Vec<Role>,
    pub(crate) quorum: Option<u32>,
    pub(crate) four_eyes: bool,
    pub(crate) hold: Option<HoldWire>,
    pub(crate) elicitation: Option<String>,
}

/// How the gateway waits for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "kebab-case")]
pub(crate) enum HoldWire {
    Auto,
    Elicit,
}

/// One person.
#[derive(Clone, Default, Deserialize)]
#[serde(remote = "Self", default, deny_unknown_fields)]
pub(crate) struct PersonWire {
    pub(crate) roles: Vec<Role>,
    pub(crate) password_hash: Option<String>,
}

/// Where the journal lies.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(remote = "Self", default, deny_unknown_fields)]
pub(crate) struct StoreWire {
    pub(crate) sqlite: Option<String>,
    pub(crate) postgres: Option<String>,
    pub(crate) journal: Option<String>,
}

/// The spawn tool.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(remote = "Self", default, deny_unknown_fields)]
pub(crate) struct SpawnWire {
    pub(crate) no_shell: bool,
    pub(crate) path: Option<Vec<String>>,
    pub(crate) placements: BTreeMap<Placement, Value>,
    pub(crate) sandbox: Option<SandboxWire>,
}

/// How commands are confined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "kebab-case")]
pub(crate) enum SandboxWire {
    Off,
    Landlock,
}

/// One policy test.
#[derive(Debug, Clone, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub(crate) struct TestWire {
    pub(crate) call: CallLine,
    pub(crate) expect: Effect,
    #[serde(default)]
    pub(crate) by: Option<String>,
    #[serde(default)]
    pub(crate) at: Option<String>,
}
