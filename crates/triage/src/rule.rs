//! A triage rule, checked: it can fire, its summary can be filled, its deadline exists.
//!
//! It decides nothing about the run whose answer it reads; all it can do is open a task.

use serde_json::{Value, json};
use tipstaff_condition::wire::ConditionWire;
use tipstaff_condition::{Condition, Conditions, SchemaFinding};
use tipstaff_schema::{AgentId, NameError, NamePattern, Role};

use crate::error::shown;
use crate::set::AnswerFacts;
use crate::summary::Summary;
use crate::wire::TriageRuleWire;
use crate::{Calendar, DeadlineSpec, OnExpiry, Priority, TriageError};

/// One triage rule.
// INVARIANT: `when` holds at least one condition, none with `each`; the calendar knows the deadline.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TriageRule {
    /// Its name, unique in its set.
    pub name: String,
    /// What the answer must satisfy.
    pub when: Conditions,
    /// The tools that it is about; empty means all.
    pub tools: Vec<NamePattern>,
    /// The agents that it is about; empty means all.
    pub agents: Vec<AgentId>,
    /// The roles that see the task; empty means anyone.
    pub audience: Vec<Role>,
    /// By when it is due.
    pub deadline: DeadlineSpec,
    /// How pressing it is.
    pub priority: Priority,
    /// What happens when its time has run out.
    pub on_expiry: OnExpiry,
    /// The roles that see it after an escalation.
    pub escalate_to: Vec<Role>,
    /// Whether a completion needs a note.
    pub note_required: bool,
    /// Whether every tool that it is about must have an output schema, so that it can be checked.
    pub require_output_schema: bool,
    pub(crate) summary: Summary,
}

impl TriageRule {
    /// Checks a rule; `index` is its place in the list, from 1.
    ///
    /// # Errors
    /// Every fault that was found.
    pub fn try_from_wire(
        wire: TriageRuleWire,
        index: usize,
        calendar: &dyn Calendar,
    ) -> Result<Self, Vec<TriageError>> {
        let mut faults = Faults {
            rule: label(&wire.name, index),
            found: Vec::new(),
        };
        faults.check(good_name(&wire.name), |rule| TriageError::Name { rule });
        let when = faults.conditions(wire.when);
        let audience = faults.names(&wire.audience, "audience", Role::new);
        let tools = faults.names(&wire.applies_to.tools, "applies_to", NamePattern::new);
        let agents = faults.names(&wire.applies_to.agents, "applies_to", AgentId::new);
        let escalate_to = faults.names(&wire.escalate_to, "escalate_to", Role::new);
        let escalates = wire.on_expiry == OnExpiry::Escalate;
        faults.check(escalates != wire.escalate_to.is_empty(), |rule| {
            TriageError::Escalation { rule }
        });
        let deadline = DeadlineSpec::from(wire.deadline);
        let known = calendar.check(&deadline);
        faults.result(known, |rule, source| TriageError::Deadline { rule, source });
        let summary = Summary::parse(&wire.summary);
        let summary = faults.result(summary, |rule, source| TriageError::Summary {
            rule,
            source,
        });
        match summary {
            Some(summary) if faults.found.is_empty() => Ok(Self {
                name: wire.name,
                when,
                tools,
                agents,
                audience,
                deadline,
                priority: wire.priority,
                on_expiry: wire.on_expiry,
                escalate_to,
                note_required: wire.note_required,
                require_output_schema: wire.require_output_schema,
                summary,
            }),
            Some(_) | None => Err(faults.found),
        }
    }

    /// The kind of the tasks that it opens: `agent.triage/<name>`.
    #[must_use]
    pub fn task_kind(&self) -> String {
        format!("agent.triage/{}", self.name)
    }

    /// Whether every condition holds on an answer.
    #[must_use]
    pub fn matches(&self, answer: &Value) -> bool {
        !self.when.is_empty() && self.when.all_hold(answer)
    }

    /// Whether every condition holds, one of which may be known to.
    pub(crate) fn rest_holds(&self, answer: &Value, known: Option<usize>) -> bool {
        let mut when = self.when.iter().enumerate();
        !self.when.is_empty() && when.all(|(at, c)| known == Some(at) || c.holds(answer))
    }

    /// Whether the rule is about this tool and this agent at all.
    #[must_use]
    pub fn concerns(&self, facts: &AnswerFacts<'_>) -> bool {
        self.concerns_tool(facts.tool_name, facts.tool_id) && self.concerns_agent(facts.agent)
    }

    /// Whether the rule is about a tool of this name or id.
    #[must_use]
    pub fn concerns_tool(&self, name: &str, id: &str) -> bool {
        let tool = |tool: &NamePattern| tool.matches(name) || tool.matches(id);
        self.tools.is_empty() || self.tools.iter().any(tool)
    }

    fn concerns_agent(&self, agent: &AgentId) -> bool {
        self.agents.is_empty() || self.agents.contains(agent)
    }

    /// Why the rule does not match, a line a reason, for people; empty where it does. A value of
    /// the wrong type is called that, and is no error.
    #[must_use]
    pub fn why_not(&self, facts: &AnswerFacts<'_>) -> Vec<String> {
        let mut whys = Vec::new();
        if !self.concerns_tool(facts.tool_name, facts.tool_id) {
            whys.push("it is not about this tool".to_owned());
        }
        if !self.concerns_agent(facts.agent) {
            whys.push("it is not about this agent".to_owned());
        }
        let failed = self.when.iter().filter_map(|c| c.why_not(facts.answer));
        whys.extend(failed);
        whys
    }

    /// The text for people, filled from an answer.
    #[must_use]
    pub fn summary(&self, answer: &Value) -> String {
        self.summary.fill(answer)
    }

    /// The wire form, which reads back as the same rule; what was added to the form of others is
    /// left out where it says nothing.
    #[must_use]
    pub fn to_wire(&self) -> Value {
        let when: Vec<Value> = self.when.iter().map(Condition::to_wire).collect();
        let mut wire = json!({
            "name": self.name,
            "when": when,
            "audience": self.audience,
            "summary": self.summary.text(),
            "deadline": self.deadline,
            "priority": self.priority,
        });
        let mut add = |key: &str, value: Value, said: bool| {
            if let (true, Some(map)) = (said, wire.as_object_mut()) {
                map.insert(key.to_owned(), value);
            }
        };
        let (tools, agents) = (&self.tools, &self.agents);
        let narrowed = !tools.is_empty() || !agents.is_empty();
        let applies_to = if agents.is_empty() {
            json!(tools)
        } else {
            json!({ "tools": tools, "agents": agents })
        };
        add("applies_to", applies_to, narrowed);
        let escalates = self.on_expiry == OnExpiry::Escalate;
        add("on_expiry", json!(self.on_expiry), escalates);
        add("escalate_to", json!(self.escalate_to), escalates);
        add("note_required", json!(true), self.note_required);
        add(
            "require_output_schema",
            json!(true),
            self.require_output_schema,
        );
        wire
    }

    /// The conditions that an answer of this output schema can never satisfy.
    #[must_use]
    pub fn check_against(&self, output_schema: &Value) -> Vec<SchemaFinding> {
        self.when.check_against(output_schema)
    }
}

/// How errors call a rule: its name, or its place when it has none that can be shown.
pub(crate) fn label(name: &str, index: usize) -> String {
    if name.is_empty() {
        format!("{index}")
    } else {
        format!("{index} `{}`", shown(name))
    }
}

fn good_name(name: &str) -> bool {
    (1..=80).contains(&name.chars().count()) && !name.chars().any(|c| c.is_control() || c == '/')
}

/// The faults of one rule that were found so far.
struct Faults {
    rule: String,
    found: Vec<TriageError>,
}

impl Faults {
    fn check(&mut self, good: bool, fault: impl FnOnce(String) -> TriageError) {
        if !good {
            self.found.push(fault(self.rule.clone()));
        }
    }

    fn result<T, E>(
        &mut self,
        result: Result<T, E>,
        fault: impl FnOnce(String, E) -> TriageError,
    ) -> Option<T> {
        result
            .map_err(|source| self.found.push(fault(self.rule.clone(), source)))
            .ok()
    }

    fn names<T>(
        &mut self,
        texts: &[String],
        field: &'static str,
        read: impl Fn(String) -> Result<T, NameError>,
    ) -> Vec<T> {
        let fault = |rule, source| TriageError::BadName {
            rule,
            field,
            source,
        };
        texts
            .iter()
            .filter_map(|text| self.result(read(text.clone()), fault))
            .collect()
    }

    fn conditions(&mut self, wires: Vec<ConditionWire>) -> Conditions {
        self.check(!wires.is_empty(), |rule| TriageError::NoCondition { rule });
        let when = Conditions::from_wire(wires).unwrap_or_else(|faults| {
            self.found.extend(faults.into_iter().map(|(at, source)| {
                let set = || "the set of conditions".to_owned();
                let place = at.map_or_else(set, |at| format!("condition {}", at + 1));
                TriageError::Condition {
                    rule: self.rule.clone(),
                    place,
                    source,
                }
            }));
            Conditions::default()
        });
        for (at, condition) in when.iter().enumerate() {
            self.check(!condition.each(), |rule| TriageError::Each {
                rule,
                index: at + 1,
            });
        }
        when
    }
}
