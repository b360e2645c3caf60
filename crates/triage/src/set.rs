//! All triage rules together, and what they make of one answer.
//!
//! Rules are independent: two that match open two tasks, in the order of the file. Nothing here can
//! fail the run; when a due date cannot be computed, that task is not opened and the gate says so.

use std::borrow::Cow;
use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde_json::Value;
use tipstaff_schema::{AgentId, parse_strict};
use uuid::Uuid;

use crate::events::{KeptAnswer, Opened};
use crate::index::RuleIndex;
use crate::rule::label;
use crate::task::task_id;
use crate::wire::TriageRuleWire;
use crate::{Calendar, DeadlineError, TriageError, TriageRule};

/// All triage rules.
// INVARIANT: names are unique; `index` is that of `rules`.
#[derive(Debug, Clone, Default)]
pub struct TriageSet {
    rules: Vec<TriageRule>,
    index: RuleIndex,
}

/// What all rules made of one answer.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Judged {
    /// The tasks to open, in the order of the rules.
    pub opened: Vec<Opened>,
    /// The rules that match and whose task cannot be made now; they keep no other from being opened.
    pub failed: Vec<JudgeError>,
}

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

/// Why a rule that matches opened no task.
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
}

impl JudgeError {
    /// The name of the rule.
    #[must_use]
    pub fn rule(&self) -> &str {
        match self {
            Self::Deadline { rule, .. } => rule,
        }
    }
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
            let index = RuleIndex::of(&set);
            Ok(Self { rules: set, index })
        } else {
            Err(errors)
        }
    }

    /// The rules, in the order of the file.
    #[must_use]
    pub fn rules(&self) -> &[TriageRule] {
        &self.rules
    }

    /// The rule of this name; `None` where there is none.
    #[must_use]
    pub fn rule(&self, name: &str) -> Option<&TriageRule> {
        self.rules.iter().find(|rule| rule.name == name)
    }

    /// The rules that match, in the order of the file. Looks only at those that can, by an index over
    /// the pointers of their conditions; the same as [`matching_by_scan`](Self::matching_by_scan).
    pub fn matching<'a>(
        &'a self,
        facts: &'a AnswerFacts<'_>,
    ) -> impl Iterator<Item = &'a TriageRule> {
        let found = self.index.candidates(facts.answer).into_iter();
        found.filter_map(|found| {
            let rule = self.rules.get(found.rule)?;
            let matches = rule.concerns(facts) && rule.rest_holds(facts.answer, found.known);
            matches.then_some(rule)
        })
    }

    /// How many rules the index has to be judged for an answer: what judging it costs follows these.
    #[must_use]
    pub fn candidates(&self, answer: &Value) -> usize {
        self.index.candidates(answer).len()
    }

    /// The rules that match, found by looking at every one: what the index must equal.
    pub fn matching_by_scan<'a>(
        &'a self,
        facts: &'a AnswerFacts<'_>,
    ) -> impl Iterator<Item = &'a TriageRule> {
        let rules = self.rules.iter();
        rules.filter(|rule| rule.concerns(facts) && rule.matches(facts.answer))
    }

    /// The tasks that an answer opens, in the order of the rules. The same answer of the same call gives
    /// tasks of the same ids, so that judging it again opens nothing twice. Of a rule whose task
    /// cannot be made the error is told, and the others go on.
    #[must_use]
    pub fn judge(&self, facts: &AnswerFacts<'_>, calendar: &dyn Calendar) -> Judged {
        let mut judged = Judged::default();
        let call = OpenFor {
            call_id: facts.call_id,
            tool_name: facts.tool_name,
            agent: facts.agent,
            at: facts.at,
        };
        let mut kept = None; // The same for every task; made once, and only where there is one.
        for rule in self.matching(facts) {
            let kept = kept.get_or_insert_with(|| KeptAnswer::of(facts.answer));
            // An answer without a canonical form is in no event whole: the task does without it.
            let kept = kept.clone().unwrap_or(KeptAnswer::None {});
            match rule.open(&call, rule.summary(facts.answer), kept, calendar) {
                Ok(task) => judged.opened.push(task),
                Err(error) => judged.failed.push(error),
            }
        }
        judged
    }
}

/// The call that a task is about, apart from its answer.
#[derive(Debug, Clone, Copy)]
pub struct OpenFor<'a> {
    /// The call.
    pub call_id: Uuid,
    /// The tool's name.
    pub tool_name: &'a str,
    /// The agent whose call it was.
    pub agent: &'a AgentId,
    /// When its answer came: deadlines count from here, also where the task is opened later.
    pub at: DateTime<Utc>,
}

impl TriageRule {
    /// The task that this rule opens with a summary that was filled from an answer; whether the
    /// answer matches is not asked.
    ///
    /// # Errors
    /// [`JudgeError::Deadline`] when there is no due date.
    pub fn open(
        &self,
        call: &OpenFor<'_>,
        summary: String,
        answer: KeptAnswer,
        calendar: &dyn Calendar,
    ) -> Result<Opened, JudgeError> {
        let due = calendar.resolve(call.at, &self.deadline);
        let due_at = due.map_err(|source| JudgeError::Deadline {
            rule: self.name.clone(),
            source,
        })?;
        Ok(Opened {
            task: task_id(call.call_id, &self.name),
            kind: self.task_kind(),
            call: call.call_id,
            tool: call.tool_name.to_owned(),
            agent: call.agent.clone(),
            summary,
            answer,
            audience: self.audience.clone(),
            excluded: Vec::new(),
            priority: self.priority,
            deadline: self.deadline.clone(),
            due_at,
            calendar: calendar.digest(),
            on_expiry: self.on_expiry,
            escalate_to: self.escalate_to.clone(),
            note_required: self.note_required,
            observed: false,
        })
    }
}

/// What of an answer rules judge: the structured content where there is any, else the text when all
/// of it is JSON; `None` means *not judged*. A text that was cut must not be given.
#[must_use]
pub fn judgeable<'a>(structured: Option<&'a Value>, text: Option<&str>) -> Option<Cow<'a, Value>> {
    structured
        .map(Cow::Borrowed)
        .or_else(|| Some(Cow::Owned(parse_strict(text?.as_bytes()).ok()?)))
}

/// Why [`judgeable`] finds nothing in this text: it is plain, or it begins like JSON and is none,
/// which says where. The words are for people and hold pieces of the text.
#[must_use]
pub fn why_not_judged(text: Option<&str>) -> String {
    let like_json = text.filter(|text| text.trim_start().starts_with(['{', '[']));
    match like_json.map(|text| parse_strict(text.as_bytes())) {
        Some(Err(error)) => format!("the answer is no JSON as a whole: {error}"),
        Some(Ok(_)) | None => "the answer is plain text".to_owned(),
    }
}
