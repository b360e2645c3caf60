//! The calls on which two rules both match, for one tool, one agent and one moment.
//!
//! A resource comes from the parameters: where conditions touch the same field, their value is the
//! one that is judged.

use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};
use tipstaff_command::{SimpleCommand, Word, WordShape};
use tipstaff_resource::{Base, Resource};
use tipstaff_schema::{Access, Placement, ResourceKind, ResourceRule};

use super::call::{Call, Caller, Common, Part};
use super::capability::Tool;
use super::meeting::Meeting;
use crate::rule::Rule;
use crate::target::case_of;

/// Two rules, one tool, one agent, one moment.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) a: &'a Rule,
    pub(super) b: &'a Rule,
    pub(super) tool: &'a Tool,
    pub(super) agent: &'a Caller,
    pub(super) at: DateTime<Utc>,
    pub(super) meeting: &'a Meeting,
}

impl Pair<'_> {
    pub(super) fn calls(self, common: &mut Common) {
        match self.meeting {
            Meeting::Anything => self.anything(common),
            Meeting::Command(words) => self.push_command(words.clone(), common),
            Meeting::Resource(patterns, value) => {
                for rule in self.tool.resource_rules(patterns) {
                    self.push_resource(&rule, value, common);
                }
            }
            Meeting::Apart => {}
            Meeting::NotDecided => common.incomplete = true,
        }
    }

    fn push_command(self, words: Vec<String>, common: &mut Common) {
        let text = words
            .iter()
            .map(|word| quoted(word))
            .collect::<Vec<_>>()
            .join(" ");
        let cwd = self.cwd();
        let word = |text: String| Word {
            text,
            shape: WordShape::Literal,
        };
        let command = SimpleCommand {
            words: words.into_iter().map(word).collect(),
            cwd: cwd.clone(),
            text: text.clone(),
            ..SimpleCommand::default()
        };
        let at_place = match self.placement() {
            Some(placement) if !placement.is_local() => format!("!@{placement} {text}"),
            _ => format!("!{text}"),
        };
        let params = json!({ "input": at_place });
        self.push(Part::Command(command), "command", params, cwd, common);
    }

    fn placement(self) -> Option<Placement> {
        let wanted = self.a.placement();
        wanted.or(self.b.placement()).cloned()
    }

    /// A folder in which both rules hold, where there is one.
    fn cwd(self) -> Option<String> {
        let root = self.agent.root.as_deref();
        match (self.a.cwd(), self.b.cwd()) {
            (None, None) => self.agent.root.clone(),
            (Some(one), None) | (None, Some(one)) => one.example(root),
            (Some(a), Some(b)) => {
                a.overlap(case_of(self.a.effect), b, case_of(self.b.effect), root)
            }
        }
    }

    fn push_resource(self, rule: &ResourceRule, value: &str, common: &mut Common) {
        let base = Base {
            cwd: None,
            root: self.agent.root.as_deref(),
        };
        let action = self.action();
        let access = rule
            .access
            .or_else(|| access_of(&action))
            .unwrap_or(Access::Read);
        let url = || format!("https://{value}/");
        let raw = if rule.kind == ResourceKind::Url && !value.contains("://") {
            url()
        } else {
            value.to_owned()
        };
        let Ok(resource) = Resource::parse(rule.kind, &raw, access, &base) else {
            common.incomplete = true;
            return;
        };
        let Some(mut params) = self.a.when().joint_witness(self.b.when()) else {
            common.incomplete = true;
            return;
        };
        // A condition on the same field may have its own idea of the value; then that one is judged.
        let written = match self.with_value(&params, &rule.from, &raw) {
            Some(changed) => {
                params = changed;
                None
            }
            None if self.tool.is_spawn() => None,
            None => put(&mut params, &rule.from, &raw),
        };
        let resource = match written {
            Some(Value::String(other)) if other != raw => {
                match Resource::parse(rule.kind, &other, access, &base) {
                    Ok(other) => other,
                    Err(_) => {
                        common.incomplete = true;
                        return;
                    }
                }
            }
            _ => resource,
        };
        if self.tool.is_spawn() {
            put(
                &mut params,
                "/input",
                &format!("!{} {}", program_for(access), quoted(&raw)),
            );
        }
        let action = if self.tool.is_spawn() && action.is_empty() {
            access_word(access).to_owned()
        } else {
            action
        };
        self.push(Part::Resource(resource), &action, params, None, common);
    }

    /// The parameters with the value put in place of whatever is there, if all conditions still hold.
    fn with_value(self, params: &Value, pointer: &str, raw: &str) -> Option<Value> {
        let mut changed = params.clone();
        let place = changed
            .pointer_mut(pointer)
            .filter(|place| place.is_string())?;
        *place = Value::String(raw.to_owned());
        (self.a.when().all_hold(&changed) && self.b.when().all_hold(&changed)).then_some(changed)
    }

    fn anything(self, common: &mut Common) {
        if self.tool.is_spawn() {
            if self.action() != "agent" {
                self.push_command(vec!["true".to_owned()], common);
            }
            if self.action().is_empty() || self.action() == "agent" {
                self.push(
                    Part::Nothing,
                    "agent",
                    json!({ "input": "look around" }),
                    None,
                    common,
                );
            }
            return;
        }
        match self.tool.profile.resources.first().cloned() {
            Some(rule) => self.push_resource(&rule, plain_example(rule.kind), common),
            None => match self.a.when().joint_witness(self.b.when()) {
                Some(params) => self.push(Part::Nothing, &self.action(), params, None, common),
                None => common.incomplete = true,
            },
        }
    }

    /// The action label: for spawn what the rules want, else the profile's.
    fn action(self) -> String {
        let wanted = self.a.action().or_else(|| self.b.action());
        match self.tool.real {
            true if !self.tool.is_spawn() => self.tool.profile.action.clone(),
            _ => wanted.unwrap_or_default().to_owned(),
        }
    }

    fn push(
        self,
        part: Part,
        action: &str,
        mut params: Value,
        cwd: Option<String>,
        common: &mut Common,
    ) {
        self.tool.fill_required(&mut params);
        if !self.a.when().all_hold(&params) || !self.b.when().all_hold(&params) {
            common.incomplete = true;
            return;
        }
        common.calls.push(Call {
            agent: self.agent.clone(),
            tool: self.tool.clone(),
            action: action.to_owned(),
            part,
            params,
            cwd,
            placement: self.placement(),
            at: self.at,
        });
    }
}

/// Puts a text at a pointer unless something is there already, which is then returned.
pub(super) fn put(params: &mut Value, pointer: &str, text: &str) -> Option<Value> {
    let mut place = params;
    for step in pointer.strip_prefix('/')?.split('/') {
        let step = step.replace("~1", "/").replace("~0", "~");
        if place.is_null() {
            *place = Value::Object(Map::new());
        }
        match place {
            Value::Object(map) => place = map.entry(step).or_insert(Value::Null),
            Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Null => {
                return Some(place.clone());
            }
        }
    }
    match place {
        Value::Null => {
            *place = Value::String(text.to_owned());
            None
        }
        Value::Array(items) => items.first().cloned(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            Some(place.clone())
        }
    }
}

/// A word as a shell reads it back.
pub(super) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@,+%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

pub(super) const fn program_for(access: Access) -> &'static str {
    match access {
        Access::Read => "cat",
        Access::Write => "tee",
        Access::Delete => "rm",
        Access::Execute => "bash",
        Access::Connect => "curl",
    }
}

pub(super) const fn access_word(access: Access) -> &'static str {
    match access {
        Access::Read => "read",
        Access::Write => "write",
        Access::Delete => "delete",
        Access::Execute => "execute",
        Access::Connect => "connect",
    }
}

fn access_of(action: &str) -> Option<Access> {
    serde_json::from_value(Value::String(action.to_owned())).ok()
}

const fn plain_example(kind: ResourceKind) -> &'static str {
    match kind {
        ResourceKind::Path => "/x",
        ResourceKind::Url => "https://x.example/",
        ResourceKind::Host | ResourceKind::Domain => "x.example",
        ResourceKind::Service
        | ResourceKind::Repository
        | ResourceKind::Command
        | ResourceKind::None => "x",
    }
}
