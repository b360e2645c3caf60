//! People's answers. An answer without the digest of what was shown does not exist here.

use tipstaff_approval::{
    Answer, AnswerRefusal, ApprovalEvent, ApprovalRequest, ApprovalState, Voter, events,
};
use tipstaff_journal::{AppendError, Draft, Stream, StreamKind};
use tipstaff_schema::{Digest, Person};
use uuid::Uuid;

use crate::gate::Gate;
use crate::review::Accepted;

/// Two people can be equally fast; after this many tries the journal is called busy.
const MAX_TRIES: usize = 16;

/// Why an answer did not count. Nothing changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// This person may not answer this question, or not any more.
    #[error(transparent)]
    Refused(#[from] AnswerRefusal),
    /// It could not be written.
    #[error("the answer could not be written to the journal")]
    Journal(#[source] AppendError),
    /// It could not be put into an event.
    #[error("the answer could not be written: {why}")]
    Data {
        /// Why not.
        why: String,
    },
}

impl Gate {
    /// Takes a person's answer to the question that they were shown, and gives the state that
    /// follows: still pending where a quorum is not reached. The answer to a tool's review pins the
    /// tool in the same append, whether or not its caller still waits; such a review is then used.
    ///
    /// The person must come from an authenticated session, never from a body.
    ///
    /// # Errors
    /// [`AnswerError::Refused`] when the answer does not count, in the order of `AnswerRefusal`;
    /// [`AnswerError::Journal`] when it could not be written. Answering twice is refused.
    pub async fn answer(
        &self,
        id: Uuid,
        digest: Digest,
        answer: Answer,
        person: &Person,
    ) -> Result<ApprovalState, AnswerError> {
        let roles = self.0.people.roles(person);
        let stream = Stream::of(StreamKind::Approval, id);
        // From here to the catalog's acceptance no listing comes between.
        let _pinning = self.0.pinning.lock().await;
        let mut tries = 0;
        loop {
            let now = self.0.now();
            let (mut events, request) = {
                let state = self.0.state();
                let voter = Voter {
                    person,
                    roles: &roles,
                };
                let events = state.approvals.answer(id, &digest, &answer, &voter, now)?;
                let request = state.approvals.get(id).ok_or(AnswerRefusal::NotFound)?;
                (events, request.clone())
            };
            let accepted = self.reviewed(&request, &events, person);
            if accepted.is_some() {
                events.push(ApprovalEvent::Used(events::Used {
                    call: request.correlation.unwrap_or(id),
                    digest,
                    session: request.session.clone(),
                }));
            }
            let drafts = self.answer_drafts(&request, &events, accepted.as_ref(), person)?;
            let expected = [(stream.clone(), request.version)];
            match self.0.append(&expected, drafts).await {
                Ok(_) => {
                    if let Some(accepted) = accepted {
                        self.take_accepted(&accepted);
                    }
                    break;
                }
                Err(AppendError::Conflict { .. }) if tries < MAX_TRIES => {
                    tries += 1;
                    if let Err(error) = self.0.catch_up().await {
                        return Err(AnswerError::Data {
                            why: error.to_string(),
                        });
                    }
                }
                Err(error) => return Err(AnswerError::Journal(error)),
            }
        }
        let request = self.approval(id).ok_or(AnswerRefusal::NotFound)?;
        Ok(request.state_at(self.0.now()))
    }

    fn answer_drafts(
        &self,
        request: &ApprovalRequest,
        events: &[ApprovalEvent],
        accepted: Option<&Accepted>,
        person: &Person,
    ) -> Result<Vec<Draft>, AnswerError> {
        let (now, actor) = (self.0.now(), format!("person:{person}"));
        let steps = events
            .iter()
            .map(|event| self.0.approval_draft(request.id, event, &actor, now));
        let pinned = accepted.map(|accepted| Ok(accepted.draft(&self.0, &actor)));
        let drafts = steps.chain(pinned).map(|draft| {
            let mut draft = draft?;
            draft.correlation = request.correlation;
            Ok(draft)
        });
        drafts
            .collect::<Result<_, String>>()
            .map_err(|why| AnswerError::Data { why })
    }
}
