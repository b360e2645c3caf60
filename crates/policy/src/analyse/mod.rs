//! What is known about rules when they are loaded: what each shows by itself, outranked denies, and
//! ties that one rule always loses.
//!
//! Every finding about a call carries one that the engine has confirmed. What is over budget is
//! said to be not decided; nothing is guessed. All other pairs are `check`'s.

mod budget;
mod call;
mod capability;
mod groups;
mod load;
mod meeting;
pub(crate) mod outranked;
mod pair;
pub(crate) mod region;
pub(crate) mod tie;
mod twin;
mod unknown;
mod when;
mod whole;

use crate::finding::{Finding, FindingKind, Severity};
use crate::rule::Rule;
use crate::set::PolicySet;
use crate::world::World;

pub(crate) use call::Call;
pub(crate) use load::needs_root;
pub use whole::{Analysis, Budget};
pub(crate) use whole::{Ranked, outcome, pairs_that_meet, why_before};

/// All findings, the worst first.
pub(crate) fn at_load(set: &PolicySet, world: &World) -> Vec<Finding> {
    let mut known = load::Known::of(world);
    let mut findings: Vec<Finding> = Vec::new();
    for rule in set.rules() {
        findings.extend(load::one_rule(rule, &mut known));
    }
    findings.extend(outranked::all(set, world));
    findings.extend(tie::all(set, world));
    findings.extend(twin::all(set));
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    findings
}

fn finding(
    kind: FindingKind,
    severity: Severity,
    rules: &[&Rule],
    field: &str,
    message: String,
    fix: String,
) -> Finding {
    let first = rules.first().map(|rule| rule.index());
    Finding {
        kind,
        severity,
        rules: rules.iter().map(|rule| rule.id.to_string()).collect(),
        indexes: rules.iter().map(|rule| rule.index()).collect(),
        place: first.map(|index| format!("rule {}, {field}", index + 1)),
        field: Some(field.to_owned()),
        message,
        fix,
        witness: None,
    }
}
