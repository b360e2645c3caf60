//! regorus, once over the rules as a list and once over them by agent and tool.

use anyhow::{Context as _, Result};
use regorus::{Engine, Value};
use serde_json::json;

use super::core::{Asked, Place, Plain, Tool, agent_name, server_name, server_of, tool_name};
use super::peer::Peer;

/// The rules as a list.
const LIST: &str = r#"
package gate

import rego.v1

default allow := false

allow if {
	permitted
	not denied
}

permitted if {
	some rule in data.allow
	holds(rule)
}

denied if {
	some rule in data.deny
	holds(rule)
}

holds(rule) if {
	rule.agent in input.agents
	rule.tool in input.tools
	means(rule)
}

means(rule) if rule.any
means(rule) if rule.path == input.path
means(rule) if startswith(input.path, rule.below)
means(rule) if endswith(input.path, rule.named)
"#;

/// The rules by agent and tool; files are looked up, of each pair only the patterns are tried.
const INDEXED: &str = r#"
package gate

import rego.v1

default allow := false

allow if {
	permitted
	not denied
}

permitted if {
	some agent in input.agents
	some tool in input.tools
	data.allow[agent][tool].any
}

permitted if {
	some agent in input.agents
	some tool in input.tools
	data.allow[agent][tool].files[input.path]
}

permitted if {
	some agent in input.agents
	some tool in input.tools
	some folder in data.allow[agent][tool].below
	startswith(input.path, folder)
}

permitted if {
	some agent in input.agents
	some tool in input.tools
	some name in data.allow[agent][tool].named
	endswith(input.path, name)
}

denied if {
	some agent in input.agents
	some tool in input.tools
	data.deny[agent][tool].any
}

denied if {
	some agent in input.agents
	some tool in input.tools
	data.deny[agent][tool].files[input.path]
}

denied if {
	some agent in input.agents
	some tool in input.tools
	some folder in data.deny[agent][tool].below
	startswith(input.path, folder)
}

denied if {
	some agent in input.agents
	some tool in input.tools
	some name in data.deny[agent][tool].named
	endswith(input.path, name)
}
"#;

const LEFT_OUT: &str =
    "nothing in principle, since Rego is a language; only the common core was written in it";

/// regorus over a list.
pub struct Listed(Engine);

/// regorus over indexed data.
pub struct Indexed(Engine);

impl Peer for Listed {
    const NAME: &'static str = "regorus";
    const LEFT_OUT: &'static str = LEFT_OUT;
    type Written = String;
    type Request = Value;

    fn write(rules: &[Plain]) -> String {
        let of = |deny: bool| -> Vec<serde_json::Value> {
            let rules = rules.iter().filter(|rule| rule.deny == deny);
            let rule = |rule: &Plain| {
                let (key, value) = place(&rule.place);
                json!({ "agent": agent(rule), "tool": tool(rule), key: value })
            };
            rules.map(rule).collect()
        };
        json!({ "allow": of(false), "deny": of(true) }).to_string()
    }

    fn build(written: String) -> Result<Self> {
        engine(LIST, &written).map(Self)
    }

    fn request(asked: &Asked) -> Result<Value> {
        input(asked)
    }

    fn allows(&mut self, request: &Value) -> bool {
        allows(&mut self.0, request)
    }
}

impl Peer for Indexed {
    const NAME: &'static str = "regorus, indexed data";
    const LEFT_OUT: &'static str = LEFT_OUT;
    type Written = String;
    type Request = Value;

    fn write(rules: &[Plain]) -> String {
        let mut data = json!({ "allow": {}, "deny": {} });
        for rule in rules {
            let effect = if rule.deny { "deny" } else { "allow" };
            let pair = &mut data[effect][agent(rule)][tool(rule)];
            match place(&rule.place) {
                ("path", path) => pair["files"][path.as_str().unwrap_or_default()] = json!(true),
                ("any", _) => pair["any"] = json!(true),
                (list, text) => match pair[list].as_array_mut() {
                    Some(texts) => texts.push(text),
                    None => pair[list] = json!([text]),
                },
            }
        }
        data.to_string()
    }

    fn build(written: String) -> Result<Self> {
        engine(INDEXED, &written).map(Self)
    }

    fn request(asked: &Asked) -> Result<Value> {
        input(asked)
    }

    fn allows(&mut self, request: &Value) -> bool {
        allows(&mut self.0, request)
    }
}

fn agent(rule: &Plain) -> String {
    rule.agent.map_or("*".to_owned(), agent_name)
}

fn tool(rule: &Plain) -> String {
    match rule.tool {
        Tool::Any => "*".to_owned(),
        Tool::Server(server) => server_name(server),
        Tool::One(tool) => tool_name(tool),
    }
}

fn place(place: &Place) -> (&'static str, serde_json::Value) {
    match place {
        Place::Any => ("any", json!(true)),
        Place::File(path) => ("path", json!(path)),
        Place::Below(folder) => ("below", json!(format!("{folder}/"))),
        Place::Named(name) => ("named", json!(format!("/{name}"))),
    }
}

fn engine(policy: &str, data: &str) -> Result<Engine> {
    let mut engine = Engine::new();
    engine
        .add_policy("gate.rego".to_owned(), policy.to_owned())
        .context("regorus' policy")?;
    engine.add_data_json(data).context("regorus' data")?;
    // Whatever it prepares for the first question belongs to the set-up.
    engine.set_input(Value::new_object());
    engine
        .eval_rule("data.gate.allow".to_owned())
        .context("regorus")?;
    Ok(engine)
}

fn input(asked: &Asked) -> Result<Value> {
    let input = json!({
        "agents": [agent_name(asked.agent), "*"],
        "tools": [tool_name(asked.tool), server_name(server_of(asked.tool)), "*"],
        "path": asked.path,
    });
    Value::from_json_str(&input.to_string()).context("regorus' input")
}

fn allows(engine: &mut Engine, request: &Value) -> bool {
    engine.set_input(request.clone());
    matches!(
        engine.eval_rule("data.gate.allow".to_owned()),
        Ok(Value::Bool(true))
    )
}
