//! The automaton that every pattern becomes: characters in, yes or no out, linear in the text.
//!
//! No backtracking, so no pattern can be made slow by a value; and no epsilon steps, so that
//! `product` can decide overlap and inclusion over the same states.

use std::borrow::Cow;

use crate::CaseRule;
use crate::chain::Chain;
use crate::construction::{states_from, states_of};
use crate::glob::{Class, Node};
use crate::literal::{Literal, Place};

/// What one step reads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Label {
    /// This character.
    Char(char),
    /// Any character but the separator.
    NotSeparator,
    /// Any character.
    Any,
    /// A character of the class that is no separator.
    Class(Box<Class>),
}

/// One state.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct State {
    pub(crate) accepts: bool,
    pub(crate) steps: Vec<(Label, u16)>,
}

/// A nondeterministic automaton without epsilon steps.
///
/// The literal beginning stands apart, as text: most patterns are mostly that, and a state costs
/// thirty times what a character does.
// INVARIANT: with the lead at most MAX_STATES states; every step leads to one of them; no text that
// is shorter than the lead is accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Automaton {
    separator: char,
    lead: Box<str>,
    rest: Rest,
}

/// What follows the lead.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Rest {
    Nothing,
    Chain(Chain),
    States(Box<States>),
}

/// States, the start first, and all their steps one after another.
#[derive(Debug, Clone, PartialEq, Eq)]
struct States {
    heads: Box<[Head]>,
    steps: Box<[(Label, u16)]>,
}

/// A state without its steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Head {
    /// Where its steps end; they begin where those of the state before it end.
    end: u16,
    accepts: bool,
    /// Whether it accepts every text.
    accepts_all: bool,
}

impl States {
    fn new(states: Vec<State>, separator: char) -> Self {
        let mut heads = Vec::with_capacity(states.len());
        let mut steps = Vec::with_capacity(states.iter().map(|state| state.steps.len()).sum());
        for (number, state) in states.into_iter().enumerate() {
            let loops = |wanted: &Label| {
                let own =
                    |(label, to): &(Label, u16)| usize::from(*to) == number && label == wanted;
                state.steps.iter().any(own)
            };
            let every = loops(&Label::Any)
                || (loops(&Label::NotSeparator) && loops(&Label::Char(separator)));
            steps.extend(state.steps);
            heads.push(Head {
                end: u16::try_from(steps.len()).unwrap_or(u16::MAX), // At most MAX_STEPS.
                accepts: state.accepts,
                accepts_all: state.accepts && every,
            });
        }
        Self {
            heads: heads.into(),
            steps: steps.into(),
        }
    }

    fn head(&self, state: usize) -> Option<Head> {
        self.heads.get(state).copied()
    }

    fn steps(&self, state: usize) -> &[(Label, u16)] {
        let before = state.checked_sub(1).and_then(|before| self.head(before));
        let begin = before.map_or(0, |before| usize::from(before.end));
        let end = self.head(state).map_or(0, |head| usize::from(head.end));
        self.steps.get(begin..end).unwrap_or_default()
    }
}

/// So many states fit into the bit set that matching keeps on the stack.
const MAX_STATES: usize = 1088;
const WORDS: usize = MAX_STATES / 64;

pub(crate) const TOO_LARGE: &str = "it is too long or has too many alternatives; split the rule";

impl Automaton {
    /// Builds the automaton of a pattern.
    pub(crate) fn new(nodes: &[Node], separator: char) -> Result<Self, &'static str> {
        let plain = nodes.iter().map_while(|node| match node {
            Node::Char(c) => Some(*c),
            Node::One | Node::Class(_) | Node::Star | Node::Any | Node::Parts | Node::Alt(_) => {
                None
            }
        });
        let mut lead: String = plain.collect();
        let length = lead.chars().count();
        if nodes.len() >= MAX_STATES {
            return Err(TOO_LARGE);
        }
        let rest = nodes.get(length..).unwrap_or_default();
        if rest.is_empty() {
            return Ok(Self::literal(&lead, separator));
        }
        if let Some(chain) = Chain::of(rest) {
            return Ok(Self {
                separator,
                lead: lead.into(),
                rest: Rest::Chain(chain),
            });
        }
        let mut states = states_of(rest, separator, MAX_STATES - length)?;
        // Alternatives of one branch, or with a common way in, go on literally.
        while let [
            State {
                accepts: false,
                steps,
            },
            ..,
        ] = states.as_slice()
            && let [(Label::Char(c), to)] = steps.as_slice()
        {
            lead.push(*c);
            states = states_from(states.as_slice(), *to);
        }
        let done =
            matches!(states.as_slice(), [State { accepts: true, steps }] if steps.is_empty());
        Ok(Self {
            separator,
            lead: lead.into(),
            rest: if done {
                Rest::Nothing
            } else {
                Rest::States(Box::new(States::new(states, separator)))
            },
        })
    }

    /// The automaton of one text.
    pub(crate) fn literal(text: &str, separator: char) -> Self {
        Self {
            separator,
            lead: text.into(),
            rest: Rest::Nothing,
        }
    }

    /// Builds an automaton from its states; for those that we write by hand.
    pub(crate) fn from_states(states: Vec<State>, separator: char) -> Self {
        Self {
            separator,
            lead: "".into(),
            rest: Rest::States(Box::new(States::new(states, separator))),
        }
    }

    /// The same automaton behind a literal text.
    pub(crate) fn behind(&self, prefix: &str) -> Self {
        Self {
            separator: self.separator,
            lead: format!("{prefix}{}", self.lead).into(),
            rest: self.rest.clone(),
        }
    }

    /// All states, those of the lead first, for questions about several automata.
    pub(crate) fn states(&self) -> Vec<State> {
        let shift = self.lead.chars().count();
        let index = |n: usize| u16::try_from(n).unwrap_or(u16::MAX); // Lead and rest are both bounded.
        let lead = self.lead.chars().enumerate().map(|(n, c)| State {
            accepts: false,
            steps: vec![(Label::Char(c), index(n + 1))],
        });
        let mut states: Vec<State> = lead.collect();
        match self.behind_states() {
            None => states.push(State {
                accepts: true,
                steps: Vec::new(),
            }),
            Some(rest) => states.extend(rest.heads.iter().enumerate().map(|(n, head)| {
                let moved =
                    |(label, to): &(Label, u16)| (label.clone(), index(usize::from(*to) + shift));
                State {
                    accepts: head.accepts,
                    steps: rest.steps(n).iter().map(moved).collect(),
                }
            })),
        }
        states
    }

    /// The states behind the lead; `None` where nothing is.
    fn behind_states(&self) -> Option<Cow<'_, States>> {
        match &self.rest {
            Rest::Nothing => None,
            Rest::States(states) => Some(Cow::Borrowed(states)),
            Rest::Chain(chain) => {
                let most = usize::MAX; // `new` has bounded the nodes.
                let states = states_of(&chain.nodes(), self.separator, most).unwrap_or_default();
                Some(Cow::Owned(States::new(states, self.separator)))
            }
        }
    }

    pub(crate) const fn separator(&self) -> char {
        self.separator
    }

    /// Whether the whole text is one that the pattern means.
    pub(crate) fn matches(&self, text: &str, case: CaseRule) -> bool {
        // The literal beginning of most patterns decides most questions.
        let (Some(head), Some(tail)) = (
            text.as_bytes().get(..self.lead.len()),
            text.as_bytes().get(self.lead.len()..),
        ) else {
            return false;
        };
        let same = match case {
            CaseRule::Exact => head == self.lead.as_bytes(),
            CaseRule::Fold => head.eq_ignore_ascii_case(self.lead.as_bytes()),
        };
        if !same {
            return false;
        }
        match &self.rest {
            Rest::Nothing => tail.is_empty(),
            Rest::States(states) => self.read(states, text, case),
            Rest::Chain(chain) => chain
                .matches(tail, self.separator, case)
                .or_else(|| Some(self.read(&*self.behind_states()?, text, case)))
                .unwrap_or(false),
        }
    }

    /// Reads what stands behind the lead.
    fn read(&self, states: &States, text: &str, case: CaseRule) -> bool {
        // What the lead equals ends where a character ends.
        let tail = text.get(self.lead.len()..).unwrap_or_default().chars();
        if states.heads.len() <= 64 {
            self.run::<1>(states, tail, case)
        } else {
            self.run::<WORDS>(states, tail, case)
        }
    }

    fn run<const N: usize>(
        &self,
        rest: &States,
        text: std::str::Chars<'_>,
        case: CaseRule,
    ) -> bool {
        let mut now = [0_u64; N];
        set(&mut now, 0);
        for c in text {
            let mut then = [0_u64; N];
            for state in members(&now) {
                if rest.head(state).is_some_and(|head| head.accepts_all) {
                    return true;
                }
                for (label, to) in rest.steps(state) {
                    if self.reads(label, c, case) {
                        set(&mut then, usize::from(*to));
                    }
                }
            }
            now = then;
            if now.iter().all(|&word| word == 0) {
                return false;
            }
        }
        members(&now).any(|state| rest.head(state).is_some_and(|head| head.accepts))
    }

    /// The one text that it means, if it means one only.
    pub(crate) fn only_text(&self) -> Option<&str> {
        matches!(self.rest, Rest::Nothing).then_some(&*self.lead)
    }

    /// What stands literally in all that it means; `None` where it is its states that say so.
    pub(crate) fn literals(&self) -> Option<Vec<Literal>> {
        match &self.rest {
            Rest::Nothing => Some(Literal::of(&self.lead, Place::Start).into_iter().collect()),
            Rest::Chain(chain) => Some(chain.literals(&self.lead)),
            Rest::States(_) => None,
        }
    }

    /// The same; where its states say it, what it begins with.
    pub(crate) fn literals_or_lead(&self) -> Vec<Literal> {
        let lead = || Literal::before(&self.lead, Place::Start, false);
        self.literals()
            .unwrap_or_else(|| lead().into_iter().collect())
    }

    /// The text with which everything that it means begins, cut to whole parts.
    pub(crate) fn lead_of_parts(&self) -> &str {
        let separator = Label::Char(self.separator);
        let ends_here = match &self.rest {
            Rest::Nothing => true,
            Rest::Chain(chain) => chain.begins_a_part(self.separator),
            Rest::States(states) => states.steps(0).iter().all(|(label, _)| *label == separator),
        };
        if ends_here {
            return &self.lead;
        }
        let cut = self.lead.rfind(self.separator).unwrap_or(0);
        self.lead.get(..cut).unwrap_or_default()
    }

    /// The states behind the literal beginning.
    pub(crate) fn behind_lead(&self) -> Self {
        Self {
            separator: self.separator,
            lead: "".into(),
            rest: self.rest.clone(),
        }
    }

    /// How many states there are behind the literal beginning.
    pub(crate) fn states_behind_lead(&self) -> usize {
        match &self.rest {
            Rest::Nothing => 1,
            Rest::Chain(chain) => chain.count_states(),
            Rest::States(states) => states.heads.len(),
        }
    }

    /// Whether no state can go two ways on one character; then a set of its states is one state.
    pub(crate) fn is_deterministic(&self, case: CaseRule) -> bool {
        let apart = |one: &Label, two: &Label| match (one, two) {
            (Label::Char(c), other) | (other, Label::Char(c)) => {
                ![c.to_ascii_lowercase(), c.to_ascii_uppercase(), *c]
                    .iter()
                    .any(|&c| self.reads(other, c, case))
            }
            (
                Label::NotSeparator | Label::Any | Label::Class(_),
                Label::NotSeparator | Label::Any | Label::Class(_),
            ) => false,
        };
        let Some(rest) = self.behind_states() else {
            return true;
        };
        (0..rest.heads.len()).all(|state| {
            let all = rest.steps(state);
            let later = |n: usize| all.iter().skip(n + 1);
            let mut steps = all.iter().enumerate();
            steps.all(|(n, (one, _))| later(n).all(|(two, _)| apart(one, two)))
        })
    }

    /// Whether a step reads this character. Folding means: the exact step reads it or its twin in
    /// the other case, so that what a folded pattern matches always includes what the exact one does.
    pub(crate) fn reads(&self, label: &Label, c: char, case: CaseRule) -> bool {
        let exact = |c: char| match label {
            Label::Char(own) => *own == c,
            Label::NotSeparator => c != self.separator,
            Label::Any => true,
            Label::Class(class) => c != self.separator && class.contains(c),
        };
        match case {
            CaseRule::Exact => exact(c),
            CaseRule::Fold => exact(c.to_ascii_lowercase()) || exact(c.to_ascii_uppercase()),
        }
    }
}

fn set<const N: usize>(bits: &mut [u64; N], n: usize) {
    if let Some(word) = bits.get_mut(n / 64) {
        *word |= 1 << (n % 64);
    }
}

fn members<const N: usize>(bits: &[u64; N]) -> impl Iterator<Item = usize> + '_ {
    bits.iter().enumerate().flat_map(|(at, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            usize::try_from(bit).ok().map(|bit| at * 64 + bit)
        })
    })
}
