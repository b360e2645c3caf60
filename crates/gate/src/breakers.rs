//! The breakers of all tools of a gate, as the router and the way of a call see them.
//!
//! In memory only: a gate that starts knows of no failure, and each gate over one journal learns for
//! itself. Tools that work are not kept here at all, so that where nothing fails no lock is taken.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tipstaff_schema::BreakerCheck;

use crate::breaker::{Edge, Event, Pass, Said, State, is_open, step};
use crate::limits::BreakerLimit;
use crate::steady::{Millis, Steady};

/// Tools with failures that are kept; beyond that, the one that opens first is forgotten.
const MAX_KEPT: usize = 4096;

/// Which tools rest after failures. Reading changes nothing.
#[derive(Debug)]
pub struct Breakers {
    steady: Arc<Steady>,
    /// How many are kept, for those who only want to know whether any is.
    count: AtomicUsize,
    // Never held across an await; no other lock but the clock's is taken under it.
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    /// Only those that are not as new.
    states: BTreeMap<String, State>,
    probes: u64,
}

const NEW: State = State::Closed { failures: 0 };

impl Breakers {
    pub(crate) fn new(steady: Arc<Steady>) -> Self {
        Self {
            steady,
            count: AtomicUsize::new(0),
            kept: Mutex::new(Kept::default()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn none(&self) -> bool {
        self.count.load(Ordering::Acquire) == 0
    }

    /// Lets a call of the tool go, or says in how many milliseconds one may try.
    pub(crate) fn enter(&self, tool_id: &str, limit: &BreakerLimit) -> Result<Pass, Millis> {
        if self.none() {
            return Ok(Pass::Usual);
        }
        let now = self.steady.now();
        let mut kept = self.lock();
        kept.probes += 1;
        let event = Event::Try { probe: kept.probes };
        match self.apply(&mut kept, tool_id, event, now, limit) {
            Said::Go(pass) => Ok(pass),
            Said::Wait(wait) => Err(wait),
            Said::Changed(_) | Said::Nothing => Ok(Pass::Usual),
        }
    }

    /// Takes in how a call ended; gives the change that this made.
    pub(crate) fn ended(&self, tool_id: &str, event: Event, limit: &BreakerLimit) -> Option<Edge> {
        if self.none() && !matches!(event, Event::Failed { .. }) {
            return None;
        }
        let now = self.steady.now();
        let mut kept = self.lock();
        match self.apply(&mut kept, tool_id, event, now, limit) {
            Said::Changed(edge) => Some(edge),
            Said::Go(_) | Said::Wait(_) | Said::Nothing => None,
        }
    }

    fn apply(
        &self,
        kept: &mut Kept,
        tool_id: &str,
        event: Event,
        now: Millis,
        limit: &BreakerLimit,
    ) -> Said {
        let state = kept.states.get(tool_id).copied().unwrap_or(NEW);
        let (next, said) = step(state, event, now, limit);
        if next == NEW {
            kept.states.remove(tool_id);
        } else if let Some(there) = kept.states.get_mut(tool_id) {
            *there = next;
        } else {
            if kept.states.len() >= MAX_KEPT {
                forget_one(&mut kept.states);
            }
            kept.states.insert(tool_id.to_owned(), next);
        }
        self.count.store(kept.states.len(), Ordering::Release);
        said
    }

    /// In how many milliseconds a call may try; none when it may go now.
    pub(crate) fn rests(&self, tool_id: &str) -> Option<Millis> {
        if self.none() {
            return None;
        }
        let now = self.steady.now();
        let state = self.lock().states.get(tool_id).copied()?;
        match state {
            State::Closed { .. } => None,
            State::Open { until } | State::HalfOpen { until, .. } => {
                until.checked_sub(now).filter(|wait| *wait > 0)
            }
        }
    }
}

#[async_trait::async_trait]
impl BreakerCheck for Breakers {
    async fn is_open(&self, tool_id: &str) -> bool {
        self.rests(tool_id).is_some()
    }

    fn snapshot(&self) -> Option<BTreeSet<String>> {
        if self.none() {
            return Some(BTreeSet::new());
        }
        let now = self.steady.now();
        let kept = self.lock();
        let open = kept
            .states
            .iter()
            .filter(|(_, state)| is_open(**state, now));
        Some(open.map(|(tool_id, _)| tool_id.clone()).collect())
    }
}

/// Makes room: a closed one goes first, then the one whose rest ends first.
fn forget_one(states: &mut BTreeMap<String, State>) {
    let until = |state: &State| match state {
        State::Closed { .. } => 0,
        State::Open { until } | State::HalfOpen { until, .. } => *until,
    };
    let first = states.iter().min_by_key(|(_, state)| until(state));
    if let Some(tool_id) = first.map(|(tool_id, _)| tool_id.clone()) {
        states.remove(&tool_id);
    }
}

#[cfg(test)]
impl Breakers {
    /// How many tools are kept.
    pub(crate) fn kept(&self) -> usize {
        self.lock().states.len()
    }
}
