//! How a command is judged, by the one policy: each simple command, each effect, each unknown.
//!
//! An allow needs every simple command covered and every effect either allowed by a rule of its own
//! or under the ceiling of the rule that allowed the command. What is not understood is never
//! allowed without a person; ask and deny rules see the words in it all the same.

use tipstaff_command::{CommandEffect, CommandPlan, EffectKind, SimpleCommand};
use tipstaff_policy::{DecidedBy, Subject};
use tipstaff_resource::{Base, Resource};
use tipstaff_schema::sanitization::sanitize_for_display;
use tipstaff_schema::{Access, Effect, ResourceKind};

use super::Case;
use crate::{Stage, Verdict};

/// Judges a whole command.
pub(super) fn judge(case: &Case<'_>, plan: &CommandPlan) -> Verdict {
    let commands: Vec<Verdict> = plan
        .commands
        .iter()
        .map(|command| judge_command(case, command))
        .collect();
    let effects: Vec<Verdict> = plan
        .effects
        .iter()
        .filter_map(|effect| judge_effect(case, effect, commands.get(effect.command)))
        .collect();
    let unknowns = plan.unknowns.iter().map(|unknown| {
        let mut verdict = Verdict::plain(
            Effect::Ask,
            Stage::Unknown,
            "a part of it is not understood",
        );
        verdict.part = Some(unknown.text.clone());
        verdict
    });
    let hidden = plan.hidden.iter().filter_map(|command| {
        let verdict = judge_command(case, command);
        (verdict.effect != Effect::Allow && verdict.stage != Stage::Default).then_some(verdict)
    });
    commands
        .into_iter()
        .chain(effects)
        .chain(unknowns)
        .chain(hidden)
        .reduce(Verdict::stricter)
        .unwrap_or_else(|| Verdict::plain(Effect::Ask, Stage::Unknown, "there is no command in it"))
}

fn judge_command(case: &Case<'_>, command: &SimpleCommand) -> Verdict {
    // A locked or guarded capability is found here too: it is the same request.
    let decision = case
        .policy
        .decide(&case.request("command", Subject::Command(command)));
    let stage = match decision.source {
        DecidedBy::Locked => Stage::Locked,
        DecidedBy::Guard => Stage::Guard,
        DecidedBy::Rule => Stage::Policy,
        DecidedBy::Default => Stage::Default,
    };
    Verdict::of(decision, stage, Some(sanitize_for_display(&command.text)))
}

/// The verdict on one effect; none where it changes nothing.
fn judge_effect(
    case: &Case<'_>,
    effect: &CommandEffect,
    command: Option<&Verdict>,
) -> Option<Verdict> {
    let part = describe(effect);
    if let Some((kind, access, action)) = subject_of(effect.kind) {
        // A program by its bare name is no path: only the ceiling speaks of it.
        let value = effect
            .value
            .as_ref()
            .filter(|value| effect.kind != EffectKind::Executes || value.starts_with('/'));
        if let Some(value) = value {
            return judge_value(case, effect, command, value, (kind, access, action), part);
        }
    }
    outside_ceiling(case, effect, command, part)
}

fn judge_value(
    case: &Case<'_>,
    effect: &CommandEffect,
    command: Option<&Verdict>,
    value: &str,
    (kind, access, action): (ResourceKind, Access, &'static str),
    part: String,
) -> Option<Verdict> {
    let base = Base {
        cwd: case.cwd,
        root: case.root,
    };
    let Ok(resource) = Resource::parse(kind, value, access, &base) else {
        let mut verdict = Verdict::plain(
            Effect::Ask,
            Stage::Unknown,
            "it names a file or host that cannot be read",
        );
        verdict.part = Some(part);
        return Some(verdict);
    };
    if let Some(why) = case.own.touches(&resource) {
        let mut verdict = Verdict::plain(Effect::Deny, Stage::OwnGround, why);
        verdict.part = Some(part);
        return Some(verdict);
    }
    let decision = case
        .policy
        .decide(&case.request(action, Subject::Resource(&resource)));
    let matched = match decision.source {
        DecidedBy::Locked => Some(Stage::Locked),
        DecidedBy::Guard => Some(Stage::Guard),
        DecidedBy::Rule => Some(Stage::Policy),
        DecidedBy::Default => None,
    };
    match matched {
        Some(_) if decision.effect == Effect::Allow => None, // The rule lifts the ceiling for this effect.
        Some(stage) => Some(Verdict::of(decision, stage, Some(part))),
        None if case.own.lies_below(resource.value()) => {
            let mut verdict = Verdict::plain(
                Effect::Ask,
                Stage::OwnGround,
                "tipstaff's own files lie below it",
            );
            verdict.part = Some(part);
            Some(verdict)
        }
        None => outside_ceiling(case, effect, command, part),
    }
}

/// Ask, where no ceiling covers the effect. A command that no rule allowed is asked already.
fn outside_ceiling(
    case: &Case<'_>,
    effect: &CommandEffect,
    command: Option<&Verdict>,
    part: String,
) -> Option<Verdict> {
    let covered = command
        .filter(|verdict| verdict.effect == Effect::Allow)
        .and_then(|verdict| verdict.decision.as_ref()?.rule()?.ceiling())
        .is_some_and(|ceiling| ceiling.covers(effect, case.root));
    if covered {
        return None;
    }
    let why = "the rule that allows the command does not cover this effect";
    let mut verdict = Verdict::plain(Effect::Ask, Stage::Policy, why);
    verdict.part = Some(part);
    Some(verdict)
}

/// The files that a command's effects touch, for probing. What cannot be read is judged as unknown later.
pub(crate) fn effect_resources(plan: &CommandPlan, cwd: Option<&str>) -> Vec<Resource> {
    let base = Base { cwd, root: None };
    let touched = plan.effects.iter().filter_map(|effect| {
        let (kind, access, _) = subject_of(effect.kind)?;
        Resource::parse(kind, effect.value.as_deref()?, access, &base).ok()
    });
    touched.collect()
}

fn subject_of(kind: EffectKind) -> Option<(ResourceKind, Access, &'static str)> {
    match kind {
        EffectKind::Reads => Some((ResourceKind::Path, Access::Read, "read")),
        EffectKind::Writes => Some((ResourceKind::Path, Access::Write, "write")),
        EffectKind::Deletes => Some((ResourceKind::Path, Access::Delete, "delete")),
        EffectKind::Connects => Some((ResourceKind::Host, Access::Connect, "connect")),
        EffectKind::Executes => Some((ResourceKind::Path, Access::Execute, "execute")),
        EffectKind::SetsEnv | EffectKind::Escalates | EffectKind::Any => None,
    }
}

fn describe(effect: &CommandEffect) -> String {
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
    match &effect.value {
        Some(value) => format!("{kind} {}", sanitize_for_display(value)),
        None => kind.to_owned(),
    }
}
