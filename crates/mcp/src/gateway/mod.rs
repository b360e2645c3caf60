//! The gateway: tipstaff as an MCP server in front of the gate.

mod handler;
mod ids;
mod names;
mod outcome;
mod serve;
mod tools;
mod wire;

pub use names::Naming;
pub use serve::{Gateway, GatewayOptions};

#[cfg(test)]
pub(crate) use names::Names;
#[cfg(test)]
pub(crate) use tools::shown;
#[cfg(test)]
pub(crate) use wire::Wire;
