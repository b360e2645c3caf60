//! The decision as the page states it: one scan over all rules, each dimension asked in turn.
//!
//! Slow on purpose. Every faster way of deciding is tested against this one.

use std::sync::Arc;

use tipstaff_resource::{Base, Resource};
use tipstaff_schema::{Access, AgentId, Effect, ResourceKind};

use crate::decision::{DecidedBy, Decision};
use crate::explain::Dimension;
use crate::hours::HourReading;
use crate::request::{Request, Subject};
use crate::rule::Rule;
use crate::target::{Target, case_of, target_matches};

/// Decides one request: locked, then guards, then the most specific rule, then the default.
#[must_use]
pub fn decide(rules: &[Arc<Rule>], request: &Request<'_>) -> Decision {
    if request.profile.locked {
        return locked();
    }
    let mut considered = 0;
    let mut best: Option<&Arc<Rule>> = None;
    for rule in rules.iter().filter(|rule| matches(rule, request)) {
        considered += 1;
        if best.is_none_or(|best| rank(rule) > rank(best)) {
            best = Some(rule);
        }
    }
    decided(best, considered, request)
}

/// The decision that follows from the rule that wins and from how many matched.
pub(crate) fn decided(
    best: Option<&Arc<Rule>>,
    considered: usize,
    request: &Request<'_>,
) -> Decision {
    match best {
        None => without_rule(request.profile.default_effect, DecidedBy::Default, 0),
        Some(rule) => Decision {
            policy_id: Some(Arc::clone(&rule.id)),
            specificity: rule.specificity,
            guard: rule.guard,
            rule: Some(Arc::clone(rule)),
            ..without_rule(
                rule.effect,
                if rule.guard {
                    DecidedBy::Guard
                } else {
                    DecidedBy::Rule
                },
                considered,
            )
        },
    }
}

/// The decision on a locked capability: no rule is asked.
pub(crate) fn locked() -> Decision {
    Decision {
        locked: true,
        ..without_rule(Effect::Deny, DecidedBy::Locked, 0)
    }
}

/// Guards first; then the sum of the table; on a tie the stricter effect. The earlier rule wins
/// what is then still equal, since only a greater rank replaces it.
fn rank(rule: &Rule) -> (bool, u32, Effect) {
    (rule.guard, rule.specificity, rule.effect)
}

fn without_rule(effect: Effect, source: DecidedBy, considered: usize) -> Decision {
    Decision {
        effect,
        policy_id: None,
        grant_id: None,
        specificity: 0,
        locked: false,
        considered,
        tightened: false,
        guard: false,
        policy_digest: None,
        source,
        rule: None,
    }
}

/// Whether the rule is a deny or guard with a resource target that could concern the call, if its
/// resource were known.
#[must_use]
pub fn is_hole(rule: &Rule, request: &Request<'_>) -> bool {
    let request = Request {
        subject: Subject::None,
        ..*request
    };
    rule.effect == Effect::Deny
        && matches!(rule.target, Some(Target::Resource(_)))
        && Dimension::ALL
            .into_iter()
            .filter(|d| !matches!(d, Dimension::Target | Dimension::Cwd))
            .all(|d| holds(rule, &request, d))
}

/// Whether every dimension that the rule sets matches.
#[must_use]
pub fn matches(rule: &Rule, request: &Request<'_>) -> bool {
    Dimension::ALL
        .into_iter()
        .all(|dimension| holds(rule, request, dimension))
}

/// Whether one dimension of the rule matches; true where the rule does not set it.
#[must_use]
pub fn holds(rule: &Rule, request: &Request<'_>, dimension: Dimension) -> bool {
    match dimension {
        Dimension::Agent => agent_holds(rule, request.agent, request.parents),
        Dimension::Capability => rule.capability.matches(request.capability, request.tool_id),
        Dimension::Target => target_matches(rule.target.as_ref(), request, rule.effect),
        Dimension::Action => rule.action().is_none_or(|action| action == request.action),
        Dimension::Hours => rule
            .hours()
            .is_none_or(|hours| hours.hold(request.at, HourReading::of(rule.effect))),
        Dimension::When => rule.when().all_hold(request.params),
        Dimension::Until => rule.until().is_none_or(|until| request.at <= until),
        Dimension::Cwd => cwd_matches(rule, request),
        Dimension::Placement => placement_matches(rule, request),
    }
}

/// An agent's asks, denies and guards also hold for agents that it started; an allow only with `inherit`.
pub(crate) fn agent_holds(rule: &Rule, id: &AgentId, parents: &[AgentId]) -> bool {
    let Some(agent) = rule.agent() else {
        return true;
    };
    let inherited = rule.effect != Effect::Allow || rule.inherit;
    agent == id || (inherited && parents.contains(agent))
}

/// A folder that is not known lies in no folder that an allow names, and in every other.
fn cwd_matches(rule: &Rule, request: &Request<'_>) -> bool {
    let Some(pattern) = rule.cwd() else {
        return true;
    };
    let own = match request.subject {
        Subject::Command(command) => command.cwd.as_deref(),
        Subject::None | Subject::Resource(_) => None,
    };
    let base = Base {
        cwd: None,
        root: request.root,
    };
    let folder = own
        .or(request.cwd)
        .and_then(|cwd| Resource::parse(ResourceKind::Path, cwd, Access::Read, &base).ok());
    match folder {
        Some(folder) => pattern.matches(&folder, request.root, case_of(rule.effect)),
        None => rule.effect != Effect::Allow,
    }
}

fn placement_matches(rule: &Rule, request: &Request<'_>) -> bool {
    rule.placement()
        .is_none_or(|wanted| match request.placement {
            Some(placement) => *placement == *wanted,
            None => wanted.is_local(),
        })
}
