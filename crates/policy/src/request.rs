//! What is to be decided: one call, or one part of it, with everything that a rule may ask about.
//!
//! Borrowed plain data; the gate fills it. One resource or one simple command at a time.

use chrono::{DateTime, Utc};
use serde_json::Value;
use tipstaff_command::SimpleCommand;
use tipstaff_resource::Resource;
use tipstaff_schema::{AgentId, Placement, Profile};

/// One call, or one part of it.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Who calls.
    pub agent: &'a AgentId,
    /// The agents that started it, in any order.
    pub parents: &'a [AgentId],
    /// The agent's root folder, for patterns that are relative to it.
    pub root: Option<&'a str>,
    /// The tool's name: `<server>:<tool>`, or `spawn`.
    pub capability: &'a str,
    /// The tool's id.
    pub tool_id: &'a str,
    /// The tool's profile.
    pub profile: &'a Profile,
    /// The action label: the profile's, or for spawn the mode or the effect.
    pub action: &'a str,
    /// What this part acts on.
    pub subject: Subject<'a>,
    /// The validated parameters.
    pub params: &'a Value,
    /// The working folder of the call.
    pub cwd: Option<&'a str>,
    /// Where a command runs; `None` where the host runs.
    pub placement: Option<&'a Placement>,
    /// When.
    pub at: DateTime<Utc>,
}

/// What one part of a call acts on.
#[derive(Debug, Clone, Copy)]
pub enum Subject<'a> {
    /// No resource was derived: rules with a target do not match.
    None,
    /// One resource.
    Resource(&'a Resource),
    /// One simple command.
    Command(&'a SimpleCommand),
}
