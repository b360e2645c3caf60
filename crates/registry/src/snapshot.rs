//! The catalog at one moment: what every reader works on, without locks.
//!
//! Never changes. A call that began under one snapshot finishes under it; the next one takes the next.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use tipstaff_schema::verbs::Tier;
use tipstaff_schema::{
    CallAccess, Digest, Profile, Reach, Risk, ServerName, Snapshot, SnapshotEntry,
};

use crate::entry::ToolEntry;
use crate::profile::ProfileBook;
use crate::shadow::skeleton_of;

/// All tools at one moment, sorted by tool id.
#[derive(Debug, Clone, Default)]
pub struct CatalogSnapshot {
    version: u64,
    // INVARIANT: sorted by tool id, each id once, each name once; `by_name` and `wire` say the same.
    entries: Vec<Arc<ToolEntry>>,
    by_name: HashMap<String, usize>,
    /// Which names pass for each other.
    by_skeleton: HashMap<Arc<str>, Vec<usize>>,
    /// By place in `entries`.
    skeletons: Vec<Arc<str>>,
    wire: Arc<Snapshot>,
    pub(crate) book: Arc<ProfileBook>,
    /// The server identities whose listing was seen in this process.
    pub(crate) listed: BTreeSet<(ServerName, Digest)>,
}

impl CatalogSnapshot {
    pub(crate) fn new(book: ProfileBook) -> Self {
        Self {
            book: Arc::new(book),
            ..Self::default()
        }
    }

    /// The next snapshot, with these entries in place of the present ones.
    pub(crate) fn next(&self, mut entries: Vec<Arc<ToolEntry>>) -> Self {
        entries.sort_by(|a, b| a.tool_id().cmp(b.tool_id()));
        let version = self.version + 1;
        let skeletons: Vec<Arc<str>> = entries
            .iter()
            .map(|entry| self.skeleton(&entry.name))
            .collect();
        let mut by_skeleton: HashMap<Arc<str>, Vec<usize>> = HashMap::new();
        for (index, skeleton) in skeletons.iter().enumerate() {
            let alike = by_skeleton.entry(Arc::clone(skeleton)).or_default();
            alike.push(index);
        }
        let by_name = entries
            .iter()
            .enumerate()
            .map(|(index, entry)| (entry.name.clone(), index))
            .collect();
        let wire = Snapshot {
            version,
            entries: entries.iter().map(|entry| wire_entry(entry)).collect(),
        };
        Self {
            version,
            entries,
            by_name,
            by_skeleton,
            skeletons,
            wire: Arc::new(wire),
            book: Arc::clone(&self.book),
            listed: self.listed.clone(),
        }
    }

    /// The skeleton of a name, not worked out again where the name was there already.
    fn skeleton(&self, name: &str) -> Arc<str> {
        let known = self.by_name.get(name).copied();
        let known = known.and_then(|index| self.skeletons.get(index));
        known.map_or_else(|| Arc::from(skeleton_of(name)), Arc::clone)
    }

    /// The tools whose names have this skeleton, by id.
    pub(crate) fn passing_for(&self, skeleton: &str) -> impl Iterator<Item = &Arc<ToolEntry>> {
        let alike = self.by_skeleton.get(skeleton).into_iter().flatten();
        alike.filter_map(|index| self.entries.get(*index))
    }

    /// Grows with every change.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The tool of this id.
    #[must_use]
    pub fn by_id(&self, tool_id: &str) -> Option<&Arc<ToolEntry>> {
        let index = self
            .entries
            .binary_search_by(|entry| entry.tool_id().cmp(tool_id))
            .ok()?;
        self.entries.get(index)
    }

    /// The tool of this name: `<server>:<tool>`, or the id of a tool of ours. A bare tool name of a
    /// server finds nothing: what it means would depend on which servers are there.
    #[must_use]
    pub fn by_name(&self, name: &str) -> Option<&Arc<ToolEntry>> {
        self.entries.get(*self.by_name.get(name)?)
    }

    /// The names of all tools of servers whose own name is this: what a bare name could mean.
    #[must_use]
    pub fn named_alike(&self, tool: &str) -> Vec<&str> {
        let own =
            |entry: &ToolEntry| entry.server.is_some() && entry.descriptor.mcp_tool_name() == tool;
        self.entries
            .iter()
            .filter(|entry| own(entry))
            .map(|entry| entry.name.as_str())
            .collect()
    }

    /// All tools, by id.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<ToolEntry>> {
        self.entries.iter()
    }

    /// The tools of one server, by id.
    pub fn of_server<'a>(
        &'a self,
        server: &'a ServerName,
    ) -> impl Iterator<Item = &'a Arc<ToolEntry>> {
        self.entries
            .iter()
            .filter(move |entry| entry.server.as_ref() == Some(server))
    }

    /// How many tools there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The same as the wire's snapshot, for the router.
    #[must_use]
    pub fn wire(&self) -> Arc<Snapshot> {
        Arc::clone(&self.wire)
    }
}

fn wire_entry(entry: &ToolEntry) -> SnapshotEntry {
    SnapshotEntry {
        descriptor: Arc::clone(&entry.descriptor),
        callable: entry.standing.is_callable(),
        tier: tier_of(&entry.profile),
    }
}

/// The tier that a profile comes to: critical is destructive whatever it reads; a read is a read wherever it reaches.
#[must_use]
pub fn tier_of(profile: &Profile) -> Tier {
    match (profile.risk, profile.access, profile.reach) {
        (Risk::Critical, _, _) => Tier::Destructive,
        (_, CallAccess::Read, _) => Tier::Read,
        (_, CallAccess::Write, Reach::None | Reach::LocalState) => Tier::Write,
        (_, CallAccess::Write, Reach::Process) => Tier::Execute,
        (_, CallAccess::Write, Reach::External) => Tier::External,
    }
}
