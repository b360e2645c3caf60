//! Learns from use: which queries led to which tool.
//!
//! A single query says more about its wording than about the tool, so a tool's queries count only
//! once there are [`MIN_SEEN`] different ones, and more the more there are. Holds hashes, no text.
//! Bounded: [`MAX_PER_TOOL`] queries of [`MAX_FEATURES`] features for a tool (the oldest goes first),
//! [`MAX_SEEN`] in all (the tool with most gives one up): at most some 8 MiB.

use std::collections::{BTreeMap, VecDeque};

use crate::bag::Bag;
use crate::space::{Space, Weighing};

/// So many different queries before they count.
pub const MIN_SEEN: usize = 4;
/// The most queries that are kept for a tool.
pub const MAX_PER_TOOL: usize = 24;
/// The most queries that are kept in all.
pub const MAX_SEEN: usize = 8_192;
/// The most features that are kept of a query.
const MAX_FEATURES: usize = 64;

/// With so many queries a tool's past counts half.
const HALF: f32 = 6.0;

#[derive(Debug)]
pub(crate) struct Seen {
    by_slot: BTreeMap<u32, VecDeque<Bag>>,
    total: usize,
    space: Space,
}

impl Seen {
    pub(crate) fn new() -> Self {
        Self {
            by_slot: BTreeMap::new(),
            total: 0,
            space: Space::new(Weighing::Cosine),
        }
    }

    /// Keeps a query that led to the tool in the slot; a query that is held already adds nothing.
    pub(crate) fn observe(&mut self, slot: u32, query: &Bag) {
        let query = Bag::collect(query.iter().take(MAX_FEATURES));
        let held = self.by_slot.get(&slot);
        if query.is_empty() || held.is_some_and(|held| held.contains(&query)) {
            return;
        }
        self.change(slot, |held| {
            held.push_back(query);
            if held.len() > MAX_PER_TOOL {
                held.pop_front();
            }
        });
        while self.total > MAX_SEEN {
            let most =
                |(slot, held): (&u32, &VecDeque<Bag>)| (held.len(), std::cmp::Reverse(*slot));
            let Some((_, slot)) = self.by_slot.iter().map(most).max() else {
                return;
            };
            self.change(slot.0, |held| {
                held.pop_front();
            });
        }
    }

    /// Forgets all that was seen for a slot.
    pub(crate) fn forget(&mut self, slot: u32) {
        self.change(slot, VecDeque::clear);
    }

    fn change(&mut self, slot: u32, change: impl FnOnce(&mut VecDeque<Bag>)) {
        let held = self.by_slot.entry(slot).or_default();
        let before = profile(held);
        self.total -= held.len();
        change(held);
        self.total += held.len();
        let after = profile(held);
        if held.is_empty() {
            self.by_slot.remove(&slot);
        }
        if let Some(before) = before {
            self.space.remove(slot, &before);
        }
        if let Some(after) = after {
            self.space.add(slot, &after);
        }
    }

    /// How many queries are held in all.
    #[cfg(test)]
    pub(crate) fn total(&self) -> usize {
        self.total
    }

    pub(crate) fn is_fresh(&self) -> bool {
        self.space.is_fresh()
    }

    pub(crate) fn refresh(&mut self, slots: usize) {
        self.space.refresh(slots);
    }

    /// Adds to each slot how near the query is to those seen, from 0 to below `weight`.
    pub(crate) fn score(&self, query: &Bag, weight: f32, scores: &mut [f32]) {
        let norm = self.space.norm(query);
        if norm <= 0.0 {
            return;
        }
        let mut near = vec![0.0; scores.len()];
        self.space.score(query, &mut near);
        for (&slot, held) in &self.by_slot {
            let at = slot as usize;
            if let (Some(score), Some(near)) = (scores.get_mut(at), near.get(at)) {
                let evidence = held.len() as f32 / (held.len() as f32 + HALF);
                *score += weight * evidence * near / norm;
            }
        }
    }
}

/// All that is held of a tool as one bag, where it is enough to count.
fn profile(held: &VecDeque<Bag>) -> Option<Bag> {
    if held.len() < MIN_SEEN {
        return None;
    }
    Some(Bag::collect(held.iter().flat_map(Bag::iter)))
}
