//! Why a token goes where it goes: every tool with the parts of its score, and what it lacks.

use tipstaff_schema::verbs::Tier;
use tipstaff_schema::{IntentError, IntentToken, Snapshot, SnapshotEntry, ToolRoute};

use crate::ask;
use crate::reference::{
    OpenBreakers, RouteMode, Verdict, has_verb, is_open, judge, lacking, order, outcome,
};
use crate::score::{Score, is_exact};

/// The whole answer to "why this tool?".
#[derive(Debug)]
pub struct RouteExplanation {
    /// What resolving the token gives.
    pub outcome: Result<ToolRoute, IntentError>,
    /// Every tool of the snapshot, the best first.
    pub candidates: Vec<Candidate>,
}

/// One tool as the router saw it.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The tool's id, cleaned for display.
    pub tool_id: String,
    /// The parts of its score.
    pub score: Score,
    /// Its tier: between equal scores the milder goes first.
    pub tier: Tier,
    /// What became of it.
    pub why: Why,
}

/// What became of a candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// It is the route.
    Chosen,
    /// It fits as well as another server's, so neither is taken.
    Tied,
    /// Another goes before it, and by what.
    Outranked(Outranked),
    /// Its verb is another.
    OtherVerb,
    /// It lacks these required capabilities; cleaned.
    Lacks(Vec<String>),
    /// Its breaker is open.
    Resting,
    /// It is in quarantine, not reviewed, or refused.
    NotCallable,
}

/// What the one that goes first has over another; the later counts only where the earlier is equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outranked {
    /// A higher score.
    ByScore,
    /// The very verb.
    ByVerb,
    /// A milder tier.
    ByTier,
    /// An id that sorts before its own.
    ById,
}

/// Explains a token over one snapshot.
#[must_use]
pub fn explain_sync(
    mode: RouteMode,
    tools: &Snapshot,
    token: &IntentToken,
    open: &OpenBreakers,
) -> RouteExplanation {
    let verdict = judge(mode, tools, token, open);
    let mut entries: Vec<&SnapshotEntry> = tools.entries.iter().collect();
    entries.sort_by(|a, b| order(token, a, b));
    let candidates = entries.into_iter().map(|entry| Candidate {
        tool_id: ask::shown(&entry.descriptor.tool_id).into_owned(),
        score: Score::of(token, &entry.descriptor),
        tier: entry.tier,
        why: why(mode, verdict, token, entry, open),
    });
    RouteExplanation {
        candidates: candidates.collect(),
        outcome: outcome(verdict, token, &[]),
    }
}

fn why(
    mode: RouteMode,
    verdict: Verdict<'_>,
    token: &IntentToken,
    entry: &SnapshotEntry,
    open: &OpenBreakers,
) -> Why {
    let is = |other: &SnapshotEntry| std::ptr::eq(entry, other);
    let lacks: Vec<String> = lacking(token, entry)
        .map(|tag| ask::shown(tag).into_owned())
        .collect();
    let out_of_question = match mode {
        RouteMode::Strict => !has_verb(token, entry),
        RouteMode::Classic => Score::of(token, &entry.descriptor).total() <= 0.0,
    };
    let outranked = |first: &SnapshotEntry| Why::Outranked(by_what(token, first, entry));
    match verdict {
        _ if !entry.callable => Why::NotCallable,
        _ if out_of_question => Why::OtherVerb,
        _ if mode == RouteMode::Strict && !lacks.is_empty() => Why::Lacks(lacks),
        _ if is_open(entry, open) => Why::Resting,
        Verdict::Tool(chosen) if is(chosen) => Why::Chosen,
        Verdict::Tie(one, other) if is(one) || is(other) => Why::Tied,
        Verdict::Tool(first) | Verdict::Tie(first, _) | Verdict::Resting(first) => outranked(first),
        // Nothing was taken although this one could be: no such verdict exists.
        Verdict::Nothing | Verdict::Missing(_) => Why::OtherVerb,
    }
}

fn by_what(token: &IntentToken, first: &SnapshotEntry, entry: &SnapshotEntry) -> Outranked {
    let total = |entry: &SnapshotEntry| Score::of(token, &entry.descriptor).total();
    if total(first).total_cmp(&total(entry)).is_ne() {
        Outranked::ByScore
    } else if is_exact(token, &first.descriptor) != is_exact(token, &entry.descriptor) {
        Outranked::ByVerb
    } else if first.tier != entry.tier {
        Outranked::ByTier
    } else {
        Outranked::ById
    }
}
