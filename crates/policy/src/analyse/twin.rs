//! A deny on the loopback of IPv4 that forgets that of IPv6: the same machine under another address.

use tipstaff_resource::{Base, CaseRule, Resource};
use tipstaff_schema::{Access, Effect, ResourceKind};

use super::finding;
use crate::finding::{Finding, FindingKind, Severity};
use crate::rule::Rule;
use crate::set::PolicySet;
use crate::target::Target;

pub(super) fn all(set: &PolicySet) -> Vec<Finding> {
    let denies = || {
        set.rules()
            .iter()
            .filter(|rule| rule.effect == Effect::Deny)
    };
    let twin = |rule: &Rule| {
        denies().any(|other| {
            (other.agent.is_none() || other.agent == rule.agent) && stops(other, "::1")
        })
    };
    denies()
        .filter(|rule| stops(rule, "127.0.0.1") && !twin(rule))
        .map(|rule| {
            let message = format!(
                "rule `{}` stops this machine's IPv4 loopback, and no deny stops `::1`, which is the same machine",
                rule.id
            );
            let fix = "add a deny with `target: {host: \"::1\"}`".to_owned();
            finding(FindingKind::Hole, Severity::Warning, &[rule], "target", message, fix)
        })
        .collect()
}

/// Whether the target of the rule is this address, or a block that holds it.
fn stops(rule: &Rule, address: &str) -> bool {
    let Some(Target::Resource(pattern)) = &rule.target else {
        return false;
    };
    matches!(pattern.kind(), ResourceKind::Host | ResourceKind::Domain)
        && Resource::parse(pattern.kind(), address, Access::Connect, &Base::default())
            .is_ok_and(|host| pattern.matches(&host, None, CaseRule::Exact))
}
