//! From intent token to tool: routing without judging. Whether the call may run is policy's question.
#![doc = include_str!("../README.md")]

mod ask;
mod build;
mod cache;
mod choose;
mod explain;
mod index;
pub mod reference;
mod router;
mod score;

#[cfg(test)]
mod tests;

pub use cache::RouteCache;
pub use explain::{Candidate, Outranked, RouteExplanation, Why, explain_sync};
pub use index::RouteIndex;
pub use reference::{OpenBreakers, RouteMode, resolve_sync};
pub use router::DefaultIntentRouter;
pub use score::Score;
