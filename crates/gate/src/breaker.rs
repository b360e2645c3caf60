//! The circuit breaker of one tool, as one pure function over what happened.
//!
//! Closed lets all calls go. After so many failures in a row it opens and lets none go. When the
//! cool-down is over it is half open: one call goes as the probe, and what comes of it decides.
//! Knows neither clock nor locks; which failures count is decided by the caller.

use crate::limits::BreakerLimit;
use crate::steady::Millis;

/// How long after its deadline a probe may still report; then another call may try.
pub(crate) const PROBE_GRACE: Millis = 10_000;

/// What a breaker knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Calls go; so many failed in a row.
    Closed { failures: u32 },
    /// No call goes before `until`; at `until` one may try.
    Open { until: Millis },
    /// One call tries; if it has not reported at `until`, another may.
    HalfOpen { probe: u64, until: Millis },
}

/// As what a call went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pass {
    /// As one of many.
    Usual,
    /// As the probe of this number.
    Probe(u64),
}

/// What happens to a breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// A call wants to go; it would be the probe of this number, which no other has.
    Try { probe: u64 },
    /// What runs the tool answered.
    Succeeded { pass: Pass },
    /// What runs the tool failed; `jitter` spreads the cool-downs of many breakers.
    Failed { pass: Pass, jitter: u8 },
    /// The call says nothing about what runs the tool: it did not start, or was cancelled.
    Undecided { pass: Pass },
}

/// The change that operators hear of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edge {
    /// It opened after failures in a row.
    Opened,
    /// The probe failed.
    Reopened,
    /// The probe succeeded.
    Closed,
}

impl Edge {
    /// The spelling in the journal.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Reopened => "reopened",
            Self::Closed => "closed",
        }
    }
}

/// What a breaker answers to an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Said {
    /// The call goes.
    Go(Pass),
    /// The call does not go; the next may try in so many milliseconds.
    Wait(Millis),
    /// It changed.
    Changed(Edge),
    /// Nothing that anybody has to hear.
    Nothing,
}

/// One step.
pub(crate) fn step(state: State, event: Event, now: Millis, limit: &BreakerLimit) -> (State, Said) {
    use State::{Closed, HalfOpen, Open};
    match (state, event) {
        (Closed { .. }, Event::Try { .. }) => (state, Said::Go(Pass::Usual)),
        // The cool-down is over, or the probe never reported: this call tries.
        (Open { until } | HalfOpen { until, .. }, Event::Try { probe }) if now >= until => {
            let until = now.saturating_add(limit.probe_millis() + PROBE_GRACE);
            (HalfOpen { probe, until }, Said::Go(Pass::Probe(probe)))
        }
        (Open { until } | HalfOpen { until, .. }, Event::Try { .. }) => {
            (state, Said::Wait(until - now))
        }
        (Closed { failures }, Event::Failed { jitter, .. }) => {
            let failures = failures.saturating_add(1);
            if failures < limit.failures.get() {
                return (Closed { failures }, Said::Nothing);
            }
            let until = now.saturating_add(limit.rest_millis(jitter));
            (Open { until }, Said::Changed(Edge::Opened))
        }
        (Closed { .. }, Event::Succeeded { .. }) => (Closed { failures: 0 }, Said::Nothing),
        (Closed { .. }, Event::Undecided { .. }) => (state, Said::Nothing),
        // These calls went before it opened; they say nothing new.
        (Open { .. }, Event::Succeeded { .. } | Event::Failed { .. } | Event::Undecided { .. }) => {
            (state, Said::Nothing)
        }
        (HalfOpen { probe, .. }, Event::Failed { pass, jitter }) if pass == Pass::Probe(probe) => {
            let until = now.saturating_add(limit.rest_millis(jitter));
            (Open { until }, Said::Changed(Edge::Reopened))
        }
        (HalfOpen { probe, .. }, Event::Succeeded { pass }) if pass == Pass::Probe(probe) => {
            (Closed { failures: 0 }, Said::Changed(Edge::Closed))
        }
        // The probe proved nothing: the next call tries at once.
        (HalfOpen { probe, .. }, Event::Undecided { pass }) if pass == Pass::Probe(probe) => {
            (Open { until: now }, Said::Nothing)
        }
        // Only the probe decides.
        (
            HalfOpen { .. },
            Event::Succeeded { .. } | Event::Failed { .. } | Event::Undecided { .. },
        ) => (state, Said::Nothing),
    }
}

/// Whether a call would not go now. Reading changes nothing.
pub(crate) fn is_open(state: State, now: Millis) -> bool {
    match state {
        State::Closed { .. } => false,
        State::Open { until } | State::HalfOpen { until, .. } => now < until,
    }
}
