//! Reads the words of a command by the table: which is a flag, a flag's value, an operand.
//!
//! Says only what each word is *for*; `effects` says what that does.

use crate::Word;
use crate::matching::is_flag;
use crate::programs::{ProgramSpec, Role, listed};

/// A word, or a part of one, and what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Use {
    pub(crate) role: Role,
    /// `None` for an effect on something that is not named.
    pub(crate) word: Option<Word>,
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
    let mut reader = Reader {
        spec,
        uses: Uses {
            tree: spec.tree == "*",
            ..Uses::default()
        },
        operands: Vec::new(),
        acts: Vec::new(),
    };
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if text == "--" && !spec.words {
            reader.operands.extend(rest.by_ref().cloned());
        } else if is_flag(text)
            || (spec.words && listed(&spec.flags, text))
            || (text.starts_with('+') && listed(&spec.flags, "+"))
        {
            reader.flag(word, &mut rest)?;
        } else if let Some(sub) = spec.sub.get(text).filter(|_| reader.operands.is_empty()) {
            let mut inner = read(sub, rest.as_slice())?;
            reader.uses.uses.append(&mut inner.uses);
            reader.uses.tree |= inner.tree;
            reader.uses.into.append(&mut inner.into);
            return Ok(reader.uses);
        } else if !spec.sub.is_empty() {
            return Err(NotKnown);
        } else {
            reader.operands.push(word.clone());
        }
    }
    reader.finish()
}

struct Reader<'a> {
    spec: &'a ProgramSpec,
    uses: Uses,
    operands: Vec<Word>,
    acts: Vec<Role>,
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
        if let Some(&role) = self.spec.values.get(text) {
            let value = rest.next().ok_or(NotKnown)?;
            self.uses.uses.push(Use {
                role,
                word: Some(value.clone()),
            });
            return Ok(());
        }
        if let Some((name, value)) = text.split_once('=').filter(|_| text.starts_with("--")) {
            let &role = self.spec.values.get(name).ok_or(NotKnown)?;
            self.uses.uses.push(Use {
                role,
                word: Some(Word {
                    text: value.to_owned(),
                    shape: word.shape,
                }),
            });
            return Ok(());
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

    /// A flag without a value.
    fn bare(&mut self, flag: &str) -> bool {
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
            if self.bare(&flag) {
                continue;
            }
            let &role = self.spec.values.get(&flag).ok_or(NotKnown)?;
            let value: String = letters.collect();
            let value = if value.is_empty() {
                rest.next().ok_or(NotKnown)?.clone()
            } else {
                Word {
                    text: value,
                    shape: word.shape,
                }
            };
            self.uses.uses.push(Use {
                role,
                word: Some(value),
            });
            return Ok(());
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Uses, NotKnown> {
        let spec = self.spec;
        let named = usize::from(spec.first.is_some());
        if self.operands.len() == named && (spec.tree.is_empty() || self.uses.tree) {
            self.operands
                .extend(spec.default.clone().map(Word::literal));
        }
        if !self.operands.is_empty() && spec.operands.is_none() && spec.first.is_none() {
            return Err(NotKnown);
        }
        if spec.last == Some(Role::Write) && self.operands.len() < 2 {
            return Err(NotKnown);
        }
        let count = self.operands.len();
        for (at, word) in self.operands.iter().enumerate() {
            let role = match (spec.first, spec.last) {
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
            });
        }
        for &role in &self.acts {
            let named = matches!(role, Role::Read | Role::Write | Role::Delete | Role::Move)
                && !self.operands.is_empty();
            if named {
                self.uses.uses.extend(self.operands.iter().map(|word| Use {
                    role,
                    word: Some(word.clone()),
                }));
            } else {
                self.uses.uses.push(Use { role, word: None });
            }
        }
        self.uses
            .uses
            .extend(spec.always.iter().map(|&role| Use { role, word: None }));
        Ok(self.uses)
    }
}
