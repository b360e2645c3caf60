//! A deny on the loopback of IPv4 that forgets that of IPv6: the same machine under another address.

use std::collections::HashSet;
use std::sync::Arc;

use tipstaff_resource::{Base, CaseRule, Resource};
use tipstaff_schema::{Access, AgentId, Effect, ResourceKind};

use super::finding;
use crate::finding::{Finding, FindingKind, Severity};
use crate::rule::Rule;
use crate::set::PolicySet;
use crate::target::Target;

pub(super) fn all(set: &PolicySet) -> Vec<Finding> {
    let hosts = |rule: &&Arc<Rule>| rule.effect == Effect::Deny && judges_hosts(rule);
    let denies = || set.rules().iter().filter(hosts);
    let stopping: Vec<&Arc<Rule>> = denies().filter(|rule| stops(rule, "::1")).collect();
    let everybody = stopping.iter().any(|rule| rule.agent.is_none());
    let agents: HashSet<&AgentId> = stopping.iter().filter_map(|rule| rule.agent()).collect();
    let twin = |rule: &Rule| everybody || rule.agent().is_some_and(|agent| agents.contains(agent));
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

fn judges_hosts(rule: &Rule) -> bool {
    match &rule.target {
        Some(Target::Resource(pattern)) => {
            matches!(pattern.kind(), ResourceKind::Host | ResourceKind::Domain)
        }
        Some(Target::Command(_)) | None => false,
    }
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
