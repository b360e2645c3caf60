//! `tipstaff.yaml`: read strictly, checked whole, turned into a gate.
#![doc = include_str!("../README.md")]
//!
//! Reads the manifest, what it includes, and captured tool listings; starts nothing and writes nothing.
#![expect(
    clippy::disallowed_methods,
    reason = "the manifest and its includes are read here"
)]

mod analysis;
mod calls;
mod document;
pub mod import;
mod limits;
mod load;
mod manifest;
mod problem;
mod rules;
mod section;
mod sections;
mod servers;
mod sources;
mod starter;
mod syntax;
mod tests_in_policy;
mod triage;
mod unbuilt;
mod value;
mod wire;
mod world;

#[cfg(test)]
mod tests;

pub use analysis::Analysed;
pub use calls::{CallLine, CallLineError};
pub use load::Rejected;
pub use manifest::{Hold, Manifest, Server, Store};
pub use problem::{Place, Problem, Problems, Related};
pub use servers::{CaptureError, Captured, read_capture};
pub use sources::Sources;
pub use starter::Starter;
pub use tests_in_policy::{PolicyTest, TestFailure};
pub use triage::{TriageFile, read_calendar, read_triage};
pub use value::{SecretError, resolve};
