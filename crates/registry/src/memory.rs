//! The wire's registry, in memory: descriptors only.
//!
//! For hosts that keep profiles and pins elsewhere, and for tests. What governs calls is the
//! [`crate::Catalog`], which offers the same trait.

use std::sync::Arc;

use arc_swap::ArcSwap;
use async_trait::async_trait;
use tipstaff_schema::{IntentError, Snapshot, SnapshotEntry, ToolDescriptor, ToolRegistry};

use crate::show;

/// Tools by id. Readers take a snapshot without locks; nothing can poison it.
#[derive(Debug, Default)]
pub struct InMemoryToolRegistry {
    // INVARIANT: entries sorted by tool id, each id once.
    current: ArcSwap<Snapshot>,
}

/// What to do with an id that is there with another definition.
#[derive(Clone, Copy)]
enum Taken {
    Refuse,
    Replace,
}

impl InMemoryToolRegistry {
    /// Starts with no tool.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many tools there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.current.load().entries.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn put(&self, tool: &ToolDescriptor, taken: Taken) -> Result<(), IntentError> {
        self.edit(|now| {
            let mut entries = now.entries.clone();
            match place(now, &tool.tool_id) {
                Ok(index) => match (entries.get_mut(index), taken) {
                    (Some(there), _) if *there.descriptor == *tool => return Ok(None),
                    (Some(there), Taken::Replace) => *there = SnapshotEntry::from(tool.clone()),
                    (Some(there), Taken::Refuse) => return Err(conflict(&there.descriptor, tool)),
                    (None, _) => {}
                },
                Err(index) => entries.insert(index, SnapshotEntry::from(tool.clone())),
            }
            Ok(Some(entries))
        })
    }

    /// Swaps in the next snapshot; begins again if another writer was faster. `None` changes nothing.
    fn edit(
        &self,
        change: impl Fn(&Snapshot) -> Result<Option<Vec<SnapshotEntry>>, IntentError>,
    ) -> Result<(), IntentError> {
        loop {
            let now = self.current.load_full();
            let Some(entries) = change(&now)? else {
                return Ok(());
            };
            let next = Arc::new(Snapshot {
                version: now.version + 1,
                entries,
            });
            if Arc::ptr_eq(&self.current.compare_and_swap(&now, next), &now) {
                return Ok(());
            }
        }
    }
}

fn place(now: &Snapshot, tool_id: &str) -> Result<usize, usize> {
    now.entries
        .binary_search_by(|entry| entry.descriptor.tool_id.as_str().cmp(tool_id))
}

pub(crate) fn conflict(there: &ToolDescriptor, new: &ToolDescriptor) -> IntentError {
    let source = |tool: &ToolDescriptor| serde_json::to_string(&tool.source).unwrap_or_default();
    let (id, old_source, new_source) = (
        show::name(&new.tool_id),
        show::name(&source(there)),
        show::name(&source(new)),
    );
    IntentError::Conflict(format!(
        "tool `{id}` of {new_source} is registered with another definition from {old_source}; `replace` it, or choose another id"
    ))
}

#[async_trait]
impl ToolRegistry for InMemoryToolRegistry {
    async fn register(&self, tool: ToolDescriptor) -> Result<(), IntentError> {
        self.put(&tool, Taken::Refuse)
    }

    async fn deregister(&self, tool_id: &str) -> Result<(), IntentError> {
        self.edit(|now| {
            let index =
                place(now, tool_id).map_err(|_| IntentError::UnknownTool(show::name(tool_id)))?;
            let mut entries = now.entries.clone();
            entries.remove(index);
            Ok(Some(entries))
        })
    }

    async fn list(&self) -> Vec<ToolDescriptor> {
        self.current
            .load()
            .entries
            .iter()
            .map(|entry| ToolDescriptor::clone(&entry.descriptor))
            .collect()
    }

    async fn get(&self, tool_id: &str) -> Option<ToolDescriptor> {
        let now = self.current.load();
        let entry = now.entries.get(place(&now, tool_id).ok()?)?;
        Some(ToolDescriptor::clone(&entry.descriptor))
    }

    async fn replace(&self, tool: ToolDescriptor) -> Result<(), IntentError> {
        self.put(&tool, Taken::Replace)
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }
}
