//! The automaton that every pattern becomes: characters in, yes or no out, linear in the text.
//!
//! No backtracking, so no pattern can be made slow by a value; and no epsilon steps, so that
//! `product` can decide overlap and inclusion over the same states.

use crate::CaseRule;
use crate::glob::{Class, Node};

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

/// A nondeterministic automaton without epsilon steps; state 0 is the start.
// INVARIANT: 1 to MAX_STATES states, every step leads to one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Automaton {
    separator: char,
    states: Vec<State>,
}

/// So many states fit into the bit set that matching keeps on the stack.
const MAX_STATES: usize = 1088;
const WORDS: usize = MAX_STATES / 64;
/// A chain of optional alternatives grows with its square; this bounds memory for one pattern.
const MAX_STEPS: usize = 8192;

const TOO_LARGE: &str = "it is too long or has too many alternatives; split the rule";

impl Automaton {
    /// Builds the automaton of a pattern.
    pub(crate) fn new(nodes: &[Node], separator: char) -> Result<Self, &'static str> {
        let mut builder = Builder {
            separator,
            steps: vec![Vec::new()],
            jumps: vec![Vec::new()],
        };
        let end = builder.sequence(nodes, 0);
        builder.finish(end)
    }

    /// Builds an automaton from its states; for those that we write by hand.
    pub(crate) const fn from_states(states: Vec<State>, separator: char) -> Self {
        Self { separator, states }
    }

    /// The same automaton behind a literal text.
    pub(crate) fn behind(&self, prefix: &str) -> Self {
        let shift = prefix.chars().count();
        let index = |n: usize| u16::try_from(n).unwrap_or(u16::MAX); // Prefix and pattern are both bounded.
        let mut states: Vec<State> = prefix
            .chars()
            .enumerate()
            .map(|(n, c)| State {
                accepts: false,
                steps: vec![(Label::Char(c), index(n + 1))],
            })
            .collect();
        states.extend(self.states.iter().map(|state| {
            State {
                accepts: state.accepts,
                steps: state
                    .steps
                    .iter()
                    .map(|(label, to)| (label.clone(), index(usize::from(*to) + shift)))
                    .collect(),
            }
        }));
        Self {
            separator: self.separator,
            states,
        }
    }

    pub(crate) fn states(&self) -> &[State] {
        &self.states
    }

    pub(crate) const fn separator(&self) -> char {
        self.separator
    }

    /// Whether the whole text is one that the pattern means.
    pub(crate) fn matches(&self, text: &str, case: CaseRule) -> bool {
        // The literal beginning of most patterns decides most questions, one comparison a character.
        let mut rest = text.chars();
        let mut at = 0_usize;
        while let Some((c, to)) = self.only_char(at) {
            let exact = rest.next().is_some_and(|own| {
                own == c || (case == CaseRule::Fold && own.eq_ignore_ascii_case(&c))
            });
            if !exact {
                return false;
            }
            at = usize::from(to);
        }
        if self.states.len() <= 64 {
            self.run::<1>(at, rest, case)
        } else {
            self.run::<WORDS>(at, rest, case)
        }
    }

    /// The character that alone leads on from a state at which no text ends.
    fn only_char(&self, state: usize) -> Option<(char, u16)> {
        match self.states.get(state) {
            Some(State {
                accepts: false,
                steps,
            }) => match steps.as_slice() {
                [(Label::Char(c), to)] => Some((*c, *to)),
                _ => None,
            },
            Some(_) | None => None,
        }
    }

    fn run<const N: usize>(&self, start: usize, text: std::str::Chars<'_>, case: CaseRule) -> bool {
        let mut now = [0_u64; N];
        set(&mut now, start);
        for c in text {
            let mut then = [0_u64; N];
            for state in members(&now).filter_map(|n| self.states.get(n)) {
                for (label, to) in &state.steps {
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
        members(&now).any(|n| self.states.get(n).is_some_and(|state| state.accepts))
    }

    /// The one text that it means, if it means one only.
    pub(crate) fn only_text(&self) -> Option<String> {
        let (text, end) = self.lead();
        let last = self.states.get(end)?;
        (last.accepts && last.steps.is_empty()).then_some(text)
    }

    /// The text with which everything that it means begins, cut to whole parts.
    pub(crate) fn lead_of_parts(&self) -> String {
        let (mut text, end) = self.lead();
        let separator = Label::Char(self.separator);
        let ends_here = |state: &State| state.steps.iter().all(|(label, _)| *label == separator);
        if !self.states.get(end).is_some_and(ends_here) {
            text.truncate(text.rfind(self.separator).unwrap_or(0));
        }
        text
    }

    /// How many states there are behind the literal beginning.
    pub(crate) fn states_behind_lead(&self) -> usize {
        let mut at = 0_usize;
        let mut lead = 0_usize;
        while let Some((_, to)) = self.only_char(at) {
            at = usize::from(to);
            lead += 1;
        }
        self.states.len().saturating_sub(lead)
    }

    fn lead(&self) -> (String, usize) {
        let (mut text, mut at) = (String::new(), 0_usize);
        while let Some((c, to)) = self.only_char(at) {
            text.push(c);
            at = usize::from(to);
        }
        (text, at)
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
        self.states.iter().all(|state| {
            let later = |n: usize| state.steps.iter().skip(n + 1);
            let mut steps = state.steps.iter().enumerate();
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

/// Thompson's construction; `finish` takes the epsilon steps out.
struct Builder {
    separator: char,
    steps: Vec<Vec<(Label, usize)>>,
    jumps: Vec<Vec<usize>>,
}

impl Builder {
    fn state(&mut self) -> usize {
        self.steps.push(Vec::new());
        self.jumps.push(Vec::new());
        self.steps.len() - 1
    }

    fn step(&mut self, from: usize, label: Label, to: usize) {
        if let Some(steps) = self.steps.get_mut(from) {
            steps.push((label, to));
        }
    }

    fn jump(&mut self, from: usize, to: usize) {
        if let Some(jumps) = self.jumps.get_mut(from) {
            jumps.push(to);
        }
    }

    fn sequence(&mut self, nodes: &[Node], from: usize) -> usize {
        nodes.iter().fold(from, |from, node| self.node(node, from))
    }

    fn node(&mut self, node: &Node, from: usize) -> usize {
        let label = match node {
            Node::Char(c) => Label::Char(*c),
            Node::One => Label::NotSeparator,
            Node::Class(class) => Label::Class(Box::new(class.clone())),
            Node::Star => return self.repeat(Label::NotSeparator, from),
            Node::Any => return self.repeat(Label::Any, from),
            Node::Parts => {
                let (between, inside) = (self.state(), self.state());
                self.jump(from, between);
                self.step(between, Label::Char(self.separator), inside);
                self.step(inside, Label::NotSeparator, inside);
                self.jump(inside, between);
                return between;
            }
            Node::Alt(branches) => {
                let join = self.state();
                for branch in branches {
                    let end = self.sequence(branch, from);
                    self.jump(end, join);
                }
                return join;
            }
        };
        let to = self.state();
        self.step(from, label, to);
        to
    }

    fn repeat(&mut self, label: Label, from: usize) -> usize {
        let around = self.state();
        self.jump(from, around);
        self.step(around, label, around);
        around
    }

    /// Takes the epsilon steps out and keeps only the states that the start reaches.
    fn finish(self, end: usize) -> Result<Automaton, &'static str> {
        let mut numbers: Vec<Option<u16>> = vec![None; self.steps.len()];
        let mut order = vec![0_usize];
        if let Some(first) = numbers.first_mut() {
            *first = Some(0);
        }
        let mut states = Vec::new();
        let mut total = 0_usize;
        let mut at = 0;
        while let Some(&old) = order.get(at) {
            at += 1;
            let closure = self.closure(old);
            let mut steps = Vec::new();
            for (label, to) in closure.iter().filter_map(|&n| self.steps.get(n)).flatten() {
                let Some(number) = numbers.get_mut(*to) else {
                    continue;
                };
                let number = match number {
                    Some(number) => *number,
                    None => {
                        let fresh = u16::try_from(order.len()).map_err(|_| TOO_LARGE)?;
                        order.push(*to);
                        *number.insert(fresh)
                    }
                };
                steps.push((label.clone(), number));
            }
            steps.sort();
            steps.dedup();
            total += steps.len();
            if order.len() > MAX_STATES || total > MAX_STEPS {
                return Err(TOO_LARGE);
            }
            states.push(State {
                accepts: closure.contains(&end),
                steps,
            });
        }
        Ok(Automaton {
            separator: self.separator,
            states,
        })
    }

    fn closure(&self, from: usize) -> Vec<usize> {
        let mut found = vec![from];
        let mut at = 0;
        while let Some(&state) = found.get(at) {
            at += 1;
            for &to in self.jumps.get(state).into_iter().flatten() {
                if !found.contains(&to) {
                    found.push(to);
                }
            }
        }
        found
    }
}
