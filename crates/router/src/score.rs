//! How well a tool fits a token, in parts.
//!
//! The figures are wire facts: other programs compute the same ones. Nothing here excludes a tool.

use std::collections::BTreeSet;

use tipstaff_schema::{IntentToken, ToolDescriptor};

/// The namespace of verbs that are tools of servers.
pub(crate) const MCP: &str = "mcp";

/// The parts of a score.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Score {
    /// 2 for the same verb, else 1 for the same namespace, else 0.
    pub verb: f32,
    /// 0.5 where a server's tool has the token's action as its name.
    pub fallback: f32,
    /// 1.5 times the share of tags in common; two empty sets have none.
    pub tags: f32,
}

impl Score {
    /// The parts for one tool.
    #[must_use]
    pub fn of(token: &IntentToken, tool: &ToolDescriptor) -> Self {
        let verb = match (
            tool.verb.namespace == token.verb.namespace,
            tool.verb.action == token.verb.action,
        ) {
            (true, true) => 2.0,
            (true, false) => 1.0,
            (false, _) => 0.0,
        };
        let fallback = if is_fallback(token, tool) { 0.5 } else { 0.0 };
        Self {
            verb,
            fallback,
            tags: 1.5 * jaccard(&token.required_capabilities, &tool.capabilities),
        }
    }

    /// The sum.
    #[must_use]
    pub fn total(self) -> f32 {
        self.verb + self.fallback + self.tags
    }
}

/// Whether the tool has the very verb.
pub(crate) fn is_exact(token: &IntentToken, tool: &ToolDescriptor) -> bool {
    tool.verb == token.verb
}

/// Whether the tool is a server's and has the token's action as its own.
pub(crate) fn is_fallback(token: &IntentToken, tool: &ToolDescriptor) -> bool {
    tool.verb.namespace == MCP && tool.verb.action == token.verb.action
}

fn jaccard(a: &[String], b: &[String]) -> f32 {
    let (a, b): (BTreeSet<&String>, BTreeSet<&String>) = (a.iter().collect(), b.iter().collect());
    share(a.intersection(&b).count(), a.union(&b).count())
}

/// The part of a score for so many tags in common out of so many in all.
pub(crate) fn tags(common: usize, all: usize) -> f32 {
    1.5 * share(common, all)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of tags are far below 2^24"
)]
fn share(common: usize, all: usize) -> f32 {
    if all == 0 {
        0.0
    } else {
        common as f32 / all as f32
    }
}
