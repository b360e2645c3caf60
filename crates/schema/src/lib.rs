//! Wire types, verbs, canonical JSON, digests, sanitisation, and the plain facts that all of
//! tipstaff speaks of. Pure: nothing here reads a clock, a file or the environment.

mod effect;
mod names;
mod profile;

pub use effect::Effect;
pub use names::{AgentId, NameError, NamePattern, Person, Placement, Role, ServerName};
pub use profile::{
    Access, CallAccess, Estimate, OutputTrust, Profile, Reach, ResourceKind, ResourcePlace, ResourceRule, Risk,
};
