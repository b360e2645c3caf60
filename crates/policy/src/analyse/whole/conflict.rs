//! Two rules of one weight that say different things of the same call. The stricter wins; whether
//! that was meant, only the author knows.

use std::collections::{BTreeMap, HashMap, HashSet};

use tipstaff_schema::{AgentId, Effect};

use super::Whole;
use crate::analyse::finding;
use crate::analyse::meeting::plainly_apart;
use crate::analyse::region::{Found, Seen};
use crate::analyse::tie::covers;
use crate::finding::{Finding, FindingKind, Severity};
use crate::rule::{Capability, Rule};
use crate::target::Target;
use crate::world::World;

/// So many conflicts of one rule are shown; by then its author knows.
const MOST_OF_ONE: usize = 5;

pub(super) fn all(whole: &mut Whole<'_>, shown: usize) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut groups: BTreeMap<u32, Vec<&Rule>> = BTreeMap::new();
    for rule in whole.set.rules() {
        if !rule.guard && !whole.dead.contains(&rule.index()) {
            groups.entry(rule.specificity).or_default().push(rule);
        }
    }
    let mut of_one: HashMap<usize, usize> = HashMap::new();
    for rules in groups.values() {
        // Each pair once: the stricter rule of it against the milder ones.
        let of = |effect: Effect| {
            rules
                .iter()
                .copied()
                .filter(move |rule| rule.effect == effect)
        };
        let (denies, asks): (Vec<&Rule>, Vec<&Rule>) =
            (of(Effect::Deny).collect(), of(Effect::Ask).collect());
        let allows: Vec<&Rule> = of(Effect::Allow).collect();
        let mut mild = asks.clone();
        mild.extend(&allows);
        let world = whole.region.world;
        let mut pairs = pairs_that_meet(&denies, &mild, world);
        pairs.extend(pairs_that_meet(&asks, &allows, world));
        pairs.sort_by_key(|(a, b)| (a.index().min(b.index()), a.index().max(b.index())));
        for (strict, mild) in pairs {
            let count = of_one.entry(strict.index()).or_default();
            if findings.len() >= shown || *count >= MOST_OF_ONE {
                whole.analysis.passed_over(FindingKind::Conflict, 1);
                continue;
            }
            let ranked = &whole.ranked;
            let found = whole.region.find(&[strict, mild], &mut |call| match ranked
                .winner(&call.request())
            {
                Some(winner) if winner.index() != strict.index() => Seen::Not(winner),
                Some(_) | None => Seen::Yes,
            });
            match found {
                Found::Call(call) => {
                    *count += 1;
                    findings.push(conflict(strict, mild, call.line(), whole.region.world));
                }
                Found::Nowhere => {}
                Found::NotDecided => whole.analysis.undecided(FindingKind::Conflict, 1),
            }
        }
    }
    findings
}

fn conflict(strict: &Rule, mild: &Rule, call: serde_json::Value, world: &World) -> Finding {
    // A deny written as the exception of a wider allow is what ties are for.
    let exception = covers(mild, strict, world);
    let severity = if exception || strict.effect == Effect::Deny {
        Severity::Note
    } else {
        Severity::Warning
    };
    let message = format!(
        "{} `{}` and {} `{}` both match this call and weigh the same ({}): the stricter wins",
        strict.effect, strict.id, mild.effect, mild.id, strict.specificity
    );
    let fix = format!(
        "if `{}` is meant to win, make it more specific; if not, leave it so, or write a test that says it",
        mild.id
    );
    let mut found = finding(
        FindingKind::Conflict,
        severity,
        &[strict, mild],
        "effect",
        message,
        fix,
    );
    found.witness = Some(call);
    found
}

/// The pairs of one rule of each list that could match the same call, as far as agent, tool and what
/// is plain of the rest can tell.
pub(crate) fn pairs_that_meet<'a>(
    one: &[&'a Rule],
    other: &[&'a Rule],
    world: &World,
) -> Vec<(&'a Rule, &'a Rule)> {
    let mut exact: HashMap<&str, Vec<&'a Rule>> = HashMap::new();
    let mut open: Vec<&'a Rule> = Vec::new();
    for rule in other {
        match &rule.capability {
            Capability::Exact(name) => exact.entry(bare(name)).or_default().push(rule),
            Capability::Any | Capability::Pattern(_) => open.push(rule),
        }
    }
    let mut pairs = Vec::new();
    for a in one {
        let near: Vec<&'a Rule> = match &a.capability {
            Capability::Exact(name) => {
                let same = exact.get(bare(name)).into_iter().flatten();
                same.chain(&open).copied().collect()
            }
            Capability::Any | Capability::Pattern(_) => other.to_vec(),
        };
        let meets = near.into_iter().filter(|b| may_meet(a, b, world));
        pairs.extend(meets.map(|b| (*a, b)));
    }
    pairs
}

fn bare(name: &str) -> &str {
    name.strip_prefix("mcp:")
        .filter(|rest| rest.contains(':'))
        .unwrap_or(name)
}

/// Whether nothing that can be seen without searching keeps two rules apart.
pub(super) fn may_meet(a: &Rule, b: &Rule, world: &World) -> bool {
    // What is cheap to tell comes first: this is asked of all pairs.
    let agents = || match (&a.agent, &b.agent) {
        (Some(one), Some(two)) => one == two || related(one, two, world),
        (None, _) | (_, None) => true,
    };
    let names = match (&a.capability, &b.capability) {
        (Capability::Exact(one), Capability::Exact(two)) => bare(one) == bare(two),
        (Capability::Exact(name), open @ Capability::Pattern(_))
        | (open @ Capability::Pattern(_), Capability::Exact(name)) => {
            open.matches(bare(name), name)
        }
        (Capability::Any, _)
        | (_, Capability::Any)
        | (Capability::Pattern(_), Capability::Pattern(_)) => true,
    };
    names
        && (a.action().is_none() || b.action().is_none() || a.action() == b.action())
        && (a.placement().is_none() || b.placement().is_none() || a.placement() == b.placement())
        && agents()
        && targets(a, b)
        && a.when().overlap(b.when()) != Some(false)
}

fn targets(a: &Rule, b: &Rule) -> bool {
    match (&a.target, &b.target) {
        (Some(Target::Resource(one)), Some(Target::Resource(two))) => !plainly_apart(one, two),
        (Some(Target::Resource(_)), Some(Target::Command(_)))
        | (Some(Target::Command(_)), Some(Target::Resource(_))) => false,
        (Some(Target::Command(_)), Some(Target::Command(_))) | (None, _) | (_, None) => true,
    }
}

/// Whether one of two agents starts the other, by however many steps.
fn related(one: &AgentId, two: &AgentId, world: &World) -> bool {
    let above = |low: &AgentId, high: &AgentId| {
        let mut seen: HashSet<&AgentId> = HashSet::new();
        let parent = |id: &AgentId| {
            world
                .agents
                .iter()
                .find(|agent| agent.id == *id)?
                .parent
                .as_ref()
        };
        let mut next = parent(low);
        while let Some(id) = next.filter(|id| seen.insert(id)) {
            if id == high {
                return true;
            }
            next = parent(id);
        }
        false
    };
    above(one, two) || above(two, one)
}
