//! The way of a call, from receipt to answer. Every entry path comes through here.
//!
//! A call that a person said yes to goes the whole way again before it runs: it is made ready and
//! judged anew, so that a deny, a changed pin or a moved symlink in between stops it.

use serde_json::{Value, json};
use tipstaff_approval::Subject;
use tipstaff_journal::{Kind, kinds};
use tipstaff_router::RouteMode;
use tipstaff_schema::{BreakerCheck, Constraint, Effect, IntentError, IntentToken, ToolRoute};

use crate::admission::Pass;
use crate::ask::{Asked, Caller};
use crate::facts::Facts;
use crate::gate::{Gate, Mode};
use crate::ready::{Lookup, Purpose, Ready, Stop};
use crate::record::{Trace, decided, received, recorded};
use crate::run::{Admitted, Permission};
use crate::token::arguments;
use crate::{Call, Cancel, Outcome, Refusal, Session, Stage, Submission, Ticket, Verdict};

/// Whether the caller waits for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    /// Until the answer, the call's deadline, or the end of the question.
    Wait,
    /// Not at all: a ticket at once.
    Ticket,
}

/// A call goes round again after a review and after an answer; more than this means that something
/// changes all the time, and the call is refused.
const MAX_ROUNDS: usize = 8;

impl Gate {
    /// Sends a call or a token the whole way and waits for what comes of it: for a person's answer
    /// up to the call's deadline, else as long as the question lives.
    ///
    /// Dropping the future does not stop an execution that has started; its outcome is journaled all
    /// the same. `cancel` does stop it, and takes a waiting question back.
    pub async fn submit(
        &self,
        session: &Session,
        what: impl Into<Submission>,
        cancel: &Cancel,
    ) -> Outcome {
        self.travel(session, what.into(), cancel, Patience::Wait)
            .await
    }

    /// The same for hosts that cannot wait: where a person must answer, [`Outcome::Pending`] at once.
    pub async fn start(
        &self,
        session: &Session,
        what: impl Into<Submission>,
        cancel: &Cancel,
    ) -> Outcome {
        self.travel(session, what.into(), cancel, Patience::Ticket)
            .await
    }

    /// Presents the call again that a ticket was given for. It opens no new question.
    pub async fn resume(
        &self,
        session: &Session,
        ticket: &Ticket,
        mut call: Call,
        cancel: &Cancel,
    ) -> Outcome {
        call.approval_id = Some(ticket.approval_id);
        self.travel(session, call.into(), cancel, Patience::Ticket)
            .await
    }

    /// Judges a call at this moment. Executes nothing, writes nothing, probes no file.
    #[must_use]
    pub fn decide(&self, session: &Session, call: &Call, lookup: Lookup) -> Verdict {
        self.decide_at(session, call, lookup, self.0.now())
    }

    /// The same at another time: what hours and `until` would make of it.
    #[must_use]
    pub fn decide_at(
        &self,
        session: &Session,
        call: &Call,
        lookup: Lookup,
        at: chrono::DateTime<chrono::Utc>,
    ) -> Verdict {
        match self.ready(session, call, Purpose::Judge(lookup)) {
            Ok(ready) => self.judge_ready(session, call, &ready, at),
            Err(Stop::Refused(refusal)) => refusal.into(),
            Err(Stop::Review(entry)) => Refusal::new(
                Stage::Lookup,
                format!("nobody has reviewed `{}` yet", entry.name),
            )
            .into(),
        }
    }

    async fn travel(
        &self,
        session: &Session,
        what: Submission,
        cancel: &Cancel,
        patience: Patience,
    ) -> Outcome {
        let (mut call, constraints, mut trace) = match self.receive(session, what) {
            Ok(received) => received,
            Err((trace, outcome)) => return self.end(trace, outcome).await,
        };
        let _held = match self.hold(session) {
            Ok(held) => held,
            Err(refusal) => return self.refuse(trace, refusal).await,
        };
        for _ in 0..MAX_ROUNDS {
            let caller = |call| Caller {
                session,
                call,
                cancel,
                patience,
            };
            if let Err(refusal) = self.settled(&call.tool).await {
                return self.refuse(trace, refusal).await;
            }
            let ready = match self.ready(session, &call, Purpose::Run) {
                Ok(ready) => ready,
                Err(Stop::Refused(refusal)) => return self.refuse(trace, refusal).await,
                Err(Stop::Review(entry)) => {
                    match self.review(caller(&call), &entry, &mut trace).await {
                        Ok(()) => continue,
                        Err(outcome) => return self.end(trace, outcome).await,
                    }
                }
            };
            self.forget_review(&mut call, &ready);
            let at = self.0.now();
            let verdict = self.judge_ready(session, &call, &ready, at);
            let policy = self.0.policy.load().digest();
            let facts = Facts::of(session, &ready, at, policy);
            self.note(&mut trace, kinds::POLICY_DECIDED, decided(&verdict, &facts));
            let permission = match self
                .permit(caller(&call), &ready, &verdict, &mut trace)
                .await
            {
                Asked::May(permission) => permission,
                Asked::Answered => continue,
                Asked::Over(outcome) => return self.end(trace, outcome).await,
            };
            let checked = self
                .last_checks(session, &constraints, &ready, cancel)
                .await;
            let pass = match checked {
                Ok(pass) => pass,
                Err(refusal) => return self.refuse(trace, refusal).await,
            };
            let admitted = Admitted { ready, pass };
            return self.run(session, admitted, permission, trace, cancel).await;
        }
        let why = "the call kept changing while people were asked";
        let refusal = Refusal::retry(Stage::Approval, why);
        self.refuse(trace, refusal).await
    }

    /// From the verdict to the permission that the call runs on, by way of people where it asks.
    async fn permit(
        &self,
        caller: Caller<'_>,
        ready: &Ready,
        verdict: &Verdict,
        trace: &mut Trace,
    ) -> Asked {
        let why = || because(verdict);
        match (verdict.effect, self.0.mode) {
            (Effect::Deny, _) => Asked::Over(Outcome::Denied { why: why() }),
            // Nobody is asked for a call that could not start.
            (Effect::Ask, Mode::Enforce) => match self.could_start(caller.session, ready) {
                Ok(()) => self.ask(caller, ready, verdict, trace).await,
                Err(refusal) => Asked::Over(refusal.into()),
            },
            (Effect::Allow, _) | (Effect::Ask, Mode::Observe) => {
                match self.unneeded(caller.session, caller.call, ready) {
                    Ok(permission) => Asked::May(permission),
                    Err(refusal) => Asked::Over(refusal.into()),
                }
            }
        }
    }

    /// From what came in to a call; for a token by the router.
    #[expect(clippy::result_large_err, reason = "moved once per refused token")]
    fn receive(
        &self,
        session: &Session,
        what: Submission,
    ) -> Result<(Call, Vec<Constraint>, Trace), (Trace, Outcome)> {
        let (call, token) = match what {
            Submission::Call(call) => (call, None),
            Submission::Token(token) => (Call::new(String::new(), Value::Null), Some(token)),
        };
        let call_id = self.0.fresh();
        let mut trace = Trace {
            call_id,
            correlation: token
                .as_ref()
                .map(|token| token.id)
                .or(call.correlation)
                .unwrap_or(call_id),
            causation: token
                .as_ref()
                .and_then(|token| token.parent_id)
                .or(call.causation),
            agent: session.agent.clone(),
            actor: format!("agent:{}", session.agent),
            observed: self.0.mode == Mode::Observe,
            drafts: Vec::new(),
        };
        let Some(token) = token else {
            let extra = json!({
                "cwd": call.cwd, "placement": call.placement, "reason": call.reason,
                "env": call.env.keys().collect::<Vec<_>>(), "require_approval": call.require_approval,
            });
            self.note(
                &mut trace,
                kinds::CALL_RECEIVED,
                received(session, &call.tool, &call.params, extra),
            );
            return Ok((call, Vec::new(), trace));
        };
        let verb = token.verb.dotted();
        let extra = json!({ "token": token.id, "namespace": token.namespace });
        self.note(
            &mut trace,
            kinds::CALL_RECEIVED,
            received(session, &verb, &token.object.value, extra),
        );
        match self.route(&token) {
            Ok(call) => {
                self.note(
                    &mut trace,
                    kinds::CALL_ROUTED,
                    json!({ "verb": verb, "tool_id": call.tool, "params": recorded(&call.params) }),
                );
                Ok((call, token.constraints, trace))
            }
            Err(outcome) => Err((trace, outcome)),
        }
    }

    #[expect(clippy::result_large_err, reason = "moved once per refused token")]
    fn route(&self, token: &IntentToken) -> Result<Call, Outcome> {
        let refused = |error: &IntentError| Outcome::Refused {
            why: error.to_string(),
            stage: Stage::Route,
            can_retry: matches!(error, IntentError::Unavailable(_)),
        };
        token.validate().map_err(|error| refused(&error))?;
        let snapshot = self.0.catalog.snapshot();
        let open = self.0.throttle.breakers.snapshot().unwrap_or_default();
        let route = self
            .0
            .routes
            .resolve(RouteMode::Strict, &snapshot.wire(), token, &open)
            .map_err(|error| refused(&error))?;
        let tool_id = match route {
            ToolRoute::HumanConfirm { ask } => return Err(Outcome::Unroutable { ask }),
            ToolRoute::Mcp {
                tool_id,
                server,
                tool,
            } => tool_id.unwrap_or_else(|| format!("mcp:{server}:{tool}")),
            ToolRoute::NativeBackend {
                tool_id: Some(id), ..
            }
            | ToolRoute::Terminal {
                tool_id: Some(id), ..
            } => id,
            ToolRoute::NativeBackend { .. } | ToolRoute::Terminal { .. } => {
                let ask = format!("the route of {} names no tool", token.verb.dotted());
                return Err(Outcome::Unroutable { ask });
            }
        };
        let schema = snapshot
            .by_id(&tool_id)
            .map(|entry| &entry.descriptor.input_schema);
        let params =
            arguments(token, schema.unwrap_or(&Value::Null)).map_err(|why| Outcome::Refused {
                why,
                stage: Stage::Validate,
                can_retry: false,
            })?;
        let mut call = Call::new(tool_id, params);
        call.correlation = Some(token.id);
        call.causation = token.parent_id;
        Ok(call)
    }

    /// A call that needs no approval: one that names an approval must still mean a usable one.
    fn unneeded(
        &self,
        session: &Session,
        call: &Call,
        ready: &Ready,
    ) -> Result<Permission, Refusal> {
        match call.approval_id {
            None => Ok(Permission::Unasked),
            Some(id) => self.named(session, id, ready),
        }
    }

    /// The ticket of a tool's review is spent once the tool is reviewed: the call goes on without it.
    fn forget_review(&self, call: &mut Call, ready: &Ready) {
        let review = call.approval_id.and_then(|id| self.approval(id));
        if review.is_some_and(|review| {
            review.digest == ready.entry.pin && matches!(review.subject, Subject::Tool { .. })
        }) {
            call.approval_id = None;
        }
    }

    /// What must hold at the very last: the constraints, then that nothing moved, then the limits.
    async fn last_checks(
        &self,
        session: &Session,
        constraints: &[Constraint],
        ready: &Ready,
        cancel: &Cancel,
    ) -> Result<Pass, Refusal> {
        for constraint in constraints {
            self.0.constraints.check(constraint).await.map_err(|why| {
                let error = IntentError::ConstraintFailed(why);
                Refusal::retry(Stage::Constraint, error.to_string())
            })?;
        }
        let why = if cancel.is_cancelled() {
            "the caller cancelled the call"
        } else if !self.still_listed(ready) {
            "the tool changed while the call was judged"
        } else if !self.still_there(session, ready) {
            "a path leads elsewhere than when the call was judged"
        } else if !self.starts_the_same(ready) {
            "a program or script that it starts was changed since the call was judged"
        } else {
            return self.admit(session, ready);
        };
        Err(Refusal::retry(Stage::Warrant, why))
    }

    pub(crate) fn note(&self, trace: &mut Trace, kind: Kind, data: Value) {
        let now = self.0.now();
        trace.push(self.0.ids.fresh(now), now, kind, data);
    }

    async fn refuse(&self, trace: Trace, refusal: Refusal) -> Outcome {
        self.end(trace, refusal.into()).await
    }

    /// Journals how a call ended that did not run.
    async fn end(&self, mut trace: Trace, outcome: Outcome) -> Outcome {
        let mut data = json!({ "outcome": outcome.as_str(), "why": outcome.for_model() });
        if let (Outcome::Refused { stage, .. }, Some(data)) = (&outcome, data.as_object_mut()) {
            data.insert("stage".to_owned(), stage.as_str().into());
        }
        self.note(&mut trace, kinds::CALL_REFUSED, data);
        match self.0.append(&[], std::mem::take(&mut trace.drafts)).await {
            Ok(_) => outcome,
            Err(error) => unwritable(&error),
        }
    }
}

/// Why a call was denied, with the part that decided.
fn because(verdict: &Verdict) -> String {
    match &verdict.part {
        Some(part) => format!("{} ({part})", verdict.reason),
        None => verdict.reason.clone(),
    }
}

/// The journal cannot be written, so nothing runs.
pub(crate) fn unwritable(error: &tipstaff_journal::AppendError) -> Outcome {
    tracing::error!(%error, "the journal cannot be written; nothing runs");
    let why = format!("the journal cannot be written, so nothing runs: {error}");
    Outcome::Refused {
        why,
        stage: Stage::Warrant,
        can_retry: true,
    }
}
