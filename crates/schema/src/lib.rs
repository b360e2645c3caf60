//! Wire types, verbs, canonical JSON, digests, sanitisation, and the plain facts that all of
//! tipstaff speaks of. Pure: nothing here reads a clock, a file or the environment.

mod canonical;
mod digest;
mod effect;
mod error;
mod float;
mod hints;
mod intent;
mod names;
mod number;
mod profile;
pub mod sanitization;
mod strict;
mod tool;
mod traits;
pub mod verbs;

pub use canonical::{CanonError, MAX_CANONICAL_DEPTH, canonical};
pub use digest::{Digest, DigestError, Domain};
pub use effect::Effect;
pub use error::IntentError;
pub use hints::HintsAsSaid;
pub use intent::{Constraint, IntentToken, MAX_TOKEN_BYTES, Object, Provenance, SCHEMA, Verb};
pub use names::{AgentId, NameError, NamePattern, Person, Placement, Role, ServerName};
pub use profile::{
    Access, CallAccess, Estimate, OutputTrust, Profile, Reach, ResourceKind, ResourcePlace,
    ResourceRule, Risk,
};
pub use strict::{MAX_DEPTH, StrictJsonError, parse_strict, parse_strict_within};
pub use tool::{
    BackendId, ScoredTool, ToolAnnotations, ToolDescriptor, ToolRoute, ToolSource, ToolUsage,
};
pub use traits::{
    BreakerCheck, CapabilityIndex, IntentRouter, Snapshot, SnapshotEntry, ToolRegistry,
};
