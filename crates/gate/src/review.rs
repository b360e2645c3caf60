//! The review of a tool that nobody has accepted yet: the first call of it asks a person, who sees
//! the whole definition and what looks wrong in it, and says what may be done with the tool.
//!
//! The answer pins the definition. A hint of the server's own never allows anything by itself.

use serde_json::Value;
use tipstaff_approval::{
    Answer, ApprovalEvent, ApprovalRequest, Ask, ReviewAnswer, Subject, Terms, ToolReview, events,
};
use tipstaff_journal::{AppendError, Draft, Stream, StreamKind};
use tipstaff_registry::{ProfilePatch, Standing, ToolEntry, ToolEvent, accepted_event};
use tipstaff_schema::{CallAccess, Digest, Effect, Person, Risk};

use crate::ask::{Asked, Caller, Known, Question};
use crate::gate::{Gate, Inner};
use crate::record::Trace;
use crate::way::unwritable;
use crate::{Outcome, Session, Stage};

impl Gate {
    /// Gets a tool reviewed. `Ok` means that it was accepted and the call may go on to be judged.
    pub(crate) async fn review(
        &self,
        caller: Caller<'_>,
        entry: &ToolEntry,
        trace: &mut Trace,
    ) -> Result<(), Outcome> {
        let session = caller.session;
        if self.adopt(entry).await {
            return Ok(());
        }
        let question = self.review_question(session, entry);
        match self.found(session, &question) {
            Known::Usable(request) => self.accept(session, &request, trace).await,
            Known::Pending(id) => over(self.wait(caller, id, trace).await),
            Known::Refused(outcome) => Err(outcome),
            Known::Nothing => {
                let id = self.put(question, trace).await?;
                over(self.wait(caller, id, trace).await)
            }
        }
    }

    fn review_question(&self, session: &Session, entry: &ToolEntry) -> Question {
        let review = ToolReview {
            tool_id: entry.tool_id().to_owned(),
            definition: Value::clone(&entry.raw),
            findings: entry
                .findings()
                .into_iter()
                .map(|finding| finding.why)
                .collect(),
        };
        let ask = Ask {
            agent: session.agent.clone(),
            owner: self.facts(session).and_then(|facts| facts.owner.clone()),
            session: session.key.clone(),
            digest: entry.pin,
            subject: Subject::Tool {
                review: Box::new(review),
            },
            reason_asked: format!("nobody has reviewed `{}` yet", entry.name),
            policy: None,
            rule: None,
        };
        Question {
            ask,
            terms: Terms {
                four_eyes: false,
                quorum: 1,
                audience: Vec::new(),
                ..self.0.terms.clone()
            },
        }
    }

    /// What a review's answer does to its tool: none where the question is still open, was refused, is
    /// no review, or the tool is not listed here as it was shown.
    pub(crate) fn reviewed(
        &self,
        request: &ApprovalRequest,
        events: &[ApprovalEvent],
        person: &Person,
    ) -> Option<Accepted> {
        let answer = events.iter().find_map(|event| {
            if let ApprovalEvent::Answered(answered) = event {
                Some(&answered.answer)
            } else {
                None
            }
        })?;
        self.accepted(request, answer, &person.to_string())
    }

    fn accepted(&self, request: &ApprovalRequest, answer: &Answer, by: &str) -> Option<Accepted> {
        let (Subject::Tool { review }, Answer::Review(answer)) = (&request.subject, answer) else {
            return None;
        };
        let snapshot = self.0.catalog.snapshot();
        let entry = snapshot
            .by_id(&review.tool_id)
            .filter(|entry| entry.pin == request.digest && !self.held(entry.tool_id()))?;
        let profile = profile_of(*answer);
        let event = accepted_event(entry, Some(profile.clone()), by)?;
        Some(Accepted {
            tool_id: review.tool_id.clone(),
            pin: entry.pin,
            profile,
            event,
        })
    }

    /// Lets the catalog know what the journal says of a tool.
    pub(crate) fn take_accepted(&self, accepted: &Accepted) {
        let Accepted {
            tool_id,
            pin,
            profile,
            ..
        } = accepted;
        if let Err(error) = self.0.catalog.accept(tool_id, pin, Some(profile)) {
            tracing::warn!(%error, "a reviewed tool stays as it was");
        }
        self.0
            .listed
            .send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Takes over an acceptance that is in the journal already, by an answer given here or elsewhere.
    async fn adopt(&self, entry: &ToolEntry) -> bool {
        let _pinning = self.0.pinning.lock().await;
        let snapshot = self.0.catalog.snapshot();
        let there = snapshot.by_id(entry.tool_id());
        if there.is_none_or(|there| there.pin != entry.pin || there.standing == Standing::Callable)
        {
            return true; // Whatever it is now, it is looked up again.
        }
        let profile = {
            let state = self.0.state();
            let pinned = state.pins.get(entry.tool_id());
            let Some(pinned) = pinned.filter(|pinned| {
                pinned.pin == entry.pin && state.pins.quarantined_by(entry.tool_id()).is_none()
            }) else {
                return false;
            };
            pinned.profile.clone()
        };
        let taken = self
            .0
            .catalog
            .accept(entry.tool_id(), &entry.pin, profile.as_ref());
        self.0
            .listed
            .send_modify(|count| *count = count.wrapping_add(1));
        taken.is_ok()
    }

    /// Spends a review that was answered where the tool was not listed, and pins the tool, in one append.
    async fn accept(
        &self,
        session: &Session,
        request: &ApprovalRequest,
        trace: &mut Trace,
    ) -> Result<(), Outcome> {
        let _pinning = self.0.pinning.lock().await;
        let refused = |why: String| Outcome::Refused {
            why,
            stage: Stage::Approval,
            can_retry: true,
        };
        let accepted = request.answered.as_ref().and_then(|answered| {
            let by = answered.by.first()?;
            self.accepted(request, &answered.answer, &by.to_string())
        });
        let Some(accepted) = accepted else {
            return Err(refused(
                "the tool is no longer what was reviewed".to_owned(),
            ));
        };
        let used = events::Used {
            call: trace.call_id,
            digest: request.digest,
            session: session.key.clone(),
        };
        let now = self.0.now();
        let used = self
            .0
            .approval_draft(request.id, &ApprovalEvent::Used(used), &trace.actor, now)
            .map_err(refused)?;
        let mut drafts = std::mem::take(&mut trace.drafts);
        drafts.push(used.correlated(trace.correlation));
        let draft = accepted.draft(&self.0, &trace.actor);
        drafts.push(draft.correlated(trace.correlation));
        let stream = Stream::of(StreamKind::Approval, request.id);
        match self
            .0
            .append(&[(stream, request.version)], drafts.clone())
            .await
        {
            Ok(_) => self.take_accepted(&accepted),
            // Another call spent it, or it ended: what there is now is looked at again.
            Err(AppendError::Conflict { .. }) => {
                drafts.truncate(drafts.len().saturating_sub(2));
                trace.drafts = drafts;
                self.0.after_conflict().await;
            }
            Err(error) => return Err(unwritable(&error)),
        }
        Ok(())
    }
}

/// A tool that a person accepted, as it goes into journal and catalog.
#[derive(Debug)]
pub(crate) struct Accepted {
    tool_id: String,
    pin: Digest,
    profile: ProfilePatch,
    event: ToolEvent,
}

impl Accepted {
    pub(crate) fn draft(&self, gate: &Inner, actor: &str) -> Draft {
        let ToolEvent { stream, kind, data } = self.event.clone();
        gate.draft(stream, kind, actor, data)
    }
}

#[expect(clippy::result_large_err, reason = "moved once per review")]
fn over(asked: Asked) -> Result<(), Outcome> {
    match asked {
        Asked::Answered | Asked::May(_) => Ok(()),
        Asked::Over(outcome) => Err(outcome),
    }
}

/// The profile that a review's answer stands for.
#[must_use]
pub fn profile_of(answer: ReviewAnswer) -> ProfilePatch {
    let (access, risk, effect) = match answer {
        ReviewAnswer::Read => (CallAccess::Read, Risk::Low, Effect::Allow),
        ReviewAnswer::Allow => (CallAccess::Write, Risk::Medium, Effect::Allow),
        ReviewAnswer::Ask | ReviewAnswer::Never => (CallAccess::Write, Risk::Medium, Effect::Ask),
    };
    ProfilePatch {
        access: Some(access),
        risk: Some(risk),
        default_effect: Some(effect),
        locked: Some(answer == ReviewAnswer::Never),
        ..ProfilePatch::default()
    }
}
