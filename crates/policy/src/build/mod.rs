//! Turns a rule as written into a checked one, or says everything that is wrong with it.

pub(crate) mod canonical;
mod names;
mod pool;
mod target;
mod terms;
mod window;

use std::sync::Arc;

use chrono_tz::Tz;
use tipstaff_schema::{Effect, ResourceKind};

pub(crate) use pool::Pool;

use names::{read_action, read_agent, read_capability, read_id, read_placement};
use target::{read_pattern, read_target};
use terms::{read_terms, read_time, read_when};
use window::read_hours;

use crate::error::{RuleError, escape};
use crate::explain::specificity;
use crate::rule::{Capability, More, Record, Rule};
use crate::target::Target;
use crate::wire::{RuleWire, TargetWire};
use crate::world::WorldCapability;

/// What a rule's text leaves to its surroundings.
#[derive(Debug, Clone, Copy, Default)]
pub struct RuleContext<'a> {
    /// The zone of windows that name none.
    pub timezone: Tz,
    /// The tools, whose kind of resource a plain target takes that does not show its own.
    pub capabilities: &'a [WorldCapability],
}

impl Rule {
    /// Checks one rule. `index` is its place among all rules, from 0.
    ///
    /// # Errors
    /// Everything that is wrong with it, in the order of the fields.
    pub fn try_from_wire(
        wire: RuleWire,
        index: usize,
        context: &RuleContext<'_>,
    ) -> Result<Self, Vec<RuleError>> {
        Self::read(wire, index, context, &mut Pool::default())
    }

    /// Checks one rule of many.
    pub(crate) fn read(
        wire: RuleWire,
        index: usize,
        context: &RuleContext<'_>,
        pool: &mut Pool,
    ) -> Result<Self, Vec<RuleError>> {
        let mut bad = Bad {
            index,
            id: wire.id.clone(),
            errors: Vec::new(),
            pool,
        };
        for problem in &wire.problems {
            bad.add(
                problem.field.as_deref(),
                problem.problem.clone(),
                &problem.fix,
            );
        }
        exclusions(&wire, &mut bad);
        let stamps = [
            ("created_at", &wire.created_at),
            ("updated_at", &wire.updated_at),
        ];
        let [created_at, updated_at] =
            stamps.map(|(key, text)| bad.read(text, |text, bad| read_time(text, key, bad)));
        let record = Record {
            created_by: wire.created_by.clone(),
            created_at,
            updated_at,
        };
        let mut rule = read_rule(wire, record, context, &mut bad);
        if !bad.errors.is_empty() {
            return Err(bad.errors);
        }
        rule.specificity = specificity(&rule);
        Ok(rule)
    }
}

/// Reads field by field; what it returns is a rule only where nothing was bad.
fn read_rule(wire: RuleWire, record: Record, context: &RuleContext<'_>, bad: &mut Bad<'_>) -> Rule {
    let capability = read_capability(wire.capability.as_deref(), bad);
    let target = wire
        .target
        .as_ref()
        .and_then(|target| read_target(target, &capability, context, bad));
    command_only(&wire, target.as_ref(), &capability, bad);
    let allows_command =
        matches!(target, Some(Target::Command(_))) && wire.effect == Some(Effect::Allow);
    let more = More {
        action: bad.read(&wire.action, read_action),
        hours: wire
            .hours
            .as_ref()
            .and_then(|hours| read_hours(hours, context, bad)),
        when: read_when(wire.when, bad),
        terms: wire.approval.as_ref().map(|terms| read_terms(terms, bad)),
        until: bad.read(&wire.until, |text, bad| read_time(text, "until", bad)),
        ceiling: allows_command.then(|| wire.effects.unwrap_or_default()),
        cwd: bad.read(&wire.cwd, |text, bad| {
            read_pattern(text, ResourceKind::Path, "cwd", bad)
        }),
        placement: bad.read(&wire.placement, read_placement),
        record: (record != Record::default()).then_some(record),
    };
    Rule {
        index: u32::try_from(bad.index).unwrap_or(u32::MAX),
        id: Arc::from(read_id(wire.id.as_deref(), bad).unwrap_or_default()),
        agent: bad.read(&wire.agent, read_agent),
        capability,
        target,
        effect: wire.effect.unwrap_or(Effect::Deny),
        guard: wire.guard,
        overridable: wire.overridable,
        fresh: wire.fresh,
        inherit: wire.inherit,
        reason: wire.reason.map(Box::from),
        specificity: 0,
        more: (more != More::default()).then(|| Box::new(more)),
    }
}

/// Collects what is wrong with one rule.
struct Bad<'p> {
    index: usize,
    id: Option<String>,
    errors: Vec<RuleError>,
    pool: &'p mut Pool,
}

impl Bad<'_> {
    /// Reads a text where there is one.
    fn read<T>(
        &mut self,
        text: &Option<String>,
        reader: impl FnOnce(&str, &mut Self) -> Option<T>,
    ) -> Option<T> {
        text.as_deref().and_then(|text| reader(text, self))
    }

    fn add(&mut self, field: Option<&str>, problem: impl Into<String>, fix: &str) {
        self.errors.push(RuleError {
            index: self.index,
            id: self.id.clone(),
            field: field.map(str::to_owned),
            problem: problem.into(),
            fix: fix.to_owned(),
        });
    }
}

/// Fields that hold only beside an effect, or not beside another field.
fn exclusions(wire: &RuleWire, bad: &mut Bad<'_>) {
    let unread = |field: &str| {
        wire.problems
            .iter()
            .any(|p| p.field.as_deref() == Some(field))
    };
    let Some(effect) = wire.effect else {
        if !unread("effect") {
            bad.add(
                Some("effect"),
                "there is no `effect`",
                "write `allow`, `ask` or `deny`",
            );
        }
        return;
    };
    let only = |set: bool, field: &'static str, with: Effect| {
        (set && effect != with).then(|| {
            (
                field,
                format!("`{field}` holds only with `effect: {with}`, this rule says `{effect}`"),
            )
        })
    };
    let wrong = [
        only(wire.guard, "guard", Effect::Deny),
        only(wire.overridable, "overridable", Effect::Deny),
        only(wire.fresh, "fresh", Effect::Ask),
        only(wire.approval.is_some(), "approval", Effect::Ask),
        only(wire.effects.is_some(), "effects", Effect::Allow),
    ];
    for (field, problem) in wrong.into_iter().flatten() {
        bad.add(
            Some(field),
            problem,
            &format!("remove `{field}`, or change the effect"),
        );
    }
    if wire.guard && wire.until.is_some() {
        let fix = "remove `until`; or remove `guard`, for a deny that ends";
        bad.add(
            Some("until"),
            "a guard has no `until`: it would open when nobody looks",
            fix,
        );
    }
    if wire.guard && wire.overridable {
        let fix = "remove `overridable`; or remove `guard`, for a deny that may be outranked";
        bad.add(
            Some("overridable"),
            "a guard cannot be outranked, so it cannot be `overridable`",
            fix,
        );
    }
}

/// What belongs to rules over commands, and what those need.
fn command_only(
    wire: &RuleWire,
    target: Option<&Target>,
    capability: &Capability,
    bad: &mut Bad<'_>,
) {
    if matches!(target, Some(Target::Command(_))) {
        if capability.as_str() != "spawn" {
            let problem = format!(
                "a command pattern judges `spawn`, not `{}`",
                escape(capability.as_str())
            );
            bad.add(Some("capability"), problem, "write `capability: spawn`");
        }
        if wire
            .action
            .as_deref()
            .is_some_and(|action| action != "command" && action != "*")
        {
            bad.add(
                Some("action"),
                "a command has the action `command`, so the rule would never fire",
                "remove `action`",
            );
        }
        return;
    }
    if matches!(wire.target, Some(TargetWire::Command(_))) {
        return;
    }
    for (field, set) in [
        ("effects", wire.effects.is_some()),
        ("cwd", wire.cwd.is_some()),
        ("placement", wire.placement.is_some()),
    ] {
        if set {
            let fix = format!("remove `{field}`, or write `target: {{command: [git, status]}}`");
            bad.add(
                Some(field),
                format!("`{field}` holds only in a rule with a command pattern"),
                &fix,
            );
        }
    }
}
