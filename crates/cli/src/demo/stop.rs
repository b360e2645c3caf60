//! Why the tour ended before its end.

use std::fmt;

use crate::exit::{Failure, chain};

#[derive(Debug)]
pub(super) enum Stop {
    /// A step did not come out as said.
    Wrong(String),
    /// The step could not be tried: this machine, or the server.
    Broken(String),
    /// Nobody reads on.
    Unread,
    /// It was interrupted.
    Interrupted,
}

impl Stop {
    pub(super) fn wrong(why: impl Into<String>) -> Self {
        Self::Wrong(why.into())
    }

    pub(super) fn broken(error: impl std::error::Error + 'static) -> Self {
        Self::Broken(chain(&error))
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Wrong(why) | Self::Broken(why) => why,
            Self::Unread => "nobody reads on",
            Self::Interrupted => "it was interrupted",
        })
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Broken(failure.to_string())
    }
}

/// Ends the tour unless it came out as said.
pub(super) fn check(holds: bool, or: impl FnOnce() -> String) -> Result<(), Stop> {
    if holds {
        Ok(())
    } else {
        Err(Stop::Wrong(or()))
    }
}
