//! MCP on both sides of the gate: mounted servers below, the gateway above.
#![doc = include_str!("../README.md")]
#![expect(
    clippy::disallowed_methods,
    reason = "servers are started, and the clock and environment read, at this edge"
)]

mod error;
mod gateway;
mod line;
mod message;
mod outbox;
mod skim;
mod upstream;

#[cfg(test)]
mod tests;

pub use error::{ServeError, ServerError};
pub use gateway::{Gateway, GatewayOptions, Naming};
pub use upstream::{McpServer, ServerCommand, ServerLimits, ServerStatus};
