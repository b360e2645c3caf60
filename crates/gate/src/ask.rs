//! Asking people: find an answer that is there, join a question that is open, or put a new one, and wait.
//!
//! Who may answer, and what is a valid step, is decided in `tipstaff-approval`. Here the question is
//! found, put and waited for; how it is kept and ended is in `keep`.

use chrono::{DateTime, Utc};
use serde_json::Value;
use tipstaff_approval::{
    ApprovalEvent, ApprovalRequest, ApprovalState, Ask, AskRefusal, Found, RuleRef, Subject, Terms,
    UseRefusal,
};
use tipstaff_journal::{Draft, Stream, StreamKind};
use tipstaff_policy::Decision;
use tipstaff_schema::{Digest, Domain};
use uuid::Uuid;

use crate::gate::{Gate, Inner};
use crate::ready::Ready;
use crate::record::Trace;
use crate::run::Permission;
use crate::way::{Patience, unwritable};
use crate::{Call, Cancel, Outcome, Refusal, Session, Stage, Ticket, Verdict};

const STRICTER: &str = "the rules that decide became stricter since it was approved";

/// Who waits for an answer, for which call, and how long.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caller<'a> {
    pub(crate) session: &'a Session,
    pub(crate) call: &'a Call,
    pub(crate) cancel: &'a Cancel,
    pub(crate) patience: Patience,
}

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
        caller: Caller<'_>,
        ready: &Ready,
        verdict: &Verdict,
        trace: &mut Trace,
    ) -> Asked {
        let Caller { session, call, .. } = caller;
        let question = self.question(session, call, ready, verdict);
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
            Known::Pending(id) => self.wait(caller, id, trace).await,
            Known::Refused(outcome) => Asked::Over(outcome),
            Known::Nothing => match self.put(question, trace).await {
                Ok(id) => self.wait(caller, id, trace).await,
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
        let refused = |refusal: Refusal| Asked::Over(refusal.into());
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

    fn question(
        &self,
        session: &Session,
        call: &Call,
        ready: &Ready,
        verdict: &Verdict,
    ) -> Question {
        let decision = verdict.decision.as_ref();
        let policy = self.0.policy.load();
        let rule = verdict.policy_id.as_ref().and_then(|id| {
            let digest = Digest::of(Domain::Rule, &policy.rule(id)?.to_wire()).ok()?;
            Some(RuleRef {
                id: id.clone(),
                digest,
            })
        });
        let owner = self.facts(session).and_then(|facts| facts.owner.clone());
        let preview = Box::new(self.preview(session, call, ready));
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
    pub(crate) async fn wait(&self, caller: Caller<'_>, id: Uuid, trace: &mut Trace) -> Asked {
        let drafts = std::mem::take(&mut trace.drafts);
        if !drafts.is_empty()
            && let Err(error) = self.0.append(&[], drafts).await
        {
            return Asked::Over(unwritable(&error));
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
            let patient = caller.call.deadline.unwrap_or(until);
            if caller.patience == Patience::Ticket || now >= patient {
                self.0.state().ticketed.insert(id);
                return Asked::Over(Outcome::Pending { ticket });
            }
            tokio::select! {
                () = caller.cancel.cancelled() => {
                    self.withdraw(caller.session, id).await;
                    return Asked::Over(Outcome::Withdrawn { approval_id: id });
                }
                _ = changed.changed() => {}
                () = self.0.clock.sleep_until(patient.min(until)) => {}
            }
        }
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
