//! Denies that a more specific allow or ask lifts: the danger of most-specific-wins, shown by a call.

use std::collections::HashSet;
use std::ops::ControlFlow;

use tipstaff_schema::Effect;

use super::budget::Budget;
use super::call::common_calls;
use super::finding;
use super::groups::Groups;
use super::meeting::Meetings;
use super::tie::covers;
use crate::finding::{Finding, FindingKind, Severity};
use crate::reference::matches;
use crate::rule::{Capability, Rule};
use crate::set::PolicySet;
use crate::target::Target;
use crate::world::World;

/// So many findings for one deny; by then it needs its fix.
const SHOWN: usize = 3;

pub(crate) fn all(set: &PolicySet, world: &World) -> Vec<Finding> {
    let live = |rule: &&Rule| {
        world
            .now
            .is_none_or(|now| rule.until().is_none_or(|until| now <= until))
    };
    let rules: Vec<&Rule> = set
        .rules()
        .iter()
        .map(|rule| &**rule)
        .filter(live)
        .collect();
    let placed = rules.iter().copied().enumerate();
    let mild = placed.filter(|(_, rule)| rule.effect != Effect::Deny);
    let budget = Budget::of(set.rules().len());
    let mut search = Search {
        set,
        world,
        meetings: Meetings::new(budget.automata),
        budget,
        findings: Vec::new(),
        seen: HashSet::new(),
        close: 0,
        pairs: 0,
    };
    let mut groups = Groups::of(mild, world);
    let denies: Vec<&Rule> = rules
        .iter()
        .copied()
        .filter(|rule| rule.effect == Effect::Deny && !rule.guard && !rule.overridable)
        .collect();
    // Denies of which enough was shown, the first of them, and how many rules that leaves out.
    let (mut cut, mut first, mut left) = (0_usize, None, 0_usize);
    for (done, deny) in denies.iter().enumerate() {
        let meeting = groups.meeting(deny, |a, b| may_share(a, b, world));
        let mut lifting = meeting.map(|(_, rule)| rule);
        match search.one_deny(deny, &mut lifting) {
            ControlFlow::Continue(Held::AgainstAll) => {}
            ControlFlow::Continue(Held::UntilEnough) => {
                let more = lifting.size_hint().0;
                if more > 0 {
                    (cut, left) = (cut + 1, left + more);
                    first.get_or_insert(*deny);
                }
            }
            ControlFlow::Break(()) => {
                search
                    .findings
                    .push(over_budget(deny, denies.len() - done, budget));
                break;
            }
        }
    }
    let cut = first.map(|deny| enough_shown(deny, cut, left));
    search.findings.extend(cut);
    search.findings
}

/// The same by holding every deny against every rule: what the groups are tested against.
#[cfg(test)]
pub(crate) fn pairwise(set: &PolicySet, world: &World) -> Vec<Finding> {
    let rules: Vec<&Rule> = set.rules().iter().map(|rule| &**rule).collect();
    let budget = Budget::of(0);
    let mut search = Search {
        set,
        world,
        meetings: Meetings::new(budget.automata),
        budget,
        findings: Vec::new(),
        seen: HashSet::new(),
        close: 0,
        pairs: 0,
    };
    for deny in &rules {
        if deny.effect == Effect::Deny && !deny.guard && !deny.overridable {
            let mild = rules
                .iter()
                .copied()
                .filter(|rule| rule.effect != Effect::Deny);
            let _ = search.one_deny(deny, &mut mild.into_iter());
        }
    }
    search.findings
}

/// What was found so far, and what was spent on it.
struct Search<'a> {
    set: &'a PolicySet,
    world: &'a World,
    meetings: Meetings,
    budget: Budget,
    findings: Vec<Finding>,
    seen: HashSet<Vec<String>>,
    close: usize,
    pairs: usize,
}

/// How far a deny was held against the rules that may lift it.
#[derive(Debug, Clone, Copy)]
enum Held {
    AgainstAll,
    UntilEnough,
}

impl Search<'_> {
    /// Holds a deny against the rules that may lift it, in their order; breaks off where the budget
    /// is spent.
    fn one_deny<'r>(
        &mut self,
        deny: &Rule,
        lifting: &mut impl Iterator<Item = &'r Rule>,
    ) -> ControlFlow<(), Held> {
        let mut shown = 0;
        for rule in lifting {
            self.pairs += 1;
            if self.pairs > self.budget.pairs || self.findings.len() >= self.budget.findings {
                return ControlFlow::Break(());
            }
            if rule.specificity <= deny.specificity || plainly_apart(deny, rule) {
                continue;
            }
            self.close += 1;
            if self.close > self.budget.close {
                return ControlFlow::Break(());
            }
            let found = one_pair(self.set, deny, rule, self.world, &mut self.meetings);
            let new = found.filter(|found| self.seen.insert(found.rules.clone()));
            shown += usize::from(new.is_some());
            self.findings.extend(new);
            if shown == SHOWN {
                return ControlFlow::Continue(Held::UntilEnough);
            }
        }
        ControlFlow::Continue(Held::AgainstAll)
    }
}

/// Whether two capabilities may mean one tool. Wrong only on the side of yes.
fn may_share(a: &Capability, b: &Capability, world: &World) -> bool {
    match (a, b) {
        (Capability::Any, _) | (_, Capability::Any) => true,
        (Capability::Exact(a), Capability::Exact(b)) => {
            a == b || a.strip_prefix("mcp:") == Some(b) || b.strip_prefix("mcp:") == Some(a)
        }
        (Capability::Exact(name), Capability::Pattern(pattern))
        | (Capability::Pattern(pattern), Capability::Exact(name)) => {
            let behind_id = name.strip_prefix("mcp:").unwrap_or(name);
            let mut named = world
                .capabilities
                .iter()
                .filter(|tool| *tool.tool_id == **name);
            pattern.matches(name)
                || pattern.matches(behind_id)
                || named.any(|tool| pattern.matches(&tool.name))
        }
        (Capability::Pattern(a), Capability::Pattern(b)) => {
            let head = |text: &'_ str| text.find(['*', '?']).unwrap_or(text.len());
            let (a, b) = (a.as_str(), b.as_str());
            let least = head(a).min(head(b));
            a.as_bytes().get(..least) == b.as_bytes().get(..least)
        }
    }
}

/// What can be seen of two rules that may share a tool, without building anything.
fn plainly_apart(deny: &Rule, rule: &Rule) -> bool {
    let differ = |one: Option<&str>, other: Option<&str>| {
        one.is_some_and(|one| other.is_some_and(|other| one != other))
    };
    let place = |rule: &'_ Rule| rule.placement().map(|place| place.as_str().to_owned());
    differ(deny.action(), rule.action())
        || differ(place(deny).as_deref(), place(rule).as_deref())
        || match (&deny.target, &rule.target) {
            (Some(Target::Resource(a)), Some(Target::Resource(b))) => {
                super::meeting::plainly_apart(a, b)
            }
            (Some(Target::Command(_)), Some(Target::Resource(_)))
            | (Some(Target::Resource(_)), Some(Target::Command(_))) => true,
            (Some(Target::Command(_)), Some(Target::Command(_)))
            | (None, Some(_) | None)
            | (Some(_), None) => false,
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

fn enough_shown(deny: &Rule, denies: usize, left: usize) -> Finding {
    let message = format!(
        "not decided: of {denies} denies, the first of them `{}`, {SHOWN} findings each are shown, and {left} more rules that share tools and agents with them were not held against them",
        deny.id
    );
    let fix = "correct what was found, and look again".to_owned();
    finding(
        FindingKind::NotDecided,
        Severity::Note,
        &[deny],
        "effect",
        message,
        fix,
    )
}

fn over_budget(deny: &Rule, left: usize, budget: Budget) -> Finding {
    let message = format!(
        "not decided: from deny `{}` on, {left} denies were not held against all rules that may lift them (after {} findings, {} pairs looked at closely or {} in all)",
        deny.id, budget.findings, budget.close, budget.pairs
    );
    let fix = "correct what was found, and write `guard: true` in denies that nothing may outrank"
        .to_owned();
    finding(
        FindingKind::NotDecided,
        Severity::Warning,
        &[deny],
        "effect",
        message,
        fix,
    )
}
