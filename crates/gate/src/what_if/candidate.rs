//! The policy under trial, with the tools, profiles and agents beside it, and how it judges one
//! recorded call: through the gate's own code, on a gate that can run nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::Value;
use tipstaff_journal::MemoryJournal;
use tipstaff_policy::PolicySet;
use tipstaff_registry::ToolEntry;
use tipstaff_resource::Resource;
use tipstaff_schema::ResourcePlace;
use tipstaff_schema::sanitization::sanitize_for_display;
use uuid::Uuid;

use super::judgeable::{NotJudgeable, marks};
use super::recorded::Recorded;
use crate::assume::Said;
use crate::facts::{Again, Facts};
use crate::judge::{Matched, Watch};
use crate::ready::{Purpose, Ready, Stop};
use crate::{
    Cancel, Clock, ExecError, ExecOutput, Executor, Gate, GateBuilder, Ids, OpenGateError,
    Prepared, Refusal, Stage, ValidCall, Verdict, Warrant,
};

/// How much of what a call does an example shows.
const SHOWN_CHARS: usize = 160;

/// A policy under trial, with everything beside it that judging needs. Nothing can be submitted to
/// it, and what reads its calls cannot run them.
///
/// ```compile_fail
/// fn run(candidate: &tipstaff_gate::Candidate, session: &tipstaff_gate::Session, call: tipstaff_gate::Call) {
///     let _ = candidate.submit(session, call, &tipstaff_gate::Cancel::new());
/// }
/// ```
#[derive(Debug)]
pub struct Candidate(Gate, Arc<PolicySet>);

/// What reads calls, without what runs them.
#[derive(Debug)]
struct OnlyReads(Arc<dyn Executor>);

#[async_trait::async_trait]
impl Executor for OnlyReads {
    fn prepare(&self, call: &ValidCall<'_>) -> Result<Prepared, Refusal> {
        self.0.prepare(call)
    }

    async fn execute(&self, _: Warrant, _: Cancel) -> Result<ExecOutput, ExecError> {
        let why = "a candidate runs nothing".to_owned();
        Err(ExecError::NeverSent { why })
    }

    fn place(&self) -> ResourcePlace {
        self.0.place()
    }
}

/// Judging again asks no clock: the time was recorded.
#[derive(Debug)]
struct Stopped;

#[async_trait::async_trait]
impl Clock for Stopped {
    fn now(&self) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH
    }

    async fn sleep_until(&self, _: DateTime<Utc>) {}
}

/// Nothing is written that would need an id.
#[derive(Debug)]
struct NoIds;

impl Ids for NoIds {
    fn fresh(&self, _: DateTime<Utc>) -> Uuid {
        Uuid::nil()
    }
}

/// What came of judging one call again.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) at: DateTime<Utc>,
    pub(super) verdict: Verdict,
    /// The rules that matched the call or one of its parts.
    pub(super) matched: BTreeSet<Arc<str>>,
    /// What the call does, for people.
    pub(super) what: String,
    /// The names of denies that were taken as they are written.
    pub(super) assumed: BTreeSet<String>,
}

impl Candidate {
    /// The parts of a gate as a candidate: its agents, profiles, servers, tools of ours, own ground
    /// and rules count. Journal, clock, ids, people, probe and approvers are not needed and not used.
    ///
    /// # Errors
    /// [`OpenGateError`] when a tool of ours cannot be registered.
    pub fn new(builder: GateBuilder) -> Result<Self, OpenGateError> {
        let epoch = DateTime::UNIX_EPOCH;
        let gate = builder
            .journal(Arc::new(MemoryJournal::new(Uuid::nil(), epoch)))
            .clock(Arc::new(Stopped))
            .ids(Arc::new(NoIds))
            .for_judging(|executor| Arc::new(OnlyReads(executor)))?;
        let policy = gate.0.policy.load_full();
        Ok(Self(gate, policy))
    }

    /// The rules under trial.
    #[must_use]
    pub fn policy(&self) -> &PolicySet {
        &self.1
    }

    /// Judges one recorded call.
    pub(super) fn judge(&self, recorded: &Recorded) -> Result<Judged, NotJudgeable> {
        let facts = recorded.facts()?;
        let (session, call) = recorded.presented(&facts)?;
        let entry = self.entry(&facts).ok_or(NotJudgeable::UnknownTool)?;
        self.whole(&entry, &call.params)?;
        let again = Again::new(&facts, entry);
        let ready = self.0.ready(&session, &call, Purpose::Again(&again));
        if let Some(path) = again.missing() {
            let path = sanitize_for_display(&path);
            return Err(NotJudgeable::UnknownFile { path });
        }
        let matched = Matched::default();
        let (verdict, what) = match ready {
            Ok(ready) => (
                self.0
                    .judge_watched(&session, &call, &ready, facts.at, Watch::Count(&matched)),
                describe(&ready),
            ),
            Err(Stop::Refused(refusal)) => (refusal.into(), shown(&call.params)),
            Err(Stop::Review(_)) => (
                Refusal::new(Stage::Lookup, "its definition is not reviewed").into(),
                shown(&call.params),
            ),
        };
        Ok(Judged {
            at: facts.at,
            verdict,
            matched: matched.into_ids(),
            what,
            assumed: again.assumed(),
        })
    }

    /// The tool as the candidate has it: one of ours by its id, one of a server by its profiles and
    /// what was recorded of its definition.
    fn entry(&self, facts: &Facts) -> Option<Arc<ToolEntry>> {
        if facts.tool_id.starts_with("mcp:") {
            let said = Said {
                hints: facts.hints(),
                accepted: facts.accepted.as_ref(),
            };
            return self.0.recorded(&facts.tool_id, &facts.verb, &said);
        }
        let snapshot = self.0.catalog();
        snapshot.by_id(&facts.tool_id).cloned()
    }

    /// Whether every value that is judged was recorded whole.
    fn whole(&self, entry: &ToolEntry, params: &Value) -> Result<(), NotJudgeable> {
        let marks = marks(params);
        if marks.is_empty() {
            return Ok(());
        }
        let rules = self.1.rules().iter().filter(|rule| {
            let capability = rule.capability();
            capability.matches(&entry.name, entry.tool_id())
        });
        let judged: Vec<&str> = rules
            .flat_map(|rule| rule.when().pointers())
            .chain(
                entry
                    .profile
                    .resources
                    .iter()
                    .map(|rule| rule.from.as_str()),
            )
            .collect();
        // What reads the calls of a tool of ours may look at any of its arguments.
        let ours = entry.server.is_none();
        let hidden = marks
            .into_iter()
            .find(|mark| ours || judged.iter().any(|pointer| mark.hides(pointer)));
        hidden.map_or(Ok(()), Err)
    }
}

/// What the call does, in one line.
fn describe(ready: &Ready) -> String {
    let commands = ready.prepared.plan.iter().flat_map(|plan| &plan.commands);
    let mut parts: Vec<&str> = commands.map(|command| command.text.as_str()).collect();
    if parts.is_empty() {
        parts = ready.resources.iter().map(Resource::value).collect();
    }
    match parts.as_slice() {
        [] => shown(&ready.params),
        parts => cut(&sanitize_for_display(&parts.join("; "))),
    }
}

fn shown(params: &Value) -> String {
    cut(&sanitize_for_display(&params.to_string()))
}

fn cut(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN_CHARS).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}
