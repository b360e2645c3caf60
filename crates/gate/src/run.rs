//! From permission to execution: the warrant, and the run that it allows.
//!
//! Issuing a warrant is one append that also spends the approval in the approval's own stream, with
//! the version it is expected to have: of any number of gates over one journal, one wins. Once
//! issued, the execution runs in a task of its own, so that no caller can go away with the outcome.

use std::sync::Arc;

use serde_json::Value;
use tipstaff_approval::{ApprovalEvent, events};
use tipstaff_journal::{AppendError, Stream, StreamKind, kinds};
use uuid::Uuid;

use crate::admission::{Health, Pass};
use crate::gate::Gate;
use crate::ready::Ready;
use crate::record::{Trace, WarrantIssued};
use crate::start::health;
use crate::warrant::Progress;
use crate::way::unwritable;
use crate::{Cancel, ExecError, Executor, Outcome, Session, Stage, Warrant};

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
        Ok(self.warrant(session, ready, deadline, trace))
    }

    /// The warrant for a call whose permission is spent.
    fn warrant(
        &self,
        session: &Session,
        ready: &Ready,
        deadline: chrono::DateTime<chrono::Utc>,
        trace: &Trace,
    ) -> Warrant {
        Warrant {
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
            program: ready.started.first().cloned(),
            root: ready.root.clone(),
            progress: Progress {
                sink: Arc::clone(&self.0.progress),
                correlation: trace.correlation,
            },
        }
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
}
