//! Stories told with real programs: public servers and clients, and the `tipstaff` binary as
//! its users start it.
//!
//! Nothing here looks inside a crate. What a program needs that a Rust toolchain does not bring
//! is looked for where `.ci/run` puts it; without it a story is skipped for all to see, under
//! `CI=true` it fails.

#![expect(clippy::unwrap_used, clippy::panic, reason = "test binary")]
#![expect(
    clippy::indexing_slicing,
    reason = "test binary: JSON answers are read by key"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "the tests start programs and read files"
)]

mod demo;
mod import;
mod init;
mod limits;
mod policy;
mod programs;
mod race;
mod route;
mod search;
mod serve;
mod spawn;
mod support;
mod text;
mod tools;
mod triage;
mod whatif;
mod worklist;
mod wrap;
