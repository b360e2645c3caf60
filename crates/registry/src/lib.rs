//! The catalog of tools: profiles, parameter validation, pins.
#![doc = include_str!("../README.md")]

mod bounds;
mod capability;
mod catalog;
mod change;
mod declared;
mod entry;
mod error;
pub mod events;
mod findings;
mod memory;
mod native;
mod offer;
mod param_error;
mod params;
mod pin;
mod pins;
mod profile;
mod raw_tool;
mod refs;
mod schema_lint;
mod shadow;
mod shape;
mod show;
mod snapshot;
mod validator;
pub mod wire;
mod work;

#[cfg(test)]
mod tests;

pub use capability::{Capability, CapabilityBuilder, CapabilityRegistry};
pub use catalog::Catalog;
pub use change::{Listing, ToolChange, ToolEvent, accepted_event};
pub use entry::{Standing, ToolEntry};
pub use error::{CatalogError, ProfileError, SchemaError};
pub use findings::{FindingKind, TextFinding, findings};
pub use memory::InMemoryToolRegistry;
pub use native::NativeTool;
pub use offer::PinMode;
pub use param_error::ParamError;
pub use pin::{ServerIdentity, pin};
pub use pins::{FoldPinsError, PinState, Pins};
pub use profile::ProfileBook;
pub use snapshot::CatalogSnapshot;
pub use validator::Validator;
pub use wire::{Canonical, ParamKind, ParamSpec, ParamTable, ProfilePatch, UnknownParams};
