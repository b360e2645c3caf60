//! Rules that name an agent, a server or a tool that there is not.

use tipstaff_condition::wire::nearest;

use super::finding;
use crate::error::escape;
use crate::finding::{Finding, FindingKind, Severity};
use crate::names::{may_name_server_tool, server_of};
use crate::rule::{Capability, Rule};
use crate::world::World;

const FORM: &str = "names are `<server>:<tool>`, such as `files:read_file`, or `spawn`";

/// The fix for an unknown word.
pub(super) fn near(word: &str, known: &[&str], otherwise: &str) -> String {
    match nearest(word, known) {
        Some(near) => format!("did you mean `{near}`? otherwise {otherwise}"),
        None => otherwise.to_owned(),
    }
}

pub(super) fn unknown_agent(rule: &Rule, world: &World) -> Option<Finding> {
    let agent = rule.agent.as_ref()?;
    let known: Vec<&str> = world.agents.iter().map(|agent| agent.id.as_str()).collect();
    (!known.is_empty() && !known.contains(&agent.as_str())).then(|| {
        let message = format!("there is no agent `{agent}`, so the rule would never fire");
        let fix = near(agent.as_str(), &known, "add it to `agents`");
        finding(
            FindingKind::UnknownName,
            Severity::Error,
            &[rule],
            "agent",
            message,
            fix,
        )
    })
}

/// What is wrong with a capability that means no tool of the world.
pub(super) fn unknown_capability(rule: &Rule, world: &World) -> Option<Finding> {
    if rule.capability == Capability::Any
        || (world.servers.is_empty() && world.capabilities.is_empty())
    {
        return None;
    }
    let text = rule.capability.as_str();
    let (severity, message, fix) = match text {
        "spawn" => (
            Severity::Note,
            "commands are switched off, so the rule decides nothing".to_owned(),
            "add `spawn:` to switch them on".to_owned(),
        ),
        _ if may_name_server_tool(text) => unknown_tool(text, world)?,
        _ => {
            let message = format!(
                "`{}` matches no known tool and is not a valid form, so the rule would never fire",
                escape(text)
            );
            (
                Severity::Error,
                message,
                near(
                    &text.replace("__", ":").replace('.', ":"),
                    &names(world),
                    FORM,
                ),
            )
        }
    };
    Some(finding(
        FindingKind::UnknownName,
        severity,
        &[rule],
        "capability",
        message,
        fix,
    ))
}

fn names(world: &World) -> Vec<&str> {
    world
        .capabilities
        .iter()
        .map(|tool| tool.name.as_str())
        .collect()
}

/// A name of the right form that no known tool has.
fn unknown_tool(text: &str, world: &World) -> Option<(Severity, String, String)> {
    let servers: Vec<&str> = world
        .servers
        .iter()
        .map(|server| server.name.as_str())
        .collect();
    let id = text
        .strip_prefix("mcp:")
        .filter(|rest| rest.contains(':') && !servers.contains(&"mcp"));
    let inner = id.unwrap_or(text);
    let shown = escape(text);
    let never = |why: String, fix: String| {
        Some((
            Severity::Error,
            format!("{why}, so the rule would never fire"),
            fix,
        ))
    };
    let known = |name: &str| {
        world
            .servers
            .iter()
            .find(|server| server.name.as_str() == name)
    };
    match server_of(inner) {
        Some(name) => match known(name) {
            None => never(
                format!("there is no server `{}`", escape(name)),
                near(name, &servers, "add it to `servers`"),
            ),
            // What a server offers beside its tools is not listed with them.
            Some(_) if inner.contains(":@") => None,
            Some(server) if server.listed => never(
                format!("server `{name}` has no tool that `{shown}` matches"),
                near(inner, &names(world), "compare with what the server lists"),
            ),
            Some(_) => Some(not_known_yet(&shown)),
        },
        None if world.servers.iter().all(|server| server.listed) => never(
            format!("`{shown}` matches no known tool"),
            near(inner, &names(world), FORM),
        ),
        None => Some(not_known_yet(&shown)),
    }
}

fn not_known_yet(shown: &str) -> (Severity, String, String) {
    let fix = "capture the server's tools, or accept them once, to have the name checked";
    (
        Severity::Note,
        format!("no tool that `{shown}` matches is known yet"),
        fix.to_owned(),
    )
}
