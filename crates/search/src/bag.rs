//! Words to features: what a text holds, as numbers of 64 bits with counts.
//!
//! A feature is a hash, so that an index holds no text twice and its size follows from its counts.
//! Two features that share a hash would only blur a ranking; nothing is decided by one.

use crate::words::Stems;

/// Counts are kept in quarters, so that a field may weigh more or less than one and sums stay exact.
pub(crate) const QUARTERS: u16 = 4;

/// Beyond this a word said again adds nothing.
const MAX_COUNT: u16 = 255 * QUARTERS;

/// What kind of feature a hash stands for: the seed of its hash.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Stem = 1,
    Pair = 2,
    Gram = 3,
}

/// Features with their counts in quarters.
// INVARIANT: outside of `collect` sorted by feature, each feature once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Bag(Vec<(u64, u16)>);

impl Bag {
    /// The bag of these features; equal ones are counted together.
    pub(crate) fn collect(features: impl IntoIterator<Item = (u64, u16)>) -> Self {
        let mut all: Vec<(u64, u16)> = features.into_iter().collect();
        all.sort_unstable_by_key(|(feature, _)| *feature);
        all.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.saturating_add(next.1);
            }
            same
        });
        for (_, count) in &mut all {
            *count = (*count).min(MAX_COUNT);
        }
        Self(all)
    }

    /// The features in their order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, u16)> + '_ {
        self.0.iter().copied()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn holds(&self, feature: u64) -> bool {
        self.0
            .binary_search_by_key(&feature, |(held, _)| *held)
            .is_ok()
    }
}

/// The three views of one text.
#[derive(Debug, Default)]
pub(crate) struct Bags {
    /// Stems.
    pub(crate) stems: Bag,
    /// Stems and pairs of neighbours.
    pub(crate) pairs: Bag,
    /// Runs of three to five characters, with marks where a word begins and ends.
    pub(crate) grams: Bag,
}

/// Features as they come.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    stems: Vec<(u64, u16)>,
    pairs: Vec<(u64, u16)>,
    grams: Vec<(u64, u16)>,
    marked: Vec<char>,
}

impl Gathered {
    /// Adds words that stand beside each other, each counted so many quarters.
    pub(crate) fn add(&mut self, stems: &Stems, words: &[String], quarters: u16) {
        let mut before = None;
        for word in words {
            let stem = of_stem(&stems.stem(word));
            self.stems.push((stem, quarters));
            if let Some(before) = before.replace(stem) {
                self.pairs.push((of_pair(before, stem), quarters));
            }
            self.add_grams(word, quarters);
        }
    }

    fn add_grams(&mut self, word: &str, quarters: u16) {
        self.marked.clear();
        self.marked.push('<');
        self.marked.extend(word.chars());
        self.marked.push('>');
        for length in SHORTEST..=LONGEST {
            for run in self.marked.windows(length) {
                let bytes = run.iter().flat_map(|&c| u32::from(c).to_le_bytes());
                self.grams.push((hash(Kind::Gram, bytes), quarters));
            }
        }
    }

    pub(crate) fn bags(self) -> Bags {
        let pairs = self.pairs.into_iter().chain(self.stems.iter().copied());
        Bags {
            pairs: Bag::collect(pairs),
            stems: Bag::collect(self.stems),
            grams: Bag::collect(self.grams),
        }
    }
}

const SHORTEST: usize = 3;
const LONGEST: usize = 5;

/// The feature of a stem.
pub(crate) fn of_stem(stem: &str) -> u64 {
    hash(Kind::Stem, stem.bytes())
}

fn of_pair(first: u64, second: u64) -> u64 {
    let both = first.to_le_bytes().into_iter().chain(second.to_le_bytes());
    hash(Kind::Pair, both)
}

/// FNV-1a over the bytes, seeded by the kind.
fn hash(kind: Kind, bytes: impl Iterator<Item = u8>) -> u64 {
    let seed = std::iter::once(kind as u8);
    let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    seed.chain(bytes).fold(0xcbf2_9ce4_8422_2325, fold)
}
