//! What rules mean, what is refused, and what is found out about them.

mod analysis;
mod build;
mod decide;
mod dice;
mod differences;
mod differential;
mod exhaustive;
mod explain;
mod fails_open;
mod findings;
mod groups;
mod hours;
mod names;
mod never_false;
mod outranked;
mod properties;
mod small_world;
mod times;
mod unions;

use std::borrow::Borrow;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use tipstaff_command::{SimpleCommand, Word, WordShape};
use tipstaff_resource::{Base, Resource};
use tipstaff_schema::{Access, AgentId, Effect, Placement, Profile, ResourceKind};

use crate::wire::RuleWire;
use crate::{
    Decision, Finding, FindingKind, PolicySet, Request, Severity, Subject, World, WorldAgent,
    WorldCapability, WorldServer,
};

fn wires(rules: &Value) -> Vec<RuleWire> {
    rules
        .as_array()
        .unwrap()
        .iter()
        .cloned()
        .map(RuleWire::from_value)
        .collect()
}

/// Compiles, giving rules without an id the ids `r0`, `r1`, ….
#[track_caller]
fn compiled_in(mut rules: Value, world: &World) -> (PolicySet, Vec<Finding>) {
    for (index, rule) in rules.as_array_mut().unwrap().iter_mut().enumerate() {
        let map = rule.as_object_mut().unwrap();
        map.entry("id")
            .or_insert_with(|| json!(format!("r{index}")));
    }
    match PolicySet::compile(wires(&rules), world) {
        Ok(compiled) => compiled,
        Err(findings) => panic!(
            "{}",
            findings
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join("\n")
        ),
    }
}

#[track_caller]
fn compiled(rules: Value) -> PolicySet {
    compiled_in(rules, &World::default()).0
}

fn findings(rules: Value, world: &World) -> Vec<Finding> {
    compiled_in(rules, world).1
}

fn of_kind(findings: &[Finding], kind: FindingKind) -> Vec<&Finding> {
    findings
        .iter()
        .filter(|finding| finding.kind == kind)
        .collect()
}

fn agent(id: &str) -> AgentId {
    AgentId::new(id).unwrap()
}

fn time(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

/// A call, or a part of one, that owns what a request borrows.
#[derive(Debug, Clone)]
struct Call {
    agent: AgentId,
    parents: Vec<AgentId>,
    root: Option<String>,
    capability: String,
    tool_id: String,
    profile: Profile,
    action: String,
    resource: Option<Resource>,
    command: Option<SimpleCommand>,
    params: Value,
    cwd: Option<String>,
    placement: Option<Placement>,
    at: DateTime<Utc>,
}

impl Call {
    fn to(capability: &str) -> Self {
        Self {
            agent: agent("coder"),
            parents: Vec::new(),
            root: Some("/srv/repo".to_owned()),
            capability: capability.to_owned(),
            tool_id: capability.to_owned(),
            profile: Profile::unknown("call"),
            action: "call".to_owned(),
            resource: None,
            command: None,
            params: json!({}),
            cwd: None,
            placement: None,
            at: time("2026-01-05T12:00:00Z"),
        }
    }

    fn by(mut self, id: &str, parents: &[&str]) -> Self {
        self.agent = agent(id);
        self.parents = parents.iter().map(|id| agent(id)).collect();
        self
    }

    fn on(mut self, kind: ResourceKind, value: &str) -> Self {
        let base = Base {
            cwd: None,
            root: self.root.as_deref(),
        };
        self.resource = Some(Resource::parse(kind, value, Access::Read, &base).unwrap());
        self
    }

    fn path(self, value: &str) -> Self {
        self.on(ResourceKind::Path, value)
    }

    fn command(words: &[&str]) -> Self {
        let word = |text: &&str| Word {
            text: (*text).to_owned(),
            shape: WordShape::Literal,
        };
        let command = SimpleCommand {
            words: words.iter().map(word).collect(),
            cwd: Some("/srv/repo".to_owned()),
            text: words.join(" "),
            ..SimpleCommand::default()
        };
        Self {
            command: Some(command),
            action: "command".to_owned(),
            ..Self::to("spawn")
        }
    }

    fn with(mut self, params: Value) -> Self {
        self.params = params;
        self
    }

    fn at(mut self, text: &str) -> Self {
        self.at = time(text);
        self
    }

    fn request(&self) -> Request<'_> {
        Request {
            agent: &self.agent,
            parents: &self.parents,
            root: self.root.as_deref(),
            capability: &self.capability,
            tool_id: &self.tool_id,
            profile: &self.profile,
            action: &self.action,
            subject: match (&self.resource, &self.command) {
                (Some(resource), _) => Subject::Resource(resource),
                (None, Some(command)) => Subject::Command(command),
                (None, None) => Subject::None,
            },
            params: &self.params,
            cwd: self.cwd.as_deref(),
            placement: self.placement.as_ref(),
            at: self.at,
        }
    }

    fn decide(&self, set: &PolicySet) -> Decision {
        set.decide(&self.request())
    }
}

#[track_caller]
fn check(rules: Value, call: impl Borrow<Call>, want: Effect) {
    let decision = call.borrow().decide(&compiled(rules));
    assert_eq!(decision.effect, want, "{}", decision.reason());
}

/// A world with the agent `coder`, a listed server `db` and one, `web`, of which nothing is known.
fn world() -> World {
    let tool = |name: &str, resources: Value, schema: Option<Value>| WorldCapability {
        name: name.to_owned(),
        tool_id: format!("mcp:{name}"),
        profile: Profile {
            resources: serde_json::from_value(resources).unwrap(),
            ..Profile::unknown("call")
        },
        input_schema: schema,
        known: true,
        sample: false,
    };
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}, "n": {"type": "integer"}},
        "required": ["path"], "additionalProperties": false});
    World {
        agents: vec![
            WorldAgent {
                id: agent("coder"),
                root: Some("/srv/repo".to_owned()),
                parent: None,
            },
            WorldAgent {
                id: agent("helper"),
                root: Some("/srv/repo".to_owned()),
                parent: Some(agent("coder")),
            },
        ],
        servers: vec![
            WorldServer {
                name: "db".to_owned().try_into().unwrap(),
                listed: true,
            },
            WorldServer {
                name: "web".to_owned().try_into().unwrap(),
                listed: false,
            },
        ],
        capabilities: vec![
            tool("db:drop-database", json!([]), None),
            tool(
                "db:read_file",
                json!([{"kind": "path", "from": "/path"}]),
                Some(schema),
            ),
            WorldCapability {
                tool_id: "spawn".to_owned(),
                ..tool("spawn", json!([]), None)
            },
        ],
        ..World::default()
    }
}

fn errors(findings: &[Finding]) -> Vec<&Finding> {
    findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .collect()
}
