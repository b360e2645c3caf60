//! All approvals, folded from the journal: what is pending, what may be used, what was refused.
//!
//! Applying an event twice is applying it once. An event that the state machine refuses changes
//! nothing and is reported: the gate never writes one, so the journal was written by something else.

use std::collections::{BTreeMap, BTreeSet};

use tipstaff_journal::{Event, StreamKind};
use tipstaff_schema::{AgentId, Digest, Person};
use uuid::Uuid;

use crate::answer::refuses;
use crate::events::{Answered, Requested, Used};
use crate::find::is_pending;
use crate::{
    ApprovalEvent, ApprovalRequest, ApprovalState, EventDataError, Step, StepRefusal, Vote, step,
};

/// An event of an approval's stream that cannot be applied. Nothing changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// The stream's id is no UUID.
    #[error("event {seq} belongs to an approval whose id is no UUID")]
    StreamId {
        /// Its number.
        seq: u64,
    },
    /// Its data is not what its kind says.
    #[error("event {seq} cannot be read")]
    Data {
        /// Its number.
        seq: u64,
        /// Why.
        source: EventDataError,
    },
    /// An event before it is missing.
    #[error("event {seq} is number {version} of its approval, but number {expected} is next")]
    Gap {
        /// Its number in the journal.
        seq: u64,
        /// Its number in the stream.
        version: u64,
        /// The number that was expected.
        expected: u64,
    },
    /// The state machine refuses it.
    #[error("event {seq} is refused")]
    Step {
        /// Its number.
        seq: u64,
        /// Why.
        source: StepRefusal,
    },
    /// It contradicts what was asked: another digest, another session, or a second request.
    #[error("event {seq} does not belong to this approval")]
    Foreign {
        /// Its number.
        seq: u64,
    },
}

/// All approvals.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Approvals {
    pub(crate) by_id: BTreeMap<Uuid, ApprovalRequest>,
    pub(crate) by_digest: BTreeMap<Digest, Vec<Uuid>>,
    pub(crate) by_agent: BTreeMap<AgentId, Vec<Uuid>>,
    // INVARIANT: exactly the requests whose recorded state is pending or approved.
    pub(crate) open: BTreeSet<Uuid>,
}

impl Approvals {
    /// No approvals.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in one event. Events of other streams, and kinds of a newer version, change nothing but
    /// the stream's version; an event that was taken in before changes nothing at all.
    ///
    /// # Errors
    /// [`ApplyError`] when the event does not follow from what came before; then nothing changed, and
    /// that approval takes no later event either, so that it can never be used on half its history.
    pub fn apply(&mut self, event: &Event) -> Result<(), ApplyError> {
        if event.stream.kind() != StreamKind::Approval {
            return Ok(());
        }
        let id = event
            .stream
            .uuid()
            .ok_or(ApplyError::StreamId { seq: event.seq })?;
        let seq = event.seq;
        let known = self.by_id.get(&id).map_or(0, |request| request.version);
        if event.version <= known {
            return Ok(());
        }
        if event.version != known + 1 {
            return Err(ApplyError::Gap {
                seq,
                version: event.version,
                expected: known + 1,
            });
        }
        let read = ApprovalEvent::read(&event.kind, &event.data);
        let data = read.map_err(|source| ApplyError::Data { seq, source })?;
        match (self.by_id.get_mut(&id), data) {
            (None, Some(ApprovalEvent::Requested(data))) => self.insert(id, event, *data),
            (None, _) => return Err(ApplyError::Foreign { seq }),
            (Some(request), Some(data)) => {
                advance(request, data, event)?;
                request.version = event.version;
                if request.state.is_final() {
                    self.open.remove(&id);
                }
            }
            (Some(request), None) => request.version = event.version,
        }
        Ok(())
    }

    fn insert(&mut self, id: Uuid, event: &Event, data: Requested) {
        self.by_digest.entry(data.digest).or_default().push(id);
        self.by_agent
            .entry(data.agent.clone())
            .or_default()
            .push(id);
        self.open.insert(id);
        let request = ApprovalRequest {
            id,
            version: event.version,
            digest: data.digest,
            subject: data.subject,
            agent: data.agent,
            session: data.session,
            correlation: event.correlation,
            requested_at: event.ts,
            expires_at: data.expires_at,
            use_within_seconds: data.use_within_seconds,
            audience: data.audience,
            excluded: data.excluded,
            quorum: data.quorum,
            reason_asked: data.reason_asked,
            policy: data.policy,
            rule: data.rule,
            shown: data.shown,
            state: ApprovalState::Pending {
                until: data.expires_at,
            },
            votes: Vec::new(),
            answered: None,
            answered_at: None,
            ended_because: None,
            used_by: None,
        };
        self.by_id.insert(id, request);
    }

    /// One request; `None` when there is none of this id.
    #[must_use]
    pub fn get(&self, id: Uuid) -> Option<&ApprovalRequest> {
        self.by_id.get(&id)
    }

    /// All requests, by id.
    pub fn iter(&self) -> impl Iterator<Item = &ApprovalRequest> {
        self.by_id.values()
    }
}

/// Applies one event to a request that exists. On an error the request is as it was.
fn advance(
    request: &mut ApprovalRequest,
    data: ApprovalEvent,
    event: &Event,
) -> Result<(), ApplyError> {
    let seq = event.seq;
    let go = |to: Step| {
        step(request.state, to, event.ts).map_err(|source| ApplyError::Step { seq, source })
    };
    match data {
        ApprovalEvent::Requested(_) => return Err(ApplyError::Foreign { seq }),
        ApprovalEvent::Voted(voted) => {
            let known = request.votes.iter().any(|vote| vote.person == voted.person);
            if known || voted.digest != request.digest || !is_pending(request, event.ts) {
                return Err(ApplyError::Foreign { seq });
            }
            request.votes.push(Vote {
                person: voted.person,
                answer: voted.answer,
                at: event.ts,
            });
        }
        ApprovalEvent::Answered(answered) => {
            request.state = go(step_of(request, &answered).ok_or(ApplyError::Foreign { seq })?)?;
            request.answered = Some(answered);
            request.answered_at = Some(event.ts);
        }
        ApprovalEvent::Used(Used {
            call,
            digest,
            session,
        }) => {
            if digest != request.digest || session != request.session {
                return Err(ApplyError::Foreign { seq });
            }
            request.state = go(Step::Use)?;
            request.used_by = Some(call);
        }
        ApprovalEvent::Expired(_) => request.state = go(Step::Expire)?,
        ApprovalEvent::Withdrawn(withdrawn) => {
            request.state = go(Step::Withdraw)?;
            request.ended_because = Some(withdrawn.reason);
        }
        ApprovalEvent::Voided(voided) => {
            request.state = go(Step::Void)?;
            request.ended_because = Some(voided.reason);
        }
    }
    Ok(())
}

/// The step that a decision stands for; `None` when the votes do not bear it out, or when an approval
/// has no time by which it must be used.
fn step_of(request: &ApprovalRequest, answered: &Answered) -> Option<Step> {
    let refused = refuses(&answered.answer);
    let voted = |person: &&Person| {
        let same = |vote: &Vote| vote.person == **person && refuses(&vote.answer) == refused;
        request.votes.iter().any(same)
    };
    let by: BTreeSet<&Person> = answered.by.iter().filter(voted).collect();
    let needed = if refused { 1 } else { request.quorum };
    if by.len() != answered.by.len() || u32::try_from(by.len()).unwrap_or(u32::MAX) < needed {
        return None;
    }
    if refused {
        Some(Step::Deny)
    } else {
        answered.use_by.map(|use_by| Step::Approve { use_by })
    }
}
