//! The tools of one snapshot, laid out by verb, namespace and tag, so that a token meets only those
//! that its words lead to.
//!
//! Holds no decision of its own: `choose` asks it, and the linear scan of `reference` is what both
//! must equal. Made once for each snapshot and never changed.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use tipstaff_schema::{Snapshot, SnapshotEntry};

/// An index over the callable tools of one snapshot.
///
/// Every tool has a *rank*: its place among all callable ones by tier, then id. So of two tools with
/// one score the one with the lower rank goes first, and lists sorted by rank need no comparing of ids.
pub struct RouteIndex {
    pub(crate) tools: Arc<Snapshot>,
    /// Rank to place in the snapshot.
    pub(crate) ranked: Vec<u32>,
    /// Rank to facts.
    pub(crate) facts: Vec<Facts>,
    pub(crate) namespaces: HashMap<Box<str>, Namespace>,
    pub(crate) tags: HashMap<Box<str>, Tag>,
    pub(crate) everything: Scope,
}

/// What is asked of a candidate again and again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts {
    pub(crate) tier: u8,
    /// The server, numbered; `None` for a tool that is no server's.
    pub(crate) server: Option<u32>,
}

/// A tag, numbered.
pub(crate) type Tag = u32;

/// A set of tags, numbered too: equal sets have one number.
#[derive(Debug, Clone)]
pub(crate) struct TagSet {
    pub(crate) number: u32,
    // INVARIANT: sorted, each tag once.
    pub(crate) tags: Arc<[Tag]>,
}

/// The tools of one namespace, and those of each of its verbs.
#[derive(Debug, Default)]
pub(crate) struct Namespace {
    pub(crate) all: Scope,
    pub(crate) verbs: HashMap<Box<str>, Scope>,
}

/// Tools that stand in one relation to a verb.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    /// All of them, by rank.
    pub(crate) all: Slots,
    /// Those with one set of tags, set by set.
    pub(crate) groups: Vec<Group>,
    // INVARIANT: sorted by tag.
    by_tag: Vec<(Tag, Range<u32>)>,
    /// Places in `groups`; within the range of a tag sorted by the number of tags.
    holding: Vec<u32>,
}

/// Tools of one scope with one set of tags: one score for any token.
#[derive(Debug)]
pub(crate) struct Group {
    // INVARIANT: sorted, each tag once.
    pub(crate) tags: Arc<[Tag]>,
    pub(crate) slots: Slots,
}

/// Tools by rank, with leaps to the next of another server.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    // INVARIANT: sorted by rank.
    ranks: Vec<u32>,
    /// For each place the next one in this list that has the same tier and belongs to another server.
    leaps: Vec<u32>,
}

/// No next place.
const NOWHERE: u32 = u32::MAX;

impl RouteIndex {
    /// The snapshot that it was made from.
    #[must_use]
    pub fn tools(&self) -> &Arc<Snapshot> {
        &self.tools
    }

    /// How many tools can be routed to.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ranked.len()
    }

    /// Whether nothing can be routed to.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ranked.is_empty()
    }

    pub(crate) fn entry(&self, rank: u32) -> Option<&SnapshotEntry> {
        let place = *self.ranked.get(rank as usize)?;
        self.tools.entries.get(place as usize)
    }

    pub(crate) fn facts(&self, rank: u32) -> Option<Facts> {
        self.facts.get(rank as usize).copied()
    }

    pub(crate) fn verb(&self, namespace: &str, action: &str) -> Option<&Scope> {
        self.namespaces.get(namespace)?.verbs.get(action)
    }
}

impl std::fmt::Debug for RouteIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RouteIndex")
            .field("version", &self.tools.version)
            .field("tools", &self.len())
            .finish_non_exhaustive()
    }
}

impl Scope {
    /// Lays out tools; `ranks` is sorted, `sets` are the tags by rank.
    pub(crate) fn new(ranks: Vec<u32>, sets: &[TagSet], facts: &[Facts]) -> Self {
        let mut by_set: HashMap<u32, usize> = HashMap::new();
        let mut members: Vec<(Arc<[Tag]>, Vec<u32>)> = Vec::new();
        for rank in &ranks {
            let Some(TagSet { number, tags }) = sets.get(*rank as usize) else {
                continue;
            };
            let place = *by_set.entry(*number).or_insert_with(|| {
                members.push((Arc::clone(tags), Vec::new()));
                members.len() - 1
            });
            if let Some((_, group)) = members.get_mut(place) {
                group.push(*rank);
            }
        }
        let groups: Vec<Group> = members
            .into_iter()
            .map(|(tags, ranks)| Group {
                tags,
                slots: Slots::new(ranks, facts),
            })
            .collect();
        let (by_tag, holding) = tag_lists(&groups);
        Self {
            all: Slots::new(ranks, facts),
            groups,
            by_tag,
            holding,
        }
    }

    /// The groups that have a tag, those with the fewest tags first.
    pub(crate) fn holding(&self, tag: Tag) -> &[u32] {
        let found = self.by_tag.binary_search_by_key(&tag, |(tag, _)| *tag);
        found
            .ok()
            .and_then(|place| self.by_tag.get(place))
            .and_then(|(_, range)| self.holding.get(range.start as usize..range.end as usize))
            .unwrap_or_default()
    }

    pub(crate) fn group(&self, place: u32) -> Option<&Group> {
        self.groups.get(place as usize)
    }
}

type TagLists = (Vec<(Tag, Range<u32>)>, Vec<u32>);

fn tag_lists(groups: &[Group]) -> TagLists {
    let mut pairs: Vec<(Tag, usize, u32)> = (0_u32..)
        .zip(groups)
        .flat_map(|(place, group)| {
            let size = group.tags.len();
            group.tags.iter().map(move |tag| (*tag, size, place))
        })
        .collect();
    pairs.sort_unstable();
    let mut by_tag: Vec<(Tag, Range<u32>)> = Vec::new();
    for (place, (tag, _, _)) in (0_u32..).zip(&pairs) {
        match by_tag.last_mut() {
            Some((last, range)) if last == tag => range.end = place + 1,
            Some(_) | None => by_tag.push((*tag, place..place + 1)),
        }
    }
    (
        by_tag,
        pairs.into_iter().map(|(_, _, place)| place).collect(),
    )
}

impl Slots {
    fn new(ranks: Vec<u32>, facts: &[Facts]) -> Self {
        let of = |rank: u32| facts.get(rank as usize).copied();
        let mut leaps = vec![NOWHERE; ranks.len()];
        // From the end: the next place, unless it is of the same server; then where that one leaps to.
        let mut next: Option<(usize, Facts, u32)> = None;
        for ((place, rank), leap) in ranks.iter().enumerate().zip(&mut leaps).rev() {
            let Some(here) = of(*rank) else { continue };
            *leap = match next {
                Some((_, there, _)) if there.tier != here.tier => NOWHERE,
                Some((_, there, beyond)) if there.server == here.server => beyond,
                Some((place, _, _)) => u32::try_from(place).unwrap_or(NOWHERE),
                None => NOWHERE,
            };
            next = Some((place, here, *leap));
        }
        Self { ranks, leaps }
    }

    /// The first that passes.
    pub(crate) fn first(&self, passes: impl Fn(u32) -> bool) -> Option<u32> {
        self.ranks.iter().copied().find(|rank| passes(*rank))
    }

    /// The first of the tier that belongs to a server other than this one, and passes. Leaps over
    /// runs of one server.
    pub(crate) fn first_of_another(
        &self,
        index: &RouteIndex,
        of: Facts,
        passes: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        let tier = |rank: u32| index.facts(rank).map_or(u8::MAX, |facts| facts.tier);
        let mut place = self.ranks.partition_point(|rank| tier(*rank) < of.tier);
        loop {
            let rank = *self.ranks.get(place)?;
            let facts = index.facts(rank).filter(|facts| facts.tier == of.tier)?;
            if facts.server == of.server || facts.server.is_none() {
                place = usize::try_from(*self.leaps.get(place)?).ok()?;
            } else if passes(rank) {
                return Some(rank);
            } else {
                place += 1;
            }
        }
    }
}
