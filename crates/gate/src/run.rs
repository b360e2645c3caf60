//! From permission to outcome: the warrant, the execution, the answer, triage.
//!
//! Issuing a warrant is one append that also spends the approval in the approval's own stream, with
//! the version it is expected to have: of any number of gates over one journal, one wins. Once
//! issued, the execution runs in a task of its own, so that no caller can go away with the outcome.

use std::sync::Arc;

use serde_json::{Value, json};
use tipstaff_approval::{ApprovalEvent, events};
use tipstaff_journal::{AppendError, Stream, StreamKind, kinds};
use tipstaff_schema::{Digest, Domain};
use tipstaff_triage::events::Opened;
use tipstaff_triage::{AnswerFacts, TaskEvent, judgeable};
use uuid::Uuid;

use crate::admission::{Health, Pass};
use crate::breaker::Edge;
use crate::gate::Gate;
use crate::ready::Ready;
use crate::record::{Trace, WarrantIssued, recorded};
use crate::start::{health, jitter};
use crate::way::unwritable;
use crate::{Cancel, ExecError, ExecOutput, Executor, Outcome, Session, Stage, Warrant};

/// How long an executor may overrun its deadline before it is abandoned.
const GRACE: chrono::TimeDelta = chrono::TimeDelta::seconds(5);

/// On what a call may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Permission {
    /// Policy allows it.
    Unasked,
    /// This approval allows it, at this version of its stream.
    Approved { id: Uuid, version: u64 },
}

/// A call that is ready, and that the limits let start.
#[derive(Debug)]
pub(crate) struct Admitted {
    pub(crate) ready: Ready,
    pub(crate) pass: Pass,
}

impl Gate {
    /// Spends the permission, issues the warrant and sees the execution through.
    pub(crate) async fn run(
        &self,
        session: &Session,
        admitted: Admitted,
        permission: Permission,
        mut trace: Trace,
        cancel: &Cancel,
    ) -> Outcome {
        let ready = &admitted.ready;
        let Some(executor) = ready.executor.clone() else {
            let why = "nothing runs this tool here".to_owned();
            return Outcome::Refused {
                why,
                stage: Stage::Lookup,
                can_retry: true,
            };
        };
        let warrant = match self.issue(session, &admitted, permission, &mut trace).await {
            Ok(warrant) => warrant,
            Err(outcome) => return outcome,
        };
        let (gate, cancel) = (self.clone(), cancel.child());
        let seen_through = tokio::spawn(async move {
            gate.execute(executor, warrant, admitted, trace, cancel)
                .await
        });
        seen_through.await.unwrap_or_else(|_| Outcome::Unknown {
            why: "the gate broke while it ran".to_owned(),
        })
    }

    async fn issue(
        &self,
        session: &Session,
        Admitted { ready, pass }: &Admitted,
        permission: Permission,
        trace: &mut Trace,
    ) -> Result<Warrant, Outcome> {
        let now = self.0.now();
        let timeout = ready.entry.profile.timeout;
        let timeout = pass
            .probe_limit()
            .map_or(timeout, |probe| probe.min(timeout));
        let timeout = chrono::TimeDelta::from_std(timeout).unwrap_or(chrono::TimeDelta::days(1));
        let deadline = now.checked_add_signed(timeout).unwrap_or(now);
        let (expected, approval_id) = self.spend(session, ready, permission, trace)?;
        let issued = WarrantIssued {
            agent: session.agent.clone(),
            request: ready.request,
            params_digest: ready.params_digest,
            tool_id: ready.entry.tool_id().to_owned(),
            pin: ready.entry.pin,
            deadline,
            instance: self.0.instance.clone(),
            idempotent: ready.entry.profile.idempotent,
            approval_id,
        };
        self.note(
            trace,
            kinds::WARRANT_ISSUED,
            serde_json::to_value(&issued).unwrap_or(Value::Null),
        );
        match self
            .0
            .append(&expected, std::mem::take(&mut trace.drafts))
            .await
        {
            Ok(_) => {}
            Err(AppendError::Conflict { .. }) => {
                self.0.after_conflict().await;
                let why = "the approval was used or changed by another call in the same moment"
                    .to_owned();
                return Err(Outcome::Refused {
                    why,
                    stage: Stage::Approval,
                    can_retry: true,
                });
            }
            Err(error) => return Err(unwritable(&error)),
        }
        Ok(Warrant {
            call_id: trace.call_id,
            request: ready.request,
            params_digest: ready.params_digest,
            deadline,
            session: session.clone(),
            entry: Arc::clone(&ready.entry),
            params: ready.params.clone(),
            cwd: ready.cwd.clone(),
            env: ready.env.clone(),
            placement: ready.placement.clone(),
            plan: ready.prepared.plan.clone(),
        })
    }

    /// Adds the use of an approval, and gives the version that its stream must have.
    #[expect(clippy::result_large_err, reason = "moved once per refused call")]
    #[expect(
        clippy::type_complexity,
        reason = "what the append expects, as the journal takes it"
    )]
    fn spend(
        &self,
        session: &Session,
        ready: &Ready,
        permission: Permission,
        trace: &mut Trace,
    ) -> Result<(Vec<(Stream, u64)>, Option<Uuid>), Outcome> {
        let Permission::Approved { id, version } = permission else {
            return Ok((Vec::new(), None));
        };
        let used = events::Used {
            call: trace.call_id,
            digest: ready.request,
            session: session.key.clone(),
        };
        let draft = self
            .0
            .approval_draft(id, &ApprovalEvent::Used(used), &trace.actor, self.0.now())
            .map_err(|why| Outcome::Refused {
                why,
                stage: Stage::Approval,
                can_retry: false,
            })?;
        trace.drafts.push(draft.correlated(trace.correlation));
        let stream = Stream::of(StreamKind::Approval, id);
        Ok((vec![(stream, version)], Some(id)))
    }

    async fn execute(
        &self,
        executor: Arc<dyn Executor>,
        warrant: Warrant,
        admitted: Admitted,
        trace: Trace,
        cancel: Cancel,
    ) -> Outcome {
        let give_up = warrant
            .deadline()
            .checked_add_signed(GRACE)
            .unwrap_or(warrant.deadline());
        // A task of its own: an executor that panics takes only its own call down.
        let stop = cancel.clone();
        let mut running = tokio::spawn(async move { executor.execute(warrant, stop).await });
        let uncertain = |why: &str| {
            Err(ExecError::Uncertain {
                why: why.to_owned(),
            })
        };
        let (result, health) = tokio::select! {
            ended = &mut running => {
                let result = ended.unwrap_or_else(|_| uncertain("the executor broke"));
                let health = health(&result, &cancel);
                (result, health)
            }
            () = self.0.clock.sleep_until(give_up) => {
                cancel.cancel();
                running.abort();
                (uncertain("it did not end in time"), Health::Bad)
            }
        };
        self.finish(admitted, trace, result, health).await
    }

    /// Journals the outcome, with the tasks that the answer opens, in one append.
    async fn finish(
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
        let outcome = match result {
            Ok(output) => self.completed(ready, &mut trace, output),
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
        self.record(trace, outcome).await
    }

    /// Writes the outcome and its tasks; where the tasks are what cannot be written, the outcome alone.
    async fn record(&self, mut trace: Trace, mut outcome: Outcome) -> Outcome {
        let drafts = std::mem::take(&mut trace.drafts);
        let stream = trace.stream();
        let alone = drafts.iter().filter(|draft| draft.stream == stream);
        let alone: Vec<_> = alone.cloned().collect();
        let whole = alone.len() == drafts.len();
        let mut written = self.0.append(&[], drafts).await.map(|_| ());
        if let (Err(AppendError::Invalid { .. }), false) = (&written, whole) {
            tracing::error!(call = %trace.call_id, "the tasks of an answer could not be written");
            if let Outcome::Completed { tasks, .. } = &mut outcome {
                tasks.clear();
            }
            written = self.0.append(&[], alone).await.map(|_| ());
        }
        if let Err(error) = written {
            // It ran: the caller is told so. The journal says unknown when it can be written again.
            tracing::error!(%error, call = %trace.call_id, "an outcome could not be written");
        }
        outcome
    }

    fn completed(&self, ready: &Ready, trace: &mut Trace, output: ExecOutput) -> Outcome {
        let answer_valid = answer_fits(ready, &output);
        let (opened, not_judged) = match self.triage(ready, trace, &output, answer_valid) {
            Ok(opened) => (opened, None),
            Err(why) => (Vec::new(), Some(why)),
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
        let tasks = opened
            .into_iter()
            .filter_map(|task| self.open_task(trace, task))
            .collect();
        Outcome::Completed {
            result: output,
            answer_valid,
            tasks,
        }
    }

    /// The tasks that the answer opens, or why no rule saw it.
    fn triage(
        &self,
        ready: &Ready,
        trace: &Trace,
        output: &ExecOutput,
        valid: bool,
    ) -> Result<Vec<Opened>, String> {
        let Some((rules, calendar)) = &self.0.triage else {
            return Ok(Vec::new());
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
            return not("the answer is plain text");
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
        rules
            .judge(&facts, &**calendar)
            .map_err(|error| error.to_string())
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
