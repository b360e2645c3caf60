//! What can be wrong with a spawn call or with the tool's settings. Messages teach the form.

use crate::parse::MAX_INPUT_BYTES;

/// A call that does not parse.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseSpawnError {
    /// The arguments are no object.
    #[error("spawn takes an object with one field: {{\"input\": \"!git status\"}}")]
    NotAnObject,
    /// The field is missing or no text.
    #[error("the field `input` is missing or no text: {{\"input\": \"!git status\"}}")]
    NoInput,
    /// Longer than is read.
    #[error("`input` has {bytes} bytes; at most {MAX_INPUT_BYTES} are read")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// A control character other than newline and tab.
    #[error("`input` holds the control character {escaped}; only newline and tab are allowed")]
    Control {
        /// The character, escaped.
        escaped: String,
    },
    /// No task.
    #[error("the task is empty: write what the subagent is to do, or `!` and a command")]
    EmptyTask,
    /// No command.
    #[error("the command is empty: write it behind the `!`, as in `!git status`")]
    EmptyCommand,
    /// `!@` with nothing or a blank behind it.
    #[error(
        "`!@` needs a placement and a command: `!@lab make`; for a task that begins with `@` write it without `!`"
    )]
    NoTarget,
    /// Other characters than a name has.
    #[error(
        "`{escaped}` is no placement: letters, digits, `_` and `-`, then a blank and the command"
    )]
    TargetName {
        /// The text, cut and escaped.
        escaped: String,
    },
    /// The reserved name.
    #[error("`local` is where a command without `@` runs: leave `@local` out")]
    Local,
    /// A placement without a command.
    #[error("`!@{target}` has no command: write it behind the name, as in `!@{target} make`")]
    TargetWithoutCommand {
        /// The placement.
        target: String,
    },
}

/// Settings that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// A program folder that is not absolute, or holds a `:`.
    #[error(
        "`{folder}` in the program path is no absolute folder: write one such as `/usr/bin`, one a line"
    )]
    Path {
        /// The folder.
        folder: String,
    },
    /// An empty program path.
    #[error(
        "the program path is empty, so no command could run: leave it out for the usual folders"
    )]
    EmptyPath,
    /// The reserved placement.
    #[error("a placement cannot be called `local`: that is where a command without `@` runs")]
    Local,
}
