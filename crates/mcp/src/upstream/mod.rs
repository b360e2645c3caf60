//! Mounted servers: their process, their connection, their listing, their calls.

mod answer;
mod command;
mod cut;
mod executor;
mod link;
mod noise;
mod process;
mod server;
mod stderr;
mod supervise;
mod wire;

pub use command::ServerCommand;
pub use server::{McpServer, ServerLimits, ServerStatus};

#[cfg(test)]
pub(crate) use link::{CallError, Link, Outgoing, Source, Streams};
#[cfg(test)]
pub(crate) use noise::Noise;
#[cfg(test)]
pub(crate) use server::{Connect, Listings};
#[cfg(test)]
pub(crate) use stderr::Stderr;
#[cfg(test)]
pub(crate) use wire::{Answer, Hooks, Judged, Wire};

/// What of a server's error message is kept.
const MAX_WHY_CHARS: usize = 2_000;
