//! Asking people: find an answer that is there, join a question that is open, or put a new one, and wait.
//!
//! Who may answer, and what is a valid step, is decided in `tipstaff-approval`. Here the question is
//! written, shown, kept and ended. A question is kept by a task of its own, so that it outlives the
//! connection of the caller who caused it.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::Value;
use tipstaff_approval::{
    ApprovalEvent, ApprovalRequest, ApprovalState, Ask, AskRefusal, Found, RuleRef, Subject, Terms,
    UseRefusal, events,
};
use tipstaff_journal::{AppendError, Draft, Stream, StreamKind};
use tipstaff_policy::Decision;
use tipstaff_schema::{Digest, Domain};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::gate::{Gate, Inner};
use crate::ready::Ready;
use crate::record::Trace;
use crate::run::Permission;
use crate::way::{Patience, unwritable};
use crate::{Call, Cancel, Outcome, Refusal, Session, Stage, Ticket, Verdict};

const STRICTER: &str = "the rules that decide became stricter since it was approved";

/// What came of asking.
#[derive(Debug)]
pub(crate) enum Asked {
    /// It may run, on this permission.
    May(Permission),
    /// People answered yes: judge the call again, the answer will be found.
    Answered,
    /// It does not run.
    Over(Outcome),
}

/// What a question is about, beside its terms.
pub(crate) struct Question {
    pub(crate) ask: Ask,
    pub(crate) terms: Terms,
}

impl Gate {
    /// Finds or gets the approval that this exact request needs.
    pub(crate) async fn ask(
        &self,
        session: &Session,
        call: &Call,
        ready: &Ready,
        verdict: &Verdict,
        trace: &mut Trace,
        cancel: &Cancel,
        patience: Patience,
    ) -> Asked {
        let question = self.question(session, ready, verdict);
        if let Some(id) = call.approval_id {
            return self
                .ask_by_name(session, id, ready, &question, verdict)
                .await;
        }
        match self.found(session, &question) {
            Known::Usable(request) if stricter(&question, verdict, &request) => {
                match self.void(&request, STRICTER).await {
                    Ok(()) => Asked::Answered,
                    Err(error) => Asked::Over(unwritable(&error)),
                }
            }
            Known::Usable(request) => Asked::May(Permission::Approved {
                id: request.id,
                version: request.version,
            }),
            Known::Pending(id) => self.wait(session, call, id, trace, cancel, patience).await,
            Known::Refused(outcome) => Asked::Over(outcome),
            Known::Nothing => match self.put(question, trace).await {
                Ok(id) => self.wait(session, call, id, trace, cancel, patience).await,
                Err(outcome) => Asked::Over(outcome),
            },
        }
    }

    /// The same for a call that names its approval: no question is put.
    async fn ask_by_name(
        &self,
        session: &Session,
        id: Uuid,
        ready: &Ready,
        question: &Question,
        verdict: &Verdict,
    ) -> Asked {
        let refused = |refusal: Refusal| {
            Asked::Over(Outcome::Refused {
                why: refusal.why,
                stage: refusal.stage,
                can_retry: refusal.can_retry,
            })
        };
        let permission = match self.named(session, id, ready) {
            Ok(permission) => permission,
            Err(refusal) => return refused(refusal),
        };
        match self.approval(id) {
            Some(given) if stricter(question, verdict, &given) => {
                match self.void(&given, STRICTER).await {
                    Ok(()) => refused(Refusal::new(Stage::Approval, STRICTER)),
                    Err(error) => Asked::Over(unwritable(&error)),
                }
            }
            Some(_) | None => Asked::May(permission),
        }
    }

    /// The approval that the call names, if it may be used for it.
    pub(crate) fn named(
        &self,
        session: &Session,
        id: Uuid,
        ready: &Ready,
    ) -> Result<Permission, Refusal> {
        let state = self.0.state();
        let usable = state.approvals.usable(
            id,
            &session.key,
            &session.agent,
            &ready.request,
            self.0.now(),
        );
        match usable {
            Ok(request) => Ok(Permission::Approved {
                id,
                version: request.version,
            }),
            Err(UseRefusal::NotApproved {
                state: state @ ApprovalState::Pending { .. },
            }) => {
                let why = format!("the approval is still {state}");
                Err(Refusal::retry(Stage::Approval, why))
            }
            Err(error) => Err(Refusal::new(Stage::Approval, error.to_string())),
        }
    }

    fn question(&self, session: &Session, ready: &Ready, verdict: &Verdict) -> Question {
        let decision = verdict.decision.as_ref();
        let policy = self.0.policy.load();
        let rule = verdict.policy_id.as_ref().and_then(|id| {
            let digest = Digest::of(Domain::Rule, policy.rule(id)?.to_wire()).ok()?;
            Some(RuleRef {
                id: id.clone(),
                digest,
            })
        });
        let owner = self.facts(session).and_then(|facts| facts.owner.clone());
        let preview = Box::new(self.preview(session, ready));
        let reason_asked = match &verdict.part {
            Some(part) => format!("{} ({part})", verdict.reason),
            None => verdict.reason.clone(),
        };
        let ask = Ask {
            agent: session.agent.clone(),
            owner,
            session: session.key.clone(),
            digest: ready.request,
            subject: Subject::Call { preview },
            reason_asked,
            policy: Some(policy.digest()),
            rule,
        };
        Question {
            ask,
            terms: self.0.terms_of(decision),
        }
    }

    /// What the journal knows of the same question.
    pub(crate) fn found(&self, session: &Session, question: &Question) -> Known {
        let state = self.0.state();
        match state.approvals.find(
            &session.key,
            &session.agent,
            &question.ask.digest,
            self.0.now(),
        ) {
            Found::Usable(request) => Known::Usable(Box::new(request.clone())),
            Found::Pending(request) => Known::Pending(request.id),
            Found::Refused { request, until } => Known::Refused(refused(request, until)),
            Found::Nothing => Known::Nothing,
        }
    }

    /// Writes a new question down and shows it to people.
    pub(crate) async fn put(&self, question: Question, trace: &mut Trace) -> Result<Uuid, Outcome> {
        if self.0.approvers.is_empty() {
            return Err(Outcome::NoApprover {
                why: question.ask.reason_asked,
            });
        }
        let now = self.0.now();
        let requested =
            self.0
                .state()
                .approvals
                .open(question.ask, &question.terms, self.0.limits, now);
        let requested = requested.map_err(|refusal| refusal_of(&refusal))?;
        let id = self.0.ids.fresh(now);
        let event = ApprovalEvent::Requested(Box::new(requested));
        let mut drafts = std::mem::take(&mut trace.drafts);
        let stream = Stream::of(StreamKind::Approval, id);
        let draft = self
            .0
            .approval_draft(id, &event, &trace.actor, now)
            .map_err(|why| Outcome::Refused {
                why,
                stage: Stage::Approval,
                can_retry: false,
            })?;
        drafts.push(draft.correlated(trace.correlation));
        self.0
            .append(&[(stream, 0)], drafts)
            .await
            .map_err(|error| unwritable(&error))?;
        self.keep(id);
        Ok(id)
    }

    /// Waits until the question has an answer, or the caller's patience ends.
    pub(crate) async fn wait(
        &self,
        session: &Session,
        call: &Call,
        id: Uuid,
        trace: &mut Trace,
        cancel: &Cancel,
        patience: Patience,
    ) -> Asked {
        let drafts = std::mem::take(&mut trace.drafts);
        if !drafts.is_empty() {
            if let Err(error) = self.0.append(&[], drafts).await {
                return Asked::Over(unwritable(&error));
            }
        }
        let _waiting = Waiting::new(self, id);
        let mut changed = self.0.changed.subscribe();
        loop {
            changed.mark_unchanged();
            let Some(request) = self.approval(id) else {
                return Asked::Over(Outcome::Withdrawn { approval_id: id });
            };
            let now = self.0.now();
            let until = match request.state_at(now) {
                ApprovalState::Pending { until } => until,
                ApprovalState::Approved { .. } => return Asked::Answered,
                ApprovalState::Denied => return Asked::Over(denied(&request)),
                ApprovalState::Expired => return Asked::Over(Outcome::Expired { approval_id: id }),
                ApprovalState::Withdrawn => {
                    return Asked::Over(Outcome::Withdrawn { approval_id: id });
                }
                // The answer to a review is spent by pinning the tool.
                ApprovalState::Used if matches!(request.subject, Subject::Tool { .. }) => {
                    return Asked::Answered;
                }
                ApprovalState::Used | ApprovalState::Void => return Asked::Over(spent(&request)),
            };
            let ticket = Ticket {
                approval_id: id,
                digest: request.digest,
                expires_at: until,
            };
            let patient = call.deadline.unwrap_or(until);
            if patience == Patience::Ticket || now >= patient {
                self.0.state().ticketed.insert(id);
                return Asked::Over(Outcome::Pending { ticket });
            }
            tokio::select! {
                () = cancel.cancelled() => {
                    self.withdraw(session, id).await;
                    return Asked::Over(Outcome::Withdrawn { approval_id: id });
                }
                _ = changed.changed() => {}
                () = self.0.clock.sleep_until(patient.min(until)) => {}
            }
        }
    }

    /// Takes a question back, unless somebody else waits for it too.
    async fn withdraw(&self, session: &Session, id: Uuid) {
        {
            let state = self.0.state();
            let waiting = state.waiting.get(&id).copied().unwrap_or_default();
            if waiting > 1 || state.ticketed.contains(&id) {
                return;
            }
        }
        let event = ApprovalEvent::Withdrawn(events::Withdrawn {
            reason: "the caller cancelled the call".to_owned(),
        });
        self.step(id, &event, &format!("agent:{}", session.agent))
            .await;
    }

    async fn void(&self, request: &ApprovalRequest, why: &str) -> Result<(), AppendError> {
        let event = ApprovalEvent::Voided(events::Voided {
            reason: why.to_owned(),
        });
        match self.write_step(request, &event, "gate").await {
            // Somebody else was faster: what there is now is looked at again.
            Err(AppendError::Conflict { .. }) => {
                self.0.after_conflict().await;
                Ok(())
            }
            written => written,
        }
    }

    /// Keeps a question: shows it to all approvers, takes the first answer that decides, ends it in time.
    pub(crate) fn keep(&self, id: Uuid) {
        let gate = self.clone();
        tokio::spawn(async move { gate.keeper(id).await });
    }

    async fn keeper(&self, id: Uuid) {
        let Some(request) = self.approval(id) else {
            return;
        };
        let mut asked = JoinSet::new();
        for approver in &self.0.approvers {
            let (approver, request) = (Arc::clone(approver), request.clone());
            asked.spawn(async move { approver.ask(&request).await });
        }
        let mut changed = self.0.changed.subscribe();
        loop {
            changed.mark_unchanged();
            let Some(request) = self.approval(id) else {
                return;
            };
            let until = match request.state {
                ApprovalState::Pending { until } | ApprovalState::Approved { until } => until,
                ApprovalState::Denied
                | ApprovalState::Expired
                | ApprovalState::Withdrawn
                | ApprovalState::Void
                | ApprovalState::Used => return,
            };
            if self.0.now() >= until {
                self.step(id, &ApprovalEvent::Expired(events::Expired {}), "gate")
                    .await;
                continue;
            }
            tokio::select! {
                Some(vote) = asked.join_next(), if !asked.is_empty() => {
                    if let Ok(Some(vote)) = vote {
                        if let Err(error) = self.answer(id, vote.digest, vote.answer, &vote.person).await {
                            tracing::warn!(%error, approval = %id, "an approver's answer did not count");
                        }
                    }
                }
                _ = changed.changed() => {}
                () = self.0.clock.sleep_until(until) => {}
            }
        }
    }

    /// Writes a step that somebody else may have been faster with.
    async fn step(&self, id: Uuid, event: &ApprovalEvent, actor: &str) {
        let Some(request) = self.approval(id) else {
            return;
        };
        if let Err(error) = self.write_step(&request, event, actor).await {
            tracing::debug!(%error, approval = %id, "the step was not written");
            let lost = matches!(error, AppendError::Conflict { .. });
            if !lost || self.0.catch_up().await.is_err() {
                tracing::error!(%error, "the journal cannot be used");
                let again = self.0.now() + chrono::TimeDelta::seconds(1);
                self.0.clock.sleep_until(again).await;
            }
        }
    }

    async fn write_step(
        &self,
        request: &ApprovalRequest,
        event: &ApprovalEvent,
        actor: &str,
    ) -> Result<(), AppendError> {
        let stream = Stream::of(StreamKind::Approval, request.id);
        let Ok(mut draft) = self
            .0
            .approval_draft(request.id, event, actor, self.0.now())
        else {
            return Ok(());
        };
        draft.correlation = request.correlation;
        self.0
            .append(&[(stream, request.version)], vec![draft])
            .await
            .map(|_| ())
    }
}

/// What is known of a question before it is put.
pub(crate) enum Known {
    Usable(Box<ApprovalRequest>),
    Pending(Uuid),
    Refused(Outcome),
    Nothing,
}

/// Counts a caller among those who wait, for as long as it lives.
struct Waiting<'a> {
    gate: &'a Gate,
    id: Uuid,
}

impl<'a> Waiting<'a> {
    fn new(gate: &'a Gate, id: Uuid) -> Self {
        *gate.0.state().waiting.entry(id).or_default() += 1;
        Self { gate, id }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut state = self.gate.0.state();
        if let Some(count) = state.waiting.get_mut(&self.id) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                state.waiting.remove(&self.id);
            }
        }
    }
}

impl Inner {
    /// The terms of an approval: the rule's, and the gate's own where the rule says nothing.
    fn terms_of(&self, decision: Option<&Decision>) -> Terms {
        let mut terms = self.terms.clone();
        let Some(rule) = decision.and_then(Decision::terms) else {
            return terms;
        };
        terms.expire = rule.expire.unwrap_or(terms.expire);
        terms.use_within = rule.use_within.unwrap_or(terms.use_within);
        terms.quorum = rule.quorum.unwrap_or(terms.quorum);
        terms.four_eyes = rule.four_eyes.unwrap_or(terms.four_eyes);
        if !rule.audience.is_empty() {
            terms.audience.clone_from(&rule.audience);
        }
        terms
    }

    pub(crate) fn approval_draft(
        &self,
        id: Uuid,
        event: &ApprovalEvent,
        actor: &str,
        now: DateTime<Utc>,
    ) -> Result<Draft, String> {
        let data: Value = event.data().map_err(|error| error.to_string())?;
        let stream = Stream::of(StreamKind::Approval, id);
        Ok(Draft::new(
            self.ids.fresh(now),
            now,
            stream,
            event.kind(),
            actor,
            data,
        ))
    }
}

/// Whether an approval was given on milder terms than hold now. What must be asked anew, by a `fresh`
/// rule or by the caller's wish, is answered only by an approval that was asked for on the same ground.
fn stricter(question: &Question, verdict: &Verdict, given: &ApprovalRequest) -> bool {
    let terms = &question.terms;
    let anew = verdict.tightened || verdict.decision.as_ref().is_some_and(Decision::fresh);
    (anew && question.ask.rule != given.rule)
        || terms.quorum > given.quorum
        || terms.audience != given.audience
        || (terms.four_eyes && given.excluded.is_empty())
}

fn refused(request: &ApprovalRequest, until: DateTime<Utc>) -> Outcome {
    let until = until.to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
    let why = request.denied_because().unwrap_or("no reason was given");
    Outcome::Denied {
        why: format!(
            "a person refused this exact call: {why}; it is not asked again before {until}"
        ),
    }
}

fn denied(request: &ApprovalRequest) -> Outcome {
    let why = request
        .denied_because()
        .filter(|why| !why.is_empty())
        .unwrap_or("no reason was given");
    Outcome::Denied {
        why: format!("a person refused this call: {why}"),
    }
}

fn spent(request: &ApprovalRequest) -> Outcome {
    let why = format!("the approval {} is {}", request.id, request.state.as_str());
    Outcome::Refused {
        why,
        stage: Stage::Approval,
        can_retry: true,
    }
}

fn refusal_of(refusal: &AskRefusal) -> Outcome {
    let can_retry = !matches!(refusal, AskRefusal::NoOwner { .. } | AskRefusal::Data(_));
    Outcome::Refused {
        why: refusal.to_string(),
        stage: Stage::Approval,
        can_retry,
    }
}
