//! From a text to a plan.
//!
//! `guard` bounds what the grammar sees, the grammar gives a tree, `walk` visits it, `words` reads each
//! word, `build` opens wrappers and asks the table. Anything that one of them is not sure of becomes
//! an unknown; a panic of the parser does, too.

mod build;
mod computed;
mod guard;
mod open;
mod quotes;
mod simple;
mod variables;
mod walk;
mod words;

use crate::{CommandPlan, ProgramTable, UnknownKind};

/// Takes a command apart. Never panics and never fails: what cannot be read is an unknown.
#[must_use]
pub fn plan(text: &str, cwd: Option<&str>, table: &ProgramTable) -> CommandPlan {
    let mut builder = build::Builder::new(table);
    for kind in guard::odd_characters(text) {
        builder.unknown(kind, text);
    }
    match guard::joined(text) {
        Some(joined) => {
            builder.text(&joined, cwd, 0);
        }
        None => {
            builder.unknown(UnknownKind::Syntax, text);
            builder.text(text, cwd, 0);
        }
    }
    builder.finish(text)
}
