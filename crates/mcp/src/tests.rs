//! Tests of both sides, over pipes inside the process: no program is started.

mod fake;
mod gateway;
mod gateway_wire;
mod lines;
mod link;
mod mounted;
mod process;
mod shown;
