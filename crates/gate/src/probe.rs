//! Where the paths of a call lead, symlinks followed: looked at once before judging, and once more
//! just before the warrant.
//!
//! Only paths that are named are followed. What lies below a folder that a command walks is not
//! looked at: such an effect is compared with the rules as a whole folder.

use std::collections::BTreeSet;

use tipstaff_command::{CommandEffect, EffectKind, Extent, is_place_that_executes};
use tipstaff_policy::{Request, Subject, Target};
use tipstaff_resource::{Base, Resource};
use tipstaff_schema::sanitization::sanitize_for_display;
use tipstaff_schema::{Access, ResourceKind, ResourcePlace};

use chrono::{DateTime, Utc};

use crate::derive::NamedPath;
use crate::gate::Gate;
use crate::ready::Ready;
use crate::{PathProbe, Prepared, Refusal, Session, Stage};

const AFTER_LINK: &str =
    "a `..` follows a symlink, so that the text and the system mean different places";

/// What the probe found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Probed {
    /// The resources to which others lead, those of a command's effects among them; paths that lead
    /// to themselves are left out.
    pub(crate) resolved: Vec<Resource>,
    /// A command's effects on them.
    pub(crate) moved: Vec<CommandEffect>,
    /// Where every resource lies, moved or not.
    places: Vec<Resource>,
    /// A command's effects as they fall on those places.
    effects: Vec<CommandEffect>,
}

/// Further names of what a call acts on: those by which a deny or guard names it, where the way from
/// that name leads through a symlink. Only a deny counts of what is decided on them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct OtherNames {
    pub(crate) resources: Vec<Resource>,
    pub(crate) effects: Vec<CommandEffect>,
    /// Of effects on whole folders: what a rule names that lies somewhere below.
    pub(crate) below: Vec<CommandEffect>,
}

/// Follows paths as one probe tells of them: the machine's, or what was journaled of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Follow<'a>(pub(crate) &'a dyn PathProbe);

impl Follow<'_> {
    /// Follows every path that the call names; `usual` is where what runs it looks files up.
    pub(crate) fn all(
        self,
        usual: ResourcePlace,
        paths: &[NamedPath],
        prepared: &Prepared,
    ) -> Result<Probed, Refusal> {
        let mut probed = Probed::default();
        if prepared.placement.as_ref().is_some_and(|p| !p.is_local()) {
            return Ok(probed);
        }
        for path in paths {
            if path.on.unwrap_or(usual) != ResourcePlace::Local {
                continue;
            }
            if self.climbs_out_of_link(&path.written) {
                return Err(refuse(&path.written, AFTER_LINK));
            }
            let real = self.follow_path(&path.written, path.resource.access())?;
            let moved = real.value() != path.resource.value();
            probed.resolved.extend(moved.then(|| real.clone()));
            probed.places.push(real);
        }
        if usual == ResourcePlace::Local {
            for effect in prepared.plan.iter().flat_map(|plan| &plan.effects) {
                self.effect(effect, &mut probed)?;
            }
        }
        Ok(probed)
    }

    fn effect(self, effect: &CommandEffect, probed: &mut Probed) -> Result<(), Refusal> {
        let (Some(value), Some(access)) = (absolute(effect), access_of(effect.kind)) else {
            return Ok(());
        };
        let written = match effect.written.as_deref() {
            Some(written) if self.climbs_out_of_link(written) => {
                return Err(refuse(written, AFTER_LINK));
            }
            Some(written) if self.0.resolve(written).is_ok() => written,
            // A folder that the command itself may make first is taken for one that is no link.
            Some(_) | None => value,
        };
        match (self.follow_path(written, access), effect.kind) {
            (Ok(real), _) => probed.effect(effect, real),
            // A word that only may be a path need not be one.
            (Err(_), EffectKind::Any) => {}
            (Err(refusal), _) => return Err(refusal),
        }
        Ok(())
    }

    /// The resource to which a path leads.
    fn follow_path(self, path: &str, access: Access) -> Result<Resource, Refusal> {
        let real = self.0.resolve(path).map_err(|why| refuse(path, &why))?;
        Resource::parse(ResourceKind::Path, &real, access, &Base::default())
            .map_err(|error| refuse(path, &error.to_string()))
    }

    /// Whether a `..` in the path follows a symlink: something that leads elsewhere than to its own
    /// name in the folder where it stands.
    fn climbs_out_of_link(self, written: &str) -> bool {
        let real = |parts: &[&str]| self.0.resolve(&format!("/{}", parts.join("/")));
        let mut parts: Vec<&str> = Vec::new();
        for part in written.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    if let Some((name, before)) = parts.split_last()
                        && let (Ok(here), Ok(folder)) = (real(&parts), real(before))
                        && here != format!("{}/{name}", folder.trim_end_matches('/'))
                    {
                        return true;
                    }
                    parts.pop();
                }
                part => parts.push(part),
            }
        }
        false
    }
}

impl Gate {
    /// By which other names denies and guards know what the call acts on. What a name cannot be
    /// followed to is compared as it is written.
    pub(crate) fn other_names(
        &self,
        session: &Session,
        ready: &Ready,
        probe: &dyn PathProbe,
        at: DateTime<Utc>,
    ) -> OtherNames {
        let mut names = OtherNames::default();
        let probed = &ready.probed;
        if probed.places.is_empty() && probed.effects.is_empty() {
            return names;
        }
        let request = Request {
            agent: &session.agent,
            parents: &session.parents,
            root: ready.root.as_deref(),
            capability: &ready.entry.name,
            tool_id: ready.entry.tool_id(),
            profile: &ready.entry.profile,
            action: &ready.action,
            subject: Subject::None,
            params: &ready.params,
            cwd: ready.cwd.as_deref(),
            placement: ready.placement.as_ref(),
            at,
        };
        let policy = self.0.policy.load();
        let mut seen = BTreeSet::new();
        for rule in policy.resource_denies(&request) {
            let name = match rule.target() {
                Some(Target::Resource(pattern)) => pattern.literal_lead(ready.root.as_deref()),
                Some(_) | None => None,
            };
            let Some(name) = name.filter(|name| seen.insert(name.clone())) else {
                continue;
            };
            match probe.resolve(&name) {
                Ok(real) if real != name => names.add(probed, &name, &real),
                Ok(_) | Err(_) => {}
            }
        }
        names
    }

    /// Whether every path still leads where it led when the call was judged.
    pub(crate) fn still_there(&self, session: &Session, ready: &Ready) -> bool {
        let probe = &*self.0.probe;
        let now = Follow(probe).all(ready.place, &ready.paths, &ready.prepared);
        now.is_ok_and(|probed| probed == ready.probed)
            && self.other_names(session, ready, probe, self.0.now()) == ready.names
    }
}

impl OtherNames {
    /// Adds the name of everything that lies where `name` leads, or below.
    fn add(&mut self, probed: &Probed, name: &str, real: &str) {
        for place in &probed.places {
            let named = below(place.value(), real).map(|rest| format!("{name}{rest}"));
            let known = named.and_then(|named| {
                let base = Base::default();
                Resource::parse(ResourceKind::Path, &named, place.access(), &base).ok()
            });
            self.resources.extend(known);
        }
        for effect in &probed.effects {
            let place = effect.value.as_deref().unwrap_or_default();
            let named = |value: String| CommandEffect {
                value: Some(value),
                written: None,
                ..effect.clone()
            };
            if let Some(rest) = below(place, real) {
                self.effects.push(named(format!("{name}{rest}")));
            } else if effect.extent == Extent::Tree && below(real, place).is_some() {
                self.below.push(named(name.to_owned()));
            }
        }
    }
}

/// What is left of a path below a folder: nothing for the folder itself. Letter case does not count.
fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    let folder = folder.trim_end_matches('/');
    let (head, rest) = path.split_at_checked(folder.len())?;
    (head.eq_ignore_ascii_case(folder) && (rest.is_empty() || rest.starts_with('/')))
        .then_some(rest)
}

fn refuse(path: &str, why: &str) -> Refusal {
    let shown = sanitize_for_display(path);
    Refusal::new(Stage::Resource, format!("`{shown}`: {why}"))
}

impl Probed {
    /// Adds an effect as it falls on the path to which its own leads.
    fn effect(&mut self, effect: &CommandEffect, real: Resource) {
        let here = CommandEffect {
            value: Some(real.value().to_owned()),
            written: None,
            ..effect.clone()
        };
        self.effects.push(here.clone());
        if effect.value.as_deref() == Some(real.value()) {
            return;
        }
        if effect.kind == EffectKind::Writes && is_place_that_executes(real.value()) {
            self.moved.push(CommandEffect {
                kind: EffectKind::Executes,
                ..here.clone()
            });
        }
        self.moved.push(here);
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
