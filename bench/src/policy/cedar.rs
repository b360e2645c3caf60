//! Cedar, by its authorizer: agents are principals, tools are actions in a server's group, the file
//! is in the context.

use std::fmt::Write as _;
use std::str::FromStr as _;

use anyhow::{Context as _, Result};
use cedar_policy::{
    Authorizer, Context, Decision, Entities, EntityId, EntityTypeName, EntityUid, PolicySet,
    Request,
};
use serde_json::{Value, json};

use super::core::{
    Asked, Place, Plain, TOOLS, Tool, agent_name, server_name, server_of, tool_name,
};
use super::peer::Peer;

/// Cedar with its rules and its actions.
pub struct Cedar {
    authorizer: Authorizer,
    policies: PolicySet,
    entities: Entities,
}

impl Peer for Cedar {
    const NAME: &'static str = "Cedar";
    const LEFT_OUT: &'static str = "ask; most specific wins (a forbid always wins); hours by zone; command patterns. It judges every policy it is handed: choosing which to hand over (slicing) is its caller's";
    type Written = String;
    type Request = Request;

    fn write(rules: &[Plain]) -> String {
        let mut text = String::new();
        for rule in rules {
            let effect = if rule.deny { "forbid" } else { "permit" };
            let principal = rule.agent.map_or("principal".to_owned(), |agent| {
                format!("principal == Agent::\"{}\"", agent_name(agent))
            });
            let action = match rule.tool {
                Tool::Any => "action".to_owned(),
                Tool::Server(server) => format!("action in Action::\"{}\"", server_name(server)),
                Tool::One(tool) => format!("action == Action::\"{}\"", tool_name(tool)),
            };
            let when = match &rule.place {
                Place::Any => String::new(),
                Place::File(path) => format!(" when {{ context.path == \"{path}\" }}"),
                Place::Below(folder) => format!(" when {{ context.path like \"{folder}/*\" }}"),
                Place::Named(name) => format!(" when {{ context.path like \"*/{name}\" }}"),
            };
            let _ = writeln!(text, "{effect}({principal}, {action}, resource){when};");
        }
        text
    }

    fn build(written: String) -> Result<Self> {
        Ok(Self {
            authorizer: Authorizer::new(),
            policies: PolicySet::from_str(&written).context("Cedar's policies")?,
            entities: Entities::from_json_value(actions(), None).context("Cedar's actions")?,
        })
    }

    fn request(asked: &Asked) -> Result<Request> {
        let uid = |kind: &str, id: String| -> Result<EntityUid> {
            Ok(EntityUid::from_type_name_and_id(
                EntityTypeName::from_str(kind)?,
                EntityId::new(id),
            ))
        };
        Ok(Request::new(
            uid("Agent", agent_name(asked.agent))?,
            uid("Action", tool_name(asked.tool))?,
            uid("Call", "this".to_owned())?,
            Context::from_json_value(json!({ "path": asked.path }), None)?,
            None,
        )?)
    }

    fn allows(&mut self, request: &Request) -> bool {
        let response = self
            .authorizer
            .is_authorized(request, &self.policies, &self.entities);
        response.decision() == Decision::Allow
    }
}

/// Every tool, in the group of its server.
fn actions() -> Value {
    let tools = (0..TOOLS).map(|tool| {
        let group = json!({ "type": "Action", "id": server_name(server_of(tool)) });
        json!({ "uid": { "type": "Action", "id": tool_name(tool) }, "attrs": {}, "parents": [group] })
    });
    let servers = (0..=server_of(TOOLS - 1)).map(|server| {
        json!({ "uid": { "type": "Action", "id": server_name(server) }, "attrs": {}, "parents": [] })
    });
    tools.chain(servers).collect()
}
