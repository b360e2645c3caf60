//! The router as hosts wire it: a registry, and optionally breakers and an index.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use tipstaff_schema::{
    BreakerCheck, CapabilityIndex, IntentError, IntentRouter, IntentToken, Snapshot, SnapshotEntry,
    ToolDescriptor, ToolRegistry, ToolRoute,
};

use crate::cache::RouteCache;
use crate::explain::{RouteExplanation, explain_sync};
use crate::reference::{OpenBreakers, RouteMode, Verdict, has_verb, judge, outcome};
use crate::score::Score;

/// Routes tokens over a registry. Cheap to clone; all parts are shared.
#[derive(Clone)]
pub struct DefaultIntentRouter {
    registry: Arc<dyn ToolRegistry>,
    breakers: Option<Arc<dyn BreakerCheck>>,
    index: Option<Arc<dyn CapabilityIndex>>,
    mode: RouteMode,
    cache: Arc<RouteCache>,
}

impl DefaultIntentRouter {
    /// A router in [`RouteMode::Strict`], without breakers and index.
    #[must_use]
    pub fn new(registry: Arc<dyn ToolRegistry>) -> Self {
        Self {
            registry,
            breakers: None,
            index: None,
            mode: RouteMode::Strict,
            cache: Arc::default(),
        }
    }

    /// The same, leaving out tools whose breaker is open.
    #[must_use]
    pub fn with_breakers(mut self, breakers: Arc<dyn BreakerCheck>) -> Self {
        self.breakers = Some(breakers);
        self
    }

    /// The same, naming the nearest tools where nothing fits. The index never decides a route.
    #[must_use]
    pub fn with_index(mut self, index: Arc<dyn CapabilityIndex>) -> Self {
        self.index = Some(index);
        self
    }

    /// The same, in another mode.
    #[must_use]
    pub fn with_mode(mut self, mode: RouteMode) -> Self {
        self.mode = mode;
        self
    }

    /// How well a tool fits a token: 2 for the same verb, else 1 for the same namespace; 0.5 more
    /// for a server's tool of the same action; 1.5 times the share of tags in common.
    #[must_use]
    pub fn score(token: &IntentToken, tool: &ToolDescriptor) -> f32 {
        Score::of(token, tool).total()
    }

    /// Why the token goes where it goes, tool by tool. A token that breaks a rule of its form is
    /// explained all the same; the outcome says that it is refused.
    pub async fn explain(&self, token: &IntentToken) -> RouteExplanation {
        let tools = self.registry.snapshot();
        let open = self.open_breakers(&tools, token).await;
        let mut explanation = explain_sync(self.mode, &tools, token, &open);
        explanation.outcome = self.resolve_over(&tools, token, &open).await;
        explanation
    }

    async fn resolve_over(
        &self,
        tools: &Arc<Snapshot>,
        token: &IntentToken,
        open: &OpenBreakers,
    ) -> Result<ToolRoute, IntentError> {
        token.validate()?;
        let index = self.cache.index(tools);
        let verdict = match &index {
            Some(index) => index.judge(self.mode, token, open),
            None => judge(self.mode, tools, token, open),
        };
        let nearest = match verdict {
            Verdict::Nothing => self.nearest(tools, token).await,
            Verdict::Tool(_) | Verdict::Tie(..) | Verdict::Missing(_) | Verdict::Resting(_) => {
                Vec::new()
            }
        };
        outcome(verdict, token, &nearest)
    }

    /// The open breakers, in one look, or where the check cannot list them, of each candidate.
    async fn open_breakers(&self, tools: &Snapshot, token: &IntentToken) -> OpenBreakers {
        let Some(breakers) = &self.breakers else {
            return OpenBreakers::new();
        };
        if let Some(open) = breakers.snapshot() {
            return open;
        }
        let asked = |entry: &&SnapshotEntry| {
            entry.callable
                && match self.mode {
                    RouteMode::Strict => has_verb(token, entry),
                    RouteMode::Classic => Self::score(token, &entry.descriptor) > 0.0,
                }
        };
        let mut open = OpenBreakers::new();
        for entry in tools.entries.iter().filter(asked) {
            if breakers.is_open(&entry.descriptor.tool_id).await {
                open.insert(entry.descriptor.tool_id.clone());
            }
        }
        open
    }

    /// The ids of the nearest tools that may be called.
    async fn nearest(&self, tools: &Snapshot, token: &IntentToken) -> Vec<String> {
        let Some(index) = &self.index else {
            return Vec::new();
        };
        let query = format!("{} {}", token.verb.namespace, token.verb.action);
        let mut ids: Vec<String> = index
            .search(&query, &token.required_capabilities, 3 * NEAREST)
            .await
            .into_iter()
            .map(|scored| scored.tool.tool_id)
            .collect();
        let callable: BTreeSet<&str> = tools
            .entries
            .iter()
            .filter(|entry| entry.callable && ids.contains(&entry.descriptor.tool_id))
            .map(|entry| entry.descriptor.tool_id.as_str())
            .collect();
        ids.retain(|id| callable.contains(id.as_str()));
        ids.truncate(NEAREST);
        ids
    }
}

/// How many tools are named where nothing fits.
const NEAREST: usize = 3;

impl std::fmt::Debug for DefaultIntentRouter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DefaultIntentRouter")
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl IntentRouter for DefaultIntentRouter {
    /// Where the token goes. [`ToolRoute::HumanConfirm`] means that no tool was taken: it is no
    /// approval, and no yes can run it.
    ///
    /// # Errors
    /// [`IntentError::Schema`] for a token that breaks a rule of its form, else as
    /// [`crate::resolve_sync`].
    async fn resolve(&self, token: &IntentToken) -> Result<ToolRoute, IntentError> {
        let tools = self.registry.snapshot();
        let open = self.open_breakers(&tools, token).await;
        self.resolve_over(&tools, token, &open).await
    }
}
