//! The whole way of one call, for who asks why: what was derived from it, the verdict on every part,
//! and for each question that policy was asked the rules that matched and those that nearly did.
//!
//! Judges exactly as a call is judged, since it is the same code; it only keeps what it saw.

use std::cell::RefCell;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use tipstaff_policy::{Explanation, PolicySet, Request, Subject};
use tipstaff_resource::Resource;
use tipstaff_schema::sanitization::sanitize_for_display;
use tipstaff_schema::{AgentId, Effect};

use crate::gate::Gate;
use crate::judge::{Watch, describe};
use crate::ready::{Lookup, Purpose, Stop};
use crate::{Call, Refusal, Session, Stage, SuggestedRules, Verdict};

/// So many questions to policy are kept; a command with more parts than these is shown in part.
const MOST_ASKED: usize = 64;

/// Why a call is decided as it is.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CallExplanation {
    /// The verdict, the same as that of [`Gate::decide`].
    pub verdict: Verdict,
    /// Who calls.
    pub agent: AgentId,
    /// The tool, by the name that rules use.
    pub tool: String,
    /// The action label; empty where the call was refused before it was known.
    pub action: String,
    /// What the call acts on, as derived from its parameters.
    pub resources: Vec<Resource>,
    /// The simple commands in it, as text.
    pub commands: Vec<String>,
    /// What those commands do, in words.
    pub effects: Vec<String>,
    /// The verdict on every part, in the order in which they were judged.
    pub parts: Vec<Verdict>,
    /// What policy was asked, and why it answered as it did.
    pub policy: Vec<PartExplanation>,
    /// Rules that would allow a command that is asked, narrowest first.
    pub suggested: Vec<SuggestedRules>,
    /// How many more questions policy was asked.
    pub left_out: usize,
}

/// One question to policy.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PartExplanation {
    /// What it was about, such as `path /srv/a`.
    pub subject: String,
    /// The action label.
    pub action: String,
    /// Why it was decided so.
    pub explanation: Explanation,
}

/// What was asked and found on the way.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    asked: Vec<PartExplanation>,
    seen: Vec<Verdict>,
    left_out: usize,
}

impl Trace {
    pub(crate) fn ask(&mut self, policy: &PolicySet, request: &Request<'_>) {
        let subject = match request.subject {
            Subject::None => "the call as a whole".to_owned(),
            Subject::Resource(resource) => named(resource),
            Subject::Command(command) => format!("command {}", sanitize_for_display(&command.text)),
        };
        let known =
            |part: &PartExplanation| part.subject == subject && part.action == request.action;
        if self.asked.iter().any(known) {
            return;
        }
        if self.asked.len() >= MOST_ASKED {
            self.left_out += 1;
            return;
        }
        self.asked.push(PartExplanation {
            subject,
            action: request.action.to_owned(),
            explanation: policy.explain(request),
        });
    }

    pub(crate) fn see(&mut self, verdict: &Verdict) {
        self.seen.push(verdict.clone());
    }
}

/// A resource in words: its kind and its value.
fn named(resource: &Resource) -> String {
    let kind = serde_json::to_value(resource.kind()).unwrap_or_default();
    let value = sanitize_for_display(resource.value());
    format!("{} {value}", kind.as_str().unwrap_or("value"))
}

impl Gate {
    /// Why a call would be decided as it is at this moment. Executes nothing, writes nothing, probes
    /// no file.
    #[must_use]
    pub fn explain(&self, session: &Session, call: &Call, lookup: Lookup) -> CallExplanation {
        self.explain_at(session, call, lookup, self.0.now())
    }

    /// The same at another time.
    #[must_use]
    pub fn explain_at(
        &self,
        session: &Session,
        call: &Call,
        lookup: Lookup,
        at: DateTime<Utc>,
    ) -> CallExplanation {
        let refused = |refusal: Refusal| CallExplanation {
            verdict: refusal.into(),
            agent: session.agent.clone(),
            tool: sanitize_for_display(&call.tool),
            action: String::new(),
            resources: Vec::new(),
            commands: Vec::new(),
            effects: Vec::new(),
            parts: Vec::new(),
            policy: Vec::new(),
            suggested: Vec::new(),
            left_out: 0,
        };
        let ready = match self.ready(session, call, Purpose::Judge(lookup)) {
            Ok(ready) => ready,
            Err(Stop::Refused(refusal)) => return refused(refusal),
            Err(Stop::Review(entry)) => {
                let why = format!("nobody has reviewed `{}` yet", entry.name);
                return refused(Refusal::new(Stage::Lookup, why));
            }
        };
        let trace = RefCell::new(Trace::default());
        let verdict = self.judge_watched(session, call, &ready, at, Watch::Explain(&trace));
        let Trace {
            asked,
            seen,
            left_out,
        } = trace.into_inner();
        let plan = ready.prepared.plan.as_ref();
        let commands = plan.into_iter().flat_map(|plan| &plan.commands);
        let effects = plan.into_iter().flat_map(|plan| &plan.effects);
        let suggested = match verdict.effect {
            Effect::Ask => self.suggested(session, call, &ready, at),
            Effect::Allow | Effect::Deny => Vec::new(),
        };
        CallExplanation {
            verdict,
            suggested,
            agent: session.agent.clone(),
            tool: ready.entry.name.clone(),
            action: ready.action.clone(),
            resources: ready.resources.clone(),
            commands: commands
                .map(|command| sanitize_for_display(&command.text))
                .collect(),
            effects: effects.map(describe).collect(),
            parts: seen,
            policy: asked,
            left_out,
        }
    }
}

impl CallExplanation {
    /// The explanation as JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let policy = self.policy.iter().map(|part| {
            let mut said = part.explanation.to_json();
            if let Value::Object(map) = &mut said {
                map.insert("subject".to_owned(), json!(part.subject));
                map.insert("action".to_owned(), json!(part.action));
            }
            said
        });
        json!({
            "verdict": self.verdict,
            "agent": self.agent,
            "tool": self.tool,
            "action": self.action,
            "resources": self.resources,
            "commands": self.commands,
            "effects": self.effects,
            "parts": self.parts,
            "policy": policy.collect::<Vec<_>>(),
            "suggested": self.suggested.iter().map(SuggestedRules::to_json).collect::<Vec<_>>(),
            "left_out": self.left_out,
        })
    }

    /// The explanation as lines of text: the verdict, the call as it was understood, the verdict on each
    /// part, and policy's reasons.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut lines = vec![said(&self.verdict)];
        lines.push(format!(
            "call: {} of {}, action `{}`",
            self.tool,
            self.agent,
            sanitize_for_display(&self.action)
        ));
        lines.extend(self.commands.iter().map(|text| format!("command: {text}")));
        lines.extend(self.effects.iter().map(|text| format!("  it {text}")));
        for resource in &self.resources {
            let access = serde_json::to_value(resource.access()).unwrap_or_default();
            let access = access.as_str().unwrap_or("use");
            lines.push(format!("acts on: {} ({access})", named(resource)));
        }
        if self.parts.len() > 1 {
            lines.extend(
                self.parts
                    .iter()
                    .map(|part| format!("part: {}", said(part))),
            );
        }
        for part in &self.policy {
            lines.push(format!(
                "policy on {}, action `{}`:",
                part.subject,
                sanitize_for_display(&part.action)
            ));
            let text = part.explanation.to_text();
            lines.extend(text.lines().map(|line| {
                let inner = line.trim_start();
                let depth = line.len() - inner.len() + 2;
                format!("{:depth$}{}", "", sanitize_for_display(inner))
            }));
        }
        lines.extend(self.suggested.iter().flat_map(SuggestedRules::lines));
        if self.left_out > 0 {
            lines.push(format!("and {} more questions to policy", self.left_out));
        }
        lines.join("\n")
    }
}

fn said(verdict: &Verdict) -> String {
    let part = match &verdict.part {
        Some(part) => format!(" for `{part}`"),
        None => String::new(),
    };
    let (stage, why) = (
        verdict.stage.as_str(),
        sanitize_for_display(&verdict.reason),
    );
    format!("{} at {stage}{part}: {why}", verdict.effect)
}
