//! The loop detector: how often an agent made the very same call within a window.
//!
//! Counted by agent, tool and canonical arguments, wherever other calls lie between, so that going
//! to and fro between two calls is seen as well as doing one again and again. Only calls that ran
//! count: asking again for an answer that is still awaited is no loop. Bounded: of each agent the
//! latest 128 different calls are known, of 256 agents at most, so a longer cycle is not seen.

use std::collections::{BTreeMap, VecDeque};

use tipstaff_schema::{AgentId, Digest};

use crate::limits::RepeatLimit;
use crate::steady::Millis;

const MAX_CALLS: usize = 128;
const MAX_AGENTS: usize = 256;

/// The latest calls of all agents.
#[derive(Debug, Default)]
pub(crate) struct Repeats(BTreeMap<AgentId, Vec<Seen>>);

/// One call, and when it was made: oldest first, never more often than the limit allows.
#[derive(Debug)]
struct Seen {
    tool_id: String,
    params: Digest,
    times: VecDeque<Millis>,
    window: Millis,
}

/// A call that was made too often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Repeated {
    /// How often within the window.
    pub(crate) times: usize,
    /// In how many milliseconds it may be made again.
    pub(crate) again_in: Millis,
}

/// Which call of whom.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Same<'a> {
    pub(crate) agent: &'a AgentId,
    pub(crate) tool_id: &'a str,
    pub(crate) params: Digest,
}

impl Seen {
    fn is(&self, call: &Same<'_>) -> bool {
        self.params == call.params && self.tool_id == call.tool_id
    }

    fn last(&self) -> Millis {
        self.times.back().copied().unwrap_or(0)
    }

    fn is_over(&self, now: Millis) -> bool {
        self.last().saturating_add(self.window) <= now
    }
}

impl Repeats {
    /// Whether the call may be made once more.
    ///
    /// # Errors
    /// [`Repeated`] when it was made as often as it may within the window.
    pub(crate) fn check(
        &self,
        call: &Same<'_>,
        limit: &RepeatLimit,
        now: Millis,
    ) -> Result<(), Repeated> {
        let calls = self
            .0
            .get(call.agent)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let Some(seen) = calls.iter().find(|seen| seen.is(call)) else {
            return Ok(());
        };
        let ends = |made: &Millis| made.saturating_add(limit.window_millis());
        let within = seen.times.iter().filter(|made| ends(made) > now);
        let most = usize::try_from(limit.calls.get()).unwrap_or(usize::MAX);
        let times = within.clone().count();
        if times < most {
            return Ok(());
        }
        // So many of the oldest must leave the window that one fewer than the limit remain.
        let leaves = within.clone().nth(times - most).map_or(now, ends);
        Err(Repeated {
            times,
            again_in: leaves.saturating_sub(now),
        })
    }

    /// Counts the call.
    pub(crate) fn count(&mut self, call: &Same<'_>, limit: &RepeatLimit, now: Millis) {
        let window = limit.window_millis();
        let most = usize::try_from(limit.calls.get()).unwrap_or(usize::MAX);
        if !self.0.contains_key(call.agent) {
            self.make_room(now);
            self.0.insert(call.agent.clone(), Vec::new());
        }
        let Some(calls) = self.0.get_mut(call.agent) else {
            return;
        };
        if let Some(seen) = calls.iter_mut().find(|seen| seen.is(call)) {
            seen.window = window;
            seen.times.push_back(now);
            while seen.times.len() > most {
                seen.times.pop_front();
            }
            return;
        }
        if calls.len() >= MAX_CALLS {
            calls.retain(|seen| !seen.is_over(now));
        }
        if calls.len() >= MAX_CALLS {
            let oldest = calls.iter().enumerate().min_by_key(|(_, seen)| seen.last());
            if let Some((at, _)) = oldest {
                calls.swap_remove(at);
            }
        }
        calls.push(Seen {
            tool_id: call.tool_id.to_owned(),
            params: call.params,
            times: [now].into(),
            window,
        });
    }

    /// Forgets agents whose calls are all over, and if there are none, the one that called least lately.
    fn make_room(&mut self, now: Millis) {
        if self.0.len() < MAX_AGENTS {
            return;
        }
        self.0
            .retain(|_, calls| calls.iter().any(|seen| !seen.is_over(now)));
        if self.0.len() < MAX_AGENTS {
            return;
        }
        let last = |calls: &Vec<Seen>| calls.iter().map(Seen::last).max();
        let idle = self.0.iter().min_by_key(|(_, calls)| last(calls));
        if let Some(agent) = idle.map(|(agent, _)| agent.clone()) {
            self.0.remove(&agent);
        }
    }

    /// How many calls are known, of how many agents.
    #[cfg(test)]
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.0.values().map(Vec::len).sum(), self.0.len())
    }
}
