//! Keeps the index of the latest snapshot, so that it is made once for each change of the registry.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arc_swap::ArcSwapOption;
use tipstaff_schema::{IntentError, IntentToken, Snapshot, ToolRoute};

use crate::index::RouteIndex;
use crate::reference::{self, OpenBreakers, RouteMode};

/// Resolves tokens over the snapshots of one registry.
///
/// The first token after a change makes the index; tokens that come while it does so are resolved
/// by the scan, so nobody waits. So are those of a snapshot without version, or of an older one.
#[derive(Debug, Default)]
pub struct RouteCache {
    made: ArcSwapOption<RouteIndex>,
    making: AtomicBool,
}

impl RouteCache {
    /// An empty one.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Finds the tool for a token.
    ///
    /// # Errors
    /// As [`RouteIndex::resolve`].
    pub fn resolve(
        &self,
        mode: RouteMode,
        tools: &Arc<Snapshot>,
        token: &IntentToken,
        open: &OpenBreakers,
    ) -> Result<ToolRoute, IntentError> {
        if let Some(made) = self.made.load().as_ref().filter(|made| is_of(made, tools)) {
            return made.resolve(mode, token, open);
        }
        match self.index(tools) {
            Some(index) => index.resolve(mode, token, open),
            None => reference::resolve(mode, tools, token, open),
        }
    }

    /// The index of a snapshot, made now if need be; `None` where the scan should serve.
    pub(crate) fn index(&self, tools: &Arc<Snapshot>) -> Option<Arc<RouteIndex>> {
        let made = self.made.load();
        if let Some(made) = made.as_ref().filter(|made| is_of(made, tools)) {
            return Some(Arc::clone(made));
        }
        let newest = made
            .as_ref()
            .is_none_or(|made| made.tools().version < tools.version);
        if tools.version == 0 || !newest || self.making.swap(true, Ordering::AcqRel) {
            return None;
        }
        let index = Arc::new(RouteIndex::new(Arc::clone(tools)));
        self.made.store(Some(Arc::clone(&index)));
        self.making.store(false, Ordering::Release);
        Some(index)
    }
}

/// Whether an index was made from this snapshot: the very one, or of the same version.
fn is_of(made: &RouteIndex, tools: &Arc<Snapshot>) -> bool {
    let version = tools.version;
    Arc::ptr_eq(made.tools(), tools) || (version != 0 && made.tools().version == version)
}
