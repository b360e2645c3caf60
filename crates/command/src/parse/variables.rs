//! Which variables a text sets. One that it does not set is the operator's own or empty: nobody who
//! writes the command chooses what it holds, so that it cannot be made a flag.
//!
//! It may still name a file: where it would be one, it stays an unknown.

use std::collections::BTreeSet;

use super::build::Builder;
use crate::{UnknownKind, Word, WordShape, wrappers};

/// What a text sets, anywhere in it.
#[derive(Debug, Default)]
pub(crate) struct Variables {
    set: BTreeSet<String>,
    /// Something is set that cannot be told.
    any: bool,
    /// Words that are understood only if none of these variables is set.
    waiting: Vec<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    kind: UnknownKind,
    raw: String,
    names: Vec<String>,
}

/// Commands of the shell that set the variables that are their operands.
const SETTERS: [&str; 8] = [
    "export", "declare", "typeset", "readonly", "local", "read", "unset", "for",
];
/// Those that set variables in ways that are not followed.
const OTHERS: [&str; 8] = [
    "let",
    "getopts",
    "mapfile",
    "readarray",
    "printf",
    "eval",
    "source",
    ".",
];

impl Variables {
    pub(super) fn set(&mut self, name: &str) {
        self.set.insert(name.to_owned());
    }

    pub(super) fn set_any(&mut self) {
        self.any = true;
    }

    /// Notes what a command of the shell sets.
    pub(super) fn note(&mut self, words: &[Word]) {
        let Some((program, rest)) = words.split_first() else {
            return;
        };
        let name = program.text.as_str();
        if SETTERS.contains(&name) {
            for word in rest {
                self.any |= word.shape != WordShape::Literal;
                self.set(word.text.split(['=', '+', '[']).next().unwrap_or_default());
            }
        }
        let flag = |word: &Word| word.text.starts_with('-') || word.shape != WordShape::Literal;
        self.any |= OTHERS.contains(&name) && (name != "printf" || rest.first().is_some_and(flag));
    }

    pub(super) fn wait(&mut self, kind: UnknownKind, raw: &str, names: &[String]) {
        self.waiting.push(Waiting {
            kind,
            raw: raw.to_owned(),
            names: names.to_vec(),
        });
    }
}

impl Builder<'_> {
    /// Tells of the words that were understood because nothing set their variables, where something does.
    pub(super) fn tell_assigned(&mut self) {
        let variables = std::mem::take(&mut self.variables);
        for waiting in variables.waiting {
            let set = waiting
                .names
                .iter()
                .any(|name| variables.set.contains(name));
            if set || variables.any {
                self.unknown(waiting.kind, &waiting.raw);
            }
        }
    }
}

/// Whether a variable that a text does not set holds nothing that who wrote the text chose: none that
/// the shell sets, and none that a caller may set (which are neutral only where nothing reads them).
pub(super) fn is_given(name: &str) -> bool {
    const SHELL: &str = "_ REPLY OPTARG OPTIND OPTERR MAPFILE COPROC DIRSTACK FUNCNAME PIPESTATUS HISTCMD OLDPWD IFS \
        PROMPT_COMMAND CI LANG TZ TERM NO_COLOR COLUMNS LINES";
    const FAMILIES: [&str; 6] = ["BASH", "COMP", "READLINE", "LC_", "PS", "HIST"];
    wrappers::is_name(name)
        && !SHELL.split_ascii_whitespace().any(|shell| shell == name)
        && !FAMILIES.iter().any(|family| name.starts_with(family))
}
