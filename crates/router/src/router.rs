//! The router as hosts wire it: a registry, and optionally breakers and an index.

use std::sync::Arc;

use async_trait::async_trait;
use tipstaff_schema::{
    BreakerCheck, CapabilityIndex, IntentError, IntentRouter, IntentToken, Snapshot,
    ToolDescriptor, ToolRegistry, ToolRoute,
};

use crate::explain::{RouteExplanation, explain_sync};
use crate::judge::{OpenBreakers, RouteMode, Verdict, judge, outcome};
use crate::score::Score;

/// Routes tokens over a registry. Cheap to clone; all parts are shared.
#[derive(Clone)]
pub struct DefaultIntentRouter {
    registry: Arc<dyn ToolRegistry>,
    breakers: Option<Arc<dyn BreakerCheck>>,
    index: Option<Arc<dyn CapabilityIndex>>,
    mode: RouteMode,
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

    /// Why the token goes where it goes, tool by tool. Asks no index.
    pub async fn explain(&self, token: &IntentToken) -> RouteExplanation {
        let tools = self.registry.snapshot();
        let open = self.open_breakers(&tools, token).await;
        explain_sync(self.mode, &tools, token, &open)
    }

    /// The open breakers, in one look, or where the check cannot list them, of each candidate.
    async fn open_breakers(&self, tools: &Snapshot, token: &IntentToken) -> OpenBreakers {
        let Some(breakers) = &self.breakers else {
            return OpenBreakers::new();
        };
        if let Some(open) = breakers.snapshot() {
            return open;
        }
        let mut open = OpenBreakers::new();
        for entry in tools
            .entries
            .iter()
            .filter(|entry| Self::score(token, &entry.descriptor) > 0.0)
        {
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
        let found = index
            .search(&query, &token.required_capabilities, 3 * NEAREST)
            .await;
        let callable = |id: &str| {
            tools
                .entries
                .iter()
                .any(|entry| entry.callable && entry.descriptor.tool_id == id)
        };
        let ids = found
            .into_iter()
            .map(|scored| scored.tool.tool_id)
            .filter(|id| callable(id));
        ids.take(NEAREST).collect()
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
        token.validate()?;
        let tools = self.registry.snapshot();
        let open = self.open_breakers(&tools, token).await;
        let verdict = judge(self.mode, &tools, token, &open);
        let nearest = match verdict {
            Verdict::Nothing => self.nearest(&tools, token).await,
            Verdict::Tool(_) | Verdict::Tie(..) | Verdict::Missing(_) | Verdict::Resting(_) => {
                Vec::new()
            }
        };
        outcome(verdict, token, &nearest)
    }
}
