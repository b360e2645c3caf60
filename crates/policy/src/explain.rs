//! The dimensions of a rule and what each weighs; why a request was decided as it was, and why a rule was not used.

use serde::Serialize;
use serde_json::{Value, json};
use tipstaff_schema::Effect;

mod near;
mod text;

use crate::analyse::why_before;
use crate::decision::{DecidedBy, Decision};
use crate::reference::holds;
use crate::request::Request;
use crate::rule::{Capability, Rule};
use crate::set::PolicySet;

/// A dimension of a rule. Every one that a rule sets must match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Dimension {
    /// Who calls.
    Agent,
    /// Which tool.
    Capability,
    /// Acting on what.
    Target,
    /// With which action label.
    Action,
    /// Within which window.
    Hours,
    /// With which parameters.
    When,
    /// Before which moment.
    Until,
    /// In which working folder.
    Cwd,
    /// On which machine.
    Placement,
}

impl Dimension {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 9] = [
        Self::Agent,
        Self::Capability,
        Self::Target,
        Self::Action,
        Self::Hours,
        Self::When,
        Self::Until,
        Self::Cwd,
        Self::Placement,
    ];

    /// What a rule that sets this dimension gains. `until`, `cwd` and `placement` weigh nothing.
    #[must_use]
    pub const fn weight(self) -> u32 {
        match self {
            Self::Agent => 8,
            Self::Capability => 4,
            Self::Target => 2,
            Self::Action | Self::Hours | Self::When => 1,
            Self::Until | Self::Cwd | Self::Placement => 0,
        }
    }

    /// The field that sets it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Capability => "capability",
            Self::Target => "target",
            Self::Action => "action",
            Self::Hours => "hours",
            Self::When => "when",
            Self::Until => "until",
            Self::Cwd => "cwd",
            Self::Placement => "placement",
        }
    }

    /// Whether the rule sets it.
    #[must_use]
    pub fn is_set(self, rule: &Rule) -> bool {
        match self {
            Self::Agent => rule.agent.is_some(),
            Self::Capability => rule.capability != Capability::Any,
            Self::Target => rule.target.is_some(),
            Self::Action => rule.action().is_some(),
            Self::Hours => rule.hours().is_some(),
            Self::When => !rule.when().is_empty(),
            Self::Until => rule.until().is_some(),
            Self::Cwd => rule.cwd().is_some(),
            Self::Placement => rule.placement().is_some(),
        }
    }
}

/// The sum of the table over what the rule sets.
pub(crate) fn specificity(rule: &Rule) -> u32 {
    Dimension::ALL
        .into_iter()
        .filter(|d| d.is_set(rule))
        .map(Dimension::weight)
        .sum()
}

/// So many rules that nearly matched are kept; the others are counted.
pub const NEAR_SHOWN: usize = 10;

/// Why a request was decided as it was.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Explanation {
    /// The decision itself.
    pub decision: Decision,
    /// Every rule that matched, in the order in which they win. On a locked capability none of them counts.
    pub matched: Vec<MatchedRule>,
    /// The rules that failed on exactly one dimension, the nearest first, at most [`NEAR_SHOWN`].
    pub near: Vec<NearRule>,
    /// How many more failed on one dimension only.
    pub near_left_out: usize,
}

/// A rule that matched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MatchedRule {
    /// Its id.
    pub id: String,
    /// Its effect.
    pub effect: Effect,
    /// Whether it is a guard.
    pub guard: bool,
    /// The sum of the table.
    pub specificity: u32,
    /// The dimensions that it sets, and what each weighs.
    pub weights: Vec<(Dimension, u32)>,
    /// Why the deciding rule stands before it; absent for the deciding rule itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beaten: Option<String>,
}

/// A rule that one dimension kept from matching.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NearRule {
    /// Its id.
    pub id: String,
    /// Its effect.
    pub effect: Effect,
    /// The dimension on which it failed.
    pub failed: Dimension,
    /// Whether it would have decided, had that dimension held.
    pub would_decide: bool,
    /// What the rule wants there, and what the request has.
    pub why: String,
}

impl PolicySet {
    /// Why the request is decided as it is: what matched, what won and why, and what failed on one
    /// dimension only. Looks at every rule; deciding does not.
    #[must_use]
    pub fn explain(&self, request: &Request<'_>) -> Explanation {
        let (mut matched, mut near): (Vec<&Rule>, Vec<(&Rule, Dimension)>) =
            (Vec::new(), Vec::new());
        for rule in self.rules() {
            let mut failed = Dimension::ALL
                .into_iter()
                .filter(|d| !holds(rule, request, *d));
            match (failed.next(), failed.next()) {
                (None, _) => matched.push(rule),
                (Some(dimension), None) => near.push((rule, dimension)),
                (Some(_), Some(_)) => {}
            }
        }
        matched.sort_by_key(|rule| std::cmp::Reverse(rank(rule)));
        let best = matched.first().copied();
        let wins = |rule: &Rule| best.is_none_or(|best| rank(rule) > rank(best));
        near.sort_by_key(|(rule, dimension)| {
            let key = (rule.specificity, std::cmp::Reverse(rule.index()));
            (
                !wins(rule),
                near::distance(*dimension),
                std::cmp::Reverse(key),
            )
        });
        let near_left_out = near.len().saturating_sub(NEAR_SHOWN);
        let near = near
            .into_iter()
            .take(NEAR_SHOWN)
            .map(|(rule, failed)| NearRule {
                id: rule.id.to_string(),
                effect: rule.effect,
                failed,
                would_decide: wins(rule),
                why: near::why(rule, request, failed),
            });
        Explanation {
            decision: self.decide(request),
            near: near.collect(),
            near_left_out,
            matched: matched
                .iter()
                .map(|rule| matched_rule(rule, best))
                .collect(),
        }
    }
}

/// Guards first, then the sum of the table, then the stricter effect; what is then equal stays in
/// the order of the file.
fn rank(rule: &Rule) -> (bool, u32, Effect) {
    (rule.guard, rule.specificity, rule.effect)
}

fn matched_rule(rule: &Rule, best: Option<&Rule>) -> MatchedRule {
    let set = Dimension::ALL.into_iter().filter(|d| d.is_set(rule));
    MatchedRule {
        id: rule.id.to_string(),
        effect: rule.effect,
        guard: rule.guard,
        specificity: rule.specificity,
        weights: set.map(|d| (d, d.weight())).collect(),
        beaten: best
            .filter(|best| best.index() != rule.index())
            .map(|best| why_before(best, rule)),
    }
}

impl Explanation {
    /// The explanation as JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "decision": crate::wire::DecisionWire::from(&self.decision),
            "matched": self.matched,
            "near": self.near,
            "near_left_out": self.near_left_out,
        })
    }
}
