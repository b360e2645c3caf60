//! The fields of a rule that are names: id, agent, capability, action, placement.

use std::sync::Arc;

use tipstaff_schema::{AgentId, NamePattern, Placement};

use super::Bad;
use crate::error::escape;
use crate::rule::Capability;

pub(super) fn read_id<'a>(id: Option<&'a str>, bad: &mut Bad<'_>) -> Option<&'a str> {
    let fix = "use letters, digits and `.-_:/`, such as `no-push`";
    match id {
        None => {
            if !bad
                .errors
                .iter()
                .any(|error| error.field.as_deref() == Some("id"))
            {
                bad.add(
                    Some("id"),
                    "there is no `id`",
                    "give the rule an id; reasons name it",
                );
            }
            None
        }
        Some(id) if id.len() > 128 => {
            bad.add(
                Some("id"),
                format!("the id has {} bytes, 128 are the most", id.len()),
                fix,
            );
            None
        }
        Some(id)
            if id
                .chars()
                .any(|c| c.is_control() || c.is_whitespace() || is_invisible(c)) =>
        {
            bad.add(
                Some("id"),
                format!(
                    "the id `{}` holds a blank or an invisible character",
                    escape(id)
                ),
                fix,
            );
            None
        }
        Some(id) => Some(id),
    }
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

pub(super) fn read_agent(text: &str, bad: &mut Bad<'_>) -> Option<Arc<AgentId>> {
    let fix = if text == "*" {
        "leave `agent` out for every agent"
    } else {
        "write one agent's id; leave `agent` out for every agent"
    };
    let agent = bad.pool.agent(text);
    agent
        .map_err(|error| bad.add(Some("agent"), error.to_string(), fix))
        .ok()
}

pub(super) fn read_capability(text: Option<&str>, bad: &mut Bad<'_>) -> Capability {
    let Some(text) = text else {
        return Capability::Any;
    };
    let fix = "write a name such as `files:read_file`, or a pattern such as `files:read_*`";
    match NamePattern::new(text) {
        Ok(pattern) if pattern.is_any() => Capability::Any,
        Ok(pattern) if pattern.is_exact() => Capability::Exact(bad.pool.text(text)),
        Ok(pattern) => Capability::Pattern(pattern),
        Err(error) => {
            bad.add(Some("capability"), error.to_string(), fix);
            Capability::Any
        }
    }
}

pub(super) fn read_action(text: &str, bad: &mut Bad<'_>) -> Option<Arc<str>> {
    if text == "*" {
        return None;
    }
    if text.contains(['*', '?']) || text.chars().any(|c| c.is_control() || c.is_whitespace()) {
        let problem = format!(
            "action `{}` is no label: it is compared exactly, without wildcards",
            escape(text)
        );
        bad.add(
            Some("action"),
            problem,
            "write the label itself, or a rule for each",
        );
        return None;
    }
    Some(bad.pool.text(text))
}

pub(super) fn read_placement(text: &str, bad: &mut Bad<'_>) -> Option<Placement> {
    Placement::new(text)
        .map_err(|error| {
            bad.add(
                Some("placement"),
                error.to_string(),
                "write `local` or a placement's name",
            );
        })
        .ok()
}
