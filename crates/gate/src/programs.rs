//! Which files a command starts: its programs, looked up once in fixed folders, and the scripts that
//! it hands to them.
//!
//! What is found here is judged, shown, bound into the approval and executed; looked up again just
//! before the warrant, it must be the same. Names that only a shell knows lead to no file. Which of
//! the files the agent may change itself is asked of its root, of the file system and of policy.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use tipstaff_command::{CommandEffect, CommandPlan, EffectKind, Extent, SimpleCommand, WordShape};
use tipstaff_policy::{Request, Subject};
use tipstaff_registry::ToolEntry;
use tipstaff_resource::{Base, Resource};
use tipstaff_schema::{Access, CallAccess, Effect, Placement, ResourceKind, one_form};

use chrono::{DateTime, Utc};

use crate::gate::Gate;
use crate::ready::Ready;
use crate::{PathProbe, Prepared, Refusal, Session, Stage};

/// So many names are looked up; a command that starts more is refused.
const MAX_NAMES: usize = 64;

/// The content of so many files is bound.
const MAX_FILES: usize = 16;

/// Programs that run the file that they are given.
const INTERPRETERS: [&str; 20] = [
    "sh",
    "bash",
    "dash",
    "zsh",
    "ksh",
    "fish",
    "python",
    "python2",
    "python3",
    "node",
    "deno",
    "bun",
    "perl",
    "ruby",
    "php",
    "lua",
    "awk",
    "gawk",
    "make",
    "osascript",
];

/// How an executor's programs are to be found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProgramSearch {
    /// The folders, in order: absolute, and nothing else counts.
    pub folders: Vec<String>,
    /// The program that is started: a name, or a path relative to the call's folder.
    pub first: String,
    /// What is said where there is no such program.
    pub missing: String,
}

impl ProgramSearch {
    /// Looks for `first` in the folders; `missing` is said where it is not there.
    #[must_use]
    pub fn new(folders: Vec<String>, first: impl Into<String>, missing: impl Into<String>) -> Self {
        Self {
            folders,
            first: first.into(),
            missing: missing.into(),
        }
    }
}

/// A program, found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
#[non_exhaustive]
pub struct Program {
    /// As the command names it.
    pub name: String,
    /// Where it was found.
    pub path: String,
    /// Where that leads, symlinks followed: what is executed.
    pub real: String,
    /// Changes when the file does.
    pub stamp: String,
    /// Whether other users of this machine may change it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
    /// Whether this process, and with it what it starts, may change it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ours: bool,
}

one_form!(Program);

/// All files that a command starts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Started {
    /// The one that is executed first, then all others that were found.
    pub(crate) programs: Vec<Program>,
    /// The content of scripts and other files that may be run, by path.
    pub(crate) contents: BTreeMap<String, String>,
}

impl Started {
    /// What is executed.
    pub(crate) fn first(&self) -> Option<&Program> {
        self.programs.first()
    }

    /// What an approval is bound to: of each file what tells it from another.
    pub(crate) fn bound(&self) -> BTreeMap<String, String> {
        let programs = self
            .programs
            .iter()
            .map(|program| (program.real.clone(), program.stamp.clone()));
        programs.chain(self.contents.clone()).collect()
    }

    /// Looks everything up.
    pub(crate) fn look(
        probe: &dyn PathProbe,
        prepared: &Prepared,
        cwd: Option<&str>,
    ) -> Result<Self, Refusal> {
        let elsewhere = prepared.placement.as_ref().is_some_and(|p| !p.is_local());
        let Some(search) = prepared.programs.as_ref().filter(|_| !elsewhere) else {
            return Ok(Self::default());
        };
        let first = find(probe, search, &search.first, cwd)
            .ok_or_else(|| Refusal::new(Stage::Prepare, search.missing.clone()))?;
        let mut programs = vec![first];
        let mut contents = BTreeMap::new();
        if let Some(plan) = &prepared.plan {
            let mut seen = BTreeSet::from([(search.first.as_str(), cwd)]);
            for name in names(&plan.commands) {
                if !seen.insert(name) {
                    continue;
                }
                if seen.len() > MAX_NAMES {
                    let why = format!("it starts more than {MAX_NAMES} programs: split it");
                    return Err(Refusal::new(Stage::Prepare, why));
                }
                let found = find(probe, search, name.0, name.1);
                programs.extend(found.or_else(|| not_there(name.0)));
            }
            let rest = MAX_NAMES - seen.len();
            for name in names(&plan.hidden)
                .filter(|name| seen.insert(*name))
                .take(rest)
            {
                programs.extend(find(probe, search, name.0, name.1));
            }
            for path in scripts(plan).into_iter().take(MAX_FILES) {
                if let Some(digest) = probe.content(path) {
                    contents.insert(path.to_owned(), digest.to_string());
                }
            }
        }
        Ok(Self { programs, contents })
    }
}

/// A program by a path at which nothing is found: in a folder that is not known, or made first. A bare
/// name that no folder has is the shell's own, or nobody's.
fn not_there(name: &str) -> Option<Program> {
    name.contains('/').then(|| Program {
        name: name.to_owned(),
        path: name.to_owned(),
        real: name.to_owned(),
        stamp: "none".to_owned(),
        open: true,
        ours: true,
    })
}

/// The programs that commands name, each with the folder in which its command starts.
fn names(commands: &[SimpleCommand]) -> impl Iterator<Item = (&str, Option<&str>)> {
    commands.iter().filter_map(|command| {
        let word = command.words.first()?;
        let literal = word.shape == WordShape::Literal && !word.text.is_empty();
        literal.then_some((word.text.as_str(), command.cwd.as_deref()))
    })
}

/// The files that a plan may run beside programs: what it executes, the operands of interpreters, and
/// words that may be files of commands that nobody knows.
fn scripts(plan: &CommandPlan) -> BTreeSet<&str> {
    let runs = |effect: &&CommandEffect| match effect.kind {
        EffectKind::Executes | EffectKind::Any => true,
        EffectKind::Reads => plan
            .commands
            .get(effect.command)
            .and_then(|command| command.words.first())
            .is_some_and(|word| INTERPRETERS.contains(&word.text.as_str())),
        EffectKind::Writes
        | EffectKind::Deletes
        | EffectKind::Connects
        | EffectKind::SetsEnv
        | EffectKind::Escalates => false,
    };
    let effects = plan.effects.iter().filter(runs);
    effects
        .filter(|effect| effect.extent == Extent::One)
        .filter_map(|effect| effect.value.as_deref())
        .filter(|value| value.starts_with('/'))
        .collect()
}

/// Finds one program: a name in the folders, a path in the folder of its command.
fn find(
    probe: &dyn PathProbe,
    search: &ProgramSearch,
    name: &str,
    cwd: Option<&str>,
) -> Option<Program> {
    let here = |path: String| {
        let facts = probe.file(&path).filter(|facts| facts.runs)?;
        let real = probe.resolve(&path).ok()?;
        Some(Program {
            name: name.to_owned(),
            path,
            real,
            stamp: facts.stamp,
            open: facts.open,
            ours: facts.ours,
        })
    };
    if name.contains('/') {
        let base = Base { cwd, root: None };
        return here(Resource::fold_path(name, &base).ok()?);
    }
    let folders = search.folders.iter().filter(|_| !name.is_empty());
    folders
        .map(|folder| format!("{}/{name}", folder.trim_end_matches('/')))
        .find_map(here)
}

impl Gate {
    /// Whether all that the command starts is still what was judged.
    pub(crate) fn starts_the_same(&self, ready: &Ready) -> bool {
        let now = Started::look(&*self.0.probe, &ready.prepared, ready.cwd.as_deref());
        now.is_ok_and(|now| now == ready.started)
    }

    /// The programs among those that a command starts which its agent may write itself.
    pub(crate) fn changeable(
        &self,
        session: &Session,
        ready: &Ready,
        at: DateTime<Utc>,
    ) -> Vec<Program> {
        let programs = ready.started.programs.iter();
        programs
            .filter(|program| {
                program.open || (program.ours && self.may_write(session, ready, &program.real, at))
            })
            .cloned()
            .collect()
    }

    fn may_write(&self, session: &Session, ready: &Ready, path: &str, at: DateTime<Utc>) -> bool {
        let root = ready.root.as_deref().map(|root| root.trim_end_matches('/'));
        let below = root.and_then(|root| path.strip_prefix(root));
        if below.is_some_and(|rest| rest.starts_with('/')) {
            return true;
        }
        let base = Base::default();
        let Ok(file) = Resource::parse(ResourceKind::Path, path, Access::Write, &base) else {
            return true; // What cannot be judged is taken for what it may be.
        };
        let policy = self.0.policy.load();
        let allows = |entry: &ToolEntry, action: &str| {
            let request = Request {
                agent: &session.agent,
                parents: &session.parents,
                root: ready.root.as_deref(),
                capability: &entry.name,
                tool_id: entry.tool_id(),
                profile: &entry.profile,
                action,
                subject: Subject::Resource(&file),
                params: &ready.params,
                cwd: ready.cwd.as_deref(),
                placement: ready
                    .placement
                    .as_ref()
                    .filter(|p: &&Placement| p.is_local()),
                at,
            };
            policy.decide(&request)
        };
        // An allow for commands that names no file says nothing of writing this one.
        let named = allows(&ready.entry, "write");
        (named.effect == Effect::Allow && named.rule().is_some_and(|rule| rule.target().is_some()))
            || self
                .0
                .catalog
                .snapshot()
                .iter()
                .filter(|entry| writes_paths(entry))
                .any(|entry| allows(entry, &entry.profile.action).effect == Effect::Allow)
    }
}

/// Whether a tool writes files that its arguments name.
fn writes_paths(entry: &ToolEntry) -> bool {
    entry.profile.access == CallAccess::Write
        && entry.profile.resources.iter().any(|rule| {
            rule.kind == ResourceKind::Path
                && matches!(rule.access, None | Some(Access::Write | Access::Delete))
        })
}
