//! Patterns over the words of a command, read in one way for allow and in a wider way for ask and deny.
//!
//! An allow says what its author saw: exact words in their order, and wildcards that never become a
//! flag. An ask or deny says what its author feared, however it is spelled.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::sync::Arc;

use tipstaff_resource::{PatternError, WordGlob};

use crate::matching::{At, Element, First, MAX_FLAGS, Machine};
use crate::{CommandPatternError, SimpleCommand, Word};

/// How a pattern is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reading {
    /// For allow: `*` and `**` match no word that begins with `-`; words that the shell still expands
    /// match nothing.
    Allow,
    /// For ask, deny and guard: `*` and `**` match every word, flags are a set: in any order and
    /// place, in clusters, in their long form, beside others.
    Strict,
}

/// A pattern, word by word. Displays as its words with blanks between. A clone shares all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandPattern(Arc<Parsed>);

#[derive(Debug, PartialEq, Eq)]
struct Parsed {
    words: Vec<String>,
    allow: Machine,
    strict: Machine,
}

/// Other spellings of flags whose meaning denies are written for. Source: the manuals of GNU
/// coreutils and git.
const SAME: &[(&str, &[&[&str]])] = &[
    (
        "rm",
        &[
            &["-r", "-R", "--recursive"],
            &["-f", "--force"],
            &["-d", "--dir"],
        ],
    ),
    ("cp", &[&["-r", "-R", "--recursive"], &["-f", "--force"]]),
    ("mv", &[&["-f", "--force"]]),
    ("ln", &[&["-f", "--force"], &["-s", "--symbolic"]]),
    ("chmod", &[&["-R", "--recursive"]]),
    ("chown", &[&["-R", "--recursive"]]),
    (
        "git",
        &[
            &["-f", "--force"],
            &["-d", "--delete"],
            &["-n", "--dry-run"],
        ],
    ),
    ("sed", &[&["-i", "--in-place"]]),
];

/// A common command longer than this is not looked for: patterns that meet, meet earlier.
const MAX_WORDS: usize = 48;

impl CommandPattern {
    /// Reads the words of a pattern.
    ///
    /// # Errors
    /// [`CommandPatternError::Empty`] without words, [`CommandPatternError::Word`] for the first word
    /// that cannot be read, [`CommandPatternError::TooLong`] past 32 words.
    pub fn parse(words: Vec<String>) -> Result<Self, CommandPatternError> {
        if words.is_empty() {
            return Err(CommandPatternError::Empty);
        }
        if words.len() > MAX_FLAGS {
            return Err(CommandPatternError::TooLong);
        }
        let mut elements = Vec::new();
        for (index, word) in words.iter().enumerate() {
            elements.push(match word.as_str() {
                "**" => Element::Rest,
                "**flags" => Element::RestFlags,
                text => Element::One(glob(text).map_err(|why| {
                    CommandPatternError::Word {
                        index,
                        word: text
                            .chars()
                            .take(80)
                            .flat_map(char::escape_default)
                            .collect(),
                        why,
                    }
                })?),
            });
        }
        let program = words.first().map(String::as_str).unwrap_or_default();
        let same = SAME
            .iter()
            .find(|(name, _)| *name == program)
            .map_or(&[][..], |(_, same)| same);
        let allow = Machine::new(&elements, Reading::Allow, &[]);
        let strict = Machine::new(&elements, Reading::Strict, same);
        Ok(Self(Arc::new(Parsed {
            words,
            allow,
            strict,
        })))
    }

    /// The words as written.
    #[must_use]
    pub fn words(&self) -> &[String] {
        &self.0.words
    }

    /// Words that stand, ASCII letter case aside, in every command that the pattern means in this
    /// reading.
    pub fn literal_words(&self, reading: Reading) -> impl Iterator<Item = &str> {
        self.machine(reading)
            .globs()
            .filter_map(WordGlob::only_word)
    }

    fn machine(&self, reading: Reading) -> &Machine {
        match reading {
            Reading::Allow => &self.0.allow,
            Reading::Strict => &self.0.strict,
        }
    }

    /// Whether the command is one that it means. A command without words is meant by no pattern.
    #[must_use]
    pub fn matches(&self, command: &SimpleCommand, reading: Reading) -> bool {
        self.matches_words(&command.words, reading)
    }

    fn matches_words(&self, words: &[Word], reading: Reading) -> bool {
        if words.is_empty() {
            return false;
        }
        let machine = self.machine(reading);
        if let Some(answer) = machine.matches_few(words) {
            return answer;
        }
        let mut states = machine.start();
        let mut first = First::Yes;
        for word in words {
            states = machine.step(&states, word, first);
            first = First::No;
        }
        machine.accepts(&states)
    }

    /// A shortest command that both mean, each in its reading; `None` means that there is none.
    ///
    /// Every word that could make a difference is tried: what two words of the patterns have in
    /// common, every flag, and a word that neither names.
    #[must_use]
    pub fn overlap(
        &self,
        reading: Reading,
        other: &Self,
        other_reading: Reading,
    ) -> Option<Vec<String>> {
        let (one, two) = (self.machine(reading), other.machine(other_reading));
        let alphabet = alphabet(one, two);
        let start = (one.start(), two.start());
        let mut seen = HashSet::from([start.clone()]);
        let mut queue: VecDeque<(BTreeSet<At>, BTreeSet<At>, Vec<String>)> =
            VecDeque::from([(start.0, start.1, Vec::new())]);
        while let Some((x, y, words)) = queue.pop_front() {
            if !words.is_empty() && one.accepts(&x) && two.accepts(&y) {
                return Some(words);
            }
            if words.len() >= MAX_WORDS {
                continue;
            }
            let first = if words.is_empty() {
                First::Yes
            } else {
                First::No
            };
            for text in &alphabet {
                let word = Word::literal(text.clone());
                let next = (one.step(&x, &word, first), two.step(&y, &word, first));
                if !next.0.is_empty() && !next.1.is_empty() && seen.insert(next.clone()) {
                    queue.push_back((
                        next.0,
                        next.1,
                        [words.as_slice(), std::slice::from_ref(text)].concat(),
                    ));
                }
            }
        }
        None
    }
}

fn glob(text: &str) -> Result<WordGlob, &'static str> {
    if text.is_empty() {
        return Err("it is empty; leave it out");
    }
    if text.contains(|c: char| c.is_control()) {
        return Err("it holds a control character");
    }
    if text.starts_with("**") {
        return Err("`**` stands alone, or as `**flags`; inside a word write `*`");
    }
    WordGlob::parse(text).map_err(|error| match error {
        PatternError::Refused { why, .. } => why,
        _ => "it is no glob",
    })
}

fn alphabet(one: &Machine, two: &Machine) -> BTreeSet<String> {
    let mut words: BTreeSet<String> = one.words().chain(two.words()).collect();
    for a in one.globs() {
        words.extend(two.globs().filter_map(|b| a.overlap(b)));
    }
    // A program's name is read without case by a deny.
    words.extend(words.clone().iter().map(|word| word.to_ascii_lowercase()));
    // What begins with `-` by chance may also be met behind another letter.
    words.extend(
        words
            .clone()
            .iter()
            .filter(|word| word.starts_with('-'))
            .map(|word| format!("a{word}")),
    );
    words.extend(["a".to_owned(), "-a".to_owned()]);
    words.retain(|word| !word.is_empty());
    words
}

impl std::fmt::Display for CommandPattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.words.join(" "))
    }
}
