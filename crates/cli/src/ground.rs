//! What of a manifest's set-up is ours, and whether a rule would let an agent write there.

use std::path::{Path, PathBuf};

use tipstaff_gate::OwnGround;
use tipstaff_manifest::Manifest;
use tipstaff_policy::{Rule, Target};
use tipstaff_resource::{Base, CaseRule, Resource};
use tipstaff_schema::{Access, CallAccess, Effect, HintsAsSaid, ResourceKind};

use crate::place;

/// The ground of a gate with this manifest and state folder.
pub(crate) fn of(manifest: &Manifest, state: &Path, journal: Option<&Path>) -> OwnGround {
    let mut files = files(manifest);
    files.extend(journal.map(|path| state.join(path)));
    let roots: Vec<PathBuf> = roots(manifest).map(PathBuf::from).collect();
    place::own_ground(state, &files, &roots)
}

/// The same by names alone, for judging without looking at any file.
pub(crate) fn named(manifest: &Manifest) -> OwnGround {
    // Without a home folder there is no usual state folder; what else is ours stays ours.
    place::named_ground(&place::state(None).unwrap_or_default(), &files(manifest))
}

/// A rule that lets an agent write the manifest or one of its includes: rule, file. The gate would
/// refuse the call all the same; such a rule is refused when the gate starts.
pub(crate) fn writable(manifest: &Manifest) -> Option<(String, PathBuf)> {
    let files = files(manifest);
    let allows = manifest
        .policy
        .rules()
        .iter()
        .filter(|rule| rule.effect() == Effect::Allow);
    allows.into_iter().find_map(|rule| {
        let file = files.iter().find(|file| lets_write(manifest, rule, file))?;
        Some((rule.id().to_string(), file.clone()))
    })
}

fn lets_write(manifest: &Manifest, rule: &Rule, file: &Path) -> bool {
    let Some(path) = file.to_str() else {
        return false;
    };
    let base = Base {
        cwd: None,
        root: None,
    };
    let Ok(resource) = Resource::parse(ResourceKind::Path, path, Access::Write, &base) else {
        return false;
    };
    let name = rule.capability().as_str();
    let profile = manifest
        .profiles
        .resolve(name, name, &HintsAsSaid::default());
    if profile.access == CallAccess::Read && name != tipstaff_spawn::SPAWN {
        return false;
    }
    let Some(Target::Resource(pattern)) = rule.target() else {
        return false;
    };
    let only_reads =
        name == tipstaff_spawn::SPAWN && rule.action().is_some_and(|action| action == "read");
    let mut roots = roots(manifest).map(Some).chain([None]);
    !only_reads && roots.any(|root| pattern.matches(&resource, root, CaseRule::Exact))
}

fn files(manifest: &Manifest) -> Vec<PathBuf> {
    manifest
        .sources
        .paths()
        .iter()
        .filter_map(|path| std::path::absolute(path).ok())
        .collect()
}

fn roots(manifest: &Manifest) -> impl Iterator<Item = &str> {
    manifest
        .agents
        .iter()
        .filter_map(|(_, facts)| facts.root.as_deref())
}
