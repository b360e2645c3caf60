//! The machine that a gate runs on.
#![doc = include_str!("../README.md")]
//!
//! Decides nothing: it states facts and carries answers; the gate judges them.
#![expect(
    clippy::disallowed_methods,
    reason = "clock, environment and files are read here, at the edge"
)]

mod clock;
mod constraints;
pub mod control;
mod instance;
mod people;
mod presence;
mod probe;

#[cfg(test)]
mod tests;

pub use clock::{RandomIds, SystemClock};
pub use constraints::{CustomConstraint, HostConstraints};
pub use instance::{InstanceError, InstanceLock, LockedInstances};
pub use people::{Directory, LOCAL_PERSON, LoginError, PersonFacts};
pub use presence::Presence;
pub use probe::FileProbe;
