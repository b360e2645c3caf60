//! A token bucket in whole numbers: no division on the way, so nothing drifts.
//!
//! The level is counted in units of which one call costs as many as the period has milliseconds,
//! and of which every millisecond brings as many as calls are allowed in a period.

use crate::limits::Rate;
use crate::steady::Millis;

/// How full a bucket is, and since when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bucket {
    level: u64,
    at: Millis,
}

impl Bucket {
    /// A full one.
    pub(crate) fn full(rate: &Rate, now: Millis) -> Self {
        Self {
            level: rate.capacity(),
            at: now,
        }
    }

    /// The same with what time has brought since. Time that goes back brings nothing.
    pub(crate) fn refilled(self, rate: &Rate, now: Millis) -> Self {
        let passed = now.saturating_sub(self.at);
        let brought = passed.saturating_mul(u64::from(rate.calls.get()));
        Self {
            level: self.level.saturating_add(brought).min(rate.capacity()),
            at: self.at.max(now),
        }
    }

    /// The bucket after one call.
    ///
    /// # Errors
    /// In how many milliseconds the next call can go, when there is not enough for one now.
    pub(crate) fn take(self, rate: &Rate, now: Millis) -> Result<Self, Millis> {
        let refilled = self.refilled(rate, now);
        let cost = rate.cost();
        match refilled.level.checked_sub(cost) {
            Some(level) => Ok(Self { level, ..refilled }),
            None => Err((cost - refilled.level).div_ceil(u64::from(rate.calls.get()))),
        }
    }

    /// Whether nothing is missing, so that forgetting it changes nothing.
    pub(crate) fn is_full(self, rate: &Rate, now: Millis) -> bool {
        self.refilled(rate, now).level == rate.capacity()
    }
}
