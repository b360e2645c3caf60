//! Exact questions about the languages of automata: a shortest text that all of them accept, and
//! whether one is contained in another.
//!
//! The alphabet is all of Unicode; it is cut into classes within which no automaton asked can tell
//! characters apart, and each class is represented by its best readable member.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::rc::Rc;

use crate::CaseRule;
use crate::automaton::{Automaton, Label};

/// An automaton and how it reads letters.
pub(crate) type Reading<'a> = (&'a Automaton, CaseRule);

/// The sets of states of an automaton that some text leads to, numbered; 0 is the start.
pub(crate) struct Sets {
    numbers: HashMap<Rc<[u16]>, u32>,
    sets: Vec<Rc<[u16]>>,
}

impl Default for Sets {
    fn default() -> Self {
        let start: Rc<[u16]> = Rc::from([0]);
        Self {
            numbers: HashMap::from([(Rc::clone(&start), 0)]),
            sets: vec![start],
        }
    }
}

impl Sets {
    /// Whether no state is left, so that nothing that follows is accepted.
    pub(crate) fn is_dead(&self, set: usize) -> bool {
        self.sets.get(set).is_none_or(|set| set.is_empty())
    }

    pub(crate) fn accepts(&self, table: &Table, set: usize) -> bool {
        let states = self.sets.get(set).into_iter().flat_map(|set| set.iter());
        states.copied().any(|state| table.accepts(state))
    }

    /// Where a set goes on a letter.
    pub(crate) fn step(&mut self, table: &Table, set: usize, letter: usize) -> usize {
        let mut to: Vec<u16> = Vec::new();
        for &state in self.sets.get(set).into_iter().flat_map(|set| set.iter()) {
            to.extend_from_slice(table.next(state, letter));
        }
        to.sort_unstable();
        to.dedup();
        if let Some(&known) = self.numbers.get(to.as_slice()) {
            return usize::try_from(known).unwrap_or(usize::MAX);
        }
        let (to, number) = (Rc::<[u16]>::from(to), self.sets.len());
        self.numbers
            .insert(Rc::clone(&to), u32::try_from(number).unwrap_or(u32::MAX));
        self.sets.push(to);
        number
    }
}

/// A shortest text that all three accept; `None` if there is none.
pub(crate) fn witness(machines: [Reading<'_>; 3]) -> Option<String> {
    let alphabet = alphabet_of(&machines);
    let tables = machines.map(|machine| Table::new(machine, &alphabet));
    let start = [0_u16; 3];
    let mut seen = HashSet::from([start]);
    let mut paths: Vec<(Option<usize>, char, [u16; 3])> = vec![(None, '\0', start)];
    let mut at = 0;
    while let Some(&(_, _, [x, y, z])) = paths.get(at) {
        let [a, b, c] = &tables;
        if a.accepts(x) && b.accepts(y) && c.accepts(z) {
            return Some(spell(&paths, at));
        }
        for (n, &letter) in alphabet.iter().enumerate() {
            for &to_x in a.next(x, n) {
                for &to_y in b.next(y, n) {
                    for &to_z in c.next(z, n) {
                        let to = [to_x, to_y, to_z];
                        if seen.insert(to) {
                            paths.push((Some(at), letter, to));
                        }
                    }
                }
            }
        }
        at += 1;
    }
    None
}

fn spell(paths: &[(Option<usize>, char, [u16; 3])], end: usize) -> String {
    let mut letters = Vec::new();
    let mut at = end;
    while let Some(&(Some(before), letter, _)) = paths.get(at) {
        letters.push(letter);
        at = before;
    }
    letters.into_iter().rev().collect()
}

/// Whether every text that both `part` and `valid` accept is one that `whole` accepts.
pub(crate) fn includes(whole: Reading<'_>, part: Reading<'_>, valid: Reading<'_>) -> bool {
    let machines = [whole, part, valid];
    let alphabet = alphabet_of(&machines);
    let [whole, part, valid] = machines.map(|machine| Table::new(machine, &alphabet));
    let mut sets = Sets::default();
    // Where each set goes on each letter, once it was asked.
    let mut steps: HashMap<(usize, usize), usize> = HashMap::new();
    let start = (0_u16, 0_u16, 0_usize);
    let mut seen = HashSet::from([start]);
    let mut queue = VecDeque::from([start]);
    while let Some((p, v, set)) = queue.pop_front() {
        if part.accepts(p) && valid.accepts(v) && !sets.accepts(&whole, set) {
            return false;
        }
        for letter in 0..alphabet.len() {
            let (to_p, to_v) = (part.next(p, letter), valid.next(v, letter));
            if to_p.is_empty() || to_v.is_empty() {
                continue;
            }
            let to_set = *steps
                .entry((set, letter))
                .or_insert_with(|| sets.step(&whole, set, letter));
            for &to_p in to_p {
                for &to_v in to_v {
                    let to = (to_p, to_v, to_set);
                    if seen.insert(to) {
                        queue.push_back(to);
                    }
                }
            }
        }
    }
    true
}

/// Where each state goes on each letter of the alphabet.
pub(crate) struct Table {
    /// Whether each state accepts.
    accepts: Vec<bool>,
    letters: usize,
    /// All targets, by state and then by letter.
    targets: Vec<u16>,
    /// Where those of each state and letter end.
    ends: Vec<usize>,
}

impl Table {
    pub(crate) fn new((machine, case): Reading<'_>, alphabet: &[char]) -> Self {
        let states = machine.states();
        let mut targets: Vec<u16> = Vec::with_capacity(states.len() * 2);
        let mut ends = Vec::with_capacity(states.len() * alphabet.len());
        for state in &states {
            for &letter in alphabet {
                let begin = targets.len();
                for (label, to) in &state.steps {
                    let known = targets.get(begin..).is_some_and(|own| own.contains(to));
                    if !known && machine.reads(label, letter, case) {
                        targets.push(*to);
                    }
                }
                ends.push(targets.len());
            }
        }
        Self {
            accepts: states.iter().map(|state| state.accepts).collect(),
            letters: alphabet.len(),
            targets,
            ends,
        }
    }

    fn accepts(&self, state: u16) -> bool {
        self.accepts.get(usize::from(state)) == Some(&true)
    }

    fn next(&self, state: u16, letter: usize) -> &[u16] {
        let at = usize::from(state) * self.letters + letter;
        let begin = at.checked_sub(1).and_then(|before| self.ends.get(before));
        let (begin, end) = (begin.copied().unwrap_or(0), self.ends.get(at));
        end.and_then(|&end| self.targets.get(begin..end))
            .unwrap_or(&[])
    }
}

/// One character of every class that the machines can tell apart, best readable first.
pub(crate) fn alphabet_of(machines: &[Reading<'_>]) -> Vec<char> {
    // The places where a class begins: each number is the first code point of one.
    let mut cuts = BTreeSet::from([0_u32]);
    let mut range = |low: char, high: char| {
        cuts.insert(u32::from(low));
        cuts.insert(u32::from(high) + 1);
    };
    for (machine, case) in machines {
        range(machine.separator(), machine.separator());
        for (label, _) in machine.states().iter().flat_map(|state| &state.steps) {
            match label {
                Label::Char(c) => {
                    range(c.to_ascii_lowercase(), c.to_ascii_lowercase());
                    range(c.to_ascii_uppercase(), c.to_ascii_uppercase());
                }
                Label::Class(class) => {
                    class
                        .ranges
                        .iter()
                        .for_each(|&(low, high)| range(low, high));
                    if *case == CaseRule::Fold {
                        ('a'..='z').chain('A'..='Z').for_each(|c| range(c, c));
                    }
                }
                Label::NotSeparator | Label::Any => {}
            }
        }
    }
    let ends = cuts
        .iter()
        .skip(1)
        .copied()
        .chain([u32::from(char::MAX) + 1]);
    let mut letters: Vec<char> = cuts
        .iter()
        .zip(ends)
        .filter_map(|(&low, end)| best(low, end))
        .collect();
    letters.sort_by_key(|&c| (rank(c), c));
    letters
}

fn rank(c: char) -> u8 {
    match c {
        'a'..='z' => 0,
        '0'..='9' => 1,
        'A'..='Z' => 2,
        '-' | '_' | '.' | '/' => 3,
        '!'..='~' => 4,
        _ => 5,
    }
}

/// The best readable character from `low` up to, not including, `end`.
fn best(low: u32, end: u32) -> Option<char> {
    let ascii = (low..end.min(128))
        .filter_map(char::from_u32)
        .min_by_key(|&c| (rank(c), c));
    ascii
        .filter(|&c| rank(c) < 5)
        .or_else(|| (low..end).find_map(char::from_u32))
}
