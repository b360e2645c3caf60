//! The target of a rule: its kind, told by its form or named, and its pattern.

use serde_json::Value;
use tipstaff_condition::wire::nearest;
use tipstaff_resource::Pattern;
use tipstaff_schema::ResourceKind;

use super::{Bad, RuleContext};
use crate::error::escape;
use crate::rule::Capability;
use crate::target::Target;
use crate::wire::TargetWire;

pub(super) fn read_target(
    wire: &TargetWire,
    capability: &Capability,
    context: &RuleContext<'_>,
    bad: &mut Bad<'_>,
) -> Option<Target> {
    match wire {
        TargetWire::Text(text) if text == "*" => None,
        TargetWire::Text(text) => {
            if text.trim() != text {
                let problem = format!(
                    "target `{}` has a blank at an end, so it would never fire",
                    escape(text)
                );
                bad.add(Some("target"), problem, "remove the blank");
                return None;
            }
            let kind = match Pattern::guess_kind(text) {
                Some(kind) => kind,
                None => kind_of_tools(text, capability, context, bad)?,
            };
            read_pattern(text, kind, "target", bad).map(Target::Resource)
        }
        TargetWire::Kind { kind, pattern } => {
            let field = format!("target.{}", escape(kind));
            let Some(known) = kind_of(kind) else {
                let fix = match nearest(kind, &KIND_NAMES) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("write one of `{}`", KIND_NAMES.join("`, `")),
                };
                bad.add(
                    Some("target"),
                    format!("unknown kind of target `{}`", escape(kind)),
                    &fix,
                );
                return None;
            };
            read_pattern(pattern, known, &field, bad).map(Target::Resource)
        }
        TargetWire::Command(words) => match bad.pool.command(words) {
            Ok(pattern) => Some(Target::Command(pattern)),
            Err(error) => {
                bad.add(
                    Some("target.command"),
                    error.to_string(),
                    "write each word as a text, such as `[git, status, \"**\"]`",
                );
                None
            }
        },
    }
}

/// The one kind of resource that the tools of the rule act on.
fn kind_of_tools(
    text: &str,
    capability: &Capability,
    context: &RuleContext<'_>,
    bad: &mut Bad<'_>,
) -> Option<ResourceKind> {
    let covered = context
        .capabilities
        .iter()
        .filter(|tool| capability.matches(&tool.name, &tool.tool_id));
    let mut kinds: Vec<ResourceKind> = covered
        .flat_map(|tool| &tool.profile.resources)
        .map(|rule| rule.kind)
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    let shown = escape(text);
    let why = match kinds.as_slice() {
        [kind] => return Some(*kind),
        [] => "no tool that the rule covers is known to act on anything".to_owned(),
        several => {
            let names: Vec<String> = several.iter().map(|kind| name_of(*kind)).collect();
            format!(
                "the tools that the rule covers act on several: {}",
                names.join(", ")
            )
        }
    };
    let problem = format!("it cannot be told what kind of target `{shown}` is: {why}");
    let fix = format!(
        "name the kind: `{{host: \"{shown}\"}}`, `{{path: \"./{shown}\"}}`, `{{url: …}}`, `{{command: […]}}`"
    );
    bad.add(Some("target"), problem, &fix);
    None
}

/// The name of a kind as rules write it.
fn name_of(kind: ResourceKind) -> String {
    let name = serde_json::to_value(kind).ok();
    let name = name.as_ref().and_then(Value::as_str);
    name.unwrap_or_default().to_owned()
}

const KIND_NAMES: [&str; 8] = [
    "path",
    "url",
    "host",
    "domain",
    "service",
    "repository",
    "command",
    "none",
];

fn kind_of(name: &str) -> Option<ResourceKind> {
    serde_json::from_value(Value::String(name.to_owned()))
        .ok()
        .filter(|kind| *kind != ResourceKind::Command)
}

pub(super) fn read_pattern(
    text: &str,
    kind: ResourceKind,
    field: &str,
    bad: &mut Bad<'_>,
) -> Option<Pattern> {
    match bad.pool.pattern(text, kind) {
        Ok(pattern) => Some(pattern),
        Err(error) => {
            bad.add(
                Some(field),
                error.to_string(),
                "correct the pattern; the page on patterns lists what each kind takes",
            );
            None
        }
    }
}
