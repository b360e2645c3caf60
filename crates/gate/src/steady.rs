//! Time for limits: milliseconds that never go back, whatever the clock of the machine does.
//!
//! A clock that is set back would leave a breaker open and a bucket empty until it has caught up.
//! Here a step back counts as no time at all, and a step forward as that much time: limits then end
//! early, never late. Only differences mean anything.

use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};

use crate::Clock;

/// Milliseconds since the gate first looked.
pub(crate) type Millis = u64;

/// What the clock said last, and what that was counted as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reading {
    wall: DateTime<Utc>,
    pub(crate) at: Millis,
}

/// The next reading after `last`; the first one counts as 0.
pub(crate) fn advance(last: Option<Reading>, wall: DateTime<Utc>) -> Reading {
    let Some(last) = last else {
        return Reading { wall, at: 0 };
    };
    let passed = wall.timestamp_millis() - last.wall.timestamp_millis();
    let passed = Millis::try_from(passed).unwrap_or(0);
    Reading {
        wall,
        at: last.at.saturating_add(passed),
    }
}

/// The gate's clock, read so that time only goes forward.
#[derive(Debug)]
pub(crate) struct Steady {
    clock: Arc<dyn Clock>,
    last: Mutex<Option<Reading>>,
}

impl Steady {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            last: Mutex::new(None),
        }
    }

    /// Now. The clock is read under the lock, so that two readers cannot overtake each other.
    pub(crate) fn now(&self) -> Millis {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let reading = advance(*last, self.clock.now());
        *last = Some(reading);
        reading.at
    }
}
