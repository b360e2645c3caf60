//! Where a call meets the limits: on its way in, before people are asked, and before the warrant; and
//! what its end says of the health of what runs it.

use uuid::Uuid;

use crate::admission::{Breaks, Health, Held, Pass, Wish};
use crate::gate::Gate;
use crate::ready::Ready;
use crate::{Cancel, ExecError, ExecOutput, Refusal, Session};

impl Gate {
    /// Lets a call of this caller inside, where it may wait. A stranger's takes no place: it is
    /// refused at once.
    pub(crate) fn hold(&self, session: &Session) -> Result<Option<Held>, Refusal> {
        let agent = self.accountable(session);
        agent.map(|agent| self.0.throttle.hold(agent)).transpose()
    }

    /// Whether the limits would let the call start now.
    pub(crate) fn could_start(&self, session: &Session, ready: &Ready) -> Result<(), Refusal> {
        self.0.throttle.look(&self.wish(session, ready))
    }

    /// Lets the call start, or says which limit does not.
    pub(crate) fn admit(&self, session: &Session, ready: &Ready) -> Result<Pass, Refusal> {
        self.0.throttle.admit(&self.wish(session, ready))
    }

    fn wish<'a>(&self, session: &'a Session, ready: &'a Ready) -> Wish<'a> {
        let executor = ready.executor.as_ref();
        let breaks = if executor.is_some_and(|executor| executor.has_breaker()) {
            Breaks::Yes
        } else {
            Breaks::No
        };
        Wish {
            agent: self.accountable(session).unwrap_or(&session.agent),
            entry: &ready.entry,
            params: ready.params_digest,
            breaks,
        }
    }
}

/// What the end of a call says of what runs it. A caller that cancels, and a call that is at fault
/// itself, say nothing; an answer is one, also where the tool says in it that it failed.
pub(crate) fn health(result: &Result<ExecOutput, ExecError>, cancel: &Cancel) -> Health {
    match result {
        Ok(_) => Health::Good,
        Err(ExecError::NeverSent { .. }) => Health::Unknown,
        Err(ExecError::Uncertain { .. } | ExecError::Unreachable { .. })
            if cancel.is_cancelled() =>
        {
            Health::Unknown
        }
        Err(
            ExecError::Uncertain { .. } | ExecError::Unreachable { .. } | ExecError::Failed { .. },
        ) => Health::Bad,
    }
}

/// Chance without a source of its own: the last byte of a fresh id.
pub(crate) fn jitter(call: Uuid) -> u8 {
    call.as_bytes().last().copied().unwrap_or(0)
}
