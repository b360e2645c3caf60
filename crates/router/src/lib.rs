//! From intent token to tool: routing without judging. Whether the call may run is policy's question.
#![doc = include_str!("../README.md")]

mod ask;
mod explain;
mod judge;
mod router;
mod score;

#[cfg(test)]
mod tests;

pub use explain::{Candidate, RouteExplanation, Why, explain_sync};
pub use judge::{OpenBreakers, RouteMode, resolve_sync};
pub use router::DefaultIntentRouter;
pub use score::Score;
