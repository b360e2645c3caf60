//! The lowest crate: everything here is data or a plain function over it. Nothing reads a clock,
//! a file or the environment, and nothing decides.
#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod canonical;
mod digest;
mod effect;
mod error;
mod float;
mod hints;
mod intent;
#[cfg(feature = "compat")]
#[cfg_attr(docsrs, doc(cfg(feature = "compat")))]
pub mod legacy;
mod names;
mod number;
mod one_form;
mod plain;
mod profile;
pub mod sanitization;
#[cfg(feature = "schemars")]
mod schemas;
mod size;
mod spelling;
mod strict;
#[cfg(test)]
mod tests;
mod tool;
mod traits;
pub mod verbs;

pub use canonical::{CanonError, MAX_CANONICAL_DEPTH, canonical, canonical_string};
pub use digest::{Digest, DigestError, Domain, DomainError};
pub use effect::Effect;
pub use error::IntentError;
pub use hints::HintsAsSaid;
pub use intent::{Constraint, IntentToken, MAX_TOKEN_BYTES, Object, Provenance, SCHEMA, Verb};
pub use names::{AgentId, NameError, NamePattern, Person, Placement, Role, ServerName};
pub use one_form::OneForm;
pub use profile::{
    Access, CallAccess, Estimate, OutputTrust, Profile, Reach, ResourceKind, ResourcePlace,
    ResourceRule, Risk,
};
#[cfg(feature = "schemars")]
#[cfg_attr(docsrs, doc(cfg(feature = "schemars")))]
pub use schemas::wire_schemas;
pub use strict::{MAX_DEPTH, StrictJsonError, parse_strict, parse_strict_within};
pub use tool::{
    BackendId, ScoredTool, ToolAnnotations, ToolDescriptor, ToolRoute, ToolSource, ToolUsage,
};
pub use traits::{
    BreakerCheck, CapabilityIndex, IntentRouter, Snapshot, SnapshotEntry, ToolRegistry,
};
