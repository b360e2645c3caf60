//! From a file to a checked manifest, or everything that is wrong with it at once.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono_tz::Tz;
use serde::de::DeserializeOwned;
use serde_json::json;
use tipstaff_gate::{AgentFacts, Agents};
use tipstaff_policy::{PolicySet, World};
use tipstaff_schema::{AgentId, Digest, Domain};

use crate::document::{self, Data, Node};
use crate::manifest::{Manifest, Store};
use crate::problem::{Place, Problem, Problems, near};
use crate::rules::{Rules, split};
use crate::sources::Sources;
use crate::wire::{AgentWire, StoreWire};
use crate::{section, unbuilt, world};

/// The sections that there are.
const SECTIONS: [&str; 18] = [
    "version",
    "timezone",
    "agents",
    "servers",
    "tools",
    "policies",
    "policies_from",
    "commands",
    "spawn",
    "approvals",
    "triage",
    "calendar",
    "people",
    "store",
    "console",
    "redact",
    "limits",
    "tests",
];

/// A manifest that was refused: everything that is wrong, and the texts to show it in.
#[derive(Debug, thiserror::Error)]
#[error("the manifest is refused")]
#[non_exhaustive]
pub struct Rejected {
    /// What is wrong.
    #[source]
    pub problems: Problems,
    /// The texts.
    pub sources: Sources,
}

impl Rejected {
    /// All problems as a compiler would show them.
    #[must_use]
    pub fn render(&self) -> String {
        self.problems
            .0
            .iter()
            .map(|problem| self.sources.render(problem))
            .collect::<Vec<_>>()
            .join("\n\n")
    }
}

impl Manifest {
    /// Reads and checks a manifest with all that it includes. Resolves no `${…}`, opens no token
    /// file, starts nothing.
    ///
    /// # Errors
    /// [`Rejected`] with every problem that was found.
    pub fn load(path: &Path) -> Result<Self, Box<Rejected>> {
        let mut sources = Sources::default();
        match sources.read(path) {
            Ok((_, text)) => Self::check(path, &text, sources),
            Err(problem) => Err(Box::new(Rejected {
                problems: Problems(vec![problem]),
                sources,
            })),
        }
    }

    /// The same from a text that stands for the file at `path`, such as one that is built in.
    ///
    /// # Errors
    /// [`Rejected`] with every problem that was found.
    pub fn from_text(path: &Path, text: &str) -> Result<Self, Box<Rejected>> {
        let mut sources = Sources::default();
        sources.keep(path, text.to_owned());
        Self::check(path, text, sources)
    }

    fn check(path: &Path, text: &str, sources: Sources) -> Result<Self, Box<Rejected>> {
        let file = path.display().to_string();
        let root = match document::read(&file, text) {
            Ok(root) => root,
            Err(problem) => {
                return Err(Box::new(Rejected {
                    problems: Problems(vec![problem]),
                    sources,
                }));
            }
        };
        let base = path.parent().map(Path::to_owned).unwrap_or_default();
        let mut loader = Loader {
            file,
            root,
            base,
            sources,
            problems: Vec::new(),
            warnings: Vec::new(),
        };
        let manifest = loader.load();
        let Loader {
            mut problems,
            sources,
            ..
        } = loader;
        match manifest {
            Some(manifest) if problems.is_empty() => Ok(manifest),
            _ => {
                problems.sort_by(|a, b| (&a.file, a.place).cmp(&(&b.file, b.place)));
                Err(Box::new(Rejected {
                    problems: Problems(problems),
                    sources,
                }))
            }
        }
    }
}

/// Reads the sections; problems are collected, so that all are told at once.
pub(crate) struct Loader {
    pub(crate) file: String,
    pub(crate) root: Node,
    pub(crate) base: PathBuf,
    pub(crate) sources: Sources,
    pub(crate) problems: Vec<Problem>,
    pub(crate) warnings: Vec<Problem>,
}

impl Loader {
    fn load(&mut self) -> Option<Manifest> {
        self.sections();
        self.shapes();
        let timezone = self.timezone();
        let agents = self.map::<AgentId, AgentWire>("agents");
        let servers = self.servers();
        let (profiles, patches) = self.profiles();
        let spawn = self.spawn();
        let world = world::of(
            timezone,
            &agents,
            &servers,
            (&profiles, &patches),
            spawn.as_ref(),
        );
        let rules = Rules::gather(
            &self.file,
            &self.root,
            &self.base,
            &mut self.sources,
            &mut self.problems,
        );
        let policy = self.policy(&rules, &world);
        let (triage, calendar) = self.triage(timezone, &servers)?;
        let (terms, hold) = self.approvals();
        let limits = self.limits(servers.keys());
        let people = self.people();
        let tests = self.tests();
        let store = self
            .section::<StoreWire>("store")
            .and_then(|store| store.sqlite)
            .map(|p| Store::Sqlite(p.into()));
        let facts = |wire: &AgentWire| AgentFacts {
            root: wire.root.clone(),
            owner: wire.owner.clone(),
        };
        let agents: Agents = agents
            .iter()
            .map(|(id, wire)| (id.clone(), facts(wire)))
            .collect();
        Some(Manifest {
            digest: self.digest()?,
            agents,
            servers,
            profiles,
            policy: policy?,
            world,
            rules: Arc::new(rules.places()),
            triage,
            calendar: Arc::new(calendar),
            terms,
            hold,
            limits,
            people,
            store,
            spawn,
            tests,
            unbuilt: unbuilt::find(&self.file, &self.root),
            warnings: std::mem::take(&mut self.warnings),
            sources: self.sources.clone(),
        })
    }

    pub(crate) fn say(&mut self, place: Place, message: impl Into<String>) -> &mut Problem {
        self.problems.push(Problem::new(&self.file, place, message));
        #[expect(
            clippy::expect_used,
            reason = "INVARIANT: one was pushed on the line above"
        )]
        self.problems.last_mut().expect("not empty")
    }

    /// A section that is a list or a map and is written as something else would be read as empty.
    fn shapes(&mut self) {
        for name in ["agents", "servers", "tools", "people"] {
            if let Some(node) = self
                .root
                .child(name)
                .filter(|node| !matches!(node.data, Data::Map(_) | Data::Null))
            {
                let place = node.place;
                self.say(place, format!("`{name}` is a map")).fix =
                    Some(format!("write `{name}: {{ name: {{ … }} }}`"));
            }
        }
        for name in ["policies_from", "triage", "tests"] {
            if let Some(node) = self
                .root
                .child(name)
                .filter(|node| !matches!(node.data, Data::List(_) | Data::Null))
            {
                let place = node.place;
                self.say(place, format!("`{name}` is a list")).fix =
                    Some("begin each item with `- `".to_owned());
            }
        }
    }

    fn sections(&mut self) {
        let keys: Vec<_> = self
            .root
            .entries()
            .iter()
            .map(|(key, _)| key.clone())
            .collect();
        if keys.is_empty() {
            self.say(
                Place::START,
                "a manifest is a map that begins with `version: 1`",
            );
            return;
        }
        for key in keys
            .iter()
            .filter(|key| !SECTIONS.contains(&key.text.as_str()))
        {
            let fix = near(&key.text, SECTIONS).map_or_else(
                || format!("known sections: {}", SECTIONS.join(", ")),
                |name| format!("did you mean `{name}`?"),
            );
            self.say(key.place, format!("unknown section `{}`", key.text))
                .fix = Some(fix);
        }
        match self
            .root
            .child("version")
            .map(|node| (node.place, node.to_json()))
        {
            Some((_, version)) if version == json!(1) => {}
            Some((place, _)) => {
                self.say(place, "this build reads version 1").fix =
                    Some("write `version: 1`".to_owned());
            }
            None => {
                self.say(Place::START, "`version` is missing").fix =
                    Some("begin with `version: 1`".to_owned());
            }
        }
    }

    pub(crate) fn section<T: DeserializeOwned + Default>(&mut self, name: &str) -> Option<T> {
        let node = self.root.child(name)?;
        match section::read(&self.file, node) {
            Ok(section) => Some(section),
            Err(problem) => {
                self.problems.push(problem);
                Some(T::default())
            }
        }
    }

    /// A section that is a map from checked names to something.
    pub(crate) fn map<K: TryFrom<String> + Ord, V: DeserializeOwned>(
        &mut self,
        name: &str,
    ) -> BTreeMap<K, V>
    where
        K::Error: std::fmt::Display,
    {
        let mut map = BTreeMap::new();
        for (key, node) in self.root.child(name).map(Node::entries).unwrap_or_default() {
            let id = K::try_from(key.text.clone())
                .map_err(|e| Problem::new(&self.file, key.place, e.to_string()));
            match (id, section::read(&self.file, node)) {
                (Ok(id), Ok(value)) => drop(map.insert(id, value)),
                (id, value) => self
                    .problems
                    .extend(id.err().into_iter().chain(value.err())),
            }
        }
        map
    }

    pub(crate) fn timezone(&mut self) -> Tz {
        let Some(node) = self.root.child("timezone") else {
            return Tz::UTC;
        };
        let (place, value) = (node.place, node.to_json());
        match value.as_str().map(str::parse) {
            Some(Ok(zone)) => zone,
            _ => {
                self.say(place, "`timezone` is no IANA zone").fix =
                    Some("write one such as `Europe/Berlin`".to_owned());
                Tz::UTC
            }
        }
    }

    fn policy(&mut self, rules: &Rules, world: &World) -> Option<PolicySet> {
        let (policy, findings) = match PolicySet::compile(rules.wires.clone(), world) {
            Ok((policy, findings)) => (Some(policy), findings),
            Err(findings) => (None, findings),
        };
        let found = findings
            .iter()
            .map(|finding| rules.locate(&self.file, finding))
            .collect();
        split(found, &mut self.problems, &mut self.warnings);
        policy
    }

    fn digest(&mut self) -> Option<Digest> {
        let texts: BTreeMap<String, String> = self
            .sources
            .paths()
            .iter()
            .filter_map(|path| {
                Some((
                    path.display().to_string(),
                    std::fs::read_to_string(path).ok()?,
                ))
            })
            .collect();
        match Digest::of(
            Domain::Manifest,
            &json!({ "manifest": self.root.to_json(), "files": texts }),
        ) {
            Ok(digest) => Some(digest),
            Err(error) => {
                self.say(
                    Place::START,
                    format!("the manifest has no canonical form: {error}"),
                );
                None
            }
        }
    }
}

/// An error and its causes, on one line.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
