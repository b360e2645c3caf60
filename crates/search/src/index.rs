//! The index as hosts use it: tools in, queries in, tools out.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use async_trait::async_trait;
use tipstaff_schema::{CapabilityIndex, IntentError, ScoredTool, ToolDescriptor};

use crate::bag::{Bags, Gathered, QUARTERS};
use crate::catalog::Catalog;
use crate::embed::{self, Embedder};
use crate::parts::{bounded, parts};
use crate::words::{Stems, words};

/// A tool that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The tool.
    pub tool: Arc<ToolDescriptor>,
    /// How well it fits; comparable within one search only.
    pub score: f32,
}

/// Finds tools by what they are for. All methods take `&self` and may be called from many threads.
///
/// What it holds is a function of its tools (and of what it was told of use): the order in which
/// they came, and what came and went before, changes nothing.
pub struct HybridIndex {
    stems: Stems,
    embedder: Option<Arc<dyn Embedder>>,
    catalog: RwLock<Catalog>,
}

impl Default for HybridIndex {
    fn default() -> Self {
        Self::new()
    }
}

impl HybridIndex {
    /// An empty one, without embeddings.
    #[must_use]
    pub fn new() -> Self {
        let stems = Stems::new();
        Self {
            embedder: None,
            catalog: RwLock::new(Catalog::new(&stems)),
            stems,
        }
    }

    /// An empty one that also compares vectors.
    #[must_use]
    pub fn with_embedder(embedder: Arc<dyn Embedder>) -> Self {
        Self {
            embedder: Some(embedder),
            ..Self::new()
        }
    }

    /// How many tools it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.read().len()
    }

    /// Whether it holds no tool.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a tool, or puts it in the place of the one with its id. The same definition again changes
    /// nothing; another one also forgets what was learnt of the old.
    pub fn put(&self, tool: ToolDescriptor) {
        let bags = crate::fields::bags(&self.stems, &tool);
        let embedder = self.embedder.as_deref();
        let vector = embedder.and_then(|embedder| embed::of_tool(embedder, &tool));
        self.write().put(&self.stems, tool, &bags, vector);
    }

    /// Forgets a tool and what was learnt of it; whether it was there.
    pub fn take(&self, tool_id: &str) -> bool {
        self.write().take(&self.stems, tool_id)
    }

    /// Learns that a query led to a tool; whether the tool is there. Use counts once several
    /// different queries led to it ([`crate::MIN_SEEN`]); what is kept is bounded.
    ///
    /// Tell it only of calls that ended well for who asked: whoever can tell it things can move ranks.
    pub fn observe(&self, query: &str, tool_id: &str) -> bool {
        let bags = self.bags(bounded(query));
        self.write().observe(&bags.pairs, tool_id)
    }

    /// The best `k` for the query, best first, equal ones by id. `caps` are tags that add to the
    /// score; they exclude nothing. With neither words nor tags there is nothing to find.
    #[must_use]
    pub fn find(&self, query: &str, caps: &[String], k: usize) -> Vec<Found> {
        self.find_where(query, caps, k, |_| true)
    }

    /// As [`HybridIndex::find`], as though the tools that are not `allowed` did not match at all.
    /// Asked at most once for each tool.
    #[must_use]
    pub fn find_where(
        &self,
        query: &str,
        caps: &[String],
        k: usize,
        allowed: impl Fn(&ToolDescriptor) -> bool,
    ) -> Vec<Found> {
        let query = bounded(query);
        let whole = self.look(query);
        let parts: Vec<Look> = parts(query).iter().map(|part| self.look(part)).collect();
        self.fresh().find(&Query { whole, parts, caps }, k, allowed)
    }

    /// How many postings and observed queries it holds.
    #[cfg(test)]
    pub(crate) fn holds(&self) -> (usize, usize) {
        self.read().size()
    }

    fn look(&self, text: &str) -> Look {
        let embedder = self.embedder.as_deref();
        Look {
            bags: self.bags(text),
            vector: embedder.and_then(|embedder| embed::unit(embedder, text)),
        }
    }

    fn bags(&self, text: &str) -> Bags {
        let mut words = words(text);
        words.truncate(MAX_QUERY_WORDS);
        let mut gathered = Gathered::default();
        gathered.add(&self.stems, &words, QUARTERS);
        gathered.bags()
    }

    /// The catalog with all weights made.
    fn fresh(&self) -> RwLockReadGuard<'_, Catalog> {
        loop {
            let catalog = self.read();
            if catalog.is_fresh() {
                return catalog;
            }
            drop(catalog);
            self.write().refresh();
        }
    }

    // A panic under the lock would leave counts that fit no tool at worst, which only ranks badly.
    fn read(&self) -> RwLockReadGuard<'_, Catalog> {
        self.catalog.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Catalog> {
        self.catalog.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The most words of a query that are searched.
const MAX_QUERY_WORDS: usize = 256;

/// A query or a part of one, ready to be compared.
pub(crate) struct Look {
    pub(crate) bags: Bags,
    pub(crate) vector: Option<Vec<f32>>,
}

/// All that is asked for.
pub(crate) struct Query<'a> {
    pub(crate) whole: Look,
    pub(crate) parts: Vec<Look>,
    pub(crate) caps: &'a [String],
}

impl std::fmt::Debug for HybridIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HybridIndex")
            .field("tools", &self.len())
            .field("embedder", &self.embedder)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl CapabilityIndex for HybridIndex {
    async fn search(&self, q: &str, caps: &[String], k: usize) -> Vec<ScoredTool> {
        let found = self.find(q, caps, k).into_iter();
        let scored = found.map(|found| ScoredTool {
            tool: ToolDescriptor::clone(&found.tool),
            score: found.score,
        });
        scored.collect()
    }

    async fn upsert(&self, tool: &ToolDescriptor) -> Result<(), IntentError> {
        self.put(tool.clone());
        Ok(())
    }

    async fn remove(&self, tool_id: &str) -> Result<(), IntentError> {
        self.take(tool_id);
        Ok(())
    }
}
