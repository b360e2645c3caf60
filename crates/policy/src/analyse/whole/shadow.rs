//! Rules that never decide, and rules without which every call is decided the same.

use serde_json::Value;
use tipstaff_command::Ceiling;
use tipstaff_schema::Effect;

use super::{Whole, why_before};
use crate::analyse::finding;
use crate::analyse::region::{Found, Seen};
use crate::finding::{Finding, FindingKind, Severity};
use crate::rule::Rule;
use crate::target::Target;
use crate::terms::Terms;

/// What a rule makes of a call that it decides: two rules of the same outcome can stand for each other.
pub(crate) type Outcome<'a> = (Effect, bool, Option<&'a Terms>, Option<&'a Ceiling>);

pub(crate) fn outcome(rule: &Rule) -> Outcome<'_> {
    (rule.effect, rule.fresh, rule.terms(), rule.ceiling())
}

/// So many steps of the budget are left for other kinds.
pub(super) fn all(whole: &mut Whole<'_>, kept: u64) -> Vec<Finding> {
    let mut findings = Vec::new();
    let set = whole.set;
    for (done, rule) in set.rules().iter().enumerate() {
        // Each is asked whether it decides, and whether it changes anything.
        whole.region.share(2 * (set.rules().len() - done), kept);
        if whole.dead.contains(&rule.index()) {
            continue;
        }
        let found = decides(whole, rule);
        let shadowed = matches!(found, Life::Never(_));
        match found {
            Life::Decides => findings.extend(redundant(whole, rule)),
            Life::Never(finding) => findings.push(*finding),
            Life::NotDecided => whole.analysis.undecided(FindingKind::Shadowed, 1),
        }
        if shadowed {
            whole.dead.insert(rule.index());
        }
    }
    findings
}

enum Life {
    Decides,
    Never(Box<Finding>),
    NotDecided,
}

fn decides<'a>(whole: &mut Whole<'a>, rule: &'a Rule) -> Life {
    let (mut before, mut shown): (Vec<&Rule>, Option<Value>) = (Vec::new(), None);
    let ranked = &whole.ranked;
    let found = whole
        .region
        .find(&[rule], &mut |call| match ranked.winner(&call.request()) {
            Some(winner) if winner.index() != rule.index() => {
                if !before.iter().any(|known| known.index() == winner.index()) {
                    before.push(winner);
                }
                shown.get_or_insert_with(|| call.line());
                Seen::Not(winner)
            }
            Some(_) | None => Seen::Yes,
        });
    match found {
        Found::Call(_) => Life::Decides,
        Found::NotDecided => Life::NotDecided,
        Found::Nowhere if before.is_empty() => Life::Never(Box::new(matches_nothing(rule))),
        Found::Nowhere => Life::Never(Box::new(shadowed(rule, &before, shown))),
    }
}

fn matches_nothing(rule: &Rule) -> Finding {
    let message = format!(
        "{} `{}` decides nothing: every tool that it means is locked, or what it asks of a call never comes together",
        rule.effect, rule.id
    );
    let fix = "remove it, or change the dimension that no call can meet".to_owned();
    finding(
        FindingKind::NeverMatches,
        Severity::Warning,
        &[rule],
        "capability",
        message,
        fix,
    )
}

fn shadowed(rule: &Rule, before: &[&Rule], shown: Option<Value>) -> Finding {
    let ids: Vec<String> = before.iter().map(|rule| format!("`{}`", rule.id)).collect();
    let how = match before {
        [one] => format!(
            "{} `{}` stands before it wherever it matches: {}",
            one.effect,
            one.id,
            why_before(one, rule)
        ),
        _ => format!("{} stand before it wherever it matches", ids.join(", ")),
    };
    let message = format!("{} `{}` never decides: {how}", rule.effect, rule.id);
    let fix = format!(
        "remove `{}`, or make it more specific: name an agent (+8), a tool (+4) or a target (+2)",
        rule.id
    );
    let same = before.iter().all(|other| outcome(other) == outcome(rule));
    let severity = if same {
        Severity::Note
    } else {
        Severity::Warning
    };
    let all: Vec<&Rule> = std::iter::once(rule)
        .chain(before.iter().copied())
        .collect();
    let mut found = finding(FindingKind::Shadowed, severity, &all, "id", message, fix);
    found.witness = shown;
    found
}

/// Whether without the rule every call is decided the same; `None` also where that was not shown.
fn redundant<'a>(whole: &mut Whole<'a>, rule: &'a Rule) -> Option<Finding> {
    let (mut instead, mut shown): (Vec<&Rule>, Option<Value>) = (Vec::new(), None);
    let ranked = &whole.ranked;
    let found = whole.region.find(&[rule], &mut |call| {
        let request = call.request();
        let mut matching = ranked.matching(&request);
        match matching.next() {
            Some(winner) if winner.index() != rule.index() => return Seen::Not(winner),
            Some(_) | None => {}
        }
        let next = matching.next();
        let default = (call.tool.profile.default_effect, false, None, None);
        match next {
            Some(next) if stands_in(next, rule) => {
                if !instead.iter().any(|known| known.index() == next.index()) {
                    instead.push(next);
                }
                shown.get_or_insert_with(|| call.line());
                Seen::Not(next)
            }
            None if outcome(rule) == default
                && !has_resource_target(rule)
                && rule.effect != Effect::Allow =>
            {
                shown.get_or_insert_with(|| call.line());
                Seen::NotWithThisTool
            }
            Some(_) | None => Seen::Yes,
        }
    });
    match found {
        Found::Call(_) => None,
        Found::NotDecided => {
            whole.analysis.undecided(FindingKind::Redundant, 1);
            None
        }
        Found::Nowhere => {
            changes_nothing_between(whole, rule)?.then(|| says_nothing_new(rule, &instead, shown))
        }
    }
}

/// Whether no rule of another outcome would decide in its place, where the rule that would stand in
/// for it matches too. `None` where that was not decided.
fn changes_nothing_between<'a>(whole: &mut Whole<'a>, rule: &'a Rule) -> Option<bool> {
    let Whole {
        ranked,
        region,
        analysis,
        ..
    } = whole;
    let ranked: &super::Ranked<'a> = ranked;
    let order = ranked.order().iter().copied();
    let below = order
        .skip_while(|other| other.index() != rule.index())
        .skip(1)
        .filter(|other| !stands_in(other, rule));
    for other in below {
        if !super::conflict::may_meet(rule, other, region.world) {
            continue;
        }
        let found = region.find(&[rule, other], &mut |call| {
            let request = call.request();
            let mut matching = ranked.matching(&request);
            match (matching.next(), matching.next()) {
                (Some(winner), _) if winner.index() != rule.index() => Seen::Not(winner),
                (_, Some(next)) if stands_in(next, rule) => Seen::Not(next),
                (_, _) => Seen::Yes,
            }
        });
        match found {
            Found::Call(_) => return Some(false),
            Found::Nowhere => {}
            Found::NotDecided => {
                analysis.undecided(FindingKind::Redundant, 1);
                return None;
            }
        }
    }
    Some(true)
}

/// Whether what `other` says where both match is all that the rule says. A deny with a target also
/// makes tools ask of which nothing is derived; only another such deny does that for it.
fn stands_in(other: &Rule, rule: &Rule) -> bool {
    outcome(other) == outcome(rule)
        && (rule.effect != Effect::Deny || !has_resource_target(rule) || has_resource_target(other))
}

fn has_resource_target(rule: &Rule) -> bool {
    rule.effect == Effect::Deny && matches!(rule.target, Some(Target::Resource(_)))
}

fn says_nothing_new(rule: &Rule, instead: &[&Rule], shown: Option<Value>) -> Finding {
    let ids: Vec<String> = instead
        .iter()
        .map(|rule| format!("`{}`", rule.id))
        .collect();
    let by = match ids.as_slice() {
        [] => "the profiles' default says the same".to_owned(),
        _ => format!("{} would say the same", ids.join(", ")),
    };
    let message = format!(
        "{} `{}` changes no decision: without it {by}",
        rule.effect, rule.id
    );
    let fix = format!("remove `{}`, if it is not there to say so", rule.id);
    let all: Vec<&Rule> = std::iter::once(rule)
        .chain(instead.iter().copied())
        .collect();
    let mut found = finding(
        FindingKind::Redundant,
        Severity::Note,
        &all,
        "id",
        message,
        fix,
    );
    found.witness = shown;
    found
}
