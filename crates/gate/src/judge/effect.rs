//! How one effect of a command is judged: by the rules for the path or host that it names, and where
//! none of them speaks, by the ceiling of the rule that allowed the command.
//!
//! An effect on a whole folder cannot be told file by file: a rule that would stop something below,
//! or ground of ours there, makes it ask. A word that an unknown program may take for a path is
//! tried on guards and denies in every way in which it could be used.

use std::sync::Arc;

use tipstaff_command::{CommandEffect, EffectKind, Extent};
use tipstaff_policy::{DecidedBy, Decision, Dimension, Request, Rule, Subject, Target, reference};
use tipstaff_resource::{Base, CaseRule, Pattern, Resource};
use tipstaff_schema::sanitization::sanitize_for_display;
use tipstaff_schema::{Access, Effect, ResourceKind};

use super::{Case, stage_of};
use crate::{Stage, Verdict};

/// One effect, with the folder in which its command starts and the verdict on that command.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) effect: &'a CommandEffect,
    pub(super) cwd: Option<&'a str>,
    pub(super) command: Option<&'a Verdict>,
}

/// What an effect is to policy: the kind of what it names, how that is used, and the action.
type As = (ResourceKind, Access, &'static str);

/// No file system opens a longer path; comparing one with all rules would only cost time.
const MAX_FOLDER_BYTES: usize = 4096;

/// Everything that a program which nobody knows may do to a path.
const ANYTHING: [As; 4] = [
    (ResourceKind::Path, Access::Read, "read"),
    (ResourceKind::Path, Access::Write, "write"),
    (ResourceKind::Path, Access::Delete, "delete"),
    (ResourceKind::Path, Access::Execute, "execute"),
];

/// The verdict on one effect; none where it changes nothing.
pub(super) fn judge(case: &Case<'_>, part: Part<'_>) -> Option<Verdict> {
    let value = part.effect.value.as_deref();
    match (value, subject_of(part.effect.kind)) {
        (Some(value), None) if part.effect.kind == EffectKind::Any => {
            judge_word(case, part, value).or_else(|| outside_ceiling(case, part))
        }
        // A program by its bare name is no path: only the ceiling speaks of it.
        (Some(value), Some(subject))
            if part.effect.kind != EffectKind::Executes || value.starts_with('/') =>
        {
            judge_value(case, part, value, subject)
        }
        (_, _) => outside_ceiling(case, part),
    }
}

fn judge_value(
    case: &Case<'_>,
    part: Part<'_>,
    value: &str,
    (kind, access, action): As,
) -> Option<Verdict> {
    let Some(resource) = read(part, value, kind, access) else {
        let why = "it names a file or host that cannot be read";
        return Some(part.verdict(Effect::Ask, Stage::Unknown, why));
    };
    if let Some(why) = case.own.touches(&resource) {
        return Some(part.verdict(Effect::Deny, Stage::OwnGround, why));
    }
    let request = part.request(case, action, &resource);
    let decision = case.ask(&request);
    let by_rule = decision.source != DecidedBy::Default;
    if by_rule && decision.effect != Effect::Allow {
        return Some(part.of(decision));
    }
    let deep = part.effect.extent == Extent::Tree;
    if deep && kind == ResourceKind::Path && case.own.lies_below(resource.value()) {
        return Some(part.above_own_ground());
    }
    let mut lifted = by_rule; // An allow of its own lifts the ceiling.
    if deep {
        let Some(tree) = part.tree() else {
            return Some(part.not_comparable());
        };
        let allow = decision
            .rule()
            .filter(|rule| covers(rule, &tree, case.root));
        let stricter = |rule: &Rule| rule.effect() != Effect::Allow;
        if let Some(rule) = met_below(case, &request, &tree, allow, stricter) {
            return Some(part.meets(rule));
        }
        lifted = allow.is_some();
    }
    if lifted {
        None
    } else {
        outside_ceiling(case, part)
    }
}

/// A word that may be a path: guards, denies and own ground are tried on it.
fn judge_word(case: &Case<'_>, part: Part<'_>, value: &str) -> Option<Verdict> {
    let mut found: Option<Verdict> = None;
    let tree = part.tree();
    if part.effect.extent == Extent::Tree && tree.is_none() {
        return Some(part.not_comparable());
    }
    for (kind, access, action) in ANYTHING {
        let resource = read(part, value, kind, access)?;
        // To remove a folder that holds our ground is more than a word can be taken for.
        if access != Access::Delete
            && let Some(why) = case.own.touches(&resource)
        {
            return Some(part.verdict(Effect::Deny, Stage::OwnGround, why));
        }
        let request = part.request(case, action, &resource);
        let decision = case.ask(&request);
        let denied = decision.source != DecidedBy::Default && decision.effect == Effect::Deny;
        let verdict = if denied {
            Some(part.of(decision))
        } else if case.own.lies_below(resource.value()) {
            Some(part.above_own_ground())
        } else {
            let denies = |rule: &Rule| rule.effect() == Effect::Deny;
            tree.as_ref()
                .and_then(|tree| met_below(case, &request, tree, None, denies))
                .map(|rule| part.meets(rule))
        };
        found = match (found, verdict) {
            (Some(one), Some(two)) => Some(one.stricter(two)),
            (one, two) => one.or(two),
        };
    }
    found
}

/// A relative value hangs on the command's own folder; without one it cannot be read.
fn read(part: Part<'_>, value: &str, kind: ResourceKind, access: Access) -> Option<Resource> {
    let base = Base {
        cwd: part.cwd,
        root: None,
    };
    Resource::parse(kind, value, access, &base).ok()
}

/// Whether an allow holds for everything below the folder.
fn covers(rule: &Rule, tree: &Pattern, root: Option<&str>) -> bool {
    match rule.target() {
        None => true,
        Some(Target::Resource(pattern)) => {
            pattern.covers(CaseRule::Exact, tree, CaseRule::Exact, root)
        }
        Some(_) => false,
    }
}

/// A rule that would stop something below the folder, and that `allow`, which holds for all of it,
/// does not outrank.
fn met_below<'p>(
    case: &Case<'p>,
    request: &Request<'_>,
    tree: &Pattern,
    allow: Option<&Arc<Rule>>,
    counts: impl Fn(&Rule) -> bool,
) -> Option<&'p Arc<Rule>> {
    let outranked = |rule: &Rule| {
        !rule.guard() && allow.is_some_and(|allow| allow.specificity() > rule.specificity())
    };
    let overlaps = |rule: &Rule| match rule.target() {
        Some(Target::Resource(pattern)) if pattern.judges(ResourceKind::Path) => pattern
            .overlap(CaseRule::Fold, tree, CaseRule::Exact, case.root)
            .is_some(),
        Some(_) | None => false,
    };
    case.policy.rules().iter().find(|rule| {
        counts(rule)
            && !outranked(rule)
            && Dimension::ALL
                .into_iter()
                .filter(|dimension| *dimension != Dimension::Target)
                .all(|dimension| reference::holds(rule, request, dimension))
            && overlaps(rule)
    })
}

/// Ask, where no ceiling covers the effect. A command that no rule allowed is asked or denied already.
fn outside_ceiling(case: &Case<'_>, part: Part<'_>) -> Option<Verdict> {
    let uncovered = match part.command {
        Some(verdict) if verdict.effect != Effect::Allow => false,
        Some(verdict) => !verdict
            .decision
            .as_ref()
            .and_then(|decision| decision.rule()?.ceiling())
            .is_some_and(|ceiling| ceiling.covers(part.effect, case.root)),
        None => true,
    };
    let why = "the rule that allows the command does not cover this effect";
    uncovered.then(|| part.verdict(Effect::Ask, Stage::Policy, why))
}

impl<'a> Part<'a> {
    /// The effect as policy judges it, in the folder of its own command.
    fn request(self, case: &Case<'a>, action: &'a str, resource: &'a Resource) -> Request<'a> {
        Request {
            cwd: self.cwd,
            ..case.request(action, Subject::Resource(resource))
        }
    }

    /// The folder of an effect on all below it, as a pattern; none where it cannot be made one.
    fn tree(self) -> Option<Pattern> {
        let short = |value: &String| value.len() <= MAX_FOLDER_BYTES;
        self.effect
            .value
            .as_ref()
            .filter(|value| short(value))
            .and_then(|_| self.effect.tree())
    }

    fn not_comparable(self) -> Verdict {
        let why = "it names a folder that cannot be compared with the rules";
        self.verdict(Effect::Ask, Stage::Unknown, why)
    }

    fn verdict(self, effect: Effect, stage: Stage, why: impl Into<String>) -> Verdict {
        let mut verdict = Verdict::plain(effect, stage, why);
        verdict.part = Some(describe(self.effect));
        verdict
    }

    fn of(self, decision: Decision) -> Verdict {
        let stage = stage_of(decision.source);
        Verdict::of(decision, stage, Some(describe(self.effect)))
    }

    fn above_own_ground(self) -> Verdict {
        let why = "tipstaff's own files lie below it";
        self.verdict(Effect::Ask, Stage::OwnGround, why)
    }

    fn meets(self, rule: &Rule) -> Verdict {
        let why = format!("rule `{}` stops something that may lie below it", rule.id());
        let mut verdict = self.verdict(Effect::Ask, Stage::Unknown, why);
        verdict.policy_id = Some(rule.id().to_string());
        verdict
    }
}

/// What an effect is to policy; none where it names no path or host for certain.
pub(super) fn subject_of(kind: EffectKind) -> Option<As> {
    match kind {
        EffectKind::Reads => Some((ResourceKind::Path, Access::Read, "read")),
        EffectKind::Writes => Some((ResourceKind::Path, Access::Write, "write")),
        EffectKind::Deletes => Some((ResourceKind::Path, Access::Delete, "delete")),
        EffectKind::Connects => Some((ResourceKind::Host, Access::Connect, "connect")),
        EffectKind::Executes => Some((ResourceKind::Path, Access::Execute, "execute")),
        EffectKind::SetsEnv | EffectKind::Escalates | EffectKind::Any => None,
    }
}

/// An effect in words.
pub(crate) fn describe(effect: &CommandEffect) -> String {
    let kind = match effect.kind {
        EffectKind::Reads => "reads",
        EffectKind::Writes => "writes",
        EffectKind::Deletes => "deletes",
        EffectKind::Connects => "connects to",
        EffectKind::Executes => "executes",
        EffectKind::SetsEnv => "sets",
        EffectKind::Escalates => "gains more rights",
        EffectKind::Any => "may do anything",
    };
    let below = match effect.extent {
        Extent::One => "",
        Extent::Tree => " and all below it",
    };
    match (&effect.value, effect.kind) {
        (Some(value), EffectKind::Any) => {
            format!("may use {}{below}", sanitize_for_display(value))
        }
        (Some(value), _) => format!("{kind} {}{below}", sanitize_for_display(value)),
        (None, _) => kind.to_owned(),
    }
}
