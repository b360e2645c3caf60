//! Where the entries of an agent and a tool stand.
//!
//! A set of many thousand rules does not fit into a cache, so what a decision costs is how many lines
//! of memory it waits for: a pair is found in one, and all pairs of a request are asked for at once.

use super::seed::Seed;

/// Where the entries of one pair stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stand {
    /// So many entries, from there on.
    Short { start: u32, count: u32 },
    /// On a long shelf.
    Long(u32),
}

/// An agent and a tool as one number, no two pairs the same: hashing it loses nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Pair(u64);

impl Pair {
    pub(super) fn new(agent: u32, tool: u32, seed: &Seed) -> Self {
        Self(seed.number(u64::from(agent) << 32 | u64::from(tool)))
    }
}

/// An open table of pairs.
// INVARIANT: a power of two of slots, at least one of them free.
#[derive(Debug, Clone)]
pub(super) struct Buckets {
    slots: Box<[Slot]>,
    bits: u32,
}

/// One pair, or none.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    pair: Pair,
    /// Where its entries start, or which long shelf they are.
    first: u32,
    /// How many they are: 0 in a free slot, [`Slot::LONG`] on a long shelf.
    count: u32,
}

impl Slot {
    const LONG: u32 = u32::MAX;

    fn stand(self) -> Stand {
        match self.count {
            Self::LONG => Stand::Long(self.first),
            count => Stand::Short {
                start: self.first,
                count,
            },
        }
    }
}

impl Buckets {
    /// A table of these pairs, each of them once; what a short one has is not empty.
    pub(super) fn new(pairs: &[(Pair, Stand)]) -> Self {
        let slots = (pairs.len().saturating_mul(5) / 4 + 2).next_power_of_two();
        let mut table = Self {
            slots: vec![Slot::default(); slots].into(),
            bits: slots.trailing_zeros(),
        };
        for (pair, stand) in pairs {
            let (first, count) = match *stand {
                Stand::Short { start, count } => (start, count),
                Stand::Long(number) => (number, Slot::LONG),
            };
            let free = |slot: &Slot| slot.count == 0;
            let at = table
                .probe(*pair)
                .find(|at| table.slots.get(*at).is_some_and(free));
            if let Some(slot) = at.and_then(|at| table.slots.get_mut(at)) {
                *slot = Slot {
                    pair: *pair,
                    first,
                    count,
                };
            }
        }
        table
    }

    /// The places where a pair may be, the likeliest first.
    fn probe(&self, pair: Pair) -> impl Iterator<Item = usize> + use<> {
        let first = pair.0.checked_shr(64 - self.bits).unwrap_or(0);
        let (first, mask) = (usize::try_from(first).unwrap_or(0), self.slots.len() - 1);
        (0..=mask).map(move |step| (first + step) & mask)
    }

    /// Shows where the entries of each pair stand that has any, by its place among `pairs`, which end
    /// at the first `None`.
    pub(super) fn find<const N: usize>(
        &self,
        pairs: &[Option<Pair>; N],
        mut show: impl FnMut(usize, Stand),
    ) {
        // All are read before any is looked at, so that they are waited for together.
        let read = |at: usize| self.slots.get(at).copied().unwrap_or_default();
        let likely = pairs.map(|pair| {
            let at = pair.and_then(|pair| self.probe(pair).next());
            at.map_or_else(Slot::default, read)
        });
        for (number, (pair, slot)) in pairs.iter().zip(likely).enumerate() {
            let Some(pair) = *pair else {
                break;
            };
            let found = if slot.pair == pair || slot.count == 0 {
                Some(slot)
            } else {
                let mut further = self.probe(pair).skip(1).map(read);
                further.find(|slot| slot.pair == pair || slot.count == 0)
            };
            if let Some(slot) = found.filter(|slot| slot.count > 0) {
                show(number, slot.stand());
            }
        }
    }
}
