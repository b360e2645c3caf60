//! A shortest text that all of some automata accept and none of some others does.
//!
//! Exact like `product`, but over any number of automata, so that it has a budget: the automata are
//! read set of states by set of states, and their product can grow with each that is added.

use std::collections::HashMap;

use crate::product::{Reading, Sets, Table, alphabet_of};

/// What a search came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Search {
    /// This value.
    Found(String),
    /// There is provably none.
    Nowhere,
    /// None was found, and it was not shown that there is none.
    NotDecided,
}

/// Searches the texts that `valid` and all of `all` accept and none of `none` does, looking at no
/// more than `most` places.
pub(crate) fn search(
    all: &[Reading<'_>],
    none: &[Reading<'_>],
    valid: Reading<'_>,
    most: usize,
) -> Search {
    let machines: Vec<Reading<'_>> = std::iter::once(valid)
        .chain(all.iter().copied())
        .chain(none.iter().copied())
        .collect();
    let wanted = all.len() + 1;
    let letters = alphabet_of(&machines);
    let tables: Vec<Table> = machines
        .iter()
        .map(|machine| Table::new(*machine, &letters))
        .collect();
    let mut sets: Vec<Sets> = machines.iter().map(|_| Sets::default()).collect();
    let start = vec![0_usize; machines.len()];
    let mut seen: HashMap<Vec<usize>, usize> = HashMap::from([(start.clone(), 0)]);
    let mut places: Vec<(usize, char, Vec<usize>)> = vec![(0, '\0', start)];
    let mut at = 0;
    while let Some((_, _, place)) = places.get(at) {
        let place = place.clone();
        let accepted = |n: usize| match (sets.get(n), tables.get(n), place.get(n)) {
            (Some(sets), Some(table), Some(set)) => sets.accepts(table, *set),
            _ => false,
        };
        if (0..machines.len()).all(|n| accepted(n) == (n < wanted)) {
            return Search::Found(spell(&places, at));
        }
        if places.len() > most {
            return Search::NotDecided;
        }
        for (n, &letter) in letters.iter().enumerate() {
            let to: Vec<usize> = sets
                .iter_mut()
                .zip(&tables)
                .zip(&place)
                .map(|((sets, table), set)| sets.step(table, *set, n))
                .collect();
            let dead = sets
                .iter()
                .zip(&to)
                .take(wanted)
                .any(|(sets, set)| sets.is_dead(*set));
            if !dead && !seen.contains_key(&to) {
                seen.insert(to.clone(), places.len());
                places.push((at, letter, to));
            }
        }
        at += 1;
    }
    Search::Nowhere
}

fn spell(places: &[(usize, char, Vec<usize>)], mut at: usize) -> String {
    let mut letters = Vec::new();
    while at != 0 {
        let Some((before, letter, _)) = places.get(at) else {
            break;
        };
        letters.push(*letter);
        at = *before;
    }
    letters.into_iter().rev().collect()
}
