//! The automaton over words that a command pattern is, in each of its two readings.
//!
//! A state is a place in the pattern and the set of wanted flags that were seen. Linear in the words;
//! the same steps serve matching and the search for a common command.

use std::collections::BTreeSet;

use tipstaff_resource::{CaseRule, WordGlob};

use crate::{Reading, Word, WordShape};

/// One element of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Element {
    /// One word of this form; `*` is the glob of that text.
    One(WordGlob),
    /// `**`: any number of words.
    Rest,
    /// `**flags`: any number of words, flags also for allow.
    RestFlags,
}

/// A pattern, ready for one reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Machine {
    reading: Reading,
    elements: Vec<Element>,
    /// For ask and deny: the flags that a command must have somewhere, each as its spellings.
    flags: Vec<Flag>,
}

/// One flag that must be there: a letter of a cluster, or a whole word.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Flag {
    /// The word as the pattern has it, such as `-rf`.
    whole: String,
    /// What of it this is about, such as `-r`, and its other spellings.
    spellings: Vec<String>,
}

/// Where a match stands: the place in the pattern, and the flags seen so far, one bit each.
pub(crate) type At = (usize, u32);

/// A few states, on the stack.
struct Few {
    states: [At; 48],
    count: usize,
}

impl Default for Few {
    fn default() -> Self {
        Self {
            states: [(0, 0); 48],
            count: 0,
        }
    }
}

impl Few {
    fn as_slice(&self) -> &[At] {
        self.states.get(..self.count).unwrap_or_default()
    }

    fn add(&mut self, state: At) -> Option<()> {
        if !self.as_slice().contains(&state) {
            *self.states.get_mut(self.count)? = state;
            self.count += 1;
        }
        Some(())
    }
}

/// A pattern holds at most so many flags, one bit each.
pub(crate) const MAX_FLAGS: usize = 32;

impl Machine {
    pub(crate) fn new(elements: &[Element], reading: Reading, same: &[&[&str]]) -> Self {
        let is_wanted = |element: &Element| match element {
            Element::One(glob) => reading == Reading::Strict && is_flag(glob.as_str()),
            Element::Rest | Element::RestFlags => false,
        };
        let wanted = elements.iter().filter(|element| is_wanted(element));
        let flags = wanted
            .flat_map(|element| match element {
                Element::One(glob) => flags_of(glob.as_str(), same),
                Element::Rest | Element::RestFlags => Vec::new(),
            })
            .take(MAX_FLAGS)
            .collect();
        let elements = elements
            .iter()
            .filter(|element| !is_wanted(element))
            .cloned()
            .collect();
        Self {
            reading,
            elements,
            flags,
        }
    }

    /// Whether the words are a command that the pattern means, in a few states on the stack; `None`
    /// where those do not suffice.
    pub(crate) fn matches_few(&self, words: &[Word]) -> Option<bool> {
        let mut states = Few::default();
        self.reach(&mut states, (0, 0))?;
        let mut first = First::Yes;
        for word in words {
            let seen = self.seen(&word.text);
            let mut after = Few::default();
            for &(at, bits) in states.as_slice() {
                for next in self
                    .next((at, bits), seen, word, first)
                    .into_iter()
                    .flatten()
                {
                    self.reach(&mut after, next)?;
                }
            }
            if after.count == 0 {
                return Some(false);
            }
            (states, first) = (after, First::No);
        }
        Some(
            states
                .as_slice()
                .contains(&(self.elements.len(), self.all_flags())),
        )
    }

    /// Adds a state and those that an empty `**` leads to; `None` where there is no more room.
    fn reach(&self, states: &mut Few, (mut at, bits): At) -> Option<()> {
        loop {
            states.add((at, bits))?;
            match self.elements.get(at) {
                Some(Element::Rest | Element::RestFlags) => at += 1,
                Some(Element::One(_)) | None => return Some(()),
            }
        }
    }

    /// The states after one word, before what an empty `**` adds.
    fn next(&self, (at, bits): At, seen: u32, word: &Word, first: First) -> [Option<At>; 2] {
        let flag =
            (self.reading == Reading::Strict && is_flag(&word.text)).then_some((at, bits | seen));
        let taken = match self.elements.get(at) {
            Some(Element::One(glob)) if self.takes(glob, word, first) => Some((at + 1, bits)),
            Some(Element::Rest) if self.takes_any(word) => Some((at, bits)),
            Some(Element::RestFlags)
                if self.reading == Reading::Strict || word.shape != WordShape::Expanded =>
            {
                Some((at, bits))
            }
            Some(Element::One(_) | Element::Rest | Element::RestFlags) | None => None,
        };
        [flag, taken]
    }

    fn all_flags(&self) -> u32 {
        self.flags.iter().fold(0_u32, |bits, _| bits << 1 | 1)
    }

    pub(crate) fn start(&self) -> BTreeSet<At> {
        self.rested(BTreeSet::from([(0, 0)]))
    }

    /// Whether the pattern may end here.
    pub(crate) fn accepts(&self, states: &BTreeSet<At>) -> bool {
        states.contains(&(self.elements.len(), self.all_flags()))
    }

    /// The states after one more word. `first` marks the program's name.
    pub(crate) fn step(&self, states: &BTreeSet<At>, word: &Word, first: First) -> BTreeSet<At> {
        let mut after = BTreeSet::new();
        let seen = self.seen(&word.text);
        for &state in states {
            after.extend(self.next(state, seen, word, first).into_iter().flatten());
        }
        self.rested(after)
    }

    /// `**` may be empty.
    fn rested(&self, mut states: BTreeSet<At>) -> BTreeSet<At> {
        let mut open: Vec<At> = states.iter().copied().collect();
        while let Some((at, bits)) = open.pop() {
            if matches!(
                self.elements.get(at),
                Some(Element::Rest | Element::RestFlags)
            ) && states.insert((at + 1, bits))
            {
                open.push((at + 1, bits));
            }
        }
        states
    }

    fn takes(&self, glob: &WordGlob, word: &Word, first: First) -> bool {
        match self.reading {
            Reading::Strict => glob.matches(
                &word.text,
                if first == First::Yes {
                    CaseRule::Fold
                } else {
                    CaseRule::Exact
                },
            ),
            Reading::Allow if glob.as_str() == "*" => self.takes_any(word),
            Reading::Allow => {
                // A wildcard at the front never becomes a flag.
                let flag = word.text.starts_with('-') && !glob.as_str().starts_with('-');
                word.shape == WordShape::Literal
                    && !flag
                    && glob.matches(&word.text, CaseRule::Exact)
            }
        }
    }

    fn takes_any(&self, word: &Word) -> bool {
        match self.reading {
            Reading::Strict => true,
            Reading::Allow => word.shape != WordShape::Expanded && !word.text.starts_with('-'),
        }
    }

    /// The wanted flags that this word shows.
    fn seen(&self, word: &str) -> u32 {
        let shows = |flag: &Flag| {
            word == flag.whole || flag.spellings.iter().any(|spelling| shows(word, spelling))
        };
        let bits = self
            .flags
            .iter()
            .enumerate()
            .filter(|(_, flag)| shows(flag));
        bits.fold(0, |bits, (n, _)| bits | 1 << n)
    }

    /// Words worth trying in a search for a common command: each literal, and each wanted flag.
    pub(crate) fn words(&self) -> impl Iterator<Item = String> + '_ {
        let literals = self.elements.iter().filter_map(|element| match element {
            Element::One(glob) => glob.overlap(glob),
            Element::Rest | Element::RestFlags => None,
        });
        literals.chain(self.flags.iter().map(|flag| flag.whole.clone()))
    }

    pub(crate) fn globs(&self) -> impl Iterator<Item = &WordGlob> {
        self.elements.iter().filter_map(|element| match element {
            Element::One(glob) => Some(glob),
            Element::Rest | Element::RestFlags => None,
        })
    }
}

/// Whether a word is the program's name, whose case a case-blind file system ignores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum First {
    Yes,
    No,
}

/// Whether a word is a flag; `-` and `--` are not.
pub(crate) fn is_flag(word: &str) -> bool {
    word.starts_with('-') && word != "-" && word != "--"
}

/// The flags of a pattern's word: every letter of a short cluster by itself, else the word.
fn flags_of(word: &str, same: &[&[&str]]) -> Vec<Flag> {
    let letters = word
        .strip_prefix('-')
        .filter(|rest| rest.len() <= 4 && rest.chars().all(|c| c.is_ascii_alphanumeric()));
    let flags: Vec<String> = match letters {
        Some(letters) => letters.chars().map(|letter| format!("-{letter}")).collect(),
        None => vec![word.to_owned()],
    };
    let with_twins = |flag: String| {
        let twins = same
            .iter()
            .filter(|group| group.contains(&flag.as_str()))
            .copied()
            .flatten()
            .map(|twin| (*twin).to_owned());
        let spellings = twins.chain([flag.clone()]).collect();
        Flag {
            whole: word.to_owned(),
            spellings,
        }
    };
    flags.into_iter().map(with_twins).collect()
}

/// Whether a word shows a flag: `-r` also inside `-fr`, `--tag` also as `--tag=x`.
fn shows(word: &str, flag: &str) -> bool {
    if word == flag
        || word
            .strip_prefix(flag)
            .is_some_and(|rest| flag.starts_with("--") && rest.starts_with('='))
    {
        return true;
    }
    let mut letters = flag.chars().skip(1);
    match (letters.next(), letters.next()) {
        (Some(letter), None) if letter != '-' => word
            .strip_prefix('-')
            .is_some_and(|cluster| !cluster.starts_with('-') && cluster.contains(letter)),
        _ => false,
    }
}
