//! The spawn tool: read, describe, prepare, and run commands and tasks.
#![doc = include_str!("../README.md")]
//!
//! Decides nothing: rules over commands are policy's, the plan is `tipstaff-command`'s. What it
//! refuses, it refuses again when it runs.
#![expect(
    clippy::disallowed_methods,
    reason = "programs are looked up and started here"
)]

mod delegate;
mod depth;
mod describe;
mod error;
mod executor;
mod group;
mod kept;
mod local;
mod output;
mod parse;
mod run;
mod sandbox;
mod settings;
mod tool;

#[cfg(test)]
mod tests;

pub use delegate::{Delegate, DelegateError, Delegated, Task};
pub use depth::{Depth, DepthLedger, MAX_DEPTH};
pub use error::{ParseSpawnError, SpawnError};
pub use executor::{CommandExecutor, WarrantedCommand};
pub use local::LocalExecutor;
pub use parse::{INPUT_FIELD, LOCAL_TARGET, Mode, ParsedSpawn, is_target_name, parse_spawn};
pub use settings::{Sandbox, SpawnSettings};
pub use tool::{SPAWN, SpawnTool};
