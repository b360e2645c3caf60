//! Rules, decisions, and what one can know about rules before they decide.
#![doc = include_str!("../README.md")]

mod analyse;
mod build;
mod decision;
mod diff;
mod engine;
mod error;
mod explain;
mod finding;
mod hours;
mod names;
pub mod reference;
mod request;
mod rule;
mod schemas;
mod set;
mod target;
mod terms;
pub mod wire;
mod world;

#[cfg(test)]
mod tests;

pub use analyse::{Analysis, Budget};
pub use build::RuleContext;
pub use decision::{DecidedBy, Decision};
pub use diff::{By, Change, ChangeKind, Direction, PolicyDiff, Side, ToolChange, ToolFact, diff};
pub use error::RuleError;
pub use explain::{Dimension, Explanation, MatchedRule, NEAR_SHOWN, NearRule};
pub use finding::{Finding, FindingKind, Severity};
pub use hours::{HourReading, Hours};
pub use request::{Request, Subject};
pub use rule::{Capability, Rule};
pub use schemas::wire_schemas;
pub use set::PolicySet;
pub use target::Target;
pub use terms::Terms;
pub use world::{World, WorldAgent, WorldCapability, WorldServer};
