//! Why a request was decided as it was, and why a rule was not used.

use serde::Serialize;
use serde_json::{Value, json};
use tipstaff_schema::Effect;

use crate::decision::Decision;
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
            Self::Action => rule.action.is_some(),
            Self::Hours => rule.hours.is_some(),
            Self::When => !rule.when.is_empty(),
            Self::Until => rule.until.is_some(),
            Self::Cwd => rule.cwd.is_some(),
            Self::Placement => rule.placement.is_some(),
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

/// Why a request was decided as it was.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Explanation {
    /// The decision itself.
    pub decision: Decision,
    /// Every rule that matched, in the order in which they win.
    pub matched: Vec<MatchedRule>,
    /// The rules that failed on exactly one dimension, in file order.
    pub near: Vec<NearRule>,
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
    /// What the rule wants there, and what the request has.
    pub why: String,
}

impl PolicySet {
    /// Why the request is decided as it is: what matched, what won, and what failed on one dimension only.
    #[must_use]
    pub fn explain(&self, request: &Request<'_>) -> Explanation {
        let (mut matched, mut near): (Vec<&Rule>, Vec<NearRule>) = (Vec::new(), Vec::new());
        for rule in self.rules() {
            let mut failed = Dimension::ALL
                .into_iter()
                .filter(|d| !holds(rule, request, *d));
            match (failed.next(), failed.next()) {
                (None, _) => matched.push(rule),
                (Some(dimension), None) => near.push(near_rule(rule, request, dimension)),
                (Some(_), Some(_)) => {}
            }
        }
        matched.sort_by_key(|rule| std::cmp::Reverse((rule.guard, rule.specificity, rule.effect)));
        let matched = matched.into_iter().map(matched_rule).collect();
        Explanation {
            decision: self.decide(request),
            matched,
            near,
        }
    }
}

fn matched_rule(rule: &Rule) -> MatchedRule {
    let set = Dimension::ALL.into_iter().filter(|d| d.is_set(rule));
    MatchedRule {
        id: rule.id.to_string(),
        effect: rule.effect,
        guard: rule.guard,
        specificity: rule.specificity,
        weights: set.map(|d| (d, d.weight())).collect(),
    }
}

fn near_rule(rule: &Rule, request: &Request<'_>, failed: Dimension) -> NearRule {
    let why = match failed {
        Dimension::Agent => match &rule.agent {
            Some(agent) => format!("wants agent `{agent}`, the call is by `{}`", request.agent),
            None => String::new(),
        },
        Dimension::Capability => format!(
            "wants `{}`, the call is to `{}`",
            rule.capability.as_str(),
            request.capability
        ),
        Dimension::Target => match &rule.target {
            Some(target) => format!("wants target `{target}`"),
            None => "has no command pattern, and only one with a command pattern allows a command"
                .to_owned(),
        },
        Dimension::Action => {
            format!(
                "wants action `{}`, the call has `{}`",
                rule.action.as_deref().unwrap_or("*"),
                request.action
            )
        }
        Dimension::Hours => match &rule.hours {
            Some(hours) => format!(
                "holds {hours}, the call is at {}",
                request.at.with_timezone(&hours.zone())
            ),
            None => String::new(),
        },
        Dimension::When => {
            let first = rule
                .when
                .iter()
                .find_map(|condition| condition.why_not(request.params));
            first.unwrap_or_default()
        }
        Dimension::Until => "is past its `until`".to_owned(),
        Dimension::Cwd => "wants another working folder".to_owned(),
        Dimension::Placement => "wants another placement".to_owned(),
    };
    NearRule {
        id: rule.id.to_string(),
        effect: rule.effect,
        failed,
        why,
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
        })
    }

    /// The explanation as lines of text.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut lines = vec![format!(
            "{}: {}",
            self.decision.effect,
            self.decision.reason()
        )];
        for (place, rule) in self.matched.iter().enumerate() {
            let weights: Vec<String> = rule
                .weights
                .iter()
                .map(|(d, w)| format!("{} {w}", d.as_str()))
                .collect();
            let guard = if rule.guard { ", guard" } else { "" };
            let role = if place == 0 && !self.decision.locked {
                "decides"
            } else {
                "matches"
            };
            let sum = rule.specificity;
            lines.push(format!(
                "  {role}: {} {} ({sum} = {}{guard})",
                rule.effect,
                rule.id,
                weights.join(" + ")
            ));
        }
        for rule in &self.near {
            lines.push(format!(
                "  not used: {} {}, for its {}: {}",
                rule.effect,
                rule.id,
                rule.failed.as_str(),
                rule.why
            ));
        }
        lines.join("\n")
    }
}
