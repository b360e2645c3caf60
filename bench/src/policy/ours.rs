//! Ours on the common core, by its compiled set and by the scan that it must equal.

use std::sync::Arc;

use anyhow::{Result, anyhow};
use serde_json::{Value, json};
use tipstaff_policy::wire::RuleWire;
use tipstaff_policy::{PolicySet, Rule, World, reference};
use tipstaff_schema::Effect;

use super::calls::{Call, core_call};
use super::core::{Asked, Place, Plain, Tool, agent_name, server_name, tool_name};
use super::peer::Peer;

/// The compiled set.
pub struct Ours(PolicySet);

/// The scan.
pub struct Scan(Vec<Arc<Rule>>);

/// The rules as JSON.
pub(super) fn core_json(rules: &[Plain]) -> Vec<Value> {
    let rule = |(n, rule): (usize, &Plain)| {
        let effect = if rule.deny { "deny" } else { "allow" };
        let mut json = json!({ "id": format!("rule-{n}"), "effect": effect });
        if rule.deny {
            json["guard"] = json!(true);
        }
        if let Some(agent) = rule.agent {
            json["agent"] = json!(agent_name(agent));
        }
        match rule.tool {
            Tool::Any => {}
            Tool::Server(server) => {
                json["capability"] = json!(format!("{}:*", server_name(server)))
            }
            Tool::One(tool) => json["capability"] = json!(tool_name(tool)),
        }
        match &rule.place {
            Place::Any => {}
            Place::File(path) => json["target"] = json!({ "path": path }),
            Place::Below(folder) => json["target"] = json!({ "path": format!("{folder}/**") }),
            Place::Named(name) => json["target"] = json!({ "path": format!("**/{name}") }),
        }
        json
    };
    rules.iter().enumerate().map(rule).collect()
}

/// Compiles, in a world of which nothing is known, so that nothing is looked up in it.
///
/// # Errors
/// The first rule that is refused.
pub(super) fn compile(rules: Vec<RuleWire>) -> Result<PolicySet> {
    match PolicySet::compile(rules, &World::default()) {
        Ok((set, _findings)) => Ok(set),
        Err(bad) => Err(anyhow!(
            bad.first().map_or_else(String::new, ToString::to_string)
        )),
    }
}

pub(super) fn wires(rules: Vec<Value>) -> Vec<RuleWire> {
    rules.into_iter().map(RuleWire::from_value).collect()
}

impl Peer for Ours {
    const NAME: &'static str = "ours";
    const LEFT_OUT: &'static str = "";
    type Written = Vec<RuleWire>;
    type Request = Call;

    fn write(rules: &[Plain]) -> Self::Written {
        wires(core_json(rules))
    }

    fn build(written: Self::Written) -> Result<Self> {
        compile(written).map(Self)
    }

    fn request(asked: &Asked) -> Result<Call> {
        core_call(asked)
    }

    fn allows(&mut self, request: &Call) -> bool {
        self.0.decide(&request.request()).effect == Effect::Allow
    }
}

impl Peer for Scan {
    const NAME: &'static str = "ours, reference scan";
    const LEFT_OUT: &'static str = "";
    type Written = Vec<RuleWire>;
    type Request = Call;

    fn write(rules: &[Plain]) -> Self::Written {
        Ours::write(rules)
    }

    fn build(written: Self::Written) -> Result<Self> {
        Ok(Self(compile(written)?.rules().to_vec()))
    }

    fn request(asked: &Asked) -> Result<Call> {
        core_call(asked)
    }

    fn allows(&mut self, request: &Call) -> bool {
        reference::decide(&self.0, &request.request()).effect == Effect::Allow
    }
}
