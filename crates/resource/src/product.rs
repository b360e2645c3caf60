//! Exact questions about the languages of automata: a shortest text that all of them accept, and
//! whether one is contained in another.
//!
//! The alphabet is all of Unicode; it is cut into classes within which no automaton asked can tell
//! characters apart, and each class is represented by its best readable member.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use crate::CaseRule;
use crate::automaton::{Automaton, Label};

/// An automaton and how it reads letters.
pub(crate) type Reading<'a> = (&'a Automaton, CaseRule);

/// Past so many sets of states inclusion is not decided and the answer is no.
const MAX_SETS: usize = 20_000;

/// A shortest text that all three accept; `None` if there is none.
pub(crate) fn witness(machines: [Reading<'_>; 3]) -> Option<String> {
    let alphabet = alphabet(&machines);
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

/// Whether every text that both `part` and `valid` accept is one that `whole` accepts. A yes is
/// proven; a no may also mean that it took too long.
pub(crate) fn includes(whole: Reading<'_>, part: Reading<'_>, valid: Reading<'_>) -> bool {
    let machines = [whole, part, valid];
    let alphabet = alphabet(&machines);
    let [whole, part, valid] = machines.map(|machine| Table::new(machine, &alphabet));
    let start = (0_u16, 0_u16, vec![0_u16]);
    let mut seen = HashSet::from([start.clone()]);
    let mut queue = VecDeque::from([start]);
    while let Some((p, v, set)) = queue.pop_front() {
        if part.accepts(p) && valid.accepts(v) && !set.iter().any(|&state| whole.accepts(state)) {
            return false;
        }
        for n in 0..alphabet.len() {
            let to_set: BTreeSet<u16> = set
                .iter()
                .flat_map(|&state| whole.next(state, n))
                .copied()
                .collect();
            let to_set: Vec<u16> = to_set.into_iter().collect();
            for &to_p in part.next(p, n) {
                for &to_v in valid.next(v, n) {
                    let to = (to_p, to_v, to_set.clone());
                    if seen.insert(to.clone()) {
                        queue.push_back(to);
                    }
                }
            }
        }
        if seen.len() > MAX_SETS {
            return false;
        }
    }
    true
}

/// Where each state goes on each letter of the alphabet.
struct Table<'a> {
    machine: &'a Automaton,
    next: HashMap<(u16, usize), Vec<u16>>,
}

impl<'a> Table<'a> {
    fn new((machine, case): Reading<'a>, alphabet: &[char]) -> Self {
        let mut next: HashMap<(u16, usize), Vec<u16>> = HashMap::new();
        for (from, state) in (0_u16..).zip(machine.states()) {
            for (label, to) in &state.steps {
                for (n, &letter) in alphabet.iter().enumerate() {
                    if machine.reads(label, letter, case) {
                        let targets = next.entry((from, n)).or_default();
                        if !targets.contains(to) {
                            targets.push(*to);
                        }
                    }
                }
            }
        }
        Self { machine, next }
    }

    fn accepts(&self, state: u16) -> bool {
        self.machine
            .states()
            .get(usize::from(state))
            .is_some_and(|state| state.accepts)
    }

    fn next(&self, state: u16, letter: usize) -> &[u16] {
        self.next.get(&(state, letter)).map_or(&[], Vec::as_slice)
    }
}

/// One character of every class that the machines can tell apart, best readable first.
fn alphabet(machines: &[Reading<'_>]) -> Vec<char> {
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
