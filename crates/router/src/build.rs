//! Makes an index from a snapshot: names and tags numbered, tools ranked and dealt out to their scopes.

use std::collections::HashMap;
use std::sync::Arc;

use tipstaff_schema::{Snapshot, SnapshotEntry, ToolSource};

use crate::index::{Facts, Namespace, RouteIndex, Scope, Tag, TagSet};

impl RouteIndex {
    /// Indexes the callable tools of a snapshot. The descriptors stay where they are, shared.
    ///
    /// Costs some microseconds a tool; [`crate::RouteCache`] does it once a snapshot.
    #[must_use]
    pub fn new(tools: Arc<Snapshot>) -> Self {
        let ranked = ranked(&tools);
        let entries: Vec<&SnapshotEntry> = ranked
            .iter()
            .filter_map(|place| tools.entries.get(*place as usize))
            .collect();
        let facts = facts(&entries);
        let mut numbered = Numbered::default();
        let sets: Vec<TagSet> = entries
            .iter()
            .map(|entry| numbered.set(&entry.descriptor.capabilities))
            .collect();
        let mut dealt: HashMap<&str, HashMap<&str, Vec<u32>>> = HashMap::new();
        for (rank, entry) in (0_u32..).zip(&entries) {
            let verb = &entry.descriptor.verb;
            let namespace = dealt.entry(&verb.namespace).or_default();
            namespace.entry(&verb.action).or_default().push(rank);
        }
        let scope = |ranks| Scope::new(ranks, &sets, &facts);
        let namespaces = dealt.into_iter().map(|(name, verbs)| {
            let mut all: Vec<u32> = verbs.values().flatten().copied().collect();
            all.sort_unstable();
            let verbs = verbs
                .into_iter()
                .map(|(action, ranks)| (Box::from(action), scope(ranks)));
            let namespace = Namespace {
                verbs: verbs.collect(),
                all: scope(all),
            };
            (Box::from(name), namespace)
        });
        let namespaces = namespaces.collect();
        let everything = scope((0_u32..).take(entries.len()).collect());
        Self {
            ranked,
            facts,
            namespaces,
            tags: numbered.tags,
            everything,
            tools,
        }
    }
}

/// The places of the callable tools, by tier, then id.
fn ranked(tools: &Snapshot) -> Vec<u32> {
    let mut callable: Vec<(u32, &SnapshotEntry)> = (0_u32..)
        .zip(&tools.entries)
        .filter(|(_, entry)| entry.callable)
        .collect();
    callable.sort_by(|(_, a), (_, b)| {
        let by_id = || a.descriptor.tool_id.cmp(&b.descriptor.tool_id);
        a.tier.cmp(&b.tier).then_with(by_id)
    });
    callable.into_iter().map(|(place, _)| place).collect()
}

fn facts(entries: &[&SnapshotEntry]) -> Vec<Facts> {
    let mut servers: HashMap<&str, u32> = HashMap::new();
    let facts = entries.iter().map(|entry| {
        let server = match &entry.descriptor.source {
            ToolSource::McpServer { server } => Some(number(&mut servers, server.as_str())),
            ToolSource::NativeBackend { .. } | ToolSource::Terminal => None,
        };
        Facts {
            tier: entry.tier as u8,
            server,
        }
    });
    facts.collect()
}

/// Tags and sets of tags, each once.
#[derive(Default)]
struct Numbered {
    tags: HashMap<Box<str>, Tag>,
    sets: HashMap<Arc<[Tag]>, u32>,
}

impl Numbered {
    fn set(&mut self, tags: &[String]) -> TagSet {
        let mut set: Vec<Tag> = tags.iter().map(|tag| self.tag(tag)).collect();
        set.sort_unstable();
        set.dedup();
        if let Some((tags, number)) = self.sets.get_key_value(set.as_slice()) {
            return TagSet {
                number: *number,
                tags: Arc::clone(tags),
            };
        }
        let tags: Arc<[Tag]> = set.into();
        let number = number(&mut self.sets, Arc::clone(&tags));
        TagSet { number, tags }
    }

    fn tag(&mut self, tag: &str) -> Tag {
        if let Some(there) = self.tags.get(tag) {
            return *there;
        }
        number(&mut self.tags, Box::from(tag))
    }
}

/// The number of a name, the next one for a new name.
fn number<K: Eq + std::hash::Hash>(numbers: &mut HashMap<K, u32>, name: K) -> u32 {
    let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
    *numbers.entry(name).or_insert(next)
}
