//! The edges that integrators implement: router, registry, index, breakers.
//!
//! Async as on the wire. What decides is synchronous: the router reads one [`Snapshot`] and one
//! set of open breakers, and then needs neither runtime nor locks.

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use async_trait::async_trait;

use crate::verbs::{Tier, tier_of};
use crate::{IntentError, IntentToken, ScoredTool, ToolDescriptor, ToolRoute};

/// Finds the tool for a token.
#[async_trait]
pub trait IntentRouter: Send + Sync {
    /// Where the token goes; [`ToolRoute::HumanConfirm`] when a person must say.
    ///
    /// # Errors
    /// [`IntentError`] when the token is refused or no route exists.
    async fn resolve(&self, token: &IntentToken) -> Result<ToolRoute, IntentError>;
}

/// The tools that exist.
#[async_trait]
pub trait ToolRegistry: Send + Sync {
    /// Adds a tool.
    ///
    /// # Errors
    /// [`IntentError::Conflict`] when the id is taken.
    async fn register(&self, tool: ToolDescriptor) -> Result<(), IntentError>;

    /// Removes a tool.
    ///
    /// # Errors
    /// [`IntentError::UnknownTool`] when no tool has the id.
    async fn deregister(&self, tool_id: &str) -> Result<(), IntentError>;

    /// All tools.
    async fn list(&self) -> Vec<ToolDescriptor>;

    /// The tool of this id.
    async fn get(&self, tool_id: &str) -> Option<ToolDescriptor>;

    /// Puts a tool in the place of the one with its id, or adds it. As given here the two steps
    /// can be seen apart; a registry that can do it in one should.
    ///
    /// # Errors
    /// As [`ToolRegistry::register`].
    async fn replace(&self, tool: ToolDescriptor) -> Result<(), IntentError> {
        match self.deregister(&tool.tool_id).await {
            Ok(()) | Err(IntentError::UnknownTool(_)) => self.register(tool).await,
            Err(other) => Err(other),
        }
    }

    /// All tools at one moment, without waiting. As given here it asks [`ToolRegistry::list`]
    /// once; a registry that does not answer at once shows no tool, so nothing is routed.
    fn snapshot(&self) -> Arc<Snapshot> {
        let mut list = pin!(self.list());
        let tools = match list.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(tools) => tools,
            Poll::Pending => Vec::new(),
        };
        Arc::new(Snapshot {
            version: 0,
            entries: tools.into_iter().map(Into::into).collect(),
        })
    }
}

/// The tools of a registry at one moment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Snapshot {
    /// Grows with every change; 0 means that the registry does not count, so nothing made from
    /// this snapshot may be kept.
    pub version: u64,
    /// One entry for each tool.
    pub entries: Vec<SnapshotEntry>,
}

/// A tool in a snapshot.
#[derive(Debug, Clone, PartialEq)]
pub struct SnapshotEntry {
    /// The tool.
    pub descriptor: Arc<ToolDescriptor>,
    /// Whether it may be called at all: reviewed, not quarantined.
    pub callable: bool,
    /// How strict its verb is.
    pub tier: Tier,
}

/// A callable entry with the tier of its verb.
impl From<ToolDescriptor> for SnapshotEntry {
    fn from(tool: ToolDescriptor) -> Self {
        let tier = tier_of(&tool.verb.namespace, &tool.verb.action);
        Self {
            descriptor: Arc::new(tool),
            callable: true,
            tier,
        }
    }
}

/// Searches the tools by what they are for.
#[async_trait]
pub trait CapabilityIndex: Send + Sync {
    /// The best `k` for the text, best first. `caps` add to the score; they exclude nothing.
    async fn search(&self, q: &str, caps: &[String], k: usize) -> Vec<ScoredTool>;

    /// Adds a tool, or puts it in the place of the one with its id.
    ///
    /// # Errors
    /// [`IntentError`] when the index cannot take it.
    async fn upsert(&self, tool: &ToolDescriptor) -> Result<(), IntentError>;

    /// Forgets a tool; one that is not there is no error.
    ///
    /// # Errors
    /// [`IntentError::Unavailable`] always, as given here: an index that cannot forget says so.
    async fn remove(&self, tool_id: &str) -> Result<(), IntentError> {
        let tool_id = crate::names::shown(tool_id);
        Err(IntentError::Unavailable(format!(
            "the index cannot forget `{tool_id}`"
        )))
    }
}

/// Which tools rest after failures.
#[async_trait]
pub trait BreakerCheck: Send + Sync {
    /// Whether the tool must not be tried now.
    async fn is_open(&self, tool_id: &str) -> bool;

    /// All open ids at one moment, without waiting; `None` (as given here) when the check cannot
    /// list them and must be asked tool by tool.
    fn snapshot(&self) -> Option<BTreeSet<String>> {
        None
    }
}

// Stops compiling if a trait can no longer be used as `dyn`.
const _: Option<(&dyn IntentRouter, &dyn ToolRegistry)> = None;
const _: Option<(&dyn CapabilityIndex, &dyn BreakerCheck)> = None;
