//! The places that a verifier has not seen yet, with what their neighbours say of them.
//!
//! An event that turns up late is reordered, not missing, and can still be checked against both
//! neighbours; that is all this is for. It grows with the disorder of the input, not its length.

use std::collections::BTreeMap;

use tipstaff_schema::Digest;

/// What an event says when it falls into a gap.
pub(crate) struct Found {
    /// The event before it has another hash than its `prev`.
    pub(crate) before_differs: bool,
    /// The event after it says another `prev` than its hash.
    pub(crate) after_differs: bool,
}

#[derive(Debug)]
struct Gap {
    to: u64,
    /// The hash of the event before the gap.
    before: Option<Digest>,
    /// The `prev` of the event after the gap.
    wanted: Digest,
}

/// Gaps by their first place.
#[derive(Debug, Default)]
pub(crate) struct Gaps(BTreeMap<u64, Gap>);

impl Gaps {
    /// The places `from` to `to` were skipped.
    pub(crate) fn open(&mut self, from: u64, to: u64, before: Option<Digest>, wanted: Digest) {
        self.0.insert(from, Gap { to, before, wanted });
    }

    /// Fills a place; `None` when it is in no gap.
    pub(crate) fn fill(&mut self, seq: u64, prev: Digest, hash: Digest) -> Option<Found> {
        let (&from, gap) = self
            .0
            .range(..=seq)
            .next_back()
            .filter(|(_, gap)| seq <= gap.to)?;
        let Gap { to, before, wanted } = *gap;
        self.0.remove(&from);
        if from < seq {
            self.open(from, seq - 1, before, prev);
        }
        if seq < to {
            self.open(seq + 1, to, Some(hash), wanted);
        }
        Some(Found {
            before_differs: from == seq && before.is_some_and(|before| before != prev),
            after_differs: to == seq && wanted != hash,
        })
    }

    /// What is still missing, as first and last places.
    pub(crate) fn missing(&self) -> impl Iterator<Item = (u64, u64)> {
        self.0.iter().map(|(from, gap)| (*from, gap.to))
    }
}
