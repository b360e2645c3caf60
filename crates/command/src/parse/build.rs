//! Collects the plan while a text is parsed and walked; bounds how much it may hold.

use std::panic::{AssertUnwindSafe, catch_unwind};

use brush_parser::{ParserOptions, parse_tokens, uncached_tokenize_str};
use tipstaff_resource::{Base, Resource};

use super::computed::Computed;
use super::variables::Variables;
use super::walk::Folder;
use super::{guard, words};
use crate::programs::ProgramTable;
use crate::{
    Assignment, CommandEffect, CommandPlan, EffectKind, Extent, SimpleCommand, Unknown,
    UnknownKind, Word, WordShape, effects,
};

/// Texts inside texts, at most so deep.
pub(super) const MAX_DEPTH: usize = 8;
/// A plan holds at most so many commands, and so many words on the side.
const MAX_COMMANDS: usize = 512;

pub(crate) struct Builder<'a> {
    pub(super) table: &'a ProgramTable,
    pub(crate) plan: CommandPlan,
    /// Whether anything was met that only a shell can do.
    pub(crate) compound: bool,
    pub(super) depth: usize,
    /// The words of the first simple command, as they were written.
    written: Option<Vec<Word>>,
    /// Commands that are bare assignments to variables of the shell's own.
    pub(super) bare: Vec<usize>,
    /// Whether anything may run more than once, so that the last command is not the last to run.
    pub(super) repeats: bool,
    /// What the text sets, and what is understood only where it does not.
    pub(super) variables: Variables,
}

/// What the walk found of one simple command.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parts {
    pub(crate) words: Vec<Word>,
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) redirects: Vec<(Word, EffectKind)>,
    /// Which of the words are computed.
    pub(crate) computed: Vec<Computed>,
    /// Here-documents and here-strings, which a shell or interpreter would run.
    pub(crate) input: Vec<String>,
    pub(crate) folder: Folder,
    pub(crate) text: String,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(table: &'a ProgramTable) -> Self {
        Self {
            table,
            plan: CommandPlan::default(),
            compound: false,
            depth: 0,
            written: None,
            bare: Vec::new(),
            repeats: false,
            variables: Variables::default(),
        }
    }

    pub(crate) fn finish(mut self, text: &str) -> CommandPlan {
        self.tell_assigned();
        self.drop_assignments();
        if self.plan.commands.is_empty() {
            self.unknown(UnknownKind::Empty, text);
        }
        let plain =
            !self.compound && self.plan.unknowns.is_empty() && self.plan.commands.len() == 1;
        if let Some(words) = self.written.filter(|_| plain) {
            let literal = words.iter().all(|word| word.shape == WordShape::Literal);
            let shell = words.first().is_some_and(|word| is_builtin(&word.text));
            self.plan.argv =
                (literal && !shell).then(|| words.into_iter().map(|word| word.text).collect());
        }
        self.plan
    }

    pub(crate) fn unknown(&mut self, kind: UnknownKind, text: &str) {
        let text: String = text
            .chars()
            .take(200)
            .flat_map(char::escape_default)
            .collect();
        let unknown = Unknown { kind, text };
        if self.plan.unknowns.len() < MAX_COMMANDS && !self.plan.unknowns.contains(&unknown) {
            self.plan.unknowns.push(unknown);
        }
    }

    /// Parses a text and visits it; where it ends is where the shell would stand.
    pub(crate) fn text(&mut self, text: &str, cwd: Option<&str>, depth: usize) -> Folder {
        if depth > MAX_DEPTH || guard::too_large(text) {
            self.unknown(UnknownKind::TooLarge, text);
            return None;
        }
        let options = ParserOptions {
            enable_extended_globbing: false,
            ..ParserOptions::default()
        };
        let parsed = catch_unwind(AssertUnwindSafe(|| {
            let tokens = uncached_tokenize_str(text, &options.tokenizer_options())
                .map_err(|_| UnknownKind::Syntax)?;
            if guard::too_deep(&tokens) {
                return Err(UnknownKind::TooLarge);
            }
            parse_tokens(&tokens, &options).map_err(|_| UnknownKind::Syntax)
        }));
        match parsed.unwrap_or(Err(UnknownKind::Syntax)) {
            Ok(program) => {
                let before = std::mem::replace(&mut self.depth, depth);
                let mut folder = cwd.map(str::to_owned);
                for list in &program.complete_commands {
                    folder = self.list(list, folder);
                }
                self.depth = before;
                self.compound |= program.complete_commands.len() > 1;
                folder
            }
            Err(kind) => {
                self.unknown(kind, text);
                self.hide_text(text);
                None
            }
        }
    }

    /// Visits what runs inside a word.
    pub(crate) fn inside(&mut self, read: &words::Read, folder: &Folder) {
        if read.evaluates {
            self.unknown(UnknownKind::Expansion, &read.word().text);
        }
        if read.assigns {
            self.variables.set_any();
        }
        for text in &read.commands {
            self.compound = true;
            self.text(text, folder.as_deref(), self.depth + 1);
        }
    }

    /// Words of a text that is no command to us, for ask and deny: cut where a shell would cut.
    pub(super) fn hide_text(&mut self, text: &str) {
        for line in text
            .split(['\n', ';', '|', '&', '(', ')', '{', '}', '`', '"', '\''])
            .take(64)
        {
            let words = line
                .split_whitespace()
                .map(Word::literal)
                .collect::<Vec<_>>();
            self.hide(words, &None);
        }
    }

    pub(super) fn hide(&mut self, words: Vec<Word>, folder: &Folder) {
        if !words.is_empty() && self.plan.hidden.len() < MAX_COMMANDS {
            let text = shown(&words);
            self.plan.hidden.push(SimpleCommand {
                words,
                assignments: Vec::new(),
                cwd: folder.clone(),
                text,
            });
        }
    }

    /// Adds a simple command; gives the folder behind it.
    pub(crate) fn push(&mut self, mut parts: Parts) -> Folder {
        if self.plan.commands.len() >= MAX_COMMANDS {
            self.unknown(UnknownKind::TooLarge, &parts.text);
            return None;
        }
        if self.written.is_none() {
            self.written = Some(parts.words.clone());
        }
        self.compound |= !parts.assignments.is_empty();
        self.settle(&mut parts);
        let index = self.plan.commands.len();
        let folder = parts.folder.clone();
        let redirects = parts.redirects.clone();
        // `sh -c 'cd x'` moves another shell.
        let own = parts.words.first().is_some_and(|word| {
            ["cd", "pushd", "popd", "command", "builtin"].contains(&word.text.as_str())
        });
        self.open(parts, 0);
        // Whatever the wrapper was, the redirection belongs to what it starts.
        for (word, kind) in redirects {
            self.redirect_effect(&word, kind, &folder, index);
        }
        let moved = self
            .plan
            .commands
            .get(index)
            .filter(|_| own && self.plan.commands.len() == index + 1);
        match moved.map(|command| {
            (
                command.words.first().map(|word| word.text.clone()),
                command.words.clone(),
            )
        }) {
            Some((Some(name), words)) if name == "cd" || name == "pushd" => {
                changed(&words, folder.as_deref())
            }
            Some((Some(name), _)) if name == "popd" => None,
            _ => folder,
        }
    }

    pub(super) fn effect(&mut self, kind: EffectKind, value: Option<String>, command: usize) {
        self.plan.effects.push(CommandEffect {
            kind,
            value,
            extent: Extent::One,
            command,
            written: None,
        });
    }

    pub(crate) fn redirect_effect(
        &mut self,
        word: &Word,
        kind: EffectKind,
        folder: &Folder,
        index: usize,
    ) {
        if self.plan.commands.len() == index {
            // A redirection without a command is a command that nothing allows.
            self.plan.commands.push(SimpleCommand {
                cwd: folder.clone(),
                text: word.text.clone(),
                ..SimpleCommand::default()
            });
        }
        self.plan
            .effects
            .extend(effects::redirect(word, kind, folder.as_deref(), index));
    }
}

/// Where `cd` leads, if that is plain.
fn changed(words: &[Word], cwd: Option<&str>) -> Folder {
    let operands: Vec<&Word> = words
        .iter()
        .skip(1)
        .filter(|word| !["--", "-L", "-P"].contains(&word.text.as_str()))
        .collect();
    match operands.as_slice() {
        [to] if to.shape == WordShape::Literal
            && !to.text.starts_with(['-', '+'])
            && !to.text.is_empty() =>
        {
            fold(&to.text, cwd)
        }
        _ => None,
    }
}

pub(super) fn fold(text: &str, cwd: Option<&str>) -> Folder {
    Resource::fold_path(text, &Base { cwd, root: None }).ok()
}

/// Words as text for people: quoted where a blank would mislead.
pub(super) fn shown(words: &[Word]) -> String {
    let word = |word: &Word| {
        if word.text.is_empty() || word.text.contains(char::is_whitespace) {
            format!("'{}'", word.text)
        } else {
            word.text.clone()
        }
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Commands that only a shell has, so that argv alone cannot start them.
fn is_builtin(name: &str) -> bool {
    const NAMES: &str = ": . alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs \
        disown enable eval exec exit export fc fg getopts hash help history jobs let local logout mapfile popd pushd read \
        readarray readonly return set shift shopt source suspend times trap type typeset ulimit umask unalias unset wait";
    NAMES
        .split_ascii_whitespace()
        .any(|builtin| builtin == name)
}
