//! Requests that own what ours borrows.

use anyhow::{Context as _, Result};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use tipstaff_command::SimpleCommand;
use tipstaff_policy::{Request, Subject};
use tipstaff_resource::{Base, Resource};
use tipstaff_schema::{Access, AgentId, Effect, Profile, ResourceKind};

use super::core::{Asked, agent_name, tool_name};

/// One call, or one part of it.
#[derive(Debug, Clone)]
pub struct Call {
    pub(super) agent: AgentId,
    pub(super) capability: String,
    pub(super) tool_id: String,
    pub(super) profile: Profile,
    pub(super) resource: Option<Resource>,
    pub(super) command: Option<SimpleCommand>,
    pub(super) params: Value,
    pub(super) at: DateTime<Utc>,
}

impl Call {
    /// A call of this tool by this agent, that acts on nothing yet. With no rule: deny.
    pub(super) fn of(agent: usize, capability: String) -> Result<Self> {
        let mut profile = Profile::unknown("call");
        profile.default_effect = Effect::Deny;
        Ok(Self {
            agent: AgentId::new(agent_name(agent)).context("an agent")?,
            tool_id: format!("mcp:{capability}"),
            capability,
            profile,
            resource: None,
            command: None,
            params: json!({}),
            at: DateTime::UNIX_EPOCH,
        })
    }

    pub(super) fn on(mut self, kind: ResourceKind, value: &str) -> Result<Self> {
        let resource = Resource::parse(kind, value, Access::Read, &Base::default());
        self.resource = Some(resource.with_context(|| format!("the resource {value}"))?);
        Ok(self)
    }

    /// The request of it.
    pub fn request(&self) -> Request<'_> {
        let subject = match (&self.resource, &self.command) {
            (Some(resource), _) => Subject::Resource(resource),
            (None, Some(command)) => Subject::Command(command),
            (None, None) => Subject::None,
        };
        Request {
            agent: &self.agent,
            parents: &[],
            root: None,
            capability: &self.capability,
            tool_id: &self.tool_id,
            profile: &self.profile,
            action: if self.command.is_some() {
                "command"
            } else {
                &self.profile.action
            },
            subject,
            params: &self.params,
            cwd: None,
            placement: None,
            at: self.at,
        }
    }
}

/// A request of the common core, as ours takes it.
pub(super) fn core_call(asked: &Asked) -> Result<Call> {
    Call::of(asked.agent, tool_name(asked.tool))?.on(ResourceKind::Path, &asked.path)
}
