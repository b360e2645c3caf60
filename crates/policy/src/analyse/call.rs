//! Calls on which two rules both match, for the engine to judge.
//!
//! The dimensions are independent but for one thing: a resource comes from the parameters, so where
//! conditions touch the same field, the two are brought together and looked at again.

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};
use tipstaff_command::SimpleCommand;
use tipstaff_resource::Resource;
use tipstaff_schema::{AgentId, Placement};

use super::capability::{Tool, common_tools};
use super::meeting::Meetings;
use super::pair::Pair;
use super::when::common_moment;
use crate::reference::agent_holds;
use crate::request::{Request, Subject};
use crate::rule::Rule;
use crate::world::{World, WorldAgent};

/// A call, or one part of one, that owns what a request borrows.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) agent: Caller,
    pub(crate) tool: Tool,
    pub(super) action: String,
    pub(super) part: Part,
    pub(super) params: Value,
    pub(super) cwd: Option<String>,
    pub(super) placement: Option<Placement>,
    pub(super) at: DateTime<Utc>,
}

#[derive(Debug, Clone)]
pub(crate) enum Part {
    Nothing,
    Resource(Resource),
    Command(SimpleCommand),
}

#[derive(Debug, Clone)]
pub(crate) struct Caller {
    pub(crate) id: AgentId,
    pub(super) parents: Vec<AgentId>,
    pub(crate) root: Option<String>,
    /// Whether it stands for the agents that a known one starts.
    pub(super) started: bool,
}

/// What a search for common calls came to.
pub(super) struct Common {
    /// Calls on which both rules should match.
    pub(super) calls: Vec<Call>,
    /// Whether there may be calls that were not looked at.
    pub(super) incomplete: bool,
}

/// More agents or tools than these are not tried for one pair.
const MAX_TRIES: usize = 8;

impl Call {
    pub(crate) fn request(&self) -> Request<'_> {
        Request {
            agent: &self.agent.id,
            parents: &self.agent.parents,
            root: self.agent.root.as_deref(),
            capability: &self.tool.name,
            tool_id: &self.tool.tool_id,
            profile: &self.tool.profile,
            action: &self.action,
            subject: match &self.part {
                Part::Nothing => Subject::None,
                Part::Resource(resource) => Subject::Resource(resource),
                Part::Command(command) => Subject::Command(command),
            },
            params: &self.params,
            cwd: self.cwd.as_deref(),
            placement: self.placement.as_ref(),
            at: self.at,
        }
    }

    /// The call as one line of `decide --calls`.
    pub(crate) fn line(&self) -> Value {
        let mut line = json!({
            "agent": self.agent.id,
            "tool": self.tool.name,
            "params": self.params,
            "at": self.at.to_rfc3339_opts(SecondsFormat::Secs, true),
        });
        if let Value::Object(map) = &mut line {
            // Only a started agent needs to say who started it.
            let parents = Some(&self.agent.parents).filter(|_| self.agent.started);
            map.extend(parents.map(|parents| ("parents".to_owned(), json!(parents))));
            map.extend(self.cwd.as_ref().map(|cwd| ("cwd".to_owned(), json!(cwd))));
            map.extend(
                self.placement
                    .as_ref()
                    .map(|placement| ("placement".to_owned(), json!(placement))),
            );
        }
        line
    }
}

/// Calls on which both rules match, as far as each dimension by itself can tell.
pub(super) fn common_calls(a: &Rule, b: &Rule, world: &World, meetings: &mut Meetings) -> Common {
    let nothing = Common {
        calls: Vec::new(),
        incomplete: false,
    };
    let parts_differ = a.action().is_some() && b.action().is_some() && a.action() != b.action();
    let places_differ =
        a.placement().is_some() && b.placement().is_some() && a.placement() != b.placement();
    if parts_differ || places_differ || a.when().overlap(b.when()) == Some(false) {
        return nothing;
    }
    let tools = common_tools(a, b, world);
    let callers = common_callers(a, b, world);
    if tools.found.is_empty() || callers.is_empty() {
        return Common {
            incomplete: tools.incomplete && !callers.is_empty(),
            ..nothing
        };
    }
    let Some(at) = common_moment(a, b, world.now) else {
        return nothing;
    };
    let mut common = Common {
        incomplete: tools.incomplete,
        ..nothing
    };
    common.incomplete |= tools.found.len() > MAX_TRIES || callers.len() > MAX_TRIES;
    for agent in callers.iter().take(MAX_TRIES) {
        let meeting = &meetings.of(a, b, agent.root.as_deref());
        for tool in tools.found.iter().take(MAX_TRIES) {
            Pair {
                a,
                b,
                tool,
                agent,
                at,
                meeting,
            }
            .calls(&mut common);
        }
    }
    common
}

/// The agents for which both rules hold.
fn common_callers(a: &Rule, b: &Rule, world: &World) -> Vec<Caller> {
    // Whoever was started by nobody is meant by its own name only.
    let named = |rule: &Rule, agent: &WorldAgent| {
        agent.parent.is_some() || rule.agent().is_none_or(|named| *named == agent.id)
    };
    let mut callers: Vec<Caller> = world
        .agents
        .iter()
        .filter(|agent| named(a, agent) && named(b, agent))
        .map(|agent| known_caller(agent, world))
        .collect();
    if world.agents.is_empty() {
        let named = [a.agent(), b.agent()]
            .into_iter()
            .flatten()
            .next()
            .cloned()
            .or_else(|| AgentId::new("any-agent").ok());
        callers.extend(named.map(|id| Caller {
            id,
            parents: Vec::new(),
            root: None,
            started: false,
        }));
    }
    callers.retain(|caller| {
        agent_holds(a, &caller.id, &caller.parents) && agent_holds(b, &caller.id, &caller.parents)
    });
    callers
}

pub(super) fn known_caller(agent: &WorldAgent, world: &World) -> Caller {
    let mut parents: Vec<AgentId> = Vec::new();
    let mut next = agent.parent.clone();
    while let Some(parent) = next.filter(|parent| !parents.contains(parent)) {
        next = world
            .agents
            .iter()
            .find(|agent| agent.id == parent)
            .and_then(|agent| agent.parent.clone());
        parents.push(parent);
    }
    Caller {
        id: agent.id.clone(),
        parents,
        root: agent.root.clone(),
        started: false,
    }
}
