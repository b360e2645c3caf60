//! The decision as a linear scan over one snapshot, in the words of the registry's page.
//!
//! Pure, and what the index must equal on every input. It serves where no index is at hand: for a
//! single token, or while one is being made.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use tipstaff_schema::{IntentError, IntentToken, Snapshot, SnapshotEntry, ToolRoute, ToolSource};

use crate::ask;
use crate::score::{Score, is_exact, is_fallback};

/// The ids of tools that rest after failures.
pub type OpenBreakers = BTreeSet<String>;

/// How strictly a tool must fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RouteMode {
    /// Only tools that can do the job: the exact verb or a server's tool of that name, with every
    /// required capability.
    #[default]
    Strict,
    /// The highest score above zero wins, as in the system whose tokens these are.
    Classic,
}

/// Finds the tool for a token by looking at every tool.
///
/// # Errors
/// As [`resolve_sync`]; in [`RouteMode::Classic`] none.
pub fn resolve(
    mode: RouteMode,
    tools: &Snapshot,
    token: &IntentToken,
    open: &OpenBreakers,
) -> Result<ToolRoute, IntentError> {
    outcome(judge(mode, tools, token, open), token, &[])
}

/// Finds the tool for a token in [`RouteMode::Strict`], by looking at every tool. For more than a
/// token or two, [`crate::RouteCache`] is faster and says the same.
///
/// # Errors
/// [`IntentError::MissingCapability`] when the verb fits a tool and only a capability fails;
/// [`IntentError::Unavailable`] when the only match has an open breaker.
pub fn resolve_sync(
    tools: &Snapshot,
    token: &IntentToken,
    open: &OpenBreakers,
) -> Result<ToolRoute, IntentError> {
    resolve(RouteMode::Strict, tools, token, open)
}

/// The outcome of a verdict; `nearest` tools are named where nothing fits.
pub(crate) fn outcome(
    verdict: Verdict<'_>,
    token: &IntentToken,
    nearest: &[String],
) -> Result<ToolRoute, IntentError> {
    match verdict {
        Verdict::Tool(entry) => Ok(route_to(entry)),
        Verdict::Tie(one, other) => Ok(ToolRoute::HumanConfirm {
            ask: ask::tie(token, one, other),
        }),
        Verdict::Nothing => Ok(ToolRoute::HumanConfirm {
            ask: ask::nothing(token, nearest),
        }),
        Verdict::Missing(capability) => Err(IntentError::MissingCapability(
            ask::shown(capability).into_owned(),
        )),
        Verdict::Resting(entry) => Err(IntentError::Unavailable(
            ask::shown(&entry.descriptor.tool_id).into_owned(),
        )),
    }
}

pub(crate) fn judge<'a>(
    mode: RouteMode,
    tools: &'a Snapshot,
    token: &'a IntentToken,
    open: &OpenBreakers,
) -> Verdict<'a> {
    match mode {
        RouteMode::Strict => strict(tools, token, open),
        RouteMode::Classic => classic(tools, token, open),
    }
}

/// What the scan comes to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Verdict<'a> {
    Tool(&'a SnapshotEntry),
    /// Two of different servers that nothing but their ids tells apart.
    Tie(&'a SnapshotEntry, &'a SnapshotEntry),
    Nothing,
    Missing(&'a str),
    Resting(&'a SnapshotEntry),
}

fn strict<'a>(tools: &'a Snapshot, token: &'a IntentToken, open: &OpenBreakers) -> Verdict<'a> {
    let of_verb = || {
        tools
            .entries
            .iter()
            .filter(|entry| entry.callable && has_verb(token, entry))
    };
    let able = || of_verb().filter(|entry| lacking(token, entry).next().is_none());
    match best(token, able().filter(|entry| !is_open(entry, open))) {
        Verdict::Nothing => {}
        found @ (Verdict::Tool(_)
        | Verdict::Tie(..)
        | Verdict::Missing(_)
        | Verdict::Resting(_)) => return found,
    }
    if let Some(resting) = able().min_by(|a, b| order(token, a, b)) {
        return Verdict::Resting(resting);
    }
    let closest = of_verb().min_by(|a, b| order(token, a, b));
    closest
        .and_then(|entry| lacking(token, entry).next())
        .map_or(Verdict::Nothing, Verdict::Missing)
}

fn classic<'a>(tools: &'a Snapshot, token: &IntentToken, open: &OpenBreakers) -> Verdict<'a> {
    let scored = tools
        .entries
        .iter()
        .filter(|entry| entry.callable && Score::of(token, &entry.descriptor).total() > 0.0);
    best(token, scored.filter(|entry| !is_open(entry, open)))
}

/// The first by [`order`], unless another server's tool is like it in all but the id.
fn best<'a>(
    token: &IntentToken,
    candidates: impl Iterator<Item = &'a SnapshotEntry> + Clone,
) -> Verdict<'a> {
    let Some(first) = candidates.clone().min_by(|a, b| order(token, a, b)) else {
        return Verdict::Nothing;
    };
    let rivals = candidates.filter(|other| {
        rank(token, first, other).is_eq()
            && is_other_server(&first.descriptor.source, &other.descriptor.source)
    });
    match rivals.min_by(|a, b| a.descriptor.tool_id.cmp(&b.descriptor.tool_id)) {
        Some(rival) => Verdict::Tie(first, rival),
        None => Verdict::Tool(first),
    }
}

fn is_other_server(one: &ToolSource, other: &ToolSource) -> bool {
    match (one, other) {
        (ToolSource::McpServer { server: one }, ToolSource::McpServer { server: other }) => {
            one != other
        }
        (
            ToolSource::McpServer { .. } | ToolSource::NativeBackend { .. } | ToolSource::Terminal,
            _,
        ) => false,
    }
}

/// Everything but the id: higher score, then the exact verb, then the lower tier.
fn rank(token: &IntentToken, a: &SnapshotEntry, b: &SnapshotEntry) -> Ordering {
    let score = |entry: &SnapshotEntry| Score::of(token, &entry.descriptor).total();
    let exact = |entry: &SnapshotEntry| is_exact(token, &entry.descriptor);
    score(b)
        .total_cmp(&score(a))
        .then(exact(b).cmp(&exact(a)))
        .then(a.tier.cmp(&b.tier))
}

/// The order of candidates, the best first. Total, since ids differ: never the order of the snapshot.
pub(crate) fn order(token: &IntentToken, a: &SnapshotEntry, b: &SnapshotEntry) -> Ordering {
    rank(token, a, b).then_with(|| a.descriptor.tool_id.cmp(&b.descriptor.tool_id))
}

/// Whether the verb alone makes it a candidate of [`RouteMode::Strict`].
pub(crate) fn has_verb(token: &IntentToken, entry: &SnapshotEntry) -> bool {
    is_exact(token, &entry.descriptor) || is_fallback(token, &entry.descriptor)
}

/// The required capabilities that the tool's tags lack, in the token's order.
pub(crate) fn lacking<'a>(
    token: &'a IntentToken,
    entry: &SnapshotEntry,
) -> impl Iterator<Item = &'a str> {
    let has = |wanted: &&String| entry.descriptor.capabilities.contains(wanted);
    token
        .required_capabilities
        .iter()
        .filter(move |wanted| !has(wanted))
        .map(String::as_str)
}

pub(crate) fn is_open(entry: &SnapshotEntry, open: &OpenBreakers) -> bool {
    open.contains(&entry.descriptor.tool_id)
}

fn route_to(entry: &SnapshotEntry) -> ToolRoute {
    let tool_id = Some(entry.descriptor.tool_id.clone());
    match &entry.descriptor.source {
        ToolSource::McpServer { server } => ToolRoute::Mcp {
            server: server.clone(),
            tool: entry.descriptor.mcp_tool_name().to_owned(),
            tool_id,
        },
        ToolSource::NativeBackend { backend } => ToolRoute::NativeBackend {
            backend: backend.clone(),
            tool_id,
        },
        ToolSource::Terminal => ToolRoute::Terminal {
            session_hint: None,
            tool_id,
        },
    }
}
