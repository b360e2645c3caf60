//! Allows that let more run than an author may think of: dangerous tools, everything that a tool
//! acts on, any program.

use tipstaff_schema::{CallAccess, Effect, Risk};

use super::Whole;
use crate::analyse::finding;
use crate::analyse::region::{Found, Region, Seen};
use crate::finding::{Finding, FindingKind, Severity};
use crate::rule::Rule;
use crate::target::Target;
use crate::world::WorldCapability;

pub(super) fn all(whole: &mut Whole<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for rule in whole.set.rules() {
        if rule.effect == Effect::Allow && !whole.dead.contains(&rule.index()) {
            findings.extend(of_rule(whole, rule));
        }
    }
    whole.region.only = None;
    findings
}

fn of_rule<'a>(whole: &mut Whole<'a>, rule: &'a Rule) -> Option<Finding> {
    if let Some(Target::Command(pattern)) = &rule.target {
        let program = pattern.words().first()?;
        let why = format!(
            "allow `{}` lets any program run that `{program}` means",
            rule.id
        );
        let fix = "name the program, and what of it is meant".to_owned();
        let broad = program.starts_with(['*', '?']) && rule.when().is_empty();
        return broad.then(|| shown(whole, rule, None, (Severity::Warning, why, fix)))?;
    }
    let world = whole.region.world;
    let listed =
        |tool: &&WorldCapability| !tool.sample && tool.name != "spawn" && !tool.profile.locked;
    let covered = world.capabilities.iter().filter(listed);
    let covered = covered.filter(|tool| rule.capability.matches(&tool.name, &tool.tool_id));
    let worst = covered.max_by_key(|tool| (tool.profile.risk, tool.profile.access))?;
    let narrow = match &rule.target {
        Some(Target::Resource(pattern)) => !pattern.as_str().contains(['*', '?', '[', '{']),
        Some(Target::Command(_)) | None => false,
    };
    let said = if worst.profile.risk >= Risk::High && !narrow {
        let fix =
            "let it ask, or allow it on named targets, with `when`, or for one agent".to_owned();
        let risk = match worst.profile.risk {
            Risk::Critical => "critical",
            Risk::High => "high",
            Risk::Medium | Risk::Low => "low",
        };
        (
            Severity::Warning,
            format!(
                "allow `{}` lets `{}` run unasked, whose risk is {risk}",
                rule.id, worst.name
            ),
            fix,
        )
    } else if rule.target.is_none()
        && rule.when().is_empty()
        && worst.profile.access != CallAccess::Read
        && !worst.profile.resources.is_empty()
    {
        let fix = "add a `target` that says on what".to_owned();
        (
            Severity::Note,
            format!(
                "allow `{}` lets `{}` run on anything: it has no target",
                rule.id, worst.name
            ),
            fix,
        )
    } else {
        return None;
    };
    let name = worst.name.clone();
    shown(whole, rule, Some(name), said)
}

/// The finding with a call that the rule lets run; none where no such call was found.
fn shown<'a>(
    whole: &mut Whole<'a>,
    rule: &'a Rule,
    only: Option<String>,
    (severity, message, fix): (Severity, String, String),
) -> Option<Finding> {
    whole.region.only = only;
    let ranked = &whole.ranked;
    let found = Region::find(&mut whole.region, &[rule], &mut |call| match ranked
        .winner(&call.request())
    {
        Some(winner) if winner.index() != rule.index() => Seen::Not(winner),
        Some(_) | None => Seen::Yes,
    });
    whole.region.only = None;
    match found {
        Found::Call(call) => {
            let mut found = finding(
                FindingKind::BroadAllow,
                severity,
                &[rule],
                "effect",
                message,
                fix,
            );
            found.witness = Some(call.line());
            Some(found)
        }
        Found::Nowhere => None,
        Found::NotDecided => {
            whole.analysis.undecided(FindingKind::BroadAllow, 1);
            None
        }
    }
}
