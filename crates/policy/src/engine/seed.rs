//! Hashing that nobody outside can foresee, and a small table over it.
//!
//! Names and targets come from files that others may have written; with a seed of its own every set
//! spreads them differently, so no list of rules can be made to collide. Answers never depend on it:
//! whatever a hash finds is compared.

use std::hash::{BuildHasher, Hasher, RandomState};

use foldhash::SharedSeed;
use foldhash::quality::SeedableRandomState;

/// The seed of one set of rules.
#[derive(Debug, Clone)]
pub(super) struct Seed {
    texts: SeedableRandomState,
    odd: u64,
    mask: u64,
}

impl Seed {
    pub(super) fn new() -> Self {
        let random = RandomState::new();
        let shared = SharedSeed::global_random();
        Self {
            texts: SeedableRandomState::with_seed(random.hash_one(0_u8), shared),
            odd: random.hash_one(1_u8) | 1,
            mask: random.hash_one(2_u8),
        }
    }

    pub(super) fn text(&self, text: &str) -> u64 {
        let mut hasher = self.texts.build_hasher();
        hasher.write(text.as_bytes());
        hasher.finish()
    }

    /// The hash of a text, ASCII letter case and zeros at its end aside.
    pub(super) fn folded(&self, text: &[u8]) -> u64 {
        let mut hasher = self.texts.build_hasher();
        let (words, rest) = text.as_chunks::<8>();
        for word in words {
            hasher.write_u64(lower(*word));
        }
        if !rest.is_empty() {
            hasher.write_u64(lower(last(text, rest)));
        }
        hasher.finish()
    }

    /// The hash of a number; its high bits are the good ones.
    pub(super) fn number(&self, number: u64) -> u64 {
        (number ^ self.mask).wrapping_mul(self.odd)
    }

    /// The hash of what `before` is the hash of, and this behind it.
    pub(super) fn onward(&self, before: u64, hash: u64) -> u64 {
        self.number(before.rotate_left(23) ^ hash)
    }
}

/// The fewer than eight bytes at the end of a text, with zeros behind them.
fn last(text: &[u8], rest: &[u8]) -> [u8; 8] {
    match text.last_chunk::<8>() {
        // A shift is faster than a copy of so many bytes as there are.
        Some(word) => (u64::from_le_bytes(*word) >> (8 * (8 - rest.len()))).to_le_bytes(),
        None => {
            let mut word = [0; 8];
            for (to, from) in word.iter_mut().zip(rest) {
                *to = *from;
            }
            word
        }
    }
}

/// Eight bytes as a number, ASCII letters in lower case.
fn lower(word: [u8; 8]) -> u64 {
    u64::from_le_bytes(word.map(|byte| byte.to_ascii_lowercase()))
}

/// The upper half of a hash.
pub(super) fn high(hash: u64) -> u32 {
    u32::try_from(hash >> 32).unwrap_or(u32::MAX)
}

/// An open table from hashes to numbers. What it finds must be compared by the caller.
// INVARIANT: a power of two of slots, at least one of them free.
#[derive(Debug, Clone)]
pub(super) struct Table {
    slots: Box<[Slot]>,
    bits: u32,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    tag: u32,
    value: u32,
}

/// No value.
const FREE: u32 = u32::MAX;

impl Table {
    /// A table for so many values, which `insert` must not exceed.
    pub(super) fn for_values(values: usize) -> Self {
        let wanted = values.saturating_mul(5) / 4 + 2;
        let slots = wanted.next_power_of_two();
        let free = Slot {
            tag: 0,
            value: FREE,
        };
        Self {
            slots: vec![free; slots].into(),
            bits: slots.trailing_zeros(),
        }
    }

    fn slot(&self, hash: u64) -> usize {
        let shifted = hash.checked_shr(64 - self.bits).unwrap_or(0);
        usize::try_from(shifted).unwrap_or(0)
    }

    pub(super) fn insert(&mut self, hash: u64, value: u32) {
        let mut at = self.slot(hash);
        let tag = low(hash);
        for _ in 0..self.slots.len() {
            match self.slots.get_mut(at) {
                Some(slot) if slot.value == FREE => {
                    *slot = Slot { tag, value };
                    return;
                }
                Some(_) => at += 1,
                None => at = 0,
            }
        }
    }

    /// The first value under this hash that is the one meant.
    pub(super) fn find(&self, hash: u64, mut is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        let mut at = self.slot(hash);
        let tag = low(hash);
        loop {
            match self.slots.get(at) {
                Some(slot) if slot.value == FREE => return None,
                Some(slot) if slot.tag == tag && is_it(slot.value) => return Some(slot.value),
                Some(_) => at += 1,
                None => at = 0,
            }
        }
    }
}

fn low(hash: u64) -> u32 {
    u32::try_from(hash & u64::from(u32::MAX)).unwrap_or(0)
}
