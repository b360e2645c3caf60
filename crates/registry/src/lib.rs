//! The catalog of tools: profiles, parameter validation, pins.
#![doc = include_str!("../README.md")]

mod bounds;
mod capability;
mod catalog;
mod change;
mod declared;
mod diff;
mod entry;
mod error;
pub mod events;
mod findings;
mod memory;
mod native;
mod offer;
mod param_error;
mod params;
mod patterns;
mod pin;
mod pins;
mod profile;
mod raw_tool;
mod refs;
mod schema_lint;
#[cfg(feature = "schemars")]
mod schemas;
mod shadow;
mod shape;
mod show;
mod snapshot;
mod validator;
pub mod wire;
mod words;
mod work;

#[cfg(test)]
mod tests;

pub use capability::{Capability, CapabilityBuilder, CapabilityRegistry};
pub use catalog::Catalog;
pub use change::{Listing, ToolChange, ToolEvent, accepted_event, accepted_from_journal};
pub use diff::{Change, DefinitionDiff, How, Part};
pub use entry::{Standing, ToolEntry};
pub use error::{CatalogError, ProfileError, SchemaError};
pub use findings::{FindingKind, TextFinding, findings};
pub use memory::InMemoryToolRegistry;
pub use native::NativeTool;
pub use offer::PinMode;
pub use param_error::ParamError;
pub use pin::{ServerIdentity, entry_digest, pin};
pub use pins::{FoldPinsError, Offered, PinState, Pins};
pub use profile::ProfileBook;
pub use raw_tool::findings_of;
#[cfg(feature = "schemars")]
#[cfg_attr(docsrs, doc(cfg(feature = "schemars")))]
pub use schemas::wire_schemas;
pub use snapshot::{CatalogSnapshot, tier_of};
pub use validator::Validator;
pub use wire::{Canonical, ParamKind, ParamSpec, ParamTable, ProfilePatch, UnknownParams};
pub use words::Piece;
