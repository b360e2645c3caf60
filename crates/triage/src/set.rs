//! All triage rules together, and what they make of one answer.
//!
//! Rules are independent: two that match open two tasks, in the order of the file. Nothing here can
//! fail the run; when a due date cannot be computed, no task is opened and the gate says so.

use std::borrow::Cow;
use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde_json::Value;
use tipstaff_schema::{AgentId, CanonError, parse_strict};
use uuid::Uuid;

use crate::events::{KeptAnswer, Opened};
use crate::rule::label;
use crate::task::task_id;
use crate::wire::TriageRuleWire;
use crate::{Calendar, DeadlineError, TriageError, TriageRule};

/// All triage rules.
#[derive(Debug, Clone, Default)]
pub struct TriageSet(Vec<TriageRule>);

/// One finished answer.
#[derive(Debug, Clone, Copy)]
pub struct AnswerFacts<'a> {
    /// The call that it answers.
    pub call_id: Uuid,
    /// What the call belongs to; `None` when the caller named nothing.
    pub correlation: Option<Uuid>,
    /// The tool's name.
    pub tool_name: &'a str,
    /// The tool's id.
    pub tool_id: &'a str,
    /// The agent whose call it was.
    pub agent: &'a AgentId,
    /// The answer ([`judgeable`] finds it).
    pub answer: &'a Value,
    /// When it came.
    pub at: DateTime<Utc>,
}

/// Why no tasks were opened for an answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JudgeError {
    /// A due date cannot be computed.
    #[error("triage rule `{rule}` matches, but its deadline is no instant")]
    Deadline {
        /// The rule.
        rule: String,
        /// Why.
        source: DeadlineError,
    },
    /// The answer has no canonical form, so that it cannot be kept.
    #[error("triage rule `{rule}` matches, but the answer cannot be kept")]
    Answer {
        /// The rule.
        rule: String,
        /// Why.
        source: CanonError,
    },
}

impl TriageSet {
    /// Checks all rules.
    ///
    /// # Errors
    /// Every fault of every rule, in the order of the rules.
    pub fn new(
        rules: Vec<TriageRuleWire>,
        calendar: &dyn Calendar,
    ) -> Result<Self, Vec<TriageError>> {
        let (mut set, mut errors, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
        for (i, wire) in rules.into_iter().enumerate() {
            if !seen.insert(wire.name.clone()) {
                errors.push(TriageError::Duplicate {
                    rule: label(&wire.name, i + 1),
                });
            }
            match TriageRule::try_from_wire(wire, i + 1, calendar) {
                Ok(rule) => set.push(rule),
                Err(faults) => errors.extend(faults),
            }
        }
        if errors.is_empty() {
            Ok(Self(set))
        } else {
            Err(errors)
        }
    }

    /// The rules, in the order of the file.
    #[must_use]
    pub fn rules(&self) -> &[TriageRule] {
        &self.0
    }

    /// The tasks that an answer opens, in the order of the rules. The same answer of the same call gives
    /// tasks of the same ids, so that judging it again opens nothing twice.
    ///
    /// # Errors
    /// [`JudgeError`] for the first rule whose task cannot be made; then none is opened.
    pub fn judge(
        &self,
        facts: &AnswerFacts<'_>,
        calendar: &dyn Calendar,
    ) -> Result<Vec<Opened>, JudgeError> {
        let matching = self
            .0
            .iter()
            .filter(|rule| rule.concerns(facts) && rule.matches(facts.answer));
        matching.map(|rule| open(rule, facts, calendar)).collect()
    }
}

fn open(
    rule: &TriageRule,
    facts: &AnswerFacts<'_>,
    calendar: &dyn Calendar,
) -> Result<Opened, JudgeError> {
    let due = calendar.resolve(facts.at, &rule.deadline);
    let due_at = due.map_err(|source| JudgeError::Deadline {
        rule: rule.name.clone(),
        source,
    })?;
    let answer = KeptAnswer::of(facts.answer);
    Ok(Opened {
        task: task_id(facts.call_id, &rule.name),
        kind: rule.task_kind(),
        call: facts.call_id,
        tool: facts.tool_name.to_owned(),
        agent: facts.agent.clone(),
        summary: rule.summary(facts.answer),
        answer: answer.map_err(|source| JudgeError::Answer {
            rule: rule.name.clone(),
            source,
        })?,
        audience: rule.audience.clone(),
        excluded: Vec::new(),
        priority: rule.priority,
        deadline: rule.deadline.clone(),
        due_at,
        calendar: calendar.digest(),
        on_expiry: rule.on_expiry,
        escalate_to: rule.escalate_to.clone(),
        note_required: rule.note_required,
    })
}

/// What of an answer rules judge: the structured content where there is any, else the text when all
/// of it is JSON; `None` means *not judged*. A text that was cut must not be given.
#[must_use]
pub fn judgeable<'a>(structured: Option<&'a Value>, text: Option<&str>) -> Option<Cow<'a, Value>> {
    structured
        .map(Cow::Borrowed)
        .or_else(|| Some(Cow::Owned(parse_strict(text?.as_bytes()).ok()?)))
}
