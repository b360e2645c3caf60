//! Finding: what there is for an exact request, what waits, what has run out.
//!
//! Reading only. An approval or an open question of another session is never found.

use chrono::{DateTime, Utc};
use tipstaff_schema::{AgentId, Digest};
use uuid::Uuid;

use crate::ask::later;
use crate::{ApprovalRequest, ApprovalState, Approvals, COOL_DOWN};

/// What there is already for an exact request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Found<'a> {
    /// An approval that this session may use now.
    Usable(&'a ApprovalRequest),
    /// A question of this session that waits.
    Pending(&'a ApprovalRequest),
    /// It was refused a short time ago, whoever asked: no new question before `until`.
    Refused {
        /// The refused request.
        request: &'a ApprovalRequest,
        /// From this instant on it may be asked again.
        until: DateTime<Utc>,
    },
    /// Nothing: a question may be put.
    Nothing,
}

impl Approvals {
    /// The questions that wait at `now`, the next to expire first.
    #[must_use]
    pub fn pending(&self, now: DateTime<Utc>) -> Vec<&ApprovalRequest> {
        let open = self.open.iter().filter_map(|id| self.by_id.get(id));
        let mut pending: Vec<_> = open.filter(|request| is_pending(request, now)).collect();
        pending.sort_by_key(|request| (request.expires_at, request.requested_at, request.id));
        pending
    }

    /// The requests whose time has run out and that nobody has marked yet, oldest first.
    #[must_use]
    pub fn due(&self, now: DateTime<Utc>) -> Vec<&ApprovalRequest> {
        let open = self.open.iter().filter_map(|id| self.by_id.get(id));
        let mut due: Vec<_> = open
            .filter(|request| request.state_at(now) == ApprovalState::Expired)
            .collect();
        due.sort_by_key(|request| (request.expires_at, request.id));
        due
    }

    /// What may still be answered or used at `now` and is about this tool: questions that wait, and
    /// approvals that nobody used yet. By id.
    pub fn live_of(
        &self,
        tool_id: &str,
        now: DateTime<Utc>,
    ) -> impl Iterator<Item = &ApprovalRequest> {
        let open = self.open.iter().filter_map(|id| self.by_id.get(id));
        open.filter(move |request| {
            request.subject.tool_id() == tool_id && !request.state_at(now).is_final()
        })
    }

    /// What there is for this exact request. Of a later approval and a later refusal, the later counts;
    /// an approval or open question of another session is never found.
    #[must_use]
    pub fn find(
        &self,
        session: &str,
        agent: &AgentId,
        digest: &Digest,
        now: DateTime<Utc>,
    ) -> Found<'_> {
        let refused = self.cool_down(agent, digest, now);
        let own = || {
            self.of(agent, digest)
                .filter(|request| request.session == session)
        };
        let usable = own()
            .filter(|request| is_usable(request, now))
            .max_by_key(|request| request.answered_at);
        match (usable, refused) {
            (Some(usable), Some((refused, _))) if usable.answered_at > refused.answered_at => {
                Found::Usable(usable)
            }
            (Some(usable), None) => Found::Usable(usable),
            (Some(_), Some((request, until))) => Found::Refused { request, until },
            (None, refused) => match (own().find(|request| is_pending(request, now)), refused) {
                (Some(pending), _) => Found::Pending(pending),
                (None, Some((request, until))) => Found::Refused { request, until },
                (None, None) => Found::Nothing,
            },
        }
    }

    /// The latest refusal of this exact request, in any session, while its cool-down lasts.
    #[must_use]
    pub fn cool_down(
        &self,
        agent: &AgentId,
        digest: &Digest,
        now: DateTime<Utc>,
    ) -> Option<(&ApprovalRequest, DateTime<Utc>)> {
        let denied = self
            .of(agent, digest)
            .filter(|request| request.state == ApprovalState::Denied);
        let latest = denied.max_by_key(|request| request.answered_at)?;
        let until = later(latest.answered_at?, COOL_DOWN);
        (now < until).then_some((latest, until))
    }

    /// The approval of this id, when this session may use it for this exact request now.
    ///
    /// # Errors
    /// [`UseRefusal`]; one of another session or agent is not found.
    pub fn usable(
        &self,
        id: Uuid,
        session: &str,
        agent: &AgentId,
        digest: &Digest,
        now: DateTime<Utc>,
    ) -> Result<&ApprovalRequest, UseRefusal> {
        let own = self
            .get(id)
            .filter(|request| request.session == session && request.agent == *agent);
        let request = own.ok_or(UseRefusal::NotFound)?;
        if !is_usable(request, now) {
            return Err(UseRefusal::NotApproved {
                state: request.state_at(now),
            });
        }
        if request.digest != *digest {
            return Err(UseRefusal::OtherDigest {
                approved: request.digest,
                asked: *digest,
            });
        }
        Ok(request)
    }

    pub(crate) fn of(
        &self,
        agent: &AgentId,
        digest: &Digest,
    ) -> impl Iterator<Item = &ApprovalRequest> {
        let ids = self
            .by_digest
            .get(digest)
            .map(Vec::as_slice)
            .unwrap_or_default();
        ids.iter()
            .filter_map(|id| self.by_id.get(id))
            .filter(move |request| request.agent == *agent)
    }
}

/// Why an approval that a call names cannot be used for it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UseRefusal {
    /// This session has no such approval.
    #[error("this session has no such approval")]
    NotFound,
    /// It cannot be used, or not any more.
    #[error("the approval is {state}, not approved")]
    NotApproved {
        /// How it stands.
        state: ApprovalState,
    },
    /// It was given for another request.
    #[error("the approval was given for `{approved}`, the call is `{asked}`")]
    OtherDigest {
        /// What it is bound to.
        approved: Digest,
        /// The digest of the call.
        asked: Digest,
    },
}

pub(crate) fn is_pending(request: &ApprovalRequest, now: DateTime<Utc>) -> bool {
    matches!(request.state_at(now), ApprovalState::Pending { .. })
}

fn is_usable(request: &ApprovalRequest, now: DateTime<Utc>) -> bool {
    matches!(request.state_at(now), ApprovalState::Approved { .. })
}
