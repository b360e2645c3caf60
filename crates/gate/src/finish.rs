//! What is done with a finished execution: its outcome is journaled, its answer judged by the triage
//! rules, and the tasks that those open stand in the same append.
//!
//! Nothing here changes an answer. Where a task cannot be made or written, that is recorded beside the
//! outcome, and the task is owed until it is there.

use serde_json::{Value, json};
use tipstaff_journal::{AppendError, Draft, Stream, StreamKind, kinds};
use tipstaff_schema::{Digest, Domain};
use tipstaff_triage::events::{KeptAnswer, Opened, Owed, OwedTask};
use tipstaff_triage::{AnswerFacts, TaskEvent, judgeable, why_not_judged};

use crate::admission::Health;
use crate::breaker::Edge;
use crate::gate::Gate;
use crate::ready::Ready;
use crate::record::{Trace, recorded};
use crate::run::Admitted;
use crate::start::jitter;
use crate::{ExecError, ExecOutput, Outcome};

/// Where a task's first event holds the answer.
const ANSWER: &str = "answer";
/// What the kind of a task begins with that a rule opened.
const TRIAGE: &str = "agent.triage/";

impl Gate {
    /// Journals the outcome, with the tasks that the answer opens, in one append.
    pub(crate) async fn finish(
        &self,
        admitted: Admitted,
        mut trace: Trace,
        result: Result<ExecOutput, ExecError>,
        health: Health,
    ) -> Outcome {
        // The places are given back when the outcome is written.
        let Admitted { ready, mut pass } = admitted;
        let ready = &ready;
        let edge = pass.report(health, jitter(trace.call_id));
        let mut owed = None;
        let outcome = match result {
            Ok(output) => {
                let (outcome, if_refused) = self.completed(ready, &mut trace, output);
                owed = if_refused;
                outcome
            }
            Err(ExecError::NeverSent { why } | ExecError::Unreachable { why }) => {
                self.note(
                    &mut trace,
                    kinds::EXECUTION_FAILED,
                    json!({ "why": why, "never_ran": true }),
                );
                Outcome::Failed {
                    why,
                    never_ran: true,
                }
            }
            Err(ExecError::Failed { why }) => {
                self.note(
                    &mut trace,
                    kinds::EXECUTION_FAILED,
                    json!({ "why": why, "never_ran": false }),
                );
                Outcome::Failed {
                    why,
                    never_ran: false,
                }
            }
            Err(ExecError::Uncertain { why }) => {
                self.note(&mut trace, kinds::EXECUTION_UNKNOWN, json!({ "why": why }));
                self.reconcile(
                    &mut trace,
                    ready.entry.tool_id(),
                    ready.entry.profile.idempotent,
                );
                Outcome::Unknown { why }
            }
        };
        if let Some(edge) = edge {
            tell_breaker(&mut trace, edge);
        }
        self.record(trace, outcome, owed).await
    }

    /// Writes the outcome and its tasks in one append; where the tasks are what cannot be written,
    /// the outcome and that they are owed. What cannot be written at all is kept, to be tried again.
    async fn record(&self, mut trace: Trace, mut outcome: Outcome, owed: Option<Owed>) -> Outcome {
        let mut drafts = std::mem::take(&mut trace.drafts);
        let tasks = drafts.iter().filter(|draft| opens_task(draft));
        let expected: Vec<(Stream, u64)> = tasks.map(|draft| (draft.stream.clone(), 0)).collect();
        let mut kept = Kept::of(&mut drafts);
        let mut written = self.0.append(&expected, drafts).await;
        if let (Err(AppendError::Invalid { .. } | AppendError::Conflict { .. }), false) =
            (&written, expected.is_empty())
        {
            tracing::error!(call = %trace.call_id, "the tasks of an answer could not be written");
            trace.drafts = kept.alone();
            if let Some(owed) = owed {
                self.owe(&mut trace, &owed);
            }
            let mut drafts = std::mem::take(&mut trace.drafts);
            kept = Kept::of(&mut drafts);
            written = self.0.append(&[], drafts).await;
            if let Outcome::Completed { tasks, .. } = &mut outcome {
                tasks.clear();
            }
        }
        if let Err(error) = written {
            // It ran: the caller is told so. If the gate ends before it can be written, the journal
            // says unknown from the next start on.
            tracing::error!(%error, call = %trace.call_id, "an outcome could not be written");
            self.keep_unwritten(kept.whole());
            if let Outcome::Completed { tasks, .. } = &mut outcome {
                tasks.clear();
            }
        }
        outcome
    }

    /// Records in the call's own stream that tasks are owed.
    fn owe(&self, trace: &mut Trace, owed: &Owed) {
        if let Ok(data) = serde_json::to_value(owed) {
            self.note(trace, kinds::TRIAGE_FAILED, data);
        }
    }

    /// The outcome of an answer; and what is to be recorded as owed if its tasks cannot be written.
    fn completed(
        &self,
        ready: &Ready,
        trace: &mut Trace,
        output: ExecOutput,
    ) -> (Outcome, Option<Owed>) {
        let answer_valid = answer_fits(ready, &output);
        let (judged, not_judged) = match self.triage(ready, trace, &output, answer_valid) {
            Ok(judged) => (judged, None),
            Err(why) => (Found::default(), Some(why)),
        };
        let whole = output.raw.clone().or_else(|| output.data.clone());
        let whole = whole
            .or_else(|| output.output.clone().map(Value::String))
            .unwrap_or(Value::Null);
        let data = json!({
            "summary": output.summary,
            "answer": recorded(&whole),
            "answer_digest": Digest::of(Domain::Answer, &whole).ok(),
            "answer_valid": answer_valid,
            "is_error": output.is_error,
            "truncated": output.truncated,
            "not_judged": not_judged,
        });
        self.note(trace, kinds::EXECUTION_SUCCEEDED, data);
        if let Some(failed) = &judged.failed {
            self.owe(trace, failed);
        }
        let owed = judged.if_refused();
        let tasks = judged
            .opened
            .into_iter()
            .filter_map(|task| self.open_task(trace, task))
            .collect();
        let outcome = Outcome::Completed {
            result: output,
            answer_valid,
            tasks,
        };
        (outcome, owed)
    }

    /// What the rules make of the answer, or why none saw it.
    fn triage(
        &self,
        ready: &Ready,
        trace: &Trace,
        output: &ExecOutput,
        valid: bool,
    ) -> Result<Found, String> {
        let Some(rules) = &self.0.triage else {
            return Ok(Found::default());
        };
        let not = |why: &str| Err(why.to_owned());
        if output.is_error {
            return not("the tool says that it failed");
        }
        if !valid {
            return not("the answer breaks its output schema");
        }
        if output.truncated {
            return not("the answer was cut");
        }
        let Some(answer) = judgeable(output.data.as_ref(), output.output.as_deref()) else {
            return Err(why_not_judged(output.output.as_deref()));
        };
        let facts = AnswerFacts {
            call_id: trace.call_id,
            correlation: Some(trace.correlation),
            tool_name: &ready.entry.name,
            tool_id: ready.entry.tool_id(),
            agent: &trace.agent,
            answer: &answer,
            at: self.0.now(),
        };
        let judged = rules.judge(&facts, &*self.0.calendar);
        let owed = judged.failed.iter().map(|error| {
            let rule = error.rule().to_owned();
            let summary = rules.rule(&rule).map(|rule| rule.summary(&answer));
            OwedTask {
                rule,
                why: with_causes(error),
                summary: summary.unwrap_or_default(),
            }
        });
        let owed: Vec<OwedTask> = owed.collect();
        let failed = (!owed.is_empty()).then(|| Owed {
            rules: owed,
            tool: ready.entry.name.clone(),
            agent: trace.agent.clone(),
            answer: KeptAnswer::of(&answer).unwrap_or(KeptAnswer::None {}),
            observed: false,
        });
        Ok(Found {
            opened: judged.opened,
            failed,
        })
    }

    /// Adds the task's first event; gives its id.
    pub(crate) fn open_task(&self, trace: &mut Trace, task: Opened) -> Option<String> {
        let id = task.task.to_string();
        let stream = Stream::new(StreamKind::Task, id.clone()).ok()?;
        let event = TaskEvent::Opened(Box::new(task));
        let data = event.data().ok()?;
        let now = self.0.now();
        trace.push_to(stream, self.0.ids.fresh(now), now, event.kind(), data);
        Some(id)
    }
}

/// What is appended, held for the case that it cannot be. All tasks of one call hold the same answer,
/// which is held once here.
#[derive(Debug)]
struct Kept {
    drafts: Vec<Draft>,
    answer: Option<Value>,
}

impl Kept {
    fn of(drafts: &mut [Draft]) -> Self {
        let mut kept = Self {
            drafts: Vec::with_capacity(drafts.len()),
            answer: None,
        };
        for draft in drafts {
            let takes = opens_task(draft);
            let place = draft.data.get_mut(ANSWER).filter(|_| takes);
            let answer = place.map(std::mem::take);
            kept.drafts.push(draft.clone());
            if let (Some(answer), Some(place)) = (answer, draft.data.get_mut(ANSWER)) {
                kept.answer.get_or_insert_with(|| answer.clone());
                *place = answer;
            }
        }
        kept
    }

    /// All of it.
    fn whole(self) -> Vec<Draft> {
        let Self { mut drafts, answer } = self;
        let tasks = drafts.iter_mut().filter(|draft| opens_task(draft));
        for place in tasks.filter_map(|draft| draft.data.get_mut(ANSWER)) {
            *place = answer.clone().unwrap_or_default();
        }
        drafts
    }

    /// Without the tasks.
    fn alone(&self) -> Vec<Draft> {
        let alone = self.drafts.iter().filter(|draft| !opens_task(draft));
        alone.cloned().collect()
    }
}

fn opens_task(draft: &Draft) -> bool {
    draft.stream.kind() == StreamKind::Task
}

/// What the rules made of an answer.
#[derive(Debug, Default)]
struct Found {
    opened: Vec<Opened>,
    /// The tasks that could not be made.
    failed: Option<Owed>,
}

impl Found {
    /// All that is owed if the journal takes none of the tasks, those that could not be made included.
    fn if_refused(&self) -> Option<Owed> {
        let first = self.opened.first()?;
        let refused = self.opened.iter().map(|task| OwedTask {
            rule: task.kind.trim_start_matches(TRIAGE).to_owned(),
            why: "the journal refused the task".to_owned(),
            summary: task.summary.clone(),
        });
        let failed = self.failed.iter().flat_map(|owed| &owed.rules);
        Some(Owed {
            rules: refused.chain(failed.cloned()).collect(),
            tool: first.tool.clone(),
            agent: first.agent.clone(),
            answer: first.answer.clone(),
            observed: false,
        })
    }
}

/// The outcome that changed a breaker says so in its own event, so that each change is written once.
fn tell_breaker(trace: &mut Trace, edge: Edge) {
    let stream = trace.stream();
    let outcome = trace
        .drafts
        .iter_mut()
        .find(|draft| draft.stream == stream)
        .and_then(|draft| draft.data.as_object_mut());
    if let Some(data) = outcome {
        data.insert("breaker".to_owned(), edge.as_str().into());
    }
}

fn answer_fits(ready: &Ready, output: &ExecOutput) -> bool {
    let Some(schema) = ready.entry.output.as_ref().filter(|_| !output.is_error) else {
        return true;
    };
    output
        .data
        .as_ref()
        .is_some_and(|data| schema.check(data).is_ok())
}

/// An error and its causes, on one line.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
