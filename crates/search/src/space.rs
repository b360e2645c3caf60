//! One way of seeing all tools: lists by feature, with weights that follow from counts alone.
//!
//! Counts change one tool at a time; weights (which hang on how many tools there are, and how many
//! share a feature) are made anew when a search first needs them. Sums over tools are of whole
//! numbers, so that a space that grew and shrank weighs to the bit like one that was built at once.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::bag::{Bag, QUARTERS};

/// How a count becomes a weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weighing {
    /// Okapi BM25: rare features count, repetition soon stops counting, long texts count less.
    Okapi,
    /// The cosine of the angle between the texts' features, the rare ones weighed up.
    Cosine,
}

/// Saturation and length of [`Weighing::Okapi`], as everybody has them.
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// What a tool holds of a feature.
#[derive(Debug, Clone, Copy)]
struct Posting {
    slot: u32,
    quarters: u16,
    weight: f32,
}

/// Tools by feature.
#[derive(Debug)]
pub(crate) struct Space {
    weighing: Weighing,
    lists: HashMap<u64, Vec<Posting>, BuildHasherDefault<Hashed>>,
    tools: u32,
    fresh: bool,
}

impl Space {
    pub(crate) fn new(weighing: Weighing) -> Self {
        Self {
            weighing,
            lists: HashMap::default(),
            tools: 0,
            fresh: true,
        }
    }

    /// Adds what the tool in a slot holds; the slot must hold nothing here.
    pub(crate) fn add(&mut self, slot: u32, bag: &Bag) {
        for (feature, quarters) in bag.iter() {
            let weight = 0.0;
            self.lists.entry(feature).or_default().push(Posting {
                slot,
                quarters,
                weight,
            });
        }
        self.tools += 1;
        self.fresh = false;
    }

    /// Takes out what [`Space::add`] put in, given the same bag.
    pub(crate) fn remove(&mut self, slot: u32, bag: &Bag) {
        for (feature, _) in bag.iter() {
            let Some(list) = self.lists.get_mut(&feature) else {
                continue;
            };
            if let Some(at) = list.iter().position(|posting| posting.slot == slot) {
                list.swap_remove(at);
            }
            if list.is_empty() {
                self.lists.remove(&feature);
            }
        }
        self.tools = self.tools.saturating_sub(1);
        self.fresh = false;
    }

    pub(crate) fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// Whether a tool has the feature.
    pub(crate) fn holds(&self, feature: u64) -> bool {
        self.lists.contains_key(&feature)
    }

    /// How many postings there are.
    #[cfg(test)]
    pub(crate) fn size(&self) -> usize {
        self.lists.values().map(Vec::len).sum()
    }

    /// Weighs every posting; `slots` is one more than the highest slot.
    pub(crate) fn refresh(&mut self, slots: usize) {
        if self.fresh {
            return;
        }
        match self.weighing {
            Weighing::Okapi => self.weigh_okapi(slots),
            Weighing::Cosine => self.weigh_cosine(slots),
        }
        self.fresh = true;
    }

    fn weigh_okapi(&mut self, slots: usize) {
        let mut lengths = vec![0_u64; slots];
        for posting in self.lists.values().flatten() {
            if let Some(length) = lengths.get_mut(posting.slot as usize) {
                *length += u64::from(posting.quarters);
            }
        }
        let mean = lengths.iter().sum::<u64>() as f32 / self.tools.max(1) as f32;
        for list in self.lists.values_mut() {
            let rarity = okapi_rarity(self.tools, list.len());
            for posting in list {
                let length = lengths.get(posting.slot as usize).copied().unwrap_or(0);
                let count = f32::from(posting.quarters) / f32::from(QUARTERS);
                let room = K1 * (1.0 - B + B * length as f32 / mean.max(1.0));
                posting.weight = rarity * count * (K1 + 1.0) / (count + room);
            }
        }
    }

    fn weigh_cosine(&mut self, slots: usize) {
        let mut squares = vec![0_u64; slots];
        for list in self.lists.values_mut() {
            let rarity = cosine_rarity(self.tools, list.len());
            for posting in list {
                posting.weight = damped(posting.quarters) * rarity;
                if let Some(square) = squares.get_mut(posting.slot as usize) {
                    *square += (posting.weight * posting.weight * GRAIN) as u64;
                }
            }
        }
        for posting in self.lists.values_mut().flatten() {
            let square = squares.get(posting.slot as usize).copied().unwrap_or(0);
            posting.weight /= (square as f32 / GRAIN).sqrt().max(1e-3);
        }
    }

    /// Adds to each slot how well its tool answers the bag. Call only when fresh.
    pub(crate) fn score(&self, bag: &Bag, scores: &mut [f32]) {
        for (feature, quarters) in bag.iter() {
            let Some(list) = self.lists.get(&feature) else {
                continue;
            };
            let asked = match self.weighing {
                Weighing::Okapi => f32::from(quarters.min(QUARTERS)) / f32::from(QUARTERS),
                Weighing::Cosine => damped(quarters) * cosine_rarity(self.tools, list.len()),
            };
            for posting in list {
                if let Some(score) = scores.get_mut(posting.slot as usize) {
                    *score += asked * posting.weight;
                }
            }
        }
    }

    /// The length of a bag as a vector, over the features that some tool has.
    pub(crate) fn norm(&self, bag: &Bag) -> f32 {
        let weight = |(feature, quarters)| {
            let list = self.lists.get(&feature)?;
            Some(damped(quarters) * cosine_rarity(self.tools, list.len()))
        };
        let squares = bag.iter().filter_map(weight).map(|weight| weight * weight);
        squares.sum::<f32>().sqrt()
    }
}

/// Squares are summed as whole parts of this fineness.
const GRAIN: f32 = 65_536.0;

fn okapi_rarity(tools: u32, holders: usize) -> f32 {
    let (tools, holders) = (tools as f32, holders as f32);
    (1.0 + (tools - holders + 0.5) / (holders + 0.5)).ln()
}

fn cosine_rarity(tools: u32, holders: usize) -> f32 {
    ((1.0 + tools as f32) / (1.0 + holders as f32)).ln() + 1.0
}

/// 0 for none, 1 for one, then ever slower.
fn damped(quarters: u16) -> f32 {
    (1.0 + f32::from(quarters) / f32::from(QUARTERS)).log2()
}

/// Features are hashes already.
#[derive(Debug, Default)]
pub(crate) struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, feature: u64) {
        self.0 = feature;
    }
}
