//! Whether a pattern can be compared: how many sets of states its automaton has.
//!
//! Asked of every pattern when it is read, so what the text alone shows is looked at first, and
//! the count is over bits; `product` then relies on the answer.

use std::collections::HashSet;

use crate::CaseRule;
use crate::automaton::{Automaton, Label, State};
use crate::glob::Node;
use crate::product::alphabet_of;

/// So many sets of states an automaton may have when it is read one character at a time. It bounds
/// what inclusion costs; a pattern that has more is refused when it is loaded, so that inclusion is
/// always decided.
const MAX_SETS: usize = 1536;

/// Refuses the automaton of a pattern that has more sets of states than inclusion can decide on, in
/// any of the ways in which it will be read.
pub(crate) fn check(
    nodes: &[Node],
    machine: &Automaton,
    cases: &[CaseRule],
) -> Result<(), &'static str> {
    // So few states have no more sets than that, however they are joined.
    if machine.states_behind_lead() <= 10 || few_sets(nodes, machine.separator()).is_some() {
        return Ok(());
    }
    let behind = machine.behind_lead();
    for &case in cases {
        if !behind.is_deterministic(case) && Counted::of(&behind, case) == Counted::TooMany {
            return Err(
                "its wildcards can match in too many ways to compare it with others; write fewer `?`, classes or alternatives behind a `*`",
            );
        }
    }
    Ok(())
}

/// How many sets of states a pattern has at most, where its text alone shows that they are few.
///
/// Between two wildcards stand only literal characters. Of those places that are active in such a
/// run the longest tells all others, since it tells the text that was read and since its entry
/// has been open ever since: `**` never closes; a `*` closes at a separator, and is not opened again
/// unless a `**` stands before it, which is then not counted here. So every run has at most one set
/// for each of its places, and every wildcard is open or not; but one at the beginning that never
/// closes is open in all sets except the first and the empty one.
pub(crate) fn few_sets(nodes: &[Node], separator: char) -> Option<usize> {
    let (mut sets, mut run, mut star, mut forever) = (1_usize, 0_usize, false, false);
    let lead = |node: &&Node| matches!(node, Node::Char(_));
    for (place, node) in nodes.iter().skip_while(lead).enumerate() {
        match node {
            Node::Any | Node::Parts if place == 0 => {
                forever = true;
                continue;
            }
            Node::Char(c) if *c == separator && star && forever => return None,
            Node::Char(_) => {
                run += 1;
                continue;
            }
            Node::Star => star = true,
            Node::Any | Node::Parts => (star, forever) = (false, true),
            Node::One | Node::Class(_) | Node::Alt(_) => return None,
        }
        sets = sets.saturating_mul((run + 1) * 2);
        run = 0;
    }
    let sets = sets.saturating_mul(run + 1).saturating_add(2);
    Some(sets).filter(|sets| *sets < MAX_SETS)
}

/// How many sets of states there are.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Counted {
    /// So many.
    These(usize),
    /// More than inclusion decides on.
    TooMany,
}

impl Counted {
    pub(crate) fn of(machine: &Automaton, case: CaseRule) -> Self {
        if machine.states_behind_lead() <= 64 {
            Self::with::<1>(machine, case)
        } else {
            Self::with::<18>(machine, case)
        }
    }

    fn with<const N: usize>(machine: &Automaton, case: CaseRule) -> Self {
        let states = machine.states();
        let alphabet = short_alphabet(&states, machine.separator());
        let alphabet = alphabet.unwrap_or_else(|| alphabet_of(&[(machine, case)]));
        let row = |letter: &char| {
            let to = |state: &State| {
                let mut to = Bits::<N>::default();
                let read = |(label, _): &&(Label, u16)| machine.reads(label, *letter, case);
                state
                    .steps
                    .iter()
                    .filter(read)
                    .for_each(|step| to.add(step.1));
                to
            };
            states.iter().map(to).collect::<Vec<_>>()
        };
        let rows: Vec<Vec<Bits<N>>> = alphabet.iter().map(row).collect();
        let mut start = Bits::default();
        start.add(0);
        let mut seen = HashSet::with_hasher(foldhash::fast::RandomState::default());
        seen.insert(start);
        let mut open = vec![start];
        while let Some(set) = open.pop() {
            for row in &rows {
                let mut to = Bits::default();
                let each = set.each(row);
                each.for_each(|more| to.join(more));
                if seen.insert(to) {
                    open.push(to);
                }
            }
            if seen.len() > MAX_SETS {
                return Self::TooMany;
            }
        }
        Self::These(seen.len())
    }
}

/// A set of states, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Bits<const N: usize>([u64; N]);

impl<const N: usize> Default for Bits<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

impl<const N: usize> Bits<N> {
    fn add(&mut self, state: u16) {
        if let Some(word) = self.0.get_mut(usize::from(state / 64)) {
            *word |= 1 << (state % 64);
        }
    }

    fn join(&mut self, more: &Self) {
        for (own, more) in self.0.iter_mut().zip(more.0) {
            *own |= more;
        }
    }

    /// What `row` has for each state of the set.
    fn each(self, row: &[Self]) -> impl Iterator<Item = &Self> {
        let words = self.0.into_iter().zip(row.chunks(64));
        words.flat_map(|(mut word, row)| {
            std::iter::from_fn(move || {
                let bit = usize::try_from(word.trailing_zeros()).ok()?;
                word &= word.checked_sub(1)?;
                row.get(bit)
            })
        })
    }
}

/// One character of every class, where the labels are single characters or wildcards: each of them,
/// and one that none names.
fn short_alphabet(states: &[State], separator: char) -> Option<Vec<char>> {
    let mut letters = vec![separator];
    for (label, _) in states.iter().flat_map(|state| &state.steps) {
        match label {
            Label::Char(c) => letters.extend([c.to_ascii_lowercase(), c.to_ascii_uppercase(), *c]),
            Label::Class(_) => return None,
            Label::NotSeparator | Label::Any => {}
        }
    }
    letters.sort_unstable();
    letters.dedup();
    letters.extend(('\u{1}'..).find(|c| letters.binary_search(c).is_err()));
    Some(letters)
}
