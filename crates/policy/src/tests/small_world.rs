//! A world so small that every call of it can be judged, and random rules over it: what analysis and
//! diff say is held against judging everything.

use proptest::prelude::*;
use serde_json::{Value, json};
use tipstaff_resource::{Base, Resource};
use tipstaff_schema::{Access, Effect, Profile, ResourceKind};

use super::{Call, agent, time};
use crate::{PolicySet, World, WorldAgent, WorldCapability, WorldServer};

pub(super) fn tool(name: &str, action: &str, resources: Value) -> WorldCapability {
    WorldCapability {
        name: name.to_owned(),
        tool_id: format!("mcp:{name}"),
        profile: Profile {
            resources: serde_json::from_value(resources).unwrap(),
            ..Profile::unknown(action)
        },
        input_schema: None,
        known: true,
        sample: false,
    }
}

/// Two agents, one of which starts the other, and a server with four tools, one of them locked.
pub(super) fn world() -> World {
    let on = |id: &str, parent: Option<&str>| WorldAgent {
        id: agent(id),
        root: Some("/r".to_owned()),
        parent: parent.map(agent),
    };
    let path = json!([{"kind": "path", "from": "/path"}]);
    let mut locked = tool("f:l", "w", path.clone());
    locked.profile.locked = true;
    let mut open = tool("f:n", "n", json!([]));
    open.profile.default_effect = Effect::Allow;
    World {
        agents: vec![on("coder", None), on("helper", Some("coder"))],
        servers: vec![WorldServer {
            name: "f".to_owned().try_into().unwrap(),
            listed: true,
        }],
        capabilities: vec![
            tool("f:r", "r", path.clone()),
            tool("f:w", "w", path),
            open,
            locked,
        ],
        ..World::default()
    }
}

/// Every path that the targets below can tell apart, and more.
const PATHS: &[&str] = &[
    "/a", "/a/b", "/a/x", "/a/b/c", "/a/b/x", "/b", "/b/x", "/c", "/x", "/c/x", "/c/d/x", "/A/x",
    "/a/X", "/r/q", "/r/x", "/A", "/A/b", "/A/b/c", "/A/X", "/X", "/B", "/B/x", "/B/X", "/c/X",
    "/a/b/X", "/A/b/x", "/R/q", "/R/x", "/R",
];

/// Every call of the world.
pub(super) fn calls(world: &World) -> Vec<Call> {
    let callers: [(&str, &[&str]); 4] = [
        ("coder", &[]),
        ("helper", &["coder"]),
        ("started", &["coder"]),
        ("started", &["helper", "coder"]),
    ];
    let params = [
        json!({}),
        json!({"n": 0}),
        json!({"n": 1}),
        json!({"n": 1.5}),
        json!({"n": 2}),
        json!({"n": 3}),
        json!({"n": "x"}),
    ];
    let hours = [
        "2026-01-05T03:00:00Z",
        "2026-01-05T09:00:00Z",
        "2026-01-05T13:00:00Z",
        "2026-01-05T20:00:00Z",
    ];
    let mut all = Vec::new();
    for (id, parents) in callers {
        for tool in &world.capabilities {
            for params in &params {
                for at in hours {
                    let call = Call {
                        profile: tool.profile.clone(),
                        action: tool.profile.action.clone(),
                        root: Some("/r".to_owned()),
                        ..Call::to(&tool.name)
                            .by(id, parents)
                            .with(params.clone())
                            .at(at)
                    };
                    if tool.profile.resources.is_empty() {
                        all.push(call);
                    } else {
                        all.extend(PATHS.iter().map(|path| call.clone().path(path)));
                    }
                }
            }
        }
    }
    all
}

/// The call that a witness is, read as the gate would: the resource comes from the parameters.
pub(super) fn replay(line: &Value, world: &World) -> Call {
    let tool = world
        .capabilities
        .iter()
        .find(|tool| tool.name == line["tool"].as_str().unwrap())
        .expect("a known tool");
    let id = line["agent"].as_str().unwrap();
    let known = world.agents.iter().find(|known| known.id.as_str() == id);
    let parents: Vec<String> = match (&line["parents"], known) {
        (Value::Array(parents), _) => parents
            .iter()
            .map(|id| id.as_str().unwrap().to_owned())
            .collect(),
        (_, Some(known)) => known.parent.iter().map(ToString::to_string).collect(),
        (_, None) => panic!("an unknown agent without parents: {line}"),
    };
    let parents: Vec<&str> = parents.iter().map(String::as_str).collect();
    let params = line["params"].clone();
    let resource = tool.profile.resources.first().map(|rule| {
        let value = params
            .pointer(&rule.from)
            .and_then(Value::as_str)
            .expect("the resource stands in the parameters");
        let base = Base {
            cwd: None,
            root: Some("/r"),
        };
        Resource::parse(ResourceKind::Path, value, Access::Read, &base).unwrap()
    });
    Call {
        profile: tool.profile.clone(),
        action: tool.profile.action.clone(),
        root: Some("/r".to_owned()),
        resource,
        at: time(line["at"].as_str().unwrap()),
        ..Call::to(&tool.name).by(id, &parents).with(params)
    }
}

/// The ids of the rules that match, the first to win first.
pub(super) fn matching(set: &PolicySet, call: &Call) -> Vec<String> {
    set.explain(&call.request())
        .matched
        .iter()
        .map(|rule| rule.id.clone())
        .collect()
}

/// A rule over that world.
pub(super) fn rule() -> impl Strategy<Value = Value> {
    let some = |weight: f64, value: &'static [&'static str]| {
        proptest::option::weighted(weight, proptest::sample::select(value))
    };
    let windows = vec![
        json!({"from": 8, "to": 18}),
        json!({"from": 18, "to": 8}),
        json!({"from": 0, "to": 12}),
        json!({"from": 12, "to": 24}),
    ];
    let when = vec![
        json!([{"path": "/n", "at_most": 1}]),
        json!([{"path": "/n", "at_least": 2}]),
        json!([{"path": "/n", "exists": true}]),
        json!([{"path": "/n", "exists": false}]),
        json!([{"path": "/n", "in": [1, 2]}]),
        json!([{"path": "/n", "at_least": 1}, {"path": "/n", "at_most": 2}]),
    ];
    let dimensions = (
        some(0.3, &["coder", "helper"]),
        some(0.6, &["f:r", "f:w", "f:*", "f:n", "f:?", "*"]),
        some(
            0.5,
            &[
                "/a/**", "/a/*", "/a", "/a/x", "**/x", "/b", "./**", "/{a,b}/x", "*",
            ],
        ),
        some(0.15, &["r", "w"]),
        proptest::option::weighted(0.15, proptest::sample::select(windows)),
        proptest::option::weighted(0.25, proptest::sample::select(when)),
    );
    let effect = proptest::sample::select(&["allow", "allow", "ask", "deny", "deny", "guard"][..]);
    (dimensions, effect, any::<bool>()).prop_map(|((agent, capability, target, action, hours, when), effect, inherit)| {
        let guard = effect == "guard";
        let target = target.map(|text| if text == "*" { json!(text) } else { json!({"path": text}) });
        let mut rule = json!({"agent": agent, "capability": capability, "target": target, "action": action, "hours": hours, "when": when,
            "effect": if guard { "deny" } else { effect }, "guard": guard, "inherit": inherit});
        rule.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        rule
    })
}
