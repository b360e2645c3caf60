//! Shell commands as plans, effects and argv patterns. Pure: no program is looked up and nothing
//! runs here.
#![doc = include_str!("../README.md")]

#[cfg(feature = "parse")]
mod arguments;
mod ceiling;
mod clothes;
#[cfg(feature = "parse")]
mod code;
mod cover;
#[cfg(feature = "parse")]
mod effects;
mod error;
mod matching;
#[cfg(feature = "parse")]
mod parse;
mod pattern;
mod places;
mod plan;
#[cfg(feature = "parse")]
mod programs;
#[cfg(feature = "parse")]
mod suggest;
mod suggestion;
#[cfg(test)]
mod tests;
#[cfg(feature = "parse")]
mod wrappers;

pub use ceiling::{Allowance, Ceiling, CeilingTable};
pub use clothes::Clothes;
pub use error::{CommandPatternError, ProgramTableError};
#[cfg(feature = "parse")]
pub use parse::plan;
pub use pattern::{CommandPattern, Reading};
pub use places::is_place_that_executes;
pub use plan::{
    Assignment, CommandEffect, CommandPlan, EffectKind, Extent, SimpleCommand, Unknown,
    UnknownKind, Word, WordShape,
};
#[cfg(feature = "parse")]
pub use programs::ProgramTable;
#[cfg(feature = "parse")]
pub use suggest::suggest;
pub use suggestion::{Breadth, Suggestion};
