//! The review of a tool that nobody has accepted yet: the first call of it asks a person, who sees
//! the whole definition and what looks wrong in it, and says what may be done with the tool.
//!
//! The answer pins the definition. A hint of the server's own never allows anything by itself.

use std::sync::Arc;

use serde_json::Value;
use tipstaff_approval::{
    Answer, ApprovalEvent, ApprovalRequest, Ask, ReviewAnswer, Subject, Terms, ToolReview, events,
};
use tipstaff_journal::{AppendError, Stream, StreamKind};
use tipstaff_registry::{ProfilePatch, ToolEntry, accepted_event};
use tipstaff_schema::{CallAccess, Effect, Risk};

use crate::ask::{Asked, Known, Question};
use crate::gate::Gate;
use crate::record::Trace;
use crate::way::{Patience, unwritable};
use crate::{Call, Cancel, Outcome, Session, Stage};

impl Gate {
    /// Gets a tool reviewed. `Ok` means that it was accepted and the call may go on to be judged.
    pub(crate) async fn review(
        &self,
        session: &Session,
        call: &Call,
        entry: &Arc<ToolEntry>,
        trace: &mut Trace,
        cancel: &Cancel,
        patience: Patience,
    ) -> Result<(), Outcome> {
        let question = self.review_question(session, entry);
        match self.found(session, &question) {
            Known::Usable(request) => self.accept(session, entry, &request, trace).await,
            Known::Pending(id) => over(self.wait(session, call, id, trace, cancel, patience).await),
            Known::Refused(outcome) => Err(outcome),
            Known::Nothing => {
                let id = self.put(question, trace).await?;
                over(self.wait(session, call, id, trace, cancel, patience).await)
            }
        }
    }

    fn review_question(&self, session: &Session, entry: &ToolEntry) -> Question {
        let review = ToolReview {
            tool_id: entry.tool_id().to_owned(),
            definition: Value::clone(&entry.raw),
            findings: entry
                .findings
                .iter()
                .map(|finding| finding.why.clone())
                .collect(),
        };
        let ask = Ask {
            agent: session.agent.clone(),
            owner: self
                .0
                .agents
                .get(&session.agent)
                .and_then(|facts| facts.owner.clone()),
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

    /// Spends the review and pins the tool, in one append.
    async fn accept(
        &self,
        session: &Session,
        entry: &ToolEntry,
        request: &ApprovalRequest,
        trace: &mut Trace,
    ) -> Result<(), Outcome> {
        let answered = request.answered.as_ref();
        let Some(Answer::Review(review)) = answered.map(|answered| &answered.answer) else {
            let why = "the review has no answer".to_owned();
            return Err(Outcome::Refused {
                why,
                stage: Stage::Approval,
                can_retry: true,
            });
        };
        let by = answered
            .and_then(|answered| answered.by.first())
            .map(ToString::to_string)
            .unwrap_or_default();
        let patch = patch_of(*review);
        let used = events::Used {
            call: trace.call_id,
            digest: request.digest,
            session: session.key.clone(),
        };
        let refused = |why: String| Outcome::Refused {
            why,
            stage: Stage::Approval,
            can_retry: false,
        };
        let now = self.0.now();
        let used = self
            .0
            .approval_draft(request.id, &ApprovalEvent::Used(used), &trace.actor, now)
            .map_err(refused)?;
        let accepted = accepted_event(entry, Some(patch.clone()), &by)
            .ok_or_else(|| refused("the tool's definition cannot be journaled".to_owned()))?;
        let mut drafts = std::mem::take(&mut trace.drafts);
        drafts.push(used.correlated(trace.correlation));
        drafts.push(
            self.0
                .draft(accepted.stream, accepted.kind, &trace.actor, accepted.data)
                .correlated(trace.correlation),
        );
        let expected = [(
            Stream::of(StreamKind::Approval, request.id),
            request.version,
        )];
        match self.0.append(&expected, drafts).await {
            // Another call of the same session spent it first: then the tool is accepted already.
            Ok(_) | Err(AppendError::Conflict { .. }) => {}
            Err(error) => return Err(unwritable(&error)),
        }
        // A definition that changed in between is another pin: it stays where it is.
        if let Err(error) = self
            .0
            .catalog
            .accept(entry.tool_id(), &entry.pin, Some(&patch))
        {
            return Err(refused(error.to_string()));
        }
        self.0
            .listed
            .send_modify(|count| *count = count.wrapping_add(1));
        Ok(())
    }
}

fn over(asked: Asked) -> Result<(), Outcome> {
    match asked {
        Asked::Answered | Asked::May(_) => Ok(()),
        Asked::Over(outcome) => Err(outcome),
    }
}

/// The profile that a review answer stands for.
fn patch_of(answer: ReviewAnswer) -> ProfilePatch {
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
