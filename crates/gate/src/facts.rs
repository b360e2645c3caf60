//! What judging a call rests on beside its arguments: when, which tool, whose folder, and where its
//! paths led. Journaled with the decision, so that the call can be judged again without guessing.
//!
//! Only answers to questions that were asked are kept. Of the names that denies use, only those that
//! led elsewhere are: a name that leads to itself changes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tipstaff_registry::{ProfilePatch, ToolEntry};
use tipstaff_schema::{AgentId, Digest, HintsAsSaid, ResourcePlace, one_form};

use crate::programs::Started;
use crate::ready::Ready;
use crate::{PathProbe, Program, Session};

/// What judging one call rested on, in its wire form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub(crate) struct Facts {
    /// When it was judged.
    pub(crate) at: DateTime<Utc>,
    /// By which rules.
    pub(crate) policy: Digest,
    /// The tool's name.
    pub(crate) tool: String,
    /// The tool's id.
    pub(crate) tool_id: String,
    /// The tool's verb, dotted: the usual action label.
    pub(crate) verb: String,
    /// The server's hints, as MCP spells them.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(crate) hints: Map<String, Value>,
    /// What was decided when the tool was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) accepted: Option<ProfilePatch>,
    /// Where what ran it looked files up.
    pub(crate) place: ResourcePlace,
    /// The agent's root folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) root: Option<String>,
    /// The agents that started the caller, nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) parents: Vec<AgentId>,
    /// What the probe said.
    #[serde(default, skip_serializing_if = "Files::is_empty")]
    pub(crate) files: Files,
    /// The programs that a command starts, as they were found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) programs: Vec<Program>,
}

/// What the probe said of files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub(crate) struct Files {
    /// Of the paths that the call names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    paths: BTreeMap<String, Followed>,
    /// Of the names that denies use: those that led elsewhere.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    names: BTreeMap<String, String>,
}

one_form!(Facts, Files);

/// Where one path led.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Followed {
    /// To itself.
    Here,
    /// To another path.
    To(String),
    /// Nowhere: why.
    Fails(String),
}

impl Facts {
    /// What judging this call at this moment rests on.
    pub(crate) fn of(session: &Session, ready: &Ready, at: DateTime<Utc>, policy: Digest) -> Self {
        let entry = &ready.entry;
        Self {
            at,
            policy,
            tool: entry.name.clone(),
            tool_id: entry.tool_id().to_owned(),
            verb: entry.descriptor.verb.dotted(),
            hints: to_mcp(&entry.hints),
            accepted: entry.accepted.clone(),
            place: ready.place,
            root: ready.root.clone(),
            parents: session.parents.clone(),
            files: ready.files.clone(),
            programs: ready.started.programs.clone(),
        }
    }

    /// The server's hints.
    pub(crate) fn hints(&self) -> HintsAsSaid {
        HintsAsSaid::from_mcp(&Value::Object(self.hints.clone()))
    }
}

/// The hints that were given, as MCP spells them.
fn to_mcp(hints: &HintsAsSaid) -> Map<String, Value> {
    let HintsAsSaid {
        read_only,
        destructive,
        idempotent,
        open_world,
    } = *hints;
    let all = [
        ("readOnlyHint", read_only),
        ("destructiveHint", destructive),
        ("idempotentHint", idempotent),
        ("openWorldHint", open_world),
    ];
    let said = all.into_iter().filter_map(|(key, said)| Some((key, said?)));
    said.map(|(key, said)| (key.to_owned(), said.into()))
        .collect()
}

impl Files {
    fn is_empty(&self) -> bool {
        self.paths.is_empty() && self.names.is_empty()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A probe whose answers on a call's own paths are kept.
#[derive(Debug)]
pub(crate) struct Noted<'a> {
    probe: &'a dyn PathProbe,
    files: Mutex<Files>,
}

impl<'a> Noted<'a> {
    pub(crate) fn of(probe: &'a dyn PathProbe) -> Self {
        Self {
            probe,
            files: Mutex::default(),
        }
    }

    /// From now on it is asked for the names that denies use.
    pub(crate) fn names(self) -> NotedNames<'a> {
        NotedNames(self)
    }
}

impl PathProbe for Noted<'_> {
    fn resolve(&self, path: &str) -> Result<String, String> {
        let answer = self.probe.resolve(path);
        let followed = match &answer {
            Ok(real) if real == path => Followed::Here,
            Ok(real) => Followed::To(real.clone()),
            Err(why) => Followed::Fails(why.clone()),
        };
        lock(&self.files).paths.insert(path.to_owned(), followed);
        answer
    }
}

/// The same probe, asked for the names that denies use.
#[derive(Debug)]
pub(crate) struct NotedNames<'a>(Noted<'a>);

impl NotedNames<'_> {
    /// All that was kept.
    pub(crate) fn done(self) -> Files {
        let files = self.0.files.into_inner();
        files.unwrap_or_else(PoisonError::into_inner)
    }
}

impl PathProbe for NotedNames<'_> {
    fn resolve(&self, name: &str) -> Result<String, String> {
        let answer = self.0.probe.resolve(name);
        if let Some(real) = answer.as_ref().ok().filter(|real| *real != name) {
            let names = &mut lock(&self.0.files).names;
            names.insert(name.to_owned(), real.clone());
        }
        answer
    }
}

/// The journaled facts, in the place of the machine, while one call is judged again.
#[derive(Debug)]
pub(crate) struct Again<'a> {
    facts: &'a Facts,
    entry: Arc<ToolEntry>,
    missing: Mutex<Option<String>>,
    assumed: Mutex<BTreeSet<String>>,
}

impl<'a> Again<'a> {
    /// With the tool as the candidate has it.
    pub(crate) fn new(facts: &'a Facts, entry: Arc<ToolEntry>) -> Self {
        Self {
            facts,
            entry,
            missing: Mutex::default(),
            assumed: Mutex::default(),
        }
    }

    pub(crate) fn entry(&self) -> &Arc<ToolEntry> {
        &self.entry
    }

    pub(crate) fn root(&self) -> Option<String> {
        self.facts.root.clone()
    }

    pub(crate) fn place(&self) -> ResourcePlace {
        self.facts.place
    }

    /// The programs, as they were found then. Of contents nothing is judged.
    pub(crate) fn started(&self) -> Started {
        Started {
            programs: self.facts.programs.clone(),
            ..Started::default()
        }
    }

    pub(crate) fn at(&self) -> DateTime<Utc> {
        self.facts.at
    }

    /// The names that denies use, where they led.
    pub(crate) fn names(&self) -> AgainNames<'_> {
        AgainNames(self)
    }

    /// A path of the call's own that nobody looked at then; what was judged without it counts for nothing.
    pub(crate) fn missing(&self) -> Option<String> {
        lock(&self.missing).clone()
    }

    /// The names that were taken as they are written.
    pub(crate) fn assumed(&self) -> BTreeSet<String> {
        lock(&self.assumed).clone()
    }
}

impl PathProbe for Again<'_> {
    fn resolve(&self, path: &str) -> Result<String, String> {
        match self.facts.files.paths.get(path) {
            Some(Followed::Here) => Ok(path.to_owned()),
            Some(Followed::To(real)) => Ok(real.clone()),
            Some(Followed::Fails(why)) => Err(why.clone()),
            None => {
                lock(&self.missing).get_or_insert_with(|| path.to_owned());
                Err("it was not recorded where it led".to_owned())
            }
        }
    }
}

/// The journaled facts, asked for the names that denies use.
#[derive(Debug)]
pub(crate) struct AgainNames<'a>(&'a Again<'a>);

impl PathProbe for AgainNames<'_> {
    fn resolve(&self, name: &str) -> Result<String, String> {
        let known = self.0.facts.files.names.get(name);
        known.cloned().ok_or_else(|| {
            lock(&self.0.assumed).insert(name.to_owned());
            "it was not recorded as leading elsewhere".to_owned()
        })
    }
}
