//! The tools behind the lock, each in a slot, seen in every way at once.

use std::collections::BTreeMap;
use std::sync::Arc;

use tipstaff_schema::ToolDescriptor;

use crate::bag::{Bag, Bags, QUARTERS, of_stem};
use crate::embed::cosine;
use crate::index::{Found, Look, Query};
use crate::rank::{Opinion, agree, with_parts};
use crate::related::Related;
use crate::seen::Seen;
use crate::space::{Space, Weighing};
use crate::words::{Stems, words};

/// How much each opinion counts beside the others.
const STEMS: f32 = 1.0;
const PAIRS: f32 = 1.0;
const GRAMS: f32 = 1.0;
const VECTORS: f32 = 1.0;

/// What is added to the agreed score, which lies between 0 and 1.
const VERB: f32 = 0.05;
const TAGS: f32 = 0.5;
const SEEN: f32 = 1.0;

#[derive(Debug)]
struct Entry {
    tool: Arc<ToolDescriptor>,
    verb: Vec<u64>,
    vector: Option<Vec<f32>>,
}

#[derive(Debug)]
pub(crate) struct Catalog {
    slots: Vec<Option<Entry>>,
    free: Vec<u32>,
    by_id: BTreeMap<String, u32>,
    stems: Space,
    pairs: Space,
    grams: Space,
    seen: Seen,
    related: Related,
}

impl Catalog {
    pub(crate) fn new(stems: &Stems) -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            by_id: BTreeMap::new(),
            stems: Space::new(Weighing::Okapi),
            pairs: Space::new(Weighing::Cosine),
            grams: Space::new(Weighing::Cosine),
            seen: Seen::new(),
            related: Related::new(stems),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.by_id.len()
    }

    pub(crate) fn put(
        &mut self,
        stems: &Stems,
        tool: ToolDescriptor,
        bags: &Bags,
        vector: Option<Vec<f32>>,
    ) {
        if self.get(&tool.tool_id).is_some_and(|held| **held == tool) {
            return;
        }
        self.take(stems, &tool.tool_id);
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            (self.slots.len() - 1) as u32
        });
        self.stems.add(slot, &bags.stems);
        self.pairs.add(slot, &bags.pairs);
        self.grams.add(slot, &bags.grams);
        self.by_id.insert(tool.tool_id.clone(), slot);
        let verb = words(&tool.verb.action);
        let verb = verb.iter().map(|word| of_stem(&stems.stem(word))).collect();
        if let Some(place) = self.slots.get_mut(slot as usize) {
            let tool = Arc::new(tool);
            *place = Some(Entry { tool, verb, vector });
        }
    }

    pub(crate) fn take(&mut self, stems: &Stems, tool_id: &str) -> bool {
        let Some(slot) = self.by_id.remove(tool_id) else {
            return false;
        };
        if let Some(entry) = self.slots.get_mut(slot as usize).and_then(Option::take) {
            let bags = crate::fields::bags(stems, &entry.tool);
            self.stems.remove(slot, &bags.stems);
            self.pairs.remove(slot, &bags.pairs);
            self.grams.remove(slot, &bags.grams);
        }
        self.seen.forget(slot);
        self.free.push(slot);
        true
    }

    pub(crate) fn observe(&mut self, query: &Bag, tool_id: &str) -> bool {
        let Some(&slot) = self.by_id.get(tool_id) else {
            return false;
        };
        self.seen.observe(slot, query);
        true
    }

    fn get(&self, tool_id: &str) -> Option<&Arc<ToolDescriptor>> {
        let slot = *self.by_id.get(tool_id)?;
        Some(&self.slots.get(slot as usize)?.as_ref()?.tool)
    }

    /// How many postings and observations are held.
    #[cfg(test)]
    pub(crate) fn size(&self) -> (usize, usize) {
        let postings = self.stems.size() + self.pairs.size() + self.grams.size();
        (postings, self.seen.total())
    }

    pub(crate) fn is_fresh(&self) -> bool {
        [&self.stems, &self.pairs, &self.grams]
            .iter()
            .all(|space| space.is_fresh())
            && self.seen.is_fresh()
    }

    pub(crate) fn refresh(&mut self) {
        for space in [&mut self.stems, &mut self.pairs, &mut self.grams] {
            space.refresh(self.slots.len());
        }
        self.seen.refresh(self.slots.len());
    }

    pub(crate) fn find(
        &self,
        query: &Query<'_>,
        k: usize,
        allowed: impl Fn(&ToolDescriptor) -> bool,
    ) -> Vec<Found> {
        let is_open = |entry: &Option<Entry>| entry.as_ref().is_some_and(|e| allowed(&e.tool));
        let open: Vec<bool> = self.slots.iter().map(is_open).collect();
        let parts: Vec<_> = query
            .parts
            .iter()
            .map(|part| self.opinions(part, &open))
            .collect();
        let mut scores = with_parts(self.opinions(&query.whole, &open), &parts);
        self.seen.score(&query.whole.bags.pairs, SEEN, &mut scores);
        let entries = self.slots.iter().zip(&open).zip(&scores);
        let scored = entries.filter_map(|((entry, open), score)| {
            let entry = entry.as_ref().filter(|_| *open)?;
            let score = score + signals(entry, query);
            (score > 0.0).then_some((score, entry))
        });
        best(scored.collect(), k)
    }

    /// What may stand for the words that no tool holds.
    fn relatives(&self, stems: &Bag) -> Bag {
        let unknown = stems.iter().filter(|(stem, _)| !self.stems.holds(*stem));
        let related = unknown.flat_map(|(stem, _)| self.related.of(stem));
        Bag::collect(related.map(|&stem| (stem, QUARTERS / 2)))
    }

    fn opinions(&self, look: &Look, open: &[bool]) -> Vec<f32> {
        let none = Bag::default();
        let related = self.relatives(&look.bags.stems);
        let spaces = [
            (&self.stems, &look.bags.stems, &related, STEMS),
            (&self.pairs, &look.bags.pairs, &related, PAIRS),
            (&self.grams, &look.bags.grams, &none, GRAMS),
        ];
        let mut opinions: Vec<Opinion> = Vec::with_capacity(spaces.len() + 1);
        for (space, bag, related, weight) in spaces {
            let mut scores = vec![0.0; self.slots.len()];
            space.score(bag, &mut scores);
            space.score(related, &mut scores);
            opinions.push(Opinion { scores, weight });
        }
        if let Some(vector) = &look.vector {
            let near = |entry: &Option<Entry>| {
                let own = entry.as_ref().and_then(|entry| entry.vector.as_ref());
                own.map_or(0.0, |own| cosine(own, vector))
            };
            let scores = self.slots.iter().map(near).collect();
            opinions.push(Opinion {
                scores,
                weight: VECTORS,
            });
        }
        agree(&opinions, open)
    }
}

/// The verb's words in the query, and the tags that were asked for.
fn signals(entry: &Entry, query: &Query<'_>) -> f32 {
    let said = &query.whole.bags.stems;
    let verb = share(&entry.verb, |word| said.holds(*word));
    let tags = share(query.caps, |tag| entry.tool.capabilities.contains(tag));
    VERB * verb + TAGS * tags
}

fn share<T>(of: &[T], holds: impl Fn(&T) -> bool) -> f32 {
    let held = of.iter().filter(|one| holds(one)).count();
    held as f32 / of.len().max(1) as f32
}

/// The best `k`, best first, equal ones by id.
fn best(mut scored: Vec<(f32, &Entry)>, k: usize) -> Vec<Found> {
    let order = |a: &(f32, &Entry), b: &(f32, &Entry)| {
        b.0.total_cmp(&a.0)
            .then_with(|| a.1.tool.tool_id.cmp(&b.1.tool.tool_id))
    };
    if k < scored.len() && k > 0 {
        scored.select_nth_unstable_by(k - 1, order);
    }
    scored.truncate(k);
    scored.sort_unstable_by(order);
    let found = scored.into_iter().map(|(score, entry)| Found {
        tool: Arc::clone(&entry.tool),
        score,
    });
    found.collect()
}
