//! Reads the words of a command by the table: which is a flag, a flag's value, an operand.
//!
//! Says only what each word is *for*; `effects` says what that does.

use crate::matching::is_flag;
use crate::programs::{Free, ProgramSpec, Role, listed};
use crate::{Word, WordShape};

/// A word, or a part of one, and what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Use {
    pub(crate) role: Role,
    /// `None` for an effect on something that is not named.
    pub(crate) word: Option<Word>,
    /// So many words stand behind it; `None` where it is no word of the command.
    pub(crate) behind: Option<usize>,
    pub(crate) place: Place,
}

/// Where a word stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Behind or beside its flag.
    Value,
    /// By itself, where it would be a flag if it looked like one.
    Operand,
}

impl Use {
    /// Something done that is no word's own meaning.
    pub(crate) const fn of(role: Role, word: Option<Word>) -> Self {
        Self {
            role,
            word,
            behind: None,
            place: Place::Operand,
        }
    }
}

/// What a command does by the table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Uses {
    pub(crate) uses: Vec<Use>,
    /// Whether it reaches everything below its operands.
    pub(crate) tree: bool,
    /// What is written to also as a folder into which these are put.
    pub(crate) into: Vec<Word>,
}

/// The program or a flag is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotKnown;

/// Reads the words behind the program's name.
pub(crate) fn read(spec: &ProgramSpec, words: &[Word]) -> Result<Uses, NotKnown> {
    read_behind(spec, words, &[])
}

/// The same for a subcommand, with the words before it.
fn read_behind(spec: &ProgramSpec, words: &[Word], before: &[Word]) -> Result<Uses, NotKnown> {
    match spec.free {
        Free::All => return Ok(Uses::default()),
        // The format of `printf`, which as a flag would set a variable.
        Free::Rest => {
            let plain =
                |word: &Word| word.shape == WordShape::Literal && !word.text.starts_with('-');
            let first = words.first().is_none_or(plain);
            return first.then(Uses::default).ok_or(NotKnown);
        }
        Free::No => {}
    }
    let mut reader = Reader {
        spec,
        uses: Uses {
            tree: spec.tree == "*",
            ..Uses::default()
        },
        operands: Vec::new(),
        acts: Vec::new(),
        must: spec.must.is_empty() || before.iter().any(|word| listed(&spec.must, &word.text)),
        needs: spec.needs.is_empty(),
        replaced: false,
    };
    let dashed = dashed(spec, words);
    let words = dashed.as_deref().unwrap_or(words);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if text == "--" && !spec.words {
            while let Some(word) = rest.next() {
                reader.operands.push((word.clone(), Some(rest.len())));
            }
        } else if is_flag(text)
            || (spec.words && listed(&spec.flags, text))
            || (text.starts_with('+') && listed(&spec.flags, "+"))
        {
            reader.flag(word, &mut rest)?;
        } else if let Some(sub) = spec.sub.get(text).filter(|_| reader.operands.is_empty()) {
            let before = words.get(..words.len() - rest.len()).unwrap_or_default();
            let mut inner = read_behind(sub, rest.as_slice(), before)?;
            reader.uses.uses.append(&mut inner.uses);
            reader.uses.tree |= inner.tree;
            reader.uses.into.append(&mut inner.into);
            return Ok(reader.uses);
        } else if !spec.sub.is_empty() {
            return Err(NotKnown);
        } else {
            reader.operands.push((word.clone(), Some(rest.len())));
        }
    }
    reader.finish()
}

/// `tar tf x` is `tar -tf x`.
fn dashed(spec: &ProgramSpec, words: &[Word]) -> Option<Vec<Word>> {
    let first = words
        .first()
        .filter(|word| spec.dashless && !word.text.starts_with('-'))?;
    let mut dashed = words.to_vec();
    if let Some(word) = dashed.first_mut() {
        word.text = format!("-{}", first.text);
    }
    Some(dashed)
}

struct Reader<'a> {
    spec: &'a ProgramSpec,
    uses: Uses,
    /// With the number of words behind each.
    operands: Vec<(Word, Option<usize>)>,
    acts: Vec<Role>,
    /// Whether the flags that must be there, or must be there beside operands, were met.
    must: bool,
    needs: bool,
    /// Whether a flag stood for the first operand.
    replaced: bool,
}

impl Reader<'_> {
    fn flag<'w>(
        &mut self,
        word: &Word,
        rest: &mut std::slice::Iter<'w, Word>,
    ) -> Result<(), NotKnown> {
        let text = word.text.as_str();
        if text.starts_with('+') || self.bare(text) {
            return Ok(());
        }
        self.met(text);
        if let Some(&role) = self.spec.values.get(text) {
            let value = rest.next().ok_or(NotKnown)?;
            return self.value(role, value.clone(), rest.len());
        }
        if let Some((name, value)) = text.split_once('=').filter(|_| text.starts_with("--")) {
            self.met(name);
            let &role = self.spec.values.get(name).ok_or(NotKnown)?;
            return self.joined(role, value.to_owned(), word, rest.len());
        }
        let digits = text.strip_prefix('-').unwrap_or_default();
        if self.spec.numbers && digits.chars().all(|c| c.is_ascii_digit()) {
            return Ok(());
        }
        if self.spec.words || text.starts_with("--") {
            Err(NotKnown)
        } else {
            self.cluster(word, rest)
        }
    }

    /// A value in a word of its own. What looks like a flag is not taken for one: where the table is
    /// wrong about the flag before it, it would be hidden.
    fn value(&mut self, role: Role, word: Word, behind: usize) -> Result<(), NotKnown> {
        let flag = is_flag(&word.text);
        let number = word.text.chars().nth(1).is_some_and(|c| c.is_ascii_digit());
        if flag && !number && !self.spec.words {
            return Err(NotKnown);
        }
        self.push(role, word, behind)
    }

    /// A value in the same word as its flag.
    fn joined(
        &mut self,
        role: Role,
        text: String,
        word: &Word,
        behind: usize,
    ) -> Result<(), NotKnown> {
        let shape = word.shape;
        self.push(role, Word { text, shape }, behind)
    }

    fn push(&mut self, role: Role, word: Word, behind: usize) -> Result<(), NotKnown> {
        if word.text.contains(|c| self.spec.never.contains(c)) {
            return Err(NotKnown);
        }
        self.uses.uses.push(Use {
            role,
            word: Some(word),
            behind: Some(behind),
            place: Place::Value,
        });
        Ok(())
    }

    /// Notes what a flag means beside its value.
    fn met(&mut self, flag: &str) {
        self.must |= listed(&self.spec.must, flag);
        self.needs |= listed(&self.spec.needs, flag);
        self.replaced |= listed(&self.spec.instead, flag);
    }

    /// A flag without a value.
    fn bare(&mut self, flag: &str) -> bool {
        self.met(flag);
        let tree = listed(&self.spec.tree, flag);
        self.uses.tree |= tree;
        if let Some(&role) = self.spec.acts.get(flag) {
            self.acts.push(role);
            return true;
        }
        tree || listed(&self.spec.flags, flag)
    }

    /// `-nE5`: letters, of which one may take the rest or the next word as its value.
    fn cluster<'w>(
        &mut self,
        word: &Word,
        rest: &mut std::slice::Iter<'w, Word>,
    ) -> Result<(), NotKnown> {
        let mut letters = word.text.chars().skip(1);
        while let Some(letter) = letters.next() {
            let flag = format!("-{letter}");
            self.met(&flag);
            if self.bare(&flag) {
                continue;
            }
            if listed(&self.spec.attached, &flag) {
                return Ok(());
            }
            let &role = self.spec.values.get(&flag).ok_or(NotKnown)?;
            let value: String = letters.collect();
            return if value.is_empty() {
                let value = rest.next().ok_or(NotKnown)?;
                self.value(role, value.clone(), rest.len())
            } else {
                self.joined(role, value, word, rest.len())
            };
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Uses, NotKnown> {
        let spec = self.spec;
        let first = spec.first.filter(|_| !self.replaced);
        let named = usize::from(first.is_some());
        if !self.must || !(self.needs || self.operands.is_empty()) {
            return Err(NotKnown);
        }
        if !self.operands.iter().all(|(word, _)| spec.takes(word))
            || spec.most.is_some_and(|most| self.operands.len() > most)
        {
            return Err(NotKnown);
        }
        if self.operands.len() == named && (spec.tree.is_empty() || self.uses.tree) {
            self.operands
                .extend(spec.default.clone().map(|word| (Word::literal(word), None)));
        }
        if !self.operands.is_empty() && spec.operands.is_none() && first.is_none() {
            return Err(NotKnown);
        }
        if spec.last == Some(Role::Write) && self.operands.len() < 2 {
            return Err(NotKnown);
        }
        let count = self.operands.len();
        for (at, (word, behind)) in self.operands.iter().enumerate() {
            let role = match (first, spec.last) {
                (Some(first), _) if at == 0 => first,
                (_, Some(last)) if at + 1 == count => last,
                (_, _) => spec.operands.ok_or(NotKnown)?,
            };
            if spec.last.is_some() && at + 1 < count {
                self.uses.into.push(word.clone());
            }
            self.uses.uses.push(Use {
                role,
                word: Some(word.clone()),
                behind: *behind,
                place: Place::Operand,
            });
        }
        for &role in &self.acts {
            let named = matches!(role, Role::Read | Role::Write | Role::Delete | Role::Move)
                && !self.operands.is_empty();
            if named {
                let words = self.operands.iter();
                self.uses
                    .uses
                    .extend(words.map(|(word, _)| Use::of(role, Some(word.clone()))));
            } else {
                self.uses.uses.push(Use::of(role, None));
            }
        }
        let reads = spec.reads.iter();
        self.uses
            .uses
            .extend(reads.map(|path| Use::of(Role::Read, Some(Word::literal(path.clone())))));
        self.uses
            .uses
            .extend(spec.always.iter().map(|&role| Use::of(role, None)));
        Ok(self.uses)
    }
}

impl ProgramSpec {
    /// Whether a word can be an operand.
    fn takes(&self, word: &Word) -> bool {
        let letters =
            self.letters.is_empty() || word.text.chars().all(|c| self.letters.contains(c));
        letters && !word.text.contains(|c| self.never.contains(c))
    }
}
