//! Whether a person is there: the fact behind the constraint `user_present`.
//!
//! A process cannot see people. What it can know is that one of them proved to be themselves just now.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use tipstaff_gate::Clock;

use crate::{Directory, SystemClock};

/// For how many seconds somebody who proved to be there counts as present.
const PRESENT_FOR: i64 = 5 * 60;

/// Tells whether a user is present.
pub trait Presence: std::fmt::Debug + Send + Sync {
    /// Whether somebody is there now.
    ///
    /// # Errors
    /// A sentence saying why not, or that it cannot be told; both mean no.
    fn is_present(&self) -> Result<(), String>;
}

/// When somebody last proved to be there; clones share it.
#[derive(Debug, Clone)]
pub(crate) struct LastSeen(Arc<AtomicI64>);

/// Never yet.
impl Default for LastSeen {
    fn default() -> Self {
        Self(Arc::new(AtomicI64::new(i64::MIN)))
    }
}

/// No part of what a directory says of people, so all are equal.
impl PartialEq for LastSeen {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for LastSeen {}

impl LastSeen {
    pub(crate) fn now(&self) {
        self.0
            .store(SystemClock.now().timestamp(), Ordering::Relaxed);
    }

    /// A clock that was set back proves nothing.
    pub(crate) fn is_recent(&self, now: i64) -> bool {
        let seen = self.0.load(Ordering::Relaxed);
        now.checked_sub(seen)
            .is_some_and(|age| (0..=PRESENT_FOR).contains(&age))
    }
}

/// Somebody is present who logged in through this directory, by password or as the user of the
/// control socket, within the last five minutes.
impl Presence for Directory {
    fn is_present(&self) -> Result<(), String> {
        if self.last_seen().is_recent(SystemClock.now().timestamp()) {
            Ok(())
        } else {
            Err("nobody has answered here within the last five minutes".to_owned())
        }
    }
}
