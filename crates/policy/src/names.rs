//! Where patterns over names meet: a name that all of some patterns match.
//!
//! Exact, by the product of the patterns as automata; a pattern is at most 256 characters.

use std::collections::{HashMap, VecDeque};

/// A name that every pattern matches; `None` means that there is provably none, or that the
/// search grew beyond its budget.
pub(crate) fn meet(patterns: &[&str]) -> Meet {
    let patterns: Vec<Vec<char>> = patterns.iter().map(|p| p.chars().collect()).collect();
    let start = vec![0; patterns.len()];
    let mut seen: HashMap<Vec<usize>, Option<(Vec<usize>, char)>> =
        HashMap::from([(start.clone(), None)]);
    let mut queue = VecDeque::from([start]);
    while let Some(state) = queue.pop_front() {
        if state
            .iter()
            .zip(&patterns)
            .all(|(at, pattern)| rest_is_stars(pattern, *at))
        {
            return Meet::At(spell(&seen, state));
        }
        if seen.len() > 100_000 {
            return Meet::NotDecided;
        }
        for c in letters(&patterns, &state) {
            let steps: Option<Vec<Vec<usize>>> = patterns
                .iter()
                .zip(&state)
                .map(|(pattern, at)| some(next(pattern, *at, c)))
                .collect();
            for next in product(&steps.unwrap_or_default()) {
                if !seen.contains_key(&next) {
                    seen.insert(next.clone(), Some((state.clone(), c)));
                    queue.push_back(next);
                }
            }
        }
    }
    Meet::Nowhere
}

/// What the search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Meet {
    /// This name.
    At(String),
    /// There is none.
    Nowhere,
    /// The budget was spent.
    NotDecided,
}

fn some(states: Vec<usize>) -> Option<Vec<usize>> {
    (!states.is_empty()).then_some(states)
}

fn rest_is_stars(pattern: &[char], at: usize) -> bool {
    pattern.iter().skip(at).all(|c| *c == '*')
}

/// The positions after reading one character, from any star that may be empty.
fn next(pattern: &[char], mut at: usize, c: char) -> Vec<usize> {
    let mut states = Vec::new();
    while let Some(p) = pattern.get(at) {
        match p {
            '*' => {
                states.push(at);
                at += 1;
            }
            '?' => {
                states.push(at + 1);
                break;
            }
            p if *p == c => {
                states.push(at + 1);
                break;
            }
            _ => break,
        }
    }
    states
}

/// The characters worth trying: those that a pattern names next, and one that none names.
fn letters(patterns: &[Vec<char>], state: &[usize]) -> Vec<char> {
    let mut letters: Vec<char> = patterns
        .iter()
        .zip(state)
        .filter_map(|(pattern, at)| pattern.iter().skip(*at).find(|c| **c != '*'))
        .copied()
        .filter(|c| *c != '?')
        .collect();
    letters.extend(('a'..='z').find(|c| !letters.contains(c)));
    letters.sort_unstable();
    letters.dedup();
    letters
}

fn product(choices: &[Vec<usize>]) -> Vec<Vec<usize>> {
    if choices.is_empty() {
        return Vec::new();
    }
    choices.iter().fold(vec![Vec::new()], |done, choice| {
        let longer = |head: &Vec<usize>, last: usize| head.iter().copied().chain([last]).collect();
        done.iter()
            .flat_map(|head| choice.iter().map(move |last| longer(head, *last)))
            .collect()
    })
}

fn spell(seen: &HashMap<Vec<usize>, Option<(Vec<usize>, char)>>, mut state: Vec<usize>) -> String {
    let mut name = Vec::new();
    while let Some(Some((from, c))) = seen.get(&state) {
        name.push(*c);
        state.clone_from(from);
    }
    name.iter().rev().collect()
}

/// Whether every name that `inner` matches is matched by `outer`. Exact for an inner name without
/// wildcards and for equal patterns; otherwise `outer` must match `inner` read as plain text with
/// each wildcard kept whole, which is never wrongly true.
pub(crate) fn covers(outer: &str, inner: &str) -> bool {
    if outer == inner || outer.chars().all(|c| c == '*') {
        return true;
    }
    // What stands before the first wildcard of `outer` must stand so in `inner`; that tells most.
    let head = outer.find(['*', '?']).and_then(|at| outer.get(..at));
    if !head.is_some_and(|head| inner.starts_with(head)) {
        return false;
    }
    // A star of `outer` may swallow wildcards of `inner`; its letters and `?` may not meet a star.
    let (outer, inner): (Vec<char>, Vec<char>) = (outer.chars().collect(), inner.chars().collect());
    let mut reach = vec![0];
    for c in inner {
        let mut after: Vec<usize> = reach
            .iter()
            .flat_map(|at| covered(&outer, *at, c))
            .collect();
        after.sort_unstable();
        after.dedup();
        reach = after;
    }
    reach.iter().any(|at| rest_is_stars(&outer, *at))
}

fn covered(outer: &[char], mut at: usize, c: char) -> Vec<usize> {
    let mut states = Vec::new();
    while let Some(p) = outer.get(at) {
        match p {
            '*' => {
                states.push(at);
                at += 1;
            }
            '?' if c != '*' => {
                states.push(at + 1);
                break;
            }
            p if *p == c && c != '*' && c != '?' => {
                states.push(at + 1);
                break;
            }
            _ => break,
        }
    }
    states
}

/// Whether some tool name of a server could match: `<server>:<tool>`, the server `[a-z0-9-]`.
pub(crate) fn may_name_server_tool(pattern: &str) -> bool {
    let mut before = 0;
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '*' => return true,
            ':' => return before > 0 && chars.next().is_some(),
            '?' => {}
            c if c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' => {}
            _ => return false,
        }
        before += 1;
    }
    pattern.contains('?')
}

/// The server that a pattern over names is bound to; `None` where it could be any.
pub(crate) fn server_of(pattern: &str) -> Option<&str> {
    let (server, _) = pattern.split_once(':')?;
    (!server.contains(['*', '?'])).then_some(server)
}
