//! Reads a rule field by field and keeps what is wrong, with the fix.
//!
//! Only form is looked at here: types, keys, aliases, empty texts. Meaning is `build`'s.

use std::fmt;

use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::Value;
use tipstaff_condition::wire::{ConditionWire, nearest};
use tipstaff_schema::Effect;

use super::fields::Fields;
use super::keys::{COMMAND_KEYS, RULE_KEYS};
use super::{ClockWire, HoursWire, Problem, RuleWire, TargetWire, TermsWire};
use crate::error::escape;

/// Which spelling of a rule is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A rule of `policies`.
    Rule,
    /// The short form of `commands`.
    Command,
}

pub(super) struct Reader(pub(super) Form);

impl<'de> Visitor<'de> for Reader {
    type Value = RuleWire;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a rule such as `{id: read-data, capability: \"files:read_*\", effect: allow}`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RuleWire, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry::<String, Value>()? {
            entries.push(entry);
        }
        Ok(rule(entries, self.0))
    }
}

/// Reads any JSON; what is no map is a rule with that problem.
pub(super) fn value(value: Value, form: Form) -> RuleWire {
    match value {
        Value::Object(map) => rule(map.into_iter().collect(), form),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            not_a_rule(&value)
        }
    }
}

fn not_a_rule(value: &Value) -> RuleWire {
    let problem = format!("`{}` is no rule", escape(&value.to_string()));
    let fix = "write a map with `id`, `effect` and the dimensions that are to match".to_owned();
    RuleWire {
        problems: vec![Problem {
            field: None,
            problem,
            fix,
        }],
        ..RuleWire::default()
    }
}

fn rule(entries: Vec<(String, Value)>, form: Form) -> RuleWire {
    let mut fields = Fields::new(entries, "");
    let mut wire = RuleWire {
        id: fields.text("id", None, "give the rule an id"),
        agent: fields.text("agent", Some("mind_id"), "leave it out for every agent"),
        action: fields.text(
            "action",
            Some("action_kind"),
            "leave it out, or write `*`, for any action",
        ),
        effect: effect(&mut fields),
        guard: fields.flag("guard"),
        overridable: fields.flag("overridable"),
        fresh: fields.flag("fresh"),
        inherit: fields.flag("inherit"),
        until: fields.text("until", None, "leave it out for a rule without end"),
        cwd: fields.text("cwd", None, "leave it out for any folder"),
        placement: fields.text("placement", None, "leave it out for any placement"),
        reason: fields.text("reason", None, "leave it out"),
        created_by: fields.text("created_by", None, "leave it out"),
        created_at: fields.text("created_at", None, "leave it out"),
        updated_at: fields.text("updated_at", None, "leave it out"),
        effects: fields.parsed(
            "effects",
            "write `read-only`, `any`, or a table such as `{reads: [./**]}`",
        ),
        hours: hours(&mut fields),
        when: when(&mut fields),
        approval: terms(&mut fields),
        ..RuleWire::default()
    };
    match form {
        Form::Rule => {
            wire.capability = fields.text(
                "capability",
                None,
                "leave it out, or write `*`, for every tool",
            );
            wire.target = fields
                .take("target", Some("target_pattern"))
                .and_then(|value| target(value, &mut fields));
        }
        Form::Command => {
            wire.capability = Some("spawn".to_owned());
            wire.target = fields
                .take("command", None)
                .and_then(|value| words(value, "command", &mut fields));
            if wire.target.is_none() && fields.problems.is_empty() {
                fields.problem("command", "there is no `command`".to_owned(), COMMAND_FIX);
            }
        }
    }
    wire.problems = fields.finish(match form {
        Form::Rule => &RULE_KEYS,
        Form::Command => &COMMAND_KEYS,
    });
    wire
}

const COMMAND_FIX: &str = "write the words as a list, such as `[git, status, \"**\"]`";

fn effect(fields: &mut Fields) -> Option<Effect> {
    let text = fields.text("effect", None, "write `allow`, `ask` or `deny`")?;
    match text.as_str() {
        "allow" => Some(Effect::Allow),
        "ask" => Some(Effect::Ask),
        "deny" => Some(Effect::Deny),
        other => {
            let fix = match nearest(&other.to_lowercase(), &["allow", "ask", "deny"]) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "write `allow`, `ask` or `deny`".to_owned(),
            };
            fields.problem(
                "effect",
                format!("unknown effect `{}`", escape(other)),
                &fix,
            );
            None
        }
    }
}

fn target(value: Value, fields: &mut Fields) -> Option<TargetWire> {
    let fix = "write a pattern such as `/srv/**`, or `{host: api.example}` to name its kind";
    match value {
        Value::String(text) if text.is_empty() => {
            fields.problem(
                "target",
                "`target` is empty".to_owned(),
                "leave it out, or write `*`, for anything",
            );
            None
        }
        Value::String(text) => Some(TargetWire::Text(text)),
        Value::Object(map) if map.len() == 1 => {
            let (kind, value) = map.into_iter().next()?;
            match (kind.as_str(), value) {
                ("command", value) => words(value, "target.command", fields),
                (_, Value::String(pattern)) => Some(TargetWire::Kind { kind, pattern }),
                (_, _) => {
                    let field = format!("target.{}", escape(&kind));
                    fields.problem(
                        &field,
                        "the pattern is no text".to_owned(),
                        "put it in quotes",
                    );
                    None
                }
            }
        }
        Value::Object(map) => {
            fields.problem(
                "target",
                format!("`target` names {} kinds", map.len()),
                "name one; write a rule for each",
            );
            None
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
            fields.problem(
                "target",
                "`target` is neither a text nor a map".to_owned(),
                fix,
            );
            None
        }
    }
}

fn words(value: Value, field: &str, fields: &mut Fields) -> Option<TargetWire> {
    let words = match value {
        Value::Array(items) if !items.is_empty() => items
            .iter()
            .map(|item| item.as_str().map(str::to_owned))
            .collect::<Option<Vec<String>>>(),
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => None,
    };
    if words.is_none() {
        fields.problem(
            field,
            "a command pattern is a list of words, each a text".to_owned(),
            COMMAND_FIX,
        );
    }
    words.map(TargetWire::Command)
}

fn hours(fields: &mut Fields) -> Option<HoursWire> {
    let inner = fields.take("hours", None);
    let (from, to) = (
        fields.take("hours_from", None),
        fields.take("hours_to", None),
    );
    if inner.is_some() && (from.is_some() || to.is_some()) {
        let fix = "keep `hours: {from, to}` and remove the other";
        fields.problem(
            "hours",
            "`hours` stands beside its alias `hours_from` or `hours_to`".to_owned(),
            fix,
        );
        return None;
    }
    let mut window = match inner {
        None if from.is_none() && to.is_none() => return None,
        None => {
            return Some(HoursWire {
                from: clock(from, "hours_from", fields),
                to: clock(to, "hours_to", fields),
                ..HoursWire::default()
            });
        }
        Some(Value::Object(map)) => Fields::new(map.into_iter().collect(), "hours."),
        Some(_) => {
            fields.problem(
                "hours",
                "`hours` is no map".to_owned(),
                "write `{from: \"08:00\", to: \"18:00\"}`",
            );
            return None;
        }
    };
    let (from, to) = (
        window.take("from", Some("hours_from")),
        window.take("to", Some("hours_to")),
    );
    let wire = HoursWire {
        from: clock(from, "from", &mut window),
        to: clock(to, "to", &mut window),
        tz: window.text("tz", None, "leave it out for the manifest's zone"),
        days: window
            .take("days", None)
            .and_then(|value| texts(&value, "days", &mut window)),
    };
    let problems = window.finish(&["from", "hours_from", "to", "hours_to", "tz", "days"]);
    fields.problems.extend(problems);
    Some(wire)
}

fn clock(value: Option<Value>, field: &str, fields: &mut Fields) -> Option<ClockWire> {
    let value = value?;
    let clock = match &value {
        Value::String(text) => Some(ClockWire::Text(text.clone())),
        Value::Number(number) => number.as_i64().map(ClockWire::Hour),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    if clock.is_none() {
        let problem = format!("`{}` is no clock time", escape(&value.to_string()));
        fields.problem(
            field,
            problem,
            "write a whole hour such as `8`, or `\"08:30\"`",
        );
    }
    clock
}

/// A text, or a list of texts.
fn texts(value: &Value, field: &str, fields: &mut Fields) -> Option<Vec<String>> {
    let texts = match value {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Array(items) => items
            .iter()
            .map(|item| item.as_str().map(str::to_owned))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    };
    if texts.is_none() {
        fields.problem(
            field,
            format!("`{field}` is no list of texts"),
            "write a list such as `[mon-fri]`",
        );
    }
    texts
}

fn when(fields: &mut Fields) -> Vec<ConditionWire> {
    let items = match fields.take("when", None) {
        None => return Vec::new(),
        Some(Value::Array(items)) => items,
        Some(_) => {
            fields.problem(
                "when",
                "`when` is no list".to_owned(),
                "write `[{path: /size, at_most: 10}]`",
            );
            return Vec::new();
        }
    };
    if items.is_empty() {
        fields.problem(
            "when",
            "`when` is empty".to_owned(),
            "leave it out, or add a condition",
        );
    }
    let mut wires = Vec::new();
    for (index, item) in items.into_iter().enumerate() {
        match ConditionWire::deserialize(item) {
            Ok(wire) => wires.push(wire),
            Err(error) => {
                let fix = "write `{path: /size, at_most: 10}`, with one operator";
                fields.problem(&format!("when.{index}"), error.to_string(), fix);
            }
        }
    }
    wires
}

fn terms(fields: &mut Fields) -> Option<TermsWire> {
    let mut inner = match fields.take("approval", None)? {
        Value::Object(map) => Fields::new(map.into_iter().collect(), "approval."),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            fields.problem(
                "approval",
                "`approval` is no map".to_owned(),
                "write `{expire: 10m, quorum: 1}`",
            );
            return None;
        }
    };
    let wire = TermsWire {
        expire: inner.text("expire", None, "write a duration such as `10m`"),
        use_within: inner.text("use_within", None, "write a duration such as `5m`"),
        audience: inner
            .take("audience", None)
            .and_then(|v| texts(&v, "audience", &mut inner))
            .unwrap_or_default(),
        quorum: inner.parsed("quorum", "write a whole number from 1"),
        four_eyes: inner.parsed("four_eyes", "write `true` or `false`"),
    };
    let problems = inner.finish(&["expire", "use_within", "audience", "quorum", "four_eyes"]);
    fields.problems.extend(problems);
    Some(wire)
}
