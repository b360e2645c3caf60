//! The closed predicate language that policy and triage share.
#![doc = include_str!("../README.md")]

mod condition;
mod conditions;
mod error;
mod number;
mod pointer;
mod schema;
mod solve;
pub mod wire;

#[cfg(test)]
mod tests;

pub use condition::Condition;
pub use conditions::Conditions;
pub use error::{ConditionError, Shown};
pub use pointer::{array_index, select};
pub use schema::SchemaFinding;
