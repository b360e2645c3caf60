//! Visits one simple command: its assignments, words and redirections, and what runs inside them.

use brush_parser::ast::{
    AssignmentValue, CommandPrefixOrSuffixItem as Item, IoFileRedirectKind, IoFileRedirectTarget,
    IoRedirect, RedirectList, SimpleCommand,
};

use super::build::{Builder, Parts};
use super::computed::Computed;
use super::walk::Folder;
use super::words;
use crate::{Assignment, EffectKind, UnknownKind, Word, WordShape};

impl Builder<'_> {
    pub(super) fn simple(&mut self, simple: &SimpleCommand, folder: &Folder) -> Folder {
        let mut parts = Parts {
            folder: folder.clone(),
            text: simple.to_string(),
            ..Parts::default()
        };
        let bare = match &simple.word_or_name {
            Some(_) => Purpose::Program,
            None => Purpose::Shell,
        };
        let prefix = simple.prefix.iter().flat_map(|prefix| &prefix.0);
        for item in prefix {
            match item {
                Item::AssignmentWord(assignment, raw) => {
                    let name = assignment.name.to_string();
                    let plain = crate::wrappers::is_name(&name)
                        && matches!(assignment.value, AssignmentValue::Scalar(_));
                    let value = if plain {
                        self.value(&after_equals(&raw.value), bare, folder)
                    } else {
                        // Arrays and their indices, which are evaluated.
                        self.unknown(UnknownKind::Syntax, &raw.value);
                        self.inside(&words::loose(&raw.value), folder);
                        Word {
                            text: after_equals(&raw.value),
                            shape: WordShape::Expanded,
                        }
                    };
                    parts.assignments.push(Assignment { name, value });
                }
                Item::IoRedirect(_) | Item::Word(_) | Item::ProcessSubstitution(..) => {
                    self.item(item, &mut parts);
                }
            }
        }
        if let Some(raw) = &simple.word_or_name {
            let read = words::word(&raw.value);
            self.inside(&read, folder);
            if read.word().shape != WordShape::Literal {
                self.unknown(UnknownKind::Program, &raw.value);
            }
            read.problems
                .iter()
                .for_each(|&kind| self.unknown(kind, &raw.value));
            parts.words.push(read.word());
        }
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            self.item(item, &mut parts);
        }
        self.push(parts)
    }

    fn item(&mut self, item: &Item, parts: &mut Parts) {
        let folder = parts.folder.clone();
        match item {
            Item::IoRedirect(redirect) => {
                match redirect {
                    IoRedirect::HereDocument(_, document) => {
                        parts.input.push(document.doc.value.clone());
                    }
                    IoRedirect::HereString(_, raw) => parts.input.push(raw.value.clone()),
                    IoRedirect::File(..) | IoRedirect::OutputAndError(..) => {}
                }
                let found = self.redirect(redirect, &folder);
                parts.redirects.extend(found);
            }
            Item::Word(raw) => self.operand(&raw.value, parts),
            Item::AssignmentWord(_, raw) => {
                if raw.value.ends_with(')') && raw.value.contains("=(") {
                    self.unknown(UnknownKind::Syntax, &raw.value);
                }
                self.operand(&raw.value, parts);
            }
            Item::ProcessSubstitution(_, shell) => {
                self.compound = true;
                self.list(&shell.list, folder);
                // The shell puts the name of a pipe here.
                parts.words.push(Word::literal("/dev/fd/63"));
            }
        }
    }

    /// An argument. That it is computed is told once it is known to which program.
    fn operand(&mut self, raw: &str, parts: &mut Parts) {
        let read = words::word(raw);
        self.inside(&read, &parts.folder);
        let later = |kind: UnknownKind| matches!(kind, UnknownKind::Expansion | UnknownKind::Glob);
        for &kind in read.problems.iter().filter(|kind| !later(**kind)) {
            self.unknown(kind, raw);
        }
        if let Some(&kind) = read.problems.iter().find(|kind| later(**kind)) {
            parts.computed.push(Computed {
                at: parts.words.len(),
                kind,
                raw: raw.to_owned(),
                is_plain: read.is_plain(),
                is_one: read.is_one(),
                is_anchored: read.is_anchored(),
                names: read.names.clone(),
            });
        }
        parts.words.push(read.word());
    }

    /// The value of an assignment. Whatever a variable of the shell becomes does nothing by itself.
    fn value(&mut self, raw: &str, purpose: Purpose, folder: &Folder) -> Word {
        if purpose == Purpose::Program {
            return self.argument(raw, folder);
        }
        let read = words::word(raw);
        self.inside(&read, folder);
        let later = |kind: UnknownKind| matches!(kind, UnknownKind::Expansion | UnknownKind::Glob);
        for &kind in read.problems.iter().filter(|kind| !later(**kind)) {
            self.unknown(kind, raw);
        }
        read.word()
    }

    /// A word that the command gets: what cannot be known of it is an unknown.
    fn argument(&mut self, raw: &str, folder: &Folder) -> Word {
        let read = words::word(raw);
        self.inside(&read, folder);
        read.problems
            .iter()
            .for_each(|&kind| self.unknown(kind, raw));
        read.word()
    }

    pub(super) fn redirects(&mut self, list: Option<&RedirectList>, folder: &Folder, first: usize) {
        for redirect in list.iter().flat_map(|list| &list.0) {
            if let Some((word, kind)) = self.redirect(redirect, folder) {
                self.redirect_effect(&word, kind, folder, first);
            }
        }
    }

    /// The target of a redirection and what happens to it; `None` where that is nothing.
    fn redirect(&mut self, redirect: &IoRedirect, folder: &Folder) -> Option<(Word, EffectKind)> {
        self.compound = true;
        match redirect {
            IoRedirect::File(_, kind, target) => {
                let effect = match kind {
                    IoFileRedirectKind::Read | IoFileRedirectKind::DuplicateInput => {
                        EffectKind::Reads
                    }
                    IoFileRedirectKind::Write
                    | IoFileRedirectKind::Append
                    | IoFileRedirectKind::ReadAndWrite
                    | IoFileRedirectKind::Clobber
                    | IoFileRedirectKind::DuplicateOutput => EffectKind::Writes,
                };
                match target {
                    IoFileRedirectTarget::Filename(raw) => {
                        Some((self.argument(&raw.value, folder), effect))
                    }
                    IoFileRedirectTarget::Duplicate(raw) => {
                        let word = self.argument(&raw.value, folder);
                        let number = word
                            .text
                            .trim_end_matches('-')
                            .chars()
                            .all(|c| c.is_ascii_digit());
                        (!number).then_some((word, effect))
                    }
                    IoFileRedirectTarget::Fd(_) => None,
                    IoFileRedirectTarget::ProcessSubstitution(_, shell) => {
                        self.list(&shell.list, folder.clone());
                        None
                    }
                }
            }
            IoRedirect::HereDocument(_, document) => {
                if document.requires_expansion {
                    let read = words::loose(&document.doc.value);
                    self.inside(&read, folder);
                    read.problems
                        .iter()
                        .for_each(|&kind| self.unknown(kind, &document.doc.value));
                }
                None
            }
            IoRedirect::HereString(_, raw) => {
                self.outside(raw, folder);
                None
            }
            IoRedirect::OutputAndError(raw, _) => {
                Some((self.argument(&raw.value, folder), EffectKind::Writes))
            }
        }
    }
}

/// For whom an assignment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// For the program behind it, in its environment.
    Program,
    /// For the shell.
    Shell,
}

fn after_equals(raw: &str) -> String {
    raw.split_once('=')
        .map_or("", |(_, value)| value)
        .to_owned()
}
