//! Canonical resources and the patterns over them, by kind. Pure: symlinks are facts about a
//! machine and are the gate's business.
#![doc = include_str!("../README.md")]

mod automaton;
mod avoid;
mod chain;
mod chars;
mod construction;
mod error;
mod glob;
mod host;
mod literal;
mod path;
mod pattern;
mod product;
mod query;
mod resource;
mod size;
#[cfg(test)]
mod tests;
mod url_pattern;
mod url_value;
mod valid;
mod word_glob;

pub use avoid::Search;
pub use error::{PatternError, ResourceError};
pub use literal::{Literal, Place};
pub use pattern::{CaseRule, Pattern};
pub use resource::{Base, Resource};
pub use word_glob::WordGlob;
