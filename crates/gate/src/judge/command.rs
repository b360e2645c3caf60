//! How a command is judged, by the one policy: each simple command, each effect, each unknown.
//!
//! An allow needs every simple command covered and every effect either allowed by a rule of its own
//! or under the ceiling of the rule that allowed the command. What is not understood is never
//! allowed without a person; ask and deny rules see the words in it all the same.

use tipstaff_command::{CommandEffect, CommandPlan, EffectKind, Extent, SimpleCommand, Unknown};
use tipstaff_policy::{Request, Subject};
use tipstaff_schema::Effect;
use tipstaff_schema::sanitization::sanitize_for_display;

use super::effect::{self, Part};
use super::{Case, stage_of};
use crate::{Program, Stage, Verdict};

/// Variables that change no more than language, time zone and looks.
const NEUTRAL: [&str; 6] = ["CI", "LANG", "TZ", "TERM", "NO_COLOR", "COLUMNS"];

/// Judges a whole command.
pub(super) fn judge(case: &Case<'_>, plan: &CommandPlan) -> Verdict {
    let commands: Vec<Verdict> = plan
        .commands
        .iter()
        .map(|command| judge_command(case, command))
        .collect();
    let set = environment(case, plan.commands.len());
    let judge_effect = |effect: &CommandEffect| {
        let cwd = plan.commands.get(effect.command).map(|c| c.cwd.as_deref());
        let part = Part {
            effect,
            cwd: cwd.flatten(),
            command: commands.get(effect.command),
        };
        effect::judge(case, part)
    };
    let denied = |effect: &CommandEffect| {
        judge_effect(effect).filter(|verdict| verdict.effect == Effect::Deny)
    };
    let effects: Vec<Verdict> = plan
        .effects
        .iter()
        .chain(case.moved)
        .chain(&set)
        .filter_map(judge_effect)
        .chain(case.names.effects.iter().filter_map(denied))
        .chain(case.names.below.iter().filter_map(denied).map(lies_below))
        .collect();
    let unknowns = plan.unknowns.iter().map(not_understood);
    let hidden = plan
        .hidden
        .iter()
        .filter_map(|command| stopped(case, command));
    let suspects = plan.suspects.iter().filter_map(|command| {
        let found = stopped(case, command)?;
        let reason = format!("it may start what a rule stops: {}", found.reason);
        Some(Verdict {
            effect: Effect::Ask,
            stage: Stage::Unknown,
            guard: false,
            locked: false,
            reason,
            ..found
        })
    });
    let changeable = case.changeable.iter().map(may_be_another);
    let bare = nothing_to_judge(case, plan);
    commands
        .into_iter()
        .chain(bare)
        .chain(effects)
        .chain(unknowns)
        .chain(changeable)
        .chain(hidden)
        .chain(suspects)
        .inspect(|verdict| case.saw(verdict))
        .reduce(Verdict::stricter)
        .unwrap_or_else(|| Verdict::plain(Effect::Ask, Stage::Unknown, "there is no command in it"))
}

fn not_understood(unknown: &Unknown) -> Verdict {
    let why = format!("a part of it is not understood: {}", unknown.kind.as_str());
    let mut verdict = Verdict::plain(Effect::Ask, Stage::Unknown, why);
    verdict.part = Some(unknown.text.clone());
    verdict
}

/// A program that the agent may write: what it does is not known by its name.
fn may_be_another(program: &Program) -> Verdict {
    let why = "the program lies where the agent may write, so that it may be any program";
    let mut verdict = Verdict::plain(Effect::Ask, Stage::Unknown, why);
    verdict.part = Some(sanitize_for_display(&program.real));
    verdict
}

/// An effect on a whole folder, with a file that a rule denies somewhere in it.
fn lies_below(denied: Verdict) -> Verdict {
    Verdict {
        effect: Effect::Ask,
        stage: Stage::Unknown,
        guard: false,
        locked: false,
        reason: format!("it may reach what a rule stops: {}", denied.reason),
        ..denied
    }
}

/// Where no command was found, what holds for all of them holds still: a lock, a guard, a deny.
fn nothing_to_judge(case: &Case<'_>, plan: &CommandPlan) -> Option<Verdict> {
    let judged = || case.decide("command", Subject::None, None);
    let verdict = plan.commands.is_empty().then(judged)?;
    (verdict.effect == Effect::Deny).then_some(verdict)
}

fn judge_command(case: &Case<'_>, command: &SimpleCommand) -> Verdict {
    // A locked or guarded capability is found here too: it is the same request. A folder that is
    // not known is in no folder, not in that of the call.
    let decision = case.ask(&Request {
        cwd: command.cwd.as_deref(),
        ..case.request("command", Subject::Command(command))
    });
    let stage = stage_of(decision.source);
    Verdict::of(decision, stage, Some(sanitize_for_display(&command.text)))
}

/// The verdict on words that only ask, deny and guard rules are tried on.
fn stopped(case: &Case<'_>, command: &SimpleCommand) -> Option<Verdict> {
    let verdict = judge_command(case, command);
    (verdict.effect != Effect::Allow && verdict.stage != Stage::Default).then_some(verdict)
}

/// The caller's additions to the environment, as an effect of every command: each of them sees them.
fn environment(case: &Case<'_>, commands: usize) -> Vec<CommandEffect> {
    let names = case.env.keys().filter(|name| !is_neutral(name));
    let effects = names.flat_map(|name| {
        (0..commands).map(|command| CommandEffect {
            kind: EffectKind::SetsEnv,
            value: Some(name.clone()),
            extent: Extent::One,
            command,
            written: None,
        })
    });
    effects.collect()
}

/// Whether setting the variable cannot change what runs.
pub(super) fn is_neutral(name: &str) -> bool {
    NEUTRAL.contains(&name) || name.starts_with("LC_")
}
