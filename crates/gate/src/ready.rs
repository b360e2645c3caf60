//! Structure: from a call as it came in to one whose every part is known, or a refusal.
//!
//! Looks up the tool, validates, derives resources, asks the executor to read the call, probes
//! symlinks, and computes the digest that an approval is bound to. Decides nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use tipstaff_approval::{Binding, Preview, SideEffectLevel};
use tipstaff_registry::{Standing, ToolEntry};
use tipstaff_resource::{Base, Resource};
use tipstaff_schema::sanitization::sanitize_for_display;
use tipstaff_schema::{AgentId, CanonError, Digest, Domain, Placement, ResourcePlace};

use crate::derive::{NamedPath, derive};
use crate::facts::{Again, Files, Noted};
use crate::gate::{ExecutorKey, Gate, Mode};
use crate::probe::{Follow, OtherNames, Probed};
use crate::programs::Started;
use crate::{AgentFacts, Call, Context, Executor, Prepared, Refusal, Session, Stage, ValidCall};

/// How a tool whose definition is not pinned is looked up when a call is only judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lookup {
    /// A tool of a known server is judged by its profile alone, and the reason says so.
    #[default]
    Lenient,
    /// It is refused.
    Strict,
}

/// For what a call is made ready.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose<'a> {
    /// To run: files are probed, executors must be there, unreviewed tools go to a review.
    Run,
    /// To be judged only: nothing outside is touched.
    Judge(Lookup),
    /// To be judged again by what was journaled: the tool, the files, the root.
    Again(&'a Again<'a>),
}

impl<'a> Purpose<'a> {
    /// What was journaled, where that is what counts.
    fn again(self) -> Option<&'a Again<'a>> {
        match self {
            Self::Again(again) => Some(again),
            Self::Run | Self::Judge(_) => None,
        }
    }
}

/// A call whose structure holds.
#[derive(Debug, Clone)]
pub(crate) struct Ready {
    pub(crate) entry: Arc<ToolEntry>,
    pub(crate) executor: Option<Arc<dyn Executor>>,
    pub(crate) raw: Value,
    pub(crate) params: Value,
    pub(crate) resources: Vec<Resource>,
    pub(crate) paths: Vec<NamedPath>,
    pub(crate) probed: Probed,
    pub(crate) names: OtherNames,
    /// The files that a command starts.
    pub(crate) started: Started,
    /// Where what runs it looks files up.
    pub(crate) place: ResourcePlace,
    /// What the probe said of files, to be journaled.
    pub(crate) files: Files,
    pub(crate) raw_differs: bool,
    pub(crate) prepared: Prepared,
    pub(crate) action: String,
    pub(crate) root: Option<String>,
    pub(crate) cwd: Option<String>,
    pub(crate) placement: Option<Placement>,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) request: Digest,
    pub(crate) params_digest: Digest,
    /// Said in the reason: the definition was not known.
    pub(crate) note: Option<&'static str>,
}

/// Why a call is not ready.
#[derive(Debug)]
pub(crate) enum Stop {
    /// It is refused.
    Refused(Refusal),
    /// Nobody has reviewed its tool yet.
    Review(Arc<ToolEntry>),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl Gate {
    /// Makes a call ready.
    pub(crate) fn ready(
        &self,
        session: &Session,
        call: &Call,
        purpose: Purpose<'_>,
    ) -> Result<Ready, Stop> {
        let known = self.context(session)?;
        let (entry, note) = self.look_up(&call.tool, purpose)?;
        let again = purpose.again();
        if again.is_none() {
            validate(&entry, &call.params, note)?; // Those that were journaled were valid then.
        }
        let root = again.map_or(known, Again::root);
        let base = Base {
            cwd: call.cwd.as_deref(),
            root: root.as_deref(),
        };
        let derived = derive(&entry.profile, &call.params, &base)?;
        let (resources, paths, params) = (derived.resources, derived.paths, derived.params);
        let executor = self.executor_of(&entry);
        let valid = ValidCall::new(session, call, &entry, &params, root.as_deref());
        let prepared = prepare(executor.as_deref(), &valid, purpose)?;
        let noted = Noted::of(&*self.0.probe);
        let place = place_of(executor.as_deref(), purpose);
        let folder = prepared.cwd.as_deref().or(call.cwd.as_deref());
        let (probed, started) =
            self.looked_at(purpose, &noted, place, &paths, (&prepared, folder))?;
        let reading = Reading {
            action: prepared.action.as_ref().unwrap_or(&entry.profile.action),
            cwd: folder,
            placement: prepared.placement.as_ref(),
            started: &started,
        };
        let bound: Vec<Resource> = resources.iter().chain(&probed.resolved).cloned().collect();
        let (request, params_digest) = bind(session, call, &entry, reading, &bound, &params)
            .map_err(|error| Refusal::new(Stage::Validate, error.to_string()))?;
        let mut ready = Ready {
            action: reading.action.to_owned(),
            cwd: reading.cwd.map(str::to_owned),
            placement: reading.placement.cloned(),
            entry,
            executor,
            raw: call.params.clone(),
            params,
            resources,
            paths,
            probed,
            names: OtherNames::default(),
            started: Started::default(),
            place,
            files: Files::default(),
            raw_differs: derived.raw_differs,
            prepared,
            root,
            env: call.env.clone(),
            request,
            params_digest,
            note,
        };
        ready.started = started;
        self.name(session, &mut ready, purpose, noted);
        Ok(ready)
    }

    /// Where the paths of a call lead, and which programs it starts.
    fn looked_at(
        &self,
        purpose: Purpose<'_>,
        noted: &Noted<'_>,
        place: ResourcePlace,
        paths: &[NamedPath],
        (prepared, folder): (&Prepared, Option<&str>),
    ) -> Result<(Probed, Started), Refusal> {
        Ok(match purpose {
            Purpose::Run => (
                Follow(noted).all(place, paths, prepared)?,
                Started::look(&*self.0.probe, prepared, folder)?,
            ),
            Purpose::Judge(_) => Default::default(),
            Purpose::Again(again) => (Follow(again).all(place, paths, prepared)?, again.started()),
        })
    }

    fn executor_of(&self, entry: &ToolEntry) -> Option<Arc<dyn Executor>> {
        let key = ExecutorKey::of(&entry.descriptor.source)?;
        self.0.executors.get(&key).cloned()
    }

    /// Looks up by which other names denies know what the call acts on.
    fn name(&self, session: &Session, ready: &mut Ready, purpose: Purpose<'_>, noted: Noted<'_>) {
        match purpose {
            Purpose::Run => {
                let names = noted.names();
                ready.names = self.other_names(session, ready, &names, self.0.now());
                ready.files = names.done();
            }
            Purpose::Judge(_) => {}
            Purpose::Again(again) => {
                ready.names = self.other_names(session, ready, &again.names(), again.at());
            }
        }
    }

    /// The facts about the caller; for an agent that is not known itself, those of the nearest that
    /// started it.
    pub(crate) fn facts(&self, session: &Session) -> Option<&AgentFacts> {
        let known = |agent| self.0.agents.get(agent);
        known(&session.agent).or_else(|| session.parents.iter().find_map(known))
    }

    /// The agent that answers for the caller: itself if the operator knows it, else the nearest known
    /// one that started it. None for a stranger.
    pub(crate) fn accountable<'a>(&self, session: &'a Session) -> Option<&'a AgentId> {
        let known = |agent: &&AgentId| self.0.agents.get(agent).is_some();
        std::iter::once(&session.agent)
            .chain(&session.parents)
            .find(known)
    }

    /// Forbidden, paused, unknown agent: before anything else. Gives the agent's root.
    fn context(&self, session: &Session) -> Result<Option<String>, Refusal> {
        if let Context::Forbidden(why) = &session.context {
            return Err(Refusal::new(
                Stage::Context,
                format!("nothing may run in this context: {why}"),
            ));
        }
        match self.facts(session) {
            Some(facts) => Ok(facts.root.clone()),
            None => Err(Refusal::new(
                Stage::Context,
                format!("the agent `{}` is not known", session.agent),
            )),
        }
    }

    fn look_up(
        &self,
        name: &str,
        purpose: Purpose<'_>,
    ) -> Result<(Arc<ToolEntry>, Option<&'static str>), Stop> {
        const UNKNOWN: &str = "its definition is not known: judged by its profile alone";
        if let Purpose::Again(again) = purpose {
            return Ok((Arc::clone(again.entry()), None));
        }
        let snapshot = self.0.catalog.snapshot();
        let Some(entry) = snapshot.by_name(name).or_else(|| snapshot.by_id(name)) else {
            return match purpose {
                Purpose::Judge(Lookup::Lenient) => Ok((self.assumed(name)?, Some(UNKNOWN))),
                Purpose::Judge(Lookup::Strict) | Purpose::Run | Purpose::Again(_) => {
                    Err(self.no_such_tool(name).into())
                }
            };
        };
        let refuse = |why: String| Err(Refusal::new(Stage::Lookup, why).into());
        match (&entry.standing, purpose) {
            (Standing::Callable, _) if self.held(entry.tool_id()) => refuse(format!(
                "`{}` is in quarantine: it was seen with another definition",
                entry.name
            )),
            (Standing::Callable, _) => Ok((Arc::clone(entry), None)),
            (Standing::Quarantined { why, .. }, _) => {
                refuse(format!("`{}` is in quarantine: {why}", entry.name))
            }
            (Standing::Refused { why }, _) => {
                refuse(format!("`{}` cannot be used: {why}", entry.name))
            }
            (Standing::Unreviewed, Purpose::Run) if self.0.mode == Mode::Observe => {
                Ok((Arc::clone(entry), None))
            }
            (Standing::Unreviewed, Purpose::Run) => Err(Stop::Review(Arc::clone(entry))),
            (Standing::Unreviewed, Purpose::Judge(Lookup::Lenient)) => Ok((
                Arc::clone(entry),
                Some("nobody has reviewed its definition yet"),
            )),
            (Standing::Unreviewed, Purpose::Judge(Lookup::Strict) | Purpose::Again(_)) => {
                refuse(format!("nobody has reviewed `{}` yet", entry.name))
            }
        }
    }

    pub(crate) fn no_such_tool(&self, name: &str) -> Refusal {
        let shown = sanitize_for_display(name);
        let why = if name.contains(':') {
            format!("there is no tool `{shown}`")
        } else {
            format!("there is no tool `{shown}`; name it as `server:tool`")
        };
        Refusal::new(Stage::Lookup, why)
    }

    /// What the approver gets.
    pub(crate) fn preview(&self, session: &Session, call: &Call, ready: &Ready) -> Preview {
        let Prepared { plan, .. } = &ready.prepared;
        let commands = plan
            .iter()
            .flat_map(|plan| &plan.commands)
            .map(|command| command.text.clone())
            .collect();
        Preview {
            tool_id: ready.entry.tool_id().to_owned(),
            agent: session.agent.clone(),
            working_directory: ready.cwd.clone(),
            powers: ready.prepared.powers.clone(),
            side_effect_level: ready
                .prepared
                .level
                .unwrap_or_else(|| SideEffectLevel::from(ready.entry.profile.reach)),
            durability: ready.prepared.durability,
            execution_category: ready.prepared.execution,
            approval_category: ready.prepared.category,
            raw_input: ready.raw.clone(),
            structured_input: ready.prepared.structured_input.clone(),
            commands,
            bound: ready.started.contents.keys().cloned().collect(),
            resources: ready
                .resources
                .iter()
                .chain(&ready.probed.resolved)
                .cloned()
                .collect(),
            placement: ready.placement.clone(),
            risk: ready.entry.profile.risk,
            access: ready.entry.profile.access,
            suggested: self
                .suggested(session, call, ready, self.0.now())
                .into_iter()
                .map(|suggestion| suggestion.yaml())
                .collect(),
            summary: summary(ready),
            digest: ready.request,
        }
    }
}

/// What the executor's reading decides of a call.
#[derive(Debug, Clone, Copy)]
struct Reading<'a> {
    action: &'a String,
    cwd: Option<&'a str>,
    placement: Option<&'a Placement>,
    started: &'a Started,
}

/// Where what runs the call looks files up.
fn place_of(executor: Option<&dyn Executor>, purpose: Purpose<'_>) -> ResourcePlace {
    let usual = || executor.map_or(ResourcePlace::Local, Executor::place);
    purpose.again().map_or_else(usual, Again::place)
}

fn validate(entry: &ToolEntry, params: &Value, note: Option<&str>) -> Result<(), Refusal> {
    match &entry.validator {
        Ok(validator) => validator
            .check(params)
            .map_err(|errors| Refusal::new(Stage::Validate, list(&errors))),
        Err(_) if note.is_some() => Ok(()),
        Err(why) => {
            let why = format!("the schema of `{}` cannot be used: {why}", entry.name);
            Err(Refusal::new(Stage::Lookup, why))
        }
    }
}

fn prepare(
    executor: Option<&dyn Executor>,
    call: &ValidCall<'_>,
    purpose: Purpose<'_>,
) -> Result<Prepared, Refusal> {
    match executor {
        Some(executor) => {
            let prepared = executor.prepare(call)?;
            placed(call.placement, prepared.placement.as_ref())?;
            Ok(prepared)
        }
        None if matches!(purpose, Purpose::Run) => {
            let why = format!("nothing runs the tools of `{}` here", call.entry.name);
            Err(Refusal::retry(Stage::Lookup, why))
        }
        None => {
            let mut prepared = Prepared::plain(call.params.clone());
            prepared.placement = call.placement.cloned();
            Ok(prepared)
        }
    }
}

/// The digest that an approval is bound to, and that of the arguments.
fn bind(
    session: &Session,
    call: &Call,
    entry: &ToolEntry,
    reading: Reading<'_>,
    resources: &[Resource],
    params: &Value,
) -> Result<(Digest, Digest), CanonError> {
    let request = Binding {
        agent: &session.agent,
        tool_id: entry.tool_id(),
        pin: &entry.pin,
        action: reading.action,
        resources,
        program: reading.started.first().map(|program| program.real.as_str()),
        files: &reading.started.bound(),
        placement: reading.placement,
        cwd: reading.cwd,
        env: &call.env,
        timeout: entry.profile.timeout,
        params,
    };
    Ok((request.digest()?, Digest::of(Domain::Params, params)?))
}

/// A wish of the caller's that the executor does not follow is refused, never dropped.
fn placed(wanted: Option<&Placement>, got: Option<&Placement>) -> Result<(), Refusal> {
    match (wanted, got) {
        (None, _) => Ok(()),
        (Some(wanted), None) if wanted.is_local() => Ok(()),
        (Some(wanted), Some(got)) if wanted == got => Ok(()),
        (Some(wanted), _) => Err(Refusal::new(
            Stage::Placement,
            format!("the call does not run on `{wanted}`"),
        )),
    }
}

/// The executor's line, and what the caller adds to the environment: it changes what runs.
fn summary(ready: &Ready) -> String {
    let set = ready
        .env
        .iter()
        .map(|(name, value)| format!("{name}={value}"));
    let set = set.collect::<Vec<_>>().join(" ");
    match (ready.prepared.summary.as_str(), set.as_str()) {
        (summary, "") => summary.to_owned(),
        ("", set) => format!("environment: {set}"),
        (summary, set) => format!("{summary}; environment: {set}"),
    }
}

fn list<T: std::fmt::Display>(errors: &[T]) -> String {
    errors
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("; ")
}
