//! Asking: when a new question may be put to people, and on what terms.
//!
//! Joining an open question and finding a usable answer come first (`find`); here only what is new.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use tipstaff_schema::{AgentId, Digest, Person, Role};

use crate::events::Requested;
use crate::find::is_pending;
use crate::{Approvals, EventDataError, RuleRef, Subject};

/// How long a refused request is refused again without a question.
pub const COOL_DOWN: Duration = Duration::from_secs(10 * 60);

/// No question and no answer lasts longer than this.
const LONGEST: TimeDelta = TimeDelta::days(366);

/// On what terms people are asked; a rule may set its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// How long the question waits.
    pub expire: Duration,
    /// How long an approval waits for its use.
    pub use_within: Duration,
    /// The roles that may answer; empty means the role `approver`.
    pub audience: Vec<Role>,
    /// How many different people must say yes; zero counts as one.
    pub quorum: u32,
    /// Whether the agent's owner is excluded.
    pub four_eyes: bool,
}

impl Default for Terms {
    /// 10 minutes to answer, 5 to use, any one approver.
    fn default() -> Self {
        let minutes = |n: u64| Duration::from_secs(n * 60);
        Self {
            expire: minutes(10),
            use_within: minutes(5),
            audience: Vec::new(),
            quorum: 1,
            four_eyes: false,
        }
    }
}

/// How many questions one agent may put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Open at once.
    pub pending: usize,
    /// Asked in any 60 minutes.
    pub per_hour: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            pending: 50,
            per_hour: 60,
        }
    }
}

/// A question that somebody wants to put.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// The agent whose call it is.
    pub agent: AgentId,
    /// The agent's owner; `None` when it has none.
    pub owner: Option<Person>,
    /// The session that asks and alone may use the answer.
    pub session: String,
    /// What the answer is bound to: the request digest of a call, the pin of a tool.
    pub digest: Digest,
    /// What is asked.
    pub subject: Subject,
    /// Why people are asked at all.
    pub reason_asked: String,
    /// The digest of the policy that asked; `None` for a tool review.
    pub policy: Option<Digest>,
    /// The rule that asked; `None` where no rule matched.
    pub rule: Option<RuleRef>,
}

/// Why no question is put. The call is then refused with these words.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskRefusal {
    /// The same request was refused a short time ago.
    #[error("the same request was refused; it is not asked again before {until}")]
    CoolingDown {
        /// From this instant on it may be asked again.
        until: DateTime<Utc>,
    },
    /// Too many open questions of this agent.
    #[error("`{agent}` has {limit} questions open already; wait for answers")]
    TooManyPending {
        /// The agent.
        agent: AgentId,
        /// The limit.
        limit: usize,
    },
    /// Too many questions of this agent in the last hour.
    #[error("`{agent}` has asked {limit} questions in the last hour; ask less")]
    TooManyAsked {
        /// The agent.
        agent: AgentId,
        /// The limit.
        limit: usize,
    },
    /// Four eyes are needed, and nobody is known as the first pair.
    #[error("four eyes are needed, but `{agent}` has no owner; give it one")]
    NoOwner {
        /// The agent.
        agent: AgentId,
    },
    /// What is to be shown cannot be written down.
    #[error("the question cannot be written to the journal")]
    Data(#[source] EventDataError),
}

/// `now` and a time on top, never more than a year. To the microsecond, as the journal keeps times:
/// else an event could be written at an instant that reads as one before it.
pub(crate) fn later(now: DateTime<Utc>, by: Duration) -> DateTime<Utc> {
    let by = TimeDelta::from_std(by).map_or(LONGEST, |by| by.min(LONGEST));
    let later = now.checked_add_signed(by).unwrap_or(now);
    DateTime::from_timestamp_micros(later.timestamp_micros()).unwrap_or(later)
}

impl Approvals {
    /// The event that puts a new question. Call [`Self::find`] first: this joins nothing.
    ///
    /// # Errors
    /// [`AskRefusal`] when no question may be put; the call is refused with its words.
    pub fn open(
        &self,
        ask: Ask,
        terms: &Terms,
        limits: Limits,
        now: DateTime<Utc>,
    ) -> Result<Requested, AskRefusal> {
        self.may_ask(&ask.agent, &ask.digest, limits, now)?;
        let excluded = match (terms.four_eyes, ask.owner) {
            (true, None) => return Err(AskRefusal::NoOwner { agent: ask.agent }),
            (true, Some(owner)) => vec![owner],
            (false, _) => Vec::new(),
        };
        let shown = ask.subject.shown_digest().map_err(AskRefusal::Data)?;
        Ok(Requested {
            agent: ask.agent,
            session: ask.session,
            digest: ask.digest,
            subject: ask.subject,
            shown,
            expires_at: later(now, terms.expire),
            use_within_seconds: terms.use_within.as_secs(),
            audience: terms.audience.clone(),
            excluded,
            quorum: terms.quorum.max(1),
            reason_asked: ask.reason_asked,
            policy: ask.policy,
            rule: ask.rule,
        })
    }

    fn may_ask(
        &self,
        agent: &AgentId,
        digest: &Digest,
        limits: Limits,
        now: DateTime<Utc>,
    ) -> Result<(), AskRefusal> {
        if let Some((_, until)) = self.cool_down(agent, digest, now) {
            return Err(AskRefusal::CoolingDown { until });
        }
        let ids = self
            .by_agent
            .get(agent)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let of_agent = || ids.iter().rev().filter_map(|id| self.by_id.get(id));
        let pending = self.open.iter().filter_map(|id| self.by_id.get(id));
        let pending = pending.filter(|request| request.agent == *agent && is_pending(request, now));
        if pending.count() >= limits.pending {
            return Err(AskRefusal::TooManyPending {
                agent: agent.clone(),
                limit: limits.pending,
            });
        }
        let an_hour_ago = now.checked_sub_signed(TimeDelta::hours(1)).unwrap_or(now);
        let asked = of_agent().take_while(|request| request.requested_at > an_hour_ago);
        if asked.take(limits.per_hour).count() >= limits.per_hour {
            return Err(AskRefusal::TooManyAsked {
                agent: agent.clone(),
                limit: limits.per_hour,
            });
        }
        Ok(())
    }
}
