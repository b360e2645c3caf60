//! Where the paths of a call lead, symlinks followed: looked at once before judging, and once more
//! just before the warrant.
//!
//! Only paths that are named are followed. What lies below a folder that a command walks is not
//! looked at: such an effect is compared with the rules as a whole folder.

use tipstaff_command::{CommandEffect, EffectKind, is_place_that_executes};
use tipstaff_registry::ToolEntry;
use tipstaff_resource::{Base, Resource};
use tipstaff_schema::sanitization::sanitize_for_display;
use tipstaff_schema::{Access, ResourceKind, ResourcePlace};

use crate::gate::Gate;
use crate::ready::Ready;
use crate::{Executor, Prepared, Refusal, Stage};

/// What the probe found; paths that lead to themselves are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Probed {
    /// The resources to which others lead, those of a command's effects among them.
    pub(crate) resolved: Vec<Resource>,
    /// A command's effects on them.
    pub(crate) moved: Vec<CommandEffect>,
}

impl Gate {
    /// Follows every path that the call names.
    pub(crate) fn probe(
        &self,
        entry: &ToolEntry,
        executor: Option<&dyn Executor>,
        resources: &[Resource],
        prepared: &Prepared,
    ) -> Result<Probed, Refusal> {
        let usual = executor.map_or(ResourcePlace::Local, Executor::place);
        let rule = entry
            .profile
            .resources
            .iter()
            .find(|rule| rule.kind == ResourceKind::Path);
        let place = rule.and_then(|rule| rule.on).unwrap_or(usual);
        let away = prepared.placement.as_ref().is_some_and(|p| !p.is_local());
        let mut probed = Probed::default();
        if place != ResourcePlace::Local || away {
            return Ok(probed);
        }
        let paths = resources.iter().filter(|r| r.kind() == ResourceKind::Path);
        for resource in paths {
            let real = self.follow_path(resource.value(), resource.access())?;
            probed.resolved.extend(real);
        }
        for effect in prepared.plan.iter().flat_map(|plan| &plan.effects) {
            let (Some(value), Some(access)) = (absolute(effect), access_of(effect.kind)) else {
                continue;
            };
            let real = match (self.follow_path(value, access), effect.kind) {
                (Ok(real), _) => real,
                // A word that only may be a path need not be one.
                (Err(_), EffectKind::Any) => None,
                (Err(refusal), _) => return Err(refusal),
            };
            probed.moved(effect, real);
        }
        Ok(probed)
    }

    /// The resource to which a path leads; none where it leads to itself.
    fn follow_path(&self, path: &str, access: Access) -> Result<Option<Resource>, Refusal> {
        let shown = sanitize_for_display(path);
        let refuse = |why: String| Refusal::new(Stage::Resource, format!("`{shown}`: {why}"));
        let real = self.0.probe.resolve(path).map_err(refuse)?;
        if real == path {
            return Ok(None);
        }
        Resource::parse(ResourceKind::Path, &real, access, &Base::default())
            .map(Some)
            .map_err(|error| refuse(error.to_string()))
    }

    /// Whether every path still leads where it led when the call was judged.
    pub(crate) fn still_there(&self, ready: &Ready) -> bool {
        let now = self.probe(
            &ready.entry,
            ready.executor.as_deref(),
            &ready.resources,
            &ready.prepared,
        );
        now.is_ok_and(|probed| probed == ready.probed)
    }
}

impl Probed {
    /// Adds an effect on the path to which its own leads.
    fn moved(&mut self, effect: &CommandEffect, real: Option<Resource>) {
        let Some(real) = real else { return };
        let moved = CommandEffect {
            value: Some(real.value().to_owned()),
            ..effect.clone()
        };
        if effect.kind == EffectKind::Writes && is_place_that_executes(real.value()) {
            self.moved.push(CommandEffect {
                kind: EffectKind::Executes,
                ..moved.clone()
            });
        }
        self.moved.push(moved);
        self.resolved.push(real);
    }
}

/// The path of an effect; a program by its bare name is none.
fn absolute(effect: &CommandEffect) -> Option<&str> {
    effect
        .value
        .as_deref()
        .filter(|value| value.starts_with('/'))
}

/// How an effect uses a path; none where it names none.
fn access_of(kind: EffectKind) -> Option<Access> {
    match kind {
        EffectKind::Reads | EffectKind::Any => Some(Access::Read),
        EffectKind::Writes => Some(Access::Write),
        EffectKind::Deletes => Some(Access::Delete),
        EffectKind::Executes => Some(Access::Execute),
        EffectKind::Connects | EffectKind::SetsEnv | EffectKind::Escalates => None,
    }
}
