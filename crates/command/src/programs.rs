//! The table of programs and flags: what each does to files and hosts.
//!
//! The table that comes with the crate is `data/programs.json`; the README explains its form. It is
//! read once. What it does not name has *any* effect, so a gap makes a command stricter, never milder.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::ProgramTableError;

/// What is known of programs and their flags.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramTable {
    /// Programs by name.
    pub(crate) programs: BTreeMap<String, ProgramSpec>,
    /// Programs that start the command behind them.
    pub(crate) wrappers: BTreeMap<String, WrapperSpec>,
    /// Programs that run code of another language or on another machine, and the first words with
    /// which they do; `*` stands for always.
    pub(crate) foreign: BTreeMap<String, Vec<String>>,
}

/// One program, or one subcommand of one.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ProgramSpec {
    /// Flags without a value and without an effect, with blanks between.
    pub(crate) flags: String,
    /// Flags with a value, and what the value is.
    pub(crate) values: BTreeMap<String, Role>,
    /// Flags without a value that do something: to every operand, or to something that is not named.
    pub(crate) acts: BTreeMap<String, Role>,
    /// What the operands are; absent means that there must be none.
    pub(crate) operands: Option<Role>,
    /// What the first operand is, where it is another thing.
    pub(crate) first: Option<Role>,
    /// What the last operand is, where it is another thing.
    pub(crate) last: Option<Role>,
    /// Flags that extend the effect to all below the operands, with blanks between; `*` is always.
    pub(crate) tree: String,
    /// What it works on where no operand is given.
    pub(crate) default: Option<String>,
    /// Whether `-5` is a number.
    pub(crate) numbers: bool,
    /// Whether a single dash begins a whole word (`find -name`), so that there are no clusters.
    pub(crate) words: bool,
    /// Subcommands; where there are some, another first operand is not known.
    pub(crate) sub: BTreeMap<String, ProgramSpec>,
    /// What it does whatever its operands are.
    pub(crate) always: Vec<Role>,
    /// Files that it reads in any case.
    pub(crate) reads: Vec<String>,
    /// What its author should know: why a flag is not in the entry, where the facts are from.
    pub(crate) note: String,
    /// Whether it only prints, computes or looks at names, whatever its arguments are: they are not
    /// read, and may be computed.
    pub(crate) free: Free,
    /// Flags, with blanks between, that stand for the `first` operand: `grep -e`.
    pub(crate) instead: String,
    /// Flags whose value, if any, is a text in the same word: `-n5`.
    pub(crate) attached: String,
    /// The characters of which an operand may consist; empty means any.
    pub(crate) letters: String,
    /// Characters that no operand or value may hold.
    pub(crate) never: String,
    /// So many operands at most.
    pub(crate) most: Option<usize>,
    /// One of these flags must be there.
    pub(crate) must: String,
    /// One of these flags must be there where operands are.
    pub(crate) needs: String,
    /// Whether the first word may be flags without their dash: `tar tf`.
    pub(crate) dashless: bool,
}

/// Which arguments of a program do nothing, whatever they become.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Free {
    /// None: each is read by the entry.
    #[default]
    No,
    /// All.
    All,
    /// Those behind the first, which is no flag: `printf FORMAT …`.
    Rest,
}

/// What a value or operand is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Role {
    /// A text, or a name whose content is not touched.
    Text,
    /// A text, or `@` and a file that is read.
    Data,
    /// An object of a repository: a revision, a file, or `revision:file`.
    Object,
    /// A file that is read.
    Read,
    /// A file that is written.
    Write,
    /// A file that is removed.
    Delete,
    /// A file that is read and removed.
    Move,
    /// A URL or host that is connected to.
    Connect,
    /// A program that is run.
    Execute,
    /// A variable that is set.
    Set,
    /// A variable of the shell: one of its own in small letters does nothing, another is set.
    Name,
    /// A `sed` script, which must only select, replace and print.
    Sed,
    /// An `awk` program, which must only compute and print.
    Awk,
    /// A `jq` filter, which must not look at the environment or load modules.
    Jq,
}

/// A program that starts the command behind its own flags.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct WrapperSpec {
    /// Flags without a value, with blanks between.
    pub(crate) flags: String,
    /// Flags with a value, with blanks between.
    pub(crate) values: String,
    /// So many operands stand before the command.
    pub(crate) skip: usize,
    /// Whether `NAME=value` may stand before the command.
    pub(crate) assignments: bool,
    /// Whether it gives more rights.
    pub(crate) escalates: bool,
    /// Whether it adds arguments that nobody sees (`xargs`).
    pub(crate) adds: bool,
    /// Whether it joins the words and gives them to a shell (`watch`).
    pub(crate) joins: bool,
}

static BUILTIN: LazyLock<ProgramTable> =
    // A table that did not parse would know nothing, which is strict; a test holds that it parses.
    LazyLock::new(|| {
        ProgramTable::from_json(include_str!("../data/programs.json")).unwrap_or_default()
    });

impl ProgramTable {
    /// The table that comes with this crate.
    #[must_use]
    pub fn builtin() -> &'static Self {
        &BUILTIN
    }

    /// Reads a table from JSON, in the form of `data/programs.json`.
    ///
    /// # Errors
    /// [`ProgramTableError::Read`] when it is not one.
    pub fn from_json(text: &str) -> Result<Self, ProgramTableError> {
        serde_json::from_str(text).map_err(|source| ProgramTableError::Read {
            source: source.into(),
        })
    }

    /// This table with the entries of another; where both know a program, the other one wins.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        self.programs.extend(other.programs);
        self.wrappers.extend(other.wrappers);
        self.foreign.extend(other.foreign);
        self
    }
}

impl Role {
    /// Whether a word of this role is text to the program, whatever it says.
    pub(crate) const fn is_text(self) -> bool {
        matches!(self, Self::Text)
    }
}

/// Whether a list with blanks between names this flag.
pub(crate) fn listed(list: &str, flag: &str) -> bool {
    list.split_ascii_whitespace().any(|listed| listed == flag)
}
