//! Allows and asks that lose every tie to one stricter rule of the same weight.

use std::collections::BTreeMap;

use tipstaff_schema::Effect;

use super::budget::Budget;
use super::finding;
use super::groups::Groups;
use super::meeting::plainly_apart;
use crate::finding::{Finding, FindingKind, Severity};
use crate::names;
use crate::rule::{Capability, Rule};
use crate::set::PolicySet;
use crate::target::{Target, case_of};
use crate::world::World;

pub(crate) fn all(set: &PolicySet, world: &World) -> Vec<Finding> {
    let budget = Budget::of(set.rules().len());
    let strict = set.rules().iter().map(|rule| &**rule).enumerate();
    let strict = strict.filter(|(_, rule)| rule.effect != Effect::Allow && !rule.guard);
    let mut by_weight: BTreeMap<u32, Vec<(usize, &Rule)>> = BTreeMap::new();
    for (place, rule) in strict {
        by_weight
            .entry(rule.specificity)
            .or_default()
            .push((place, rule));
    }
    let mut groups: BTreeMap<u32, Groups<'_>> = by_weight
        .into_iter()
        .map(|(weight, rules)| (weight, Groups::of(rules.into_iter(), world)))
        .collect();
    let mild: Vec<&Rule> = set
        .rules()
        .iter()
        .map(|rule| &**rule)
        .filter(|rule| rule.effect != Effect::Deny && groups.contains_key(&rule.specificity))
        .collect();
    let (mut findings, mut spent, mut pairs) = (Vec::new(), 0_usize, 0_usize);
    let total = mild.len();
    for (done, mild) in mild.iter().enumerate() {
        let Some(groups) = groups.get_mut(&mild.specificity) else {
            continue;
        };
        let covering =
            |inner: &Capability, outer: &Capability| names::covers(outer.as_str(), inner.as_str());
        for (_, strict) in groups.meeting(mild, covering) {
            pairs += 1;
            if spent > budget.automata || pairs > budget.pairs || findings.len() >= budget.findings
            {
                findings.push(over_budget(mild, total - done, budget));
                return findings;
            }
            if strict.effect > mild.effect && beside_target_covers(strict, mild) {
                let (covers, by_automata) = target_covers(strict, mild, world);
                spent += usize::from(by_automata == Compared::ByAutomata);
                if covers {
                    findings.push(never_wins(mild, strict));
                }
            }
        }
    }
    findings
}

/// The same by holding every rule against every other: what the groups are tested against.
#[cfg(test)]
pub(crate) fn pairwise(set: &PolicySet, world: &World) -> Vec<Finding> {
    let mut findings = Vec::new();
    for mild in set
        .rules()
        .iter()
        .filter(|rule| rule.effect != Effect::Deny)
    {
        for strict in set.rules() {
            let tie = strict.specificity == mild.specificity && strict.effect > mild.effect;
            if tie && !strict.guard && covers(strict, mild, world) {
                findings.push(never_wins(mild, strict));
            }
        }
    }
    findings
}

fn never_wins(mild: &Rule, strict: &Rule) -> Finding {
    let message = format!(
        "{} `{}` never decides: {} `{}` matches all that it matches, weighs the same ({}), and on a tie the stricter wins",
        mild.effect, mild.id, strict.effect, strict.id, mild.specificity
    );
    let fix = format!(
        "name an agent or an action in `{}`, which makes it more specific, or write `{}` so that it leaves those calls out",
        mild.id, strict.id
    );
    finding(
        FindingKind::NeverWinsTie,
        Severity::Warning,
        &[mild, strict],
        "target",
        message,
        fix,
    )
}

fn over_budget(mild: &Rule, left: usize, budget: Budget) -> Finding {
    let message = format!(
        "not decided: from `{}` on, {left} rules were not held against all stricter ones of the same weight (after {} findings, {} comparisons of targets or {} pairs)",
        mild.id, budget.findings, budget.automata, budget.pairs
    );
    finding(
        FindingKind::NotDecided,
        Severity::Note,
        &[mild],
        "target",
        message,
        "correct what was found, and look again".to_owned(),
    )
}

/// Whether `outer` provably matches wherever `inner` does. `false` also where that was not shown.
pub(super) fn covers(outer: &Rule, inner: &Rule, world: &World) -> bool {
    names::covers(outer.capability.as_str(), inner.capability.as_str())
        && beside_target_covers(outer, inner)
        && target_covers(outer, inner, world).0
}

/// All dimensions but capability and target.
fn beside_target_covers(outer: &Rule, inner: &Rule) -> bool {
    let reaches = outer.effect != Effect::Allow
        || outer.inherit
        || inner.effect == Effect::Allow && !inner.inherit;
    (outer.agent.is_none() || (outer.agent == inner.agent && reaches))
        && (outer.action().is_none() || outer.action() == inner.action())
        && (outer.hours().is_none()
            || (outer.hours() == inner.hours() && outer.effect >= inner.effect))
        && outer.when().covers(inner.when())
        && outer
            .until()
            .is_none_or(|until| inner.until().is_some_and(|inner| inner <= until))
        && outer.cwd().is_none()
        && (outer.placement().is_none() || outer.placement() == inner.placement())
}

/// How two targets were compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compared {
    AtSight,
    ByAutomata,
}

fn target_covers(outer: &Rule, inner: &Rule, world: &World) -> (bool, Compared) {
    let at_sight = |covers| (covers, Compared::AtSight);
    match (&outer.target, &inner.target) {
        (None, _) => at_sight(outer.effect != Effect::Allow),
        (Some(_), None)
        | (Some(Target::Resource(_)), Some(Target::Command(_)))
        | (Some(Target::Command(_)), Some(Target::Resource(_))) => at_sight(false),
        (Some(Target::Command(outer)), Some(Target::Command(inner))) => at_sight(outer == inner),
        (Some(Target::Resource(a)), Some(Target::Resource(b)))
            if plainly_apart(a, b) || a.plainly_misses(case_of(outer.effect), b) =>
        {
            at_sight(false)
        }
        (Some(Target::Resource(a)), Some(Target::Resource(b))) => {
            let under = |root: Option<&str>| {
                a.covers(case_of(outer.effect), b, case_of(inner.effect), root)
            };
            let roots = world.agents.iter().map(|agent| agent.root.as_deref());
            let rooted = a.needs_root() || b.needs_root();
            let covers = if rooted {
                !world.agents.is_empty() && roots.into_iter().all(under)
            } else {
                under(None)
            };
            (covers, Compared::ByAutomata)
        }
    }
}
