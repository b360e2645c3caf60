//! How deep delegation is: a ledger over the whole tree of agents, released when a child ends.
//!
//! An agent that the ledger does not know is as deep as its lineage says, never silently the root.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tipstaff_gate::Session;
use tipstaff_schema::AgentId;

/// The deepest agent that may exist: a root agent is at 0. At this depth delegation is refused.
pub const MAX_DEPTH: usize = 2;

/// The depths of running agents. Clones share one ledger. Of two children of one name, the deeper counts.
#[derive(Debug, Clone, Default)]
pub struct DepthLedger(Arc<Mutex<BTreeMap<AgentId, Vec<usize>>>>);

/// A place in the ledger, given back when it is dropped.
#[derive(Debug)]
pub struct Depth {
    ledger: DepthLedger,
    agent: AgentId,
    depth: usize,
}

impl DepthLedger {
    /// How deep the session's agent is.
    #[must_use]
    pub fn of(&self, session: &Session) -> usize {
        let ledger = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = ledger
            .get(&session.agent)
            .and_then(|depths| depths.iter().max());
        known.copied().unwrap_or(0).max(session.parents.len())
    }

    /// Enters a child of the session's agent; none at the deepest level.
    #[must_use]
    pub fn enter(&self, session: &Session, child: AgentId) -> Option<Depth> {
        let depth = self.of(session) + 1;
        if depth > MAX_DEPTH {
            return None;
        }
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(child.clone())
            .or_default()
            .push(depth);
        Some(Depth {
            ledger: self.clone(),
            agent: child,
            depth,
        })
    }
}

impl Depth {
    /// The child's depth.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth
    }
}

impl Drop for Depth {
    fn drop(&mut self) {
        let mut ledger = self.ledger.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(depths) = ledger.get_mut(&self.agent) {
            if let Some(at) = depths.iter().position(|depth| *depth == self.depth) {
                depths.swap_remove(at);
            }
            if depths.is_empty() {
                ledger.remove(&self.agent);
            }
        }
    }
}
