//! The fields of one map, taken one by one, with what is wrong kept aside.

use serde_json::Value;
use tipstaff_condition::wire::nearest;

use super::Problem;
use crate::error::escape;

/// The fields of one map, taken one by one.
pub(super) struct Fields {
    entries: Vec<(String, Value)>,
    prefix: &'static str,
    pub(super) problems: Vec<Problem>,
}

impl Fields {
    pub(super) fn new(entries: Vec<(String, Value)>, prefix: &'static str) -> Self {
        Self {
            entries,
            prefix,
            problems: Vec::new(),
        }
    }

    pub(super) fn problem(&mut self, field: &str, problem: String, fix: &str) {
        let field = Some(format!("{}{field}", self.prefix));
        self.problems.push(Problem {
            field,
            problem,
            fix: fix.to_owned(),
        });
    }

    fn take_one(&mut self, name: &str) -> Option<Value> {
        let place = self.entries.iter().position(|(key, _)| key == name)?;
        let (_, value) = self.entries.remove(place);
        if self.entries.iter().any(|(key, _)| key == name) {
            self.entries.retain(|(key, _)| key != name);
            self.problem(name, format!("`{name}` is written twice"), "keep one");
        }
        Some(value)
    }

    pub(super) fn take(&mut self, name: &str, alias: Option<&str>) -> Option<Value> {
        let (value, other) = (
            self.take_one(name),
            alias.and_then(|alias| self.take_one(alias)),
        );
        if let (Some(_), Some(_), Some(alias)) = (&value, &other, alias) {
            self.problem(
                name,
                format!("`{name}` stands beside its alias `{alias}`"),
                "keep one of the two",
            );
        }
        match value.or(other) {
            Some(Value::Null) => {
                self.problem(
                    name,
                    format!("`{name}` has no value"),
                    "give it one, or leave the key out",
                );
                None
            }
            value => value,
        }
    }

    pub(super) fn text(
        &mut self,
        name: &str,
        alias: Option<&str>,
        when_empty: &str,
    ) -> Option<String> {
        let value = self.take(name, alias)?;
        match &value {
            Value::String(text) if text.trim().is_empty() => {
                self.problem(name, format!("`{name}` is empty"), when_empty);
                None
            }
            Value::String(text) => Some(text.clone()),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => {
                let problem = format!(
                    "`{name}` is `{}`, which is no text",
                    escape(&value.to_string())
                );
                self.problem(name, problem, "put it in quotes");
                None
            }
        }
    }

    pub(super) fn flag(&mut self, name: &str) -> bool {
        self.parsed(name, "write `true` or `false`")
            .unwrap_or(false)
    }

    pub(super) fn parsed<T: serde::de::DeserializeOwned>(
        &mut self,
        name: &str,
        fix: &str,
    ) -> Option<T> {
        match serde_json::from_value(self.take(name, None)?) {
            Ok(parsed) => Some(parsed),
            Err(error) => {
                self.problem(name, format!("`{name}` cannot be read: {error}"), fix);
                None
            }
        }
    }

    /// What is left over is unknown.
    pub(super) fn finish(mut self, known: &[&str]) -> Vec<Problem> {
        for (key, _) in std::mem::take(&mut self.entries) {
            let fix = match nearest(&key.to_lowercase().replace('-', "_"), known)
                .or_else(|| synonym(&key))
            {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!(
                    "remove it; known are {}",
                    known
                        .iter()
                        .map(|k| format!("`{k}`"))
                        .collect::<Vec<_>>()
                        .join(", ")
                ),
            };
            let key = escape(&key);
            self.problem(&key, format!("unknown key `{key}`"), &fix);
        }
        self.problems
    }
}

/// Spellings from elsewhere.
fn synonym(key: &str) -> Option<&'static str> {
    Some(match key {
        "tool" | "tools" | "capabilities" => "capability",
        "agent_id" | "principal" => "agent",
        "resource" | "path" | "url" | "host" => "target",
        "conditions" | "if" => "when",
        "decision" | "verdict" => "effect",
        "name" => "id",
        "expires" | "expires_at" | "not_after" => "until",
        "timezone" | "zone" => "tz",
        "description" | "comment" | "why" => "reason",
        _ => return None,
    })
}
