//! Allows and asks that lose every tie to one stricter rule of the same weight.

use tipstaff_schema::Effect;

use super::finding;
use super::meeting::plainly_apart;
use crate::finding::{Finding, FindingKind, Severity};
use crate::names;
use crate::rule::Rule;
use crate::set::PolicySet;
use crate::target::{Target, case_of};
use crate::world::World;

/// How many pairs are looked at.
const BUDGET: usize = 2_000;

pub(super) fn all(set: &PolicySet, world: &World) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut spent = 0_usize;
    for mild in set
        .rules()
        .iter()
        .filter(|rule| rule.effect != Effect::Deny)
    {
        for strict in set.rules() {
            let tie = strict.specificity == mild.specificity
                && strict.effect > mild.effect
                && !strict.guard;
            if !tie || !cheaply_covers(strict, mild) {
                continue;
            }
            spent += 1;
            if spent > BUDGET {
                return findings;
            }
            if covers(strict, mild, world) {
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

/// Whether `outer` provably matches wherever `inner` does. `false` also where that was not shown.
pub(super) fn covers(outer: &Rule, inner: &Rule, world: &World) -> bool {
    cheaply_covers(outer, inner) && target_covers(outer, inner, world)
}

/// All dimensions but the target.
fn cheaply_covers(outer: &Rule, inner: &Rule) -> bool {
    let reaches = outer.effect != Effect::Allow
        || outer.inherit
        || inner.effect == Effect::Allow && !inner.inherit;
    (outer.agent.is_none() || (outer.agent == inner.agent && reaches))
        && names::covers(outer.capability.as_str(), inner.capability.as_str())
        && (outer.action.is_none() || outer.action == inner.action)
        && (outer.hours.is_none() || (outer.hours == inner.hours && outer.effect >= inner.effect))
        && outer.when.covers(&inner.when)
        && outer
            .until
            .is_none_or(|until| inner.until.is_some_and(|inner| inner <= until))
        && outer.cwd.is_none()
        && (outer.placement.is_none() || outer.placement == inner.placement)
}

fn target_covers(outer: &Rule, inner: &Rule, world: &World) -> bool {
    match (&outer.target, &inner.target) {
        (None, _) => outer.effect != Effect::Allow,
        (Some(_), None)
        | (Some(Target::Resource(_)), Some(Target::Command(_)))
        | (Some(Target::Command(_)), Some(Target::Resource(_))) => false,
        (Some(Target::Command(outer)), Some(Target::Command(inner))) => outer == inner,
        (Some(Target::Resource(a)), Some(Target::Resource(b))) if plainly_apart(a, b) => false,
        (Some(Target::Resource(a)), Some(Target::Resource(b))) => {
            let under = |root: Option<&str>| {
                a.covers(case_of(outer.effect), b, case_of(inner.effect), root)
            };
            let roots = world.agents.iter().map(|agent| agent.root.as_deref());
            let rooted = a.needs_root() || b.needs_root();
            if rooted {
                !world.agents.is_empty() && roots.into_iter().all(under)
            } else {
                under(None)
            }
        }
    }
}
