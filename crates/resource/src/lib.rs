//! Canonical resources and the patterns over them, by kind. Pure: symlinks are facts about a
//! machine and are the gate's business.
#![doc = include_str!("../README.md")]

mod automaton;
mod chars;
mod error;
mod glob;
mod host;
mod path;
mod pattern;
mod product;
mod query;
mod resource;
#[cfg(test)]
mod tests;
mod url_pattern;
mod url_value;
mod valid;
mod word_glob;

pub use error::{PatternError, ResourceError};
pub use pattern::{CaseRule, Pattern};
pub use resource::{Base, Resource};
pub use word_glob::WordGlob;
