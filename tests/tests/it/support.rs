//! What the stories need: the programs, a client that can wait, and a tipstaff of their own.

pub(crate) mod client;
pub(crate) mod inspector;
pub(crate) mod journal;
pub(crate) mod line;
pub(crate) mod programs;
pub(crate) mod tipstaff;

use std::time::{Duration, Instant};

/// What must be there for a story to be told, or an end that nobody can overlook.
macro_rules! need {
    ($found:expr) => {
        match $found {
            Ok(found) => found,
            Err(missing) => return $crate::support::programs::skip(&missing),
        }
    };
}
pub(crate) use need;

/// No story waits longer than this for anything.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Asks again until there is an answer; for what another process brings about.
#[track_caller]
pub(crate) fn eventually<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        if let Some(answer) = ask() {
            return answer;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("in vain: {what}");
}
