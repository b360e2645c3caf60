//! A name that some patterns match and others do not. Exact: the patterns are read side by side as
//! sets of positions.

use std::collections::HashMap;

use tipstaff_resource::Search;

/// So many places are looked at for one name.
const MOST: usize = 4_000;

/// A name that every one of `all` matches and none of `none` does.
pub(super) fn search(all: &[&str], none: &[&str]) -> Search {
    let patterns: Vec<Vec<char>> = all
        .iter()
        .chain(none)
        .map(|text| text.chars().collect())
        .collect();
    let letters = letters(&patterns);
    let start: Vec<Vec<usize>> = patterns.iter().map(|p| rested(p, vec![0])).collect();
    let mut seen: HashMap<Vec<Vec<usize>>, ()> = HashMap::from([(start.clone(), ())]);
    let mut places = vec![(0_usize, '\0', start)];
    let mut at = 0;
    while let Some((_, _, place)) = places.get(at) {
        let place = place.clone();
        let accepted = |n: usize| matches!((place.get(n), patterns.get(n)), (Some(s), Some(p)) if s.contains(&p.len()));
        if (0..patterns.len()).all(|n| accepted(n) == (n < all.len())) {
            return Search::Found(spell(&places, at));
        }
        if places.len() > MOST {
            return Search::NotDecided;
        }
        for c in &letters {
            let next: Vec<Vec<usize>> = place
                .iter()
                .zip(&patterns)
                .map(|(states, pattern)| step(pattern, states, *c))
                .collect();
            let dead = next.iter().take(all.len()).any(Vec::is_empty);
            if !dead && seen.insert(next.clone(), ()).is_none() {
                places.push((at, *c, next));
            }
        }
        at += 1;
    }
    Search::Nowhere
}

/// The letters that a pattern names, and one that none does.
fn letters(patterns: &[Vec<char>]) -> Vec<char> {
    let mut letters: Vec<char> = patterns
        .iter()
        .flatten()
        .copied()
        .filter(|c| *c != '*' && *c != '?')
        .collect();
    letters.sort_unstable();
    letters.dedup();
    letters.extend(('a'..='z').chain('0'..='9').find(|c| !letters.contains(c)));
    letters
}

fn step(pattern: &[char], states: &[usize], c: char) -> Vec<usize> {
    let after = states.iter().filter_map(|at| match pattern.get(*at) {
        Some('*') => Some(*at),
        Some('?') => Some(at + 1),
        Some(own) if *own == c => Some(at + 1),
        Some(_) | None => None,
    });
    rested(pattern, after.collect())
}

/// A star may be empty.
fn rested(pattern: &[char], mut states: Vec<usize>) -> Vec<usize> {
    let mut at = 0;
    while let Some(state) = states.get(at).copied() {
        if pattern.get(state) == Some(&'*') && !states.contains(&(state + 1)) {
            states.push(state + 1);
        }
        at += 1;
    }
    states.sort_unstable();
    states.dedup();
    states
}

fn spell(places: &[(usize, char, Vec<Vec<usize>>)], mut at: usize) -> String {
    let mut name = Vec::new();
    while at != 0 {
        let Some((before, c, _)) = places.get(at) else {
            break;
        };
        name.push(*c);
        at = *before;
    }
    name.into_iter().rev().collect()
}
