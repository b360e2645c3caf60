//! Denies that a more specific allow or ask lifts: the danger of most-specific-wins, shown by a call.

use std::collections::HashSet;

use tipstaff_schema::Effect;

use super::call::common_calls;
use super::finding;
use super::meeting::Meetings;
use super::tie::covers;
use crate::finding::{Finding, FindingKind, Severity};
use crate::reference::matches;
use crate::rule::Rule;
use crate::set::PolicySet;
use crate::world::World;

/// So many findings for one deny; by then it needs its fix.
const SHOWN: usize = 3;

/// How many pairs are looked at closely; the rest is reported as not decided.
const BUDGET: usize = 100_000;

pub(super) fn all(set: &PolicySet, world: &World) -> Vec<Finding> {
    let (mut findings, mut seen, mut spent) = (Vec::new(), HashSet::new(), 0_usize);
    let mut meetings = Meetings::new();
    let live = |rule: &&Rule| {
        world
            .now
            .is_none_or(|now| rule.until.is_none_or(|until| now <= until))
    };
    let rules: Vec<&Rule> = set
        .rules()
        .iter()
        .map(|rule| &**rule)
        .filter(live)
        .collect();
    let denies = rules
        .iter()
        .filter(|rule| rule.effect == Effect::Deny && !rule.guard && !rule.overridable);
    for deny in denies {
        let lifting = rules
            .iter()
            .filter(|rule| rule.effect != Effect::Deny && rule.specificity > deny.specificity);
        let mut shown = 0;
        for rule in lifting.filter(|rule| !plainly_apart(deny, rule)) {
            spent += 1;
            if spent > BUDGET {
                findings.push(over_budget(deny));
                return findings;
            }
            let found = one_pair(set, deny, rule, world, &mut meetings);
            let new = found.filter(|found| seen.insert(found.rules.clone()));
            shown += usize::from(new.is_some());
            findings.extend(new);
            if shown == SHOWN {
                break;
            }
        }
    }
    findings
}

/// What can be seen without building anything.
fn plainly_apart(deny: &Rule, rule: &Rule) -> bool {
    let named = |rule: &'_ Rule| match &rule.capability {
        crate::rule::Capability::Exact(name) => Some(name.clone()),
        crate::rule::Capability::Any | crate::rule::Capability::Pattern(_) => None,
    };
    match (named(deny), named(rule)) {
        (Some(a), Some(b)) => {
            a != b && a.strip_prefix("mcp:") != Some(&b) && b.strip_prefix("mcp:") != Some(&a)
        }
        (Some(_), None) | (None, Some(_)) | (None, None) => false,
    }
}

fn one_pair(
    set: &PolicySet,
    deny: &Rule,
    rule: &Rule,
    world: &World,
    meetings: &mut Meetings,
) -> Option<Finding> {
    let common = common_calls(deny, rule, world, meetings);
    let mut undecided = common.incomplete;
    for call in &common.calls {
        let request = call.request();
        if !matches(deny, &request) || !matches(rule, &request) {
            undecided = true;
            continue;
        }
        let decision = set.decide(&request);
        match (&decision.rule, decision.effect) {
            (Some(winner), Effect::Allow | Effect::Ask) => {
                return Some(outranked(deny, winner, call.line()));
            }
            // Another deny holds here: it must hold wherever the two meet.
            (Some(other), Effect::Deny) => {
                undecided |= !covers(other, rule, world) && !covers(other, deny, world);
            }
            (None, _) => {}
        }
    }
    undecided.then(|| not_decided(deny, rule))
}

fn outranked(deny: &Rule, winner: &Rule, call: serde_json::Value) -> Finding {
    let message = format!(
        "deny `{}` (specificity {}) does not hold for this call, since {} `{}` (specificity {}) is more specific",
        deny.id, deny.specificity, winner.effect, winner.id, winner.specificity
    );
    let fix = format!(
        "write `guard: true` in `{}` if nothing may outrank it, or `overridable: true` if `{}` is meant to",
        deny.id, winner.id
    );
    let mut found = finding(
        FindingKind::OutrankedDeny,
        Severity::Error,
        &[deny, winner],
        "effect",
        message,
        fix,
    );
    found.witness = Some(call);
    found
}

fn not_decided(deny: &Rule, rule: &Rule) -> Finding {
    let message = format!(
        "not decided: {} `{}` (specificity {}) may lift deny `{}` (specificity {}) for some call",
        rule.effect, rule.id, rule.specificity, deny.id, deny.specificity
    );
    let fix = format!(
        "write `guard: true` in `{}` if nothing may outrank it, or `overridable: true`",
        deny.id
    );
    finding(
        FindingKind::NotDecided,
        Severity::Warning,
        &[deny, rule],
        "effect",
        message,
        fix,
    )
}

fn over_budget(deny: &Rule) -> Finding {
    let message = format!(
        "not decided: from deny `{}` on, the pairs of rules were more than {BUDGET}",
        deny.id
    );
    let fix = "write `guard: true` in denies that nothing may outrank".to_owned();
    finding(
        FindingKind::NotDecided,
        Severity::Warning,
        &[deny],
        "effect",
        message,
        fix,
    )
}
