//! The target of a rule: its kind, told by its form or named, and its pattern.

use serde_json::Value;
use tipstaff_command::CommandPattern;
use tipstaff_condition::wire::nearest;
use tipstaff_resource::Pattern;
use tipstaff_schema::ResourceKind;

use super::Bad;
use crate::error::escape;
use crate::target::Target;
use crate::wire::TargetWire;

pub(super) fn read_target(wire: &TargetWire, bad: &mut Bad) -> Option<Target> {
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
            let Some(kind) = Pattern::guess_kind(text) else {
                let shown = escape(text);
                let problem = format!("it cannot be told what kind of target `{shown}` is");
                let fix = format!(
                    "name the kind: `{{host: \"{shown}\"}}`, `{{path: \"./{shown}\"}}`, `{{url: …}}`, `{{command: […]}}`"
                );
                bad.add(Some("target"), problem, &fix);
                return None;
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
        TargetWire::Command(words) => match CommandPattern::parse(words.clone()) {
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
    bad: &mut Bad,
) -> Option<Pattern> {
    match Pattern::parse(text, kind) {
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
