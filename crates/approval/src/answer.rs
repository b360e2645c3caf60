//! Answers of people: who may give one, to what, and when the votes decide.
//!
//! Pure: the same request, person and time give the same events. Writing them is the gate's job, with
//! the request's version as the expected one, so that of two answers at once only one is stored.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use tipstaff_schema::{Digest, Person, Role};
use uuid::Uuid;

use crate::ask::later;
use crate::events::{Answered, Voted};
use crate::find::is_pending;
use crate::wire::AnswerWire;
use crate::{ApprovalEvent, ApprovalRequest, ApprovalState, Approvals, Subject};
use tipstaff_schema::one_form;

one_form!(ReviewAnswer);

/// The role that answers where a request names no audience.
pub(crate) const APPROVER: &str = "approver";

/// What a person says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "AnswerWire", into = "AnswerWire")]
pub enum Answer {
    /// This exact call may run, once.
    Approve,
    /// It may not.
    Deny {
        /// Why, in words that the model can act on.
        reason: String,
    },
    /// What may be done with a tool.
    Review(ReviewAnswer),
}

/// What may be done with a reviewed tool, mild to strict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum ReviewAnswer {
    /// It only reads: it may run unasked.
    Read,
    /// It may change things: it may run unasked.
    Allow,
    /// It may change things: each call is asked.
    Ask,
    /// It is locked.
    Never,
}

/// The person who answers, as the authenticated session says.
#[derive(Debug, Clone, Copy)]
pub struct Voter<'a> {
    /// Who.
    pub person: &'a Person,
    /// Their roles.
    pub roles: &'a [Role],
}

/// Why an answer does not count. Checked in the order in which they stand here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerRefusal {
    /// There is no such request.
    #[error("there is no such approval request")]
    NotFound,
    /// This person may not answer it, whatever their roles.
    #[error("`{person}` may not answer this request: four eyes are needed")]
    Excluded {
        /// Who tried.
        person: Person,
    },
    /// None of the person's roles is in the audience.
    #[error("`{person}` may not answer this request: it needs the role {}", roles(.needs))]
    WrongRole {
        /// Who tried.
        person: Person,
        /// Any one of these would do.
        needs: Vec<Role>,
    },
    /// It is over; nothing changed.
    #[error("this request is no longer pending: it is {state}; nothing changed")]
    NotPending {
        /// How it stands.
        state: ApprovalState,
    },
    /// This person has answered already; nothing changed.
    #[error("`{person}` has already answered this request; nothing changed")]
    AlreadyAnswered {
        /// Who tried.
        person: Person,
    },
    /// The answer is to another request than this one. Last but one, so that a person who may not
    /// answer learns nothing about digests.
    #[error("the answer was given to `{given}`, this request is `{asked}`; look at it again")]
    OtherDigest {
        /// The digest that the person was shown.
        given: Digest,
        /// The digest of this request.
        asked: Digest,
    },
    /// A call is approved or denied, a tool is reviewed or denied.
    #[error(
        "this answer does not fit the question: a call is approved or denied, a tool is reviewed or denied"
    )]
    WrongKind,
}

fn roles(needs: &[Role]) -> String {
    let names: Vec<String> = needs.iter().map(|role| format!("`{role}`")).collect();
    names.join(" or ")
}

/// The events that an answer makes: the vote, and the decision when it decides.
fn judge(
    request: &ApprovalRequest,
    digest: &Digest,
    answer: &Answer,
    voter: &Voter<'_>,
    now: DateTime<Utc>,
) -> Result<Vec<ApprovalEvent>, AnswerRefusal> {
    let person = voter.person;
    if request.excluded.contains(person) {
        return Err(AnswerRefusal::Excluded {
            person: person.clone(),
        });
    }
    if !in_audience(&request.audience, voter.roles) {
        return Err(AnswerRefusal::WrongRole {
            person: person.clone(),
            needs: needs(&request.audience),
        });
    }
    if !is_pending(request, now) {
        let state = request.state_at(now);
        return Err(AnswerRefusal::NotPending { state });
    }
    if request.votes.iter().any(|vote| vote.person == *person) {
        return Err(AnswerRefusal::AlreadyAnswered {
            person: person.clone(),
        });
    }
    if *digest != request.digest {
        return Err(AnswerRefusal::OtherDigest {
            given: *digest,
            asked: request.digest,
        });
    }
    if !fits(&request.subject, answer) {
        return Err(AnswerRefusal::WrongKind);
    }
    let voted = Voted {
        person: person.clone(),
        digest: *digest,
        answer: answer.clone(),
    };
    let decided = decide(request, &voted, now);
    let mut events = vec![ApprovalEvent::Voted(voted)];
    events.extend(decided.map(ApprovalEvent::Answered));
    Ok(events)
}

impl Approvals {
    /// The events that this person's answer makes: the vote, and the decision when it decides. They are
    /// to be appended with the request's version as the expected one.
    ///
    /// # Errors
    /// [`AnswerRefusal`], in the order of its variants; nothing is to be written then.
    pub fn answer(
        &self,
        id: Uuid,
        digest: &Digest,
        answer: &Answer,
        voter: &Voter<'_>,
        now: DateTime<Utc>,
    ) -> Result<Vec<ApprovalEvent>, AnswerRefusal> {
        judge(
            self.get(id).ok_or(AnswerRefusal::NotFound)?,
            digest,
            answer,
            voter,
            now,
        )
    }
}

fn needs(audience: &[Role]) -> Vec<Role> {
    if audience.is_empty() {
        Role::new(APPROVER).into_iter().collect()
    } else {
        audience.to_vec()
    }
}

fn in_audience(audience: &[Role], roles: &[Role]) -> bool {
    if audience.is_empty() {
        return roles.iter().any(|role| role.as_str() == APPROVER);
    }
    roles.iter().any(|role| audience.contains(role))
}

fn fits(subject: &Subject, answer: &Answer) -> bool {
    match (subject, answer) {
        (Subject::Call { .. }, Answer::Approve)
        | (Subject::Tool { .. }, Answer::Review(_))
        | (_, Answer::Deny { .. }) => true,
        (Subject::Call { .. }, Answer::Review(_)) | (Subject::Tool { .. }, Answer::Approve) => {
            false
        }
    }
}

/// Whether an answer refuses. A tool that may never run is reviewed all the same: it is pinned, locked.
pub(crate) const fn refuses(answer: &Answer) -> bool {
    match answer {
        Answer::Approve | Answer::Review(_) => false,
        Answer::Deny { .. } => true,
    }
}

/// The decision, when this vote makes one: one refusal refuses, a quorum of different people approves.
fn decide(request: &ApprovalRequest, vote: &Voted, now: DateTime<Utc>) -> Option<Answered> {
    if refuses(&vote.answer) {
        return Some(Answered {
            answer: vote.answer.clone(),
            by: vec![vote.person.clone()],
            use_by: None,
        });
    }
    let earlier = request
        .votes
        .iter()
        .map(|earlier| (&earlier.person, &earlier.answer));
    let votes: Vec<(&Person, &Answer)> = earlier.chain([(&vote.person, &vote.answer)]).collect();
    let by: BTreeSet<&Person> = votes.iter().map(|(person, _)| *person).collect();
    if u32::try_from(by.len()).unwrap_or(u32::MAX) < request.quorum {
        return None;
    }
    let strictest = votes.iter().filter_map(|(_, answer)| match answer {
        Answer::Review(review) => Some(*review),
        Answer::Approve | Answer::Deny { .. } => None,
    });
    Some(Answered {
        answer: strictest.max().map_or(Answer::Approve, Answer::Review),
        by: by.into_iter().cloned().collect(),
        use_by: Some(later(
            now,
            std::time::Duration::from_secs(request.use_within_seconds),
        )),
    })
}
