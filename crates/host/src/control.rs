//! The control socket: the one door through which people's answers reach a running gate.
//!
//! One socket per process, `control-<pid>.sock`, mode 0600 in the state folder. One JSON object a
//! line each way; a connection may ask any number of times. Who opens the store can only read.

mod client;
mod server;
mod tool_view;
mod wire;

pub use client::{Client, ControlError, sockets};
pub use server::{ControlServer, Inbox, ListenError};
pub use tool_view::ToolView;
pub use wire::{ControlReply, ControlRequest, PendingView, WorkedTask};
