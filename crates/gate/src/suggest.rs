//! Rules that would have allowed a command that is asked, narrowest first.
//!
//! Every suggestion is tried before it is offered: judged as if its rules stood behind those of the
//! policy, the very call must be allowed. What only a person may answer has none, and neither has
//! what a deny, a guard or a stricter rule decides.

use std::fmt::Write;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use tipstaff_command::{Breadth, Ceiling, SimpleCommand, Suggestion};
use tipstaff_policy::wire::RuleWire;
use tipstaff_policy::{Decision, PolicySet, Rule, World};
use tipstaff_schema::sanitization::sanitize_for_display;
use tipstaff_schema::{Effect, Risk};

use crate::gate::Gate;
use crate::judge::Watch;
use crate::ready::{Lookup, Purpose, Ready};
use crate::{Call, Session};

/// Rules that together would allow a call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SuggestedRules {
    /// The rules, as they stand in a manifest.
    pub rules: Vec<Value>,
    /// What they cover, in words: one sentence a rule.
    pub covers: Vec<String>,
}

impl SuggestedRules {
    /// The rules as items of a list in YAML, one a line.
    #[must_use]
    pub fn yaml(&self) -> String {
        let lines: Vec<String> = self
            .rules
            .iter()
            .map(|rule| format!("- {}", flow(rule)))
            .collect();
        lines.join("\n")
    }

    /// For people: what it covers, then the rules.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let covers = self
            .covers
            .iter()
            .map(|covers| format!("a rule for {covers}:"));
        let rules = self
            .rules
            .iter()
            .map(|rule| format!("  - {}", sanitize_for_display(&flow(rule))));
        covers
            .zip(rules)
            .flat_map(|(covers, rule)| [covers, rule])
            .collect()
    }

    /// As JSON: the rules, what they cover, and the same as YAML.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({ "rules": self.rules, "covers": self.covers, "yaml": self.yaml() })
    }
}

/// A value as YAML on one line: keys bare, texts in double quotes.
fn flow(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let mut out = String::from("{");
            for (at, (key, value)) in map.iter().enumerate() {
                let comma = if at == 0 { "" } else { ", " };
                let _never_fails = write!(out, "{comma}{key}: {}", flow(value));
            }
            out.push('}');
            out
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(flow).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

impl Gate {
    /// Rules that would allow a call which is asked at this moment, narrowest first; none where no
    /// rule should. Executes nothing, writes nothing, probes no file.
    #[must_use]
    pub fn suggest(&self, session: &Session, call: &Call, lookup: Lookup) -> Vec<SuggestedRules> {
        match self.ready(session, call, Purpose::Judge(lookup)) {
            Ok(ready) => self.suggested(session, call, &ready, self.0.now()),
            Err(_) => Vec::new(),
        }
    }

    /// The same for a call that is ready.
    pub(crate) fn suggested(
        &self,
        session: &Session,
        call: &Call,
        ready: &Ready,
        at: DateTime<Utc>,
    ) -> Vec<SuggestedRules> {
        let suggestions = &ready.prepared.suggestions;
        let critical = ready.entry.profile.risk == Risk::Critical;
        if critical || suggestions.is_empty() {
            return Vec::new();
        }
        let judged = |rules: &[Offer]| {
            let rules: Vec<Arc<Rule>> = rules.iter().map(|offer| Arc::clone(&offer.rule)).collect();
            self.judge_with(session, call, ready, at, (Watch::Nobody, &rules))
        };
        let tried = |rules: &[Offer]| judged(rules).effect == Effect::Allow;
        let now = judged(&[]);
        // A rule never answers what is denied, and not what only a person may answer.
        let fresh = now.decision.as_ref().is_some_and(Decision::fresh);
        if now.effect != Effect::Ask || fresh {
            return Vec::new();
        }
        let mut found: Vec<SuggestedRules> = Vec::new();
        for breadth in [Breadth::Exact, Breadth::AnyOperands] {
            let mut offers: Vec<Offer> = (0..suggestions.len())
                .filter_map(|part| self.offer(session, ready, part, breadth))
                .collect();
            // What is allowed already needs no rule.
            let mut part = 0;
            while part < offers.len() {
                let without = [
                    offers.get(..part).unwrap_or_default(),
                    offers.get(part + 1..).unwrap_or_default(),
                ]
                .concat();
                if tried(&without) {
                    offers = without;
                } else {
                    part += 1;
                }
            }
            let rules = SuggestedRules {
                rules: offers.iter().map(|offer| offer.wire.clone()).collect(),
                covers: offers.iter().map(|offer| offer.covers.clone()).collect(),
            };
            if tried(&offers) && !found.contains(&rules) {
                found.push(rules);
            }
        }
        found
    }

    /// The rule for one part: of the breadth that is wanted, or of the widest below it.
    fn offer(
        &self,
        session: &Session,
        ready: &Ready,
        part: usize,
        breadth: Breadth,
    ) -> Option<Offer> {
        let command = ready.prepared.plan.as_ref()?.commands.get(part)?;
        let suggestions = ready.prepared.suggestions.get(part)?;
        let fits = |suggestion: &&Suggestion| suggestion.breadth <= breadth;
        let suggestion = suggestions.iter().rfind(fits)?;
        let mut rule = json!({
            "id": self.free_id(command, part),
            "agent": session.agent.as_str(),
            "capability": ready.entry.name.clone(),
            "target": { "command": suggestion.words },
            "effects": suggestion.ceiling,
            "effect": "allow",
        });
        if let Some(rule) = rule.as_object_mut() {
            // What it does is not known: then at least where.
            let anywhere = suggestion.ceiling != Ceiling::Any;
            if let Some(cwd) = command.cwd.as_deref().filter(|_| !anywhere) {
                rule.insert("cwd".to_owned(), json!(escaped(cwd)));
            }
            if let Some(placement) = ready.placement.as_ref().filter(|p| !p.is_local()) {
                rule.insert("placement".to_owned(), json!(placement.as_str()));
            }
        }
        let wire: RuleWire = serde_json::from_value(rule.clone()).ok()?;
        let (set, _) = PolicySet::compile(vec![wire], &World::default()).ok()?;
        let compiled = Arc::clone(set.rules().first()?);
        Some(Offer {
            covers: covers(suggestion, command),
            wire: rule,
            rule: compiled,
        })
    }

    /// An id that no rule has.
    fn free_id(&self, command: &SimpleCommand, part: usize) -> String {
        let policy = self.0.policy.load();
        let words = command.words.iter().take(2).map(|word| word.text.as_str());
        let plain = |c: char| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '-'
            }
        };
        let name: String = words
            .collect::<Vec<_>>()
            .join("-")
            .chars()
            .map(plain)
            .take(32)
            .collect();
        let name = format!("allow-{}", name.trim_matches('-'));
        let ids = (part + 1..).map(|number| format!("{name}-{number}"));
        let mut ids = ids.filter(|id| policy.rule(id).is_none());
        ids.next().unwrap_or(name)
    }
}

/// One rule, as it is written and as it is tried.
#[derive(Debug, Clone)]
struct Offer {
    wire: Value,
    rule: Arc<Rule>,
    covers: String,
}

fn covers(suggestion: &Suggestion, command: &SimpleCommand) -> String {
    let words = suggestion.words.join(" ");
    let what = match suggestion.breadth {
        Breadth::Exact => format!("exactly `{words}`"),
        Breadth::AnyOperands => format!("`{words}`: any operands that are no flags"),
    };
    let effects = match &suggestion.ceiling {
        Ceiling::ReadOnly => ", reading below the agent's root only".to_owned(),
        Ceiling::Table(_) => ", with the effects that it has now and no others".to_owned(),
        Ceiling::Any => match &command.cwd {
            Some(cwd) => format!(", started in {cwd}, whatever it does"),
            None => ", whatever it does".to_owned(),
        },
    };
    sanitize_for_display(&format!("{what}{effects}"))
}

/// A folder as a pattern that means only itself.
fn escaped(path: &str) -> String {
    let special = |c: &char| "*?[]{}\\,!".contains(*c);
    path.chars()
        .flat_map(|c| special(&c).then_some('\\').into_iter().chain([c]))
        .collect()
}
