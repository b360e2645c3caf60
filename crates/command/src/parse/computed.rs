//! Arguments that are computed: where it does not matter what they become, and where it does.
//!
//! A program that only prints what it is given may be given anything. Elsewhere a computed word is
//! understood only as the text of a flag, or as an operand that is text and can be no flag. Everything
//! else is an unknown.

use super::build::{Builder, MAX_DEPTH, Parts};
use super::variables::is_given;
use crate::arguments::{self, Place};
use crate::effects;
use crate::programs::{Free, ProgramSpec};
use crate::wrappers::{self, Opened};
use crate::{EffectKind, UnknownKind, Word, WordShape};

/// A word that the shell computes.
#[derive(Debug, Clone)]
pub(crate) struct Computed {
    /// Which word of the command.
    pub(crate) at: usize,
    pub(crate) kind: UnknownKind,
    pub(crate) raw: String,
    /// Nothing but text comes of it.
    pub(crate) is_plain: bool,
    /// It becomes one word.
    pub(crate) is_one: bool,
    /// It becomes no flag.
    pub(crate) is_anchored: bool,
    /// The variables in it; of each other expansion, what it is.
    pub(crate) names: Vec<String>,
}

/// How sure it is that a word does not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sure {
    Always,
    /// Unless the text sets one of its variables.
    UnlessSet,
}

/// Whether what a glob becomes ends in `.x`, as no word of a `find` does that does something.
fn ends_plainly(glob: &str) -> bool {
    let tail = glob.rsplit(['*', '?', ']']).next().unwrap_or_default();
    tail.contains('.')
        && tail
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "._~".contains(c))
}

impl Builder<'_> {
    /// Tells of the computed words that are not understood. The others are from here on words of which
    /// nobody knows the text, as file names are.
    pub(super) fn settle(&mut self, parts: &mut Parts) {
        if parts.computed.is_empty() {
            return;
        }
        // Whatever stays: what runs is not the text as it stands.
        self.compound = true;
        let understood = self.understood(&parts.words, &parts.computed);
        for one in std::mem::take(&mut parts.computed) {
            if let Some((_, sure)) = understood.iter().find(|(at, _)| *at == one.at) {
                if *sure == Sure::UnlessSet {
                    self.variables.wait(one.kind, &one.raw, &one.names);
                }
                if let Some(word) = parts.words.get_mut(one.at) {
                    word.shape = WordShape::Glob;
                }
            } else {
                self.unknown(one.kind, &one.raw);
            }
        }
    }

    /// Which of the computed words do not matter, as indexes of words.
    fn understood(&self, words: &[Word], computed: &[Computed]) -> Vec<(usize, Sure)> {
        let Some((start, spec)) = self.innermost(words) else {
            return Vec::new();
        };
        let at = |one: &Computed| (one.at, Sure::Always);
        let plain = computed.iter().filter(|one| one.is_plain && one.at > start);
        match spec.free {
            Free::All => return plain.map(at).collect(),
            Free::Rest => {
                let format = words.get(start + 1);
                let literal = format.is_some_and(|word| {
                    word.shape == WordShape::Literal && !word.text.starts_with('-')
                });
                return plain.filter(|_| literal).map(at).collect();
            }
            Free::No => {}
        }
        let rest = words.get(start + 1..).unwrap_or_default();
        let Ok(uses) = arguments::read(spec, rest) else {
            return Vec::new();
        };
        let text = |one: &Computed| {
            let mut of = uses
                .uses
                .iter()
                .filter(|found| {
                    found
                        .behind
                        .is_some_and(|behind| behind + one.at + 1 == words.len())
                })
                .peekable();
            of.peek()?;
            let mut sure = Sure::Always;
            for found in of {
                found.role.is_text().then_some(())?;
                let bound = one.is_one && (one.is_anchored || found.place == Place::Value);
                let name = words.get(one.at).map(|word| word.text.as_str());
                let suffix =
                    spec.words && one.kind == UnknownKind::Glob && name.is_some_and(ends_plainly);
                if !bound && !suffix {
                    let given = one.kind == UnknownKind::Expansion
                        && one.names.iter().all(|name| is_given(name))
                        && !one.names.is_empty();
                    given.then_some(())?;
                    sure = Sure::UnlessSet;
                }
            }
            Some((one.at, sure))
        };
        plain.filter_map(text).collect()
    }

    /// The program behind all wrappers: which word it is, and its entry.
    fn innermost(&self, words: &[Word]) -> Option<(usize, &ProgramSpec)> {
        let mut start = 0;
        for _ in 0..MAX_DEPTH {
            let mut rest = words.get(start..).unwrap_or_default().to_vec();
            let first = rest.first_mut()?;
            if first.shape != WordShape::Literal {
                return None;
            }
            if let Some(name) = standard_name(&first.text) {
                first.text = name.to_owned();
            }
            match wrappers::open(&rest, self.table) {
                Opened::Plain => {
                    let spec = self.table.programs.get(&rest.first()?.text)?;
                    return Some((start, spec));
                }
                Opened::Inner(inner) => start = words.len().checked_sub(inner.words.len())?,
                Opened::Script(_) | Opened::Beside(_) | Opened::Foreign => return None,
            }
        }
        None
    }

    /// A bare assignment to a variable of the shell's own does nothing by itself: what computes its
    /// value is a command of its own, and where the value is used is judged there. So is any, where
    /// nothing runs after it.
    pub(super) fn drop_assignments(&mut self) {
        let bare = std::mem::take(&mut self.bare);
        let last = self.plan.commands.len().checked_sub(1);
        let harmless = |index: &usize| {
            let own = |name: &str| effects::is_own_variable(name);
            let names = self.plan.commands.get(*index).map(|c| &c.assignments);
            let others = self
                .plan
                .effects
                .iter()
                .any(|effect| effect.command == *index && effect.kind != EffectKind::SetsEnv);
            let alone = Some(*index) == last && !self.repeats;
            let harmless = |name: &str| own(name) || (alone && wrappers::is_name(name));
            !others && names.is_some_and(|names| names.iter().all(|one| harmless(&one.name)))
        };
        let mut dropped: Vec<usize> = bare
            .iter()
            .filter(|index| harmless(index))
            .copied()
            .collect();
        // One that has no other command beside it stays: there must be something to judge.
        if dropped.len() == self.plan.commands.len() {
            dropped.clear();
        }
        while let Some(index) = dropped.pop() {
            self.plan.commands.remove(index);
            self.plan.effects.retain(|effect| effect.command != index);
            for effect in self
                .plan
                .effects
                .iter_mut()
                .filter(|effect| effect.command > index)
            {
                effect.command -= 1;
            }
        }
    }
}

/// The name of a program that is given by its path in a standard folder.
pub(super) fn standard_name(text: &str) -> Option<&str> {
    const PLACES: [&str; 6] = [
        "/bin/",
        "/usr/bin/",
        "/usr/local/bin/",
        "/sbin/",
        "/usr/sbin/",
        "/usr/local/sbin/",
    ];
    PLACES
        .iter()
        .find_map(|place| text.strip_prefix(place))
        .filter(|name| !name.contains('/'))
}
