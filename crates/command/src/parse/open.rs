//! From the words of a simple command to the commands that they start: wrappers are opened, programs
//! brought to their names, and the table is asked for effects.

use super::build::{Builder, MAX_DEPTH, Parts, fold, shown};
use super::computed::standard_name;
use super::walk::Folder;
use crate::programs::Free;
use crate::wrappers::{self, Inner, Opened};
use crate::{Assignment, EffectKind, SimpleCommand, UnknownKind, Word, WordShape, effects};

/// Of a command whose program is not known, so many ends are looked at.
const MAX_SUSPECTS: usize = 16;

impl Builder<'_> {
    pub(super) fn open(&mut self, parts: Parts, level: usize) {
        let Parts {
            words,
            assignments,
            folder,
            text,
            input,
            ..
        } = parts;
        if level > MAX_DEPTH {
            self.unknown(UnknownKind::TooLarge, &text);
            return;
        }
        let words = self.program(words, &folder);
        match wrappers::open(&words, self.table) {
            Opened::Plain => self.leaf(words, assignments, folder, text),
            Opened::Beside(commands) => {
                let commands = wrappers::found(commands, &words, folder.as_deref());
                self.leaf(words, assignments, folder.clone(), text);
                for mut inner in commands {
                    self.given(&mut inner.words);
                    let text = shown(&inner.words);
                    self.open(
                        Parts {
                            words: inner.words,
                            folder: folder.clone().filter(|_| inner.stays),
                            text,
                            ..Parts::default()
                        },
                        level + 1,
                    );
                }
            }
            Opened::Inner(inner) => self.inner(inner, words, assignments, folder, level),
            Opened::Script(script) => {
                let index = self.plan.commands.len();
                self.environment(&assignments, index, For::Program);
                let bash = words.first().is_some_and(|word| word.text == "bash");
                if !bash && only_bash_reads(&script) {
                    self.unknown(UnknownKind::Syntax, &script);
                }
                self.hide(words, &folder);
                self.text(&script, folder.as_deref(), self.depth + 1);
                if self.plan.commands.len() == index {
                    self.unknown(UnknownKind::Empty, &text);
                }
            }
            Opened::Foreign => {
                self.unknown(UnknownKind::Foreign, &text);
                for text in words.iter().skip(1).map(|word| &word.text).chain(&input) {
                    self.hide_text(text);
                }
                for at in 1..words.len().min(MAX_SUSPECTS) {
                    self.hide(words.get(at..).unwrap_or_default().to_vec(), &folder);
                }
                self.leaf(words, assignments, folder, text);
            }
        }
    }

    /// What a program finds and gives to another one: of no matter where that one takes anything.
    fn given(&mut self, words: &mut [Word]) {
        let Some((program, rest)) = words.split_first_mut() else {
            return;
        };
        if program.shape != WordShape::Literal {
            self.unknown(UnknownKind::Program, &program.text);
        }
        if self.is_free(program) {
            for word in rest
                .iter_mut()
                .filter(|word| word.shape == WordShape::Expanded)
            {
                word.shape = WordShape::Glob;
            }
        }
    }

    /// Whether a program takes any arguments and does nothing with them.
    fn is_free(&self, program: &Word) -> bool {
        let name = standard_name(&program.text).unwrap_or(&program.text);
        let spec = self.table.programs.get(name);
        spec.is_some_and(|spec| spec.free == Free::All)
    }

    fn inner(
        &mut self,
        inner: Inner,
        words: Vec<Word>,
        mut assignments: Vec<Assignment>,
        folder: Folder,
        level: usize,
    ) {
        let index = self.plan.commands.len();
        let moves = words.first().is_some_and(|word| word.text == "env")
            && words
                .iter()
                .any(|word| word.text == "-C" || word.text.starts_with("--chdir"));
        let free = inner
            .words
            .first()
            .is_some_and(|program| self.is_free(program));
        if inner.adds && !free {
            self.unknown(UnknownKind::Expansion, &shown(&words));
        }
        if inner.escalates {
            self.effect(EffectKind::Escalates, None, index);
        }
        self.hide(words, &folder);
        assignments.extend(inner.assignments);
        let text = shown(&inner.words);
        let folder = if moves { None } else { folder };
        self.open(
            Parts {
                words: inner.words,
                assignments,
                folder,
                text,
                ..Parts::default()
            },
            level + 1,
        );
    }

    /// A program by its absolute path in a standard folder is that program; a look-alike is unknown.
    fn program(&mut self, mut words: Vec<Word>, folder: &Folder) -> Vec<Word> {
        let Some(first) = words.first() else {
            return words;
        };
        if !first.text.is_ascii() {
            self.unknown(UnknownKind::LookAlike, &first.text);
        }
        if let Some(name) = standard_name(&first.text).map(str::to_owned) {
            self.hide(words.clone(), folder);
            if let Some(first) = words.first_mut() {
                first.text = name;
            }
        }
        words
    }

    /// Builtins that set a variable may set one that changes which program runs.
    fn sets(&mut self, words: &[Word]) {
        let setters = [
            "export", "declare", "typeset", "readonly", "local", "read", "unset",
        ];
        let Some((_, rest)) = words
            .split_first()
            .filter(|(program, _)| setters.contains(&program.text.as_str()))
        else {
            return;
        };
        let name = |word: &Word| {
            let name = word.text.split(['=', '+']).next();
            name.unwrap_or_default().to_owned()
        };
        for name in rest.iter().map(name).filter(|name| changes_what_runs(name)) {
            self.unknown(UnknownKind::Environment, &name);
        }
    }

    /// What a program that nobody knows may start.
    fn suspect(&mut self, words: &[Word], folder: &Folder) {
        let known = |word: &Word| self.table.programs.contains_key(&word.text);
        if words.first().is_none_or(known) {
            return;
        }
        for at in (1..words.len()).take(MAX_SUSPECTS) {
            let words = words.get(at..).unwrap_or_default().to_vec();
            let text = shown(&words);
            self.plan.suspects.push(SimpleCommand {
                words,
                assignments: Vec::new(),
                cwd: folder.clone(),
                text,
            });
        }
    }

    /// A command that is no wrapper.
    fn leaf(
        &mut self,
        words: Vec<Word>,
        assignments: Vec<Assignment>,
        folder: Folder,
        text: String,
    ) {
        let index = self.plan.commands.len();
        let purpose = if words.is_empty() {
            For::Shell
        } else {
            For::Program
        };
        self.environment(&assignments, index, purpose);
        self.variables.note(&words);
        for assignment in &assignments {
            self.hide(vec![assignment.value.clone()], &folder);
        }
        let (words, folder) = if words.first().is_some_and(|word| word.text == "git") {
            self.git(words, folder, index)
        } else {
            (words, folder)
        };
        self.suspect(&words, &folder);
        if !effects::is_plain_code(&words, self.table) {
            self.unknown(UnknownKind::Foreign, &text);
        }
        if evaluates_an_index(&words) {
            self.unknown(UnknownKind::Arithmetic, &text);
        }
        self.sets(&words);
        if words.is_empty() {
            self.bare.push(index);
            for assignment in &assignments {
                self.effect(EffectKind::SetsEnv, Some(assignment.name.clone()), index);
            }
        }
        let command = SimpleCommand {
            words,
            assignments,
            cwd: folder,
            text,
        };
        self.plan
            .effects
            .extend(effects::of(&command, self.table, index));
        self.plan.commands.push(command);
    }

    /// `git -C x -c y=z status` is `git status` in `x`, and runs what `y=z` says.
    fn git(&mut self, words: Vec<Word>, mut folder: Folder, index: usize) -> (Vec<Word>, Folder) {
        let mut rest = words.iter().skip(1).peekable();
        let mut opened = false;
        while let Some(word) = rest.next_if(|word| {
            word.text.starts_with('-') && word.text.len() > 2
                || word.text == "-C"
                || word.text == "-c"
                || word.text == "-p"
                || word.text == "-P"
        }) {
            let text = word.text.as_str();
            match text {
                "-C" => {
                    let to = rest.next().filter(|word| word.shape == WordShape::Literal);
                    folder = to.and_then(|word| fold(&word.text, folder.as_deref()));
                }
                "--no-pager" | "-P" | "--no-optional-locks" | "--literal-pathspecs" => {}
                "--version" | "--help" | "--exec-path" => return (words, folder),
                "-c" | "--git-dir" | "--work-tree" | "--config-env" | "--namespace" => {
                    let value = rest.next().map(|word| word.text.clone());
                    self.effect(EffectKind::Executes, value, index);
                }
                // `-p`, `--paginate`, `--git-dir=…`, `--exec-path=…` and whatever we do not know.
                _ => self.effect(EffectKind::Executes, Some(text.to_owned()), index),
            }
            opened = true;
        }
        // It does what the configuration of that repository says, so a foreign folder counts.
        self.effect(EffectKind::Reads, folder.clone(), index);
        let rest: Vec<Word> = rest.cloned().collect();
        if opened {
            self.hide(words.clone(), &folder);
        }
        (
            [words.first().cloned().into_iter().collect(), rest].concat(),
            folder,
        )
    }

    /// Assignments before a program: neutral names do nothing, some change which program runs.
    fn environment(&mut self, assignments: &[Assignment], index: usize, purpose: For) {
        for assignment in assignments {
            let name = assignment.name.as_str();
            self.variables.set(name);
            if is_neutral(name) {
                continue;
            }
            if purpose == For::Program {
                self.effect(EffectKind::Executes, Some(name.to_owned()), index);
            }
            if changes_what_runs(name) {
                self.unknown(UnknownKind::Environment, name);
            }
        }
    }
}

/// Whether a text holds what means something else to another shell than bash: `sh` may be any.
fn only_bash_reads(text: &str) -> bool {
    const OURS: [&str; 12] = [
        "$'", "$\"", "<(", ">(", "&>", "|&", "<<<", "[[", "((", "=(", ";&", "function",
    ];
    OURS.iter().any(|form| text.contains(form))
}

/// Whether a builtin takes a text for a variable's name with an index, or for arithmetic: bash expands
/// what stands in there once more, quotes or not, and runs the substitutions in it.
fn evaluates_an_index(words: &[Word]) -> bool {
    let Some((program, rest)) = words.split_first() else {
        return false;
    };
    let indexed = rest.iter().any(|word| word.text.contains('['));
    let flag = |letters: &str| {
        let short = |word: &Word| {
            let letter = |c: char| letters.contains(c);
            word.text.starts_with(['-', '+']) && word.text.contains(letter)
        };
        rest.iter().any(short)
    };
    match program.text.as_str() {
        "let" => !rest
            .iter()
            .all(|word| super::words::is_plain_arithmetic(&word.text)),
        "test" | "[" => indexed && flag("vR"),
        "printf" => indexed && flag("v"),
        "declare" | "typeset" | "local" | "export" | "readonly" => indexed || flag("in"),
        "read" | "unset" | "getopts" | "wait" | "mapfile" | "readarray" => indexed,
        _ => false,
    }
}

/// For whom an assignment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum For {
    Program,
    Shell,
}

/// Names whose values no program runs. Source: the page on commands.
fn is_neutral(name: &str) -> bool {
    matches!(name, "CI" | "LANG" | "TZ" | "TERM" | "NO_COLOR" | "COLUMNS")
        || name.starts_with("LC_")
}

/// Names that change which program or library is loaded, whatever the program is.
pub(super) fn changes_what_runs(name: &str) -> bool {
    [
        "PATH",
        "ENV",
        "BASH_ENV",
        "IFS",
        "SHELLOPTS",
        "BASHOPTS",
        "PROMPT_COMMAND",
        "PS4",
        "CDPATH",
        "GLOBIGNORE",
        "SHELL",
        "HOME",
    ]
    .contains(&name)
        || ["LD_", "DYLD_", "BASH_FUNC_"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
}
