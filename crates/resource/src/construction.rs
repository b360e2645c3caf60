//! From the tree of a pattern to the states of its automaton.
//!
//! Thompson's construction, with its epsilon steps taken out at the end. Only what follows the literal
//! beginning of a pattern comes here.

use crate::automaton::{Label, State, TOO_LARGE};
use crate::glob::Node;

/// A chain of optional alternatives grows with its square; this bounds memory for one pattern.
const MAX_STEPS: usize = 8192;

/// The states of these nodes, at most so many, the start first.
pub(crate) fn states_of(
    nodes: &[Node],
    separator: char,
    most: usize,
) -> Result<Vec<State>, &'static str> {
    let mut builder = Builder {
        separator,
        steps: vec![Vec::new()],
        jumps: vec![Vec::new()],
    };
    let end = builder.sequence(nodes, 0);
    builder.finish(end, most)
}

/// The states that this one reaches, itself first.
pub(crate) fn states_from(states: &[State], start: u16) -> Vec<State> {
    let mut order = vec![start];
    let mut at = 0;
    while let Some(state) = order.get(at).and_then(|n| states.get(usize::from(*n))) {
        at += 1;
        for (_, to) in &state.steps {
            if !order.contains(to) {
                order.push(*to);
            }
        }
    }
    let renumbered = |(label, to): &(Label, u16)| {
        let place = order.iter().position(|n| n == to);
        (
            label.clone(),
            place.and_then(|n| u16::try_from(n).ok()).unwrap_or(0),
        )
    };
    let kept = order.iter().filter_map(|n| states.get(usize::from(*n)));
    kept.map(|state| {
        let mut steps: Vec<(Label, u16)> = state.steps.iter().map(renumbered).collect();
        steps.sort();
        State {
            accepts: state.accepts,
            steps,
        }
    })
    .collect()
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
    fn finish(self, end: usize, most: usize) -> Result<Vec<State>, &'static str> {
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
            if order.len() > most || total > MAX_STEPS {
                return Err(TOO_LARGE);
            }
            states.push(State {
                accepts: closure.contains(&end),
                steps,
            });
        }
        Ok(states)
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
