//! Putting a gate together. Journal, clock and ids are required; every other part has a default that
//! refuses, knows nobody, or does nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use arc_swap::ArcSwap;
use tipstaff_approval::{Limits, Terms};
use tipstaff_journal::{AppendError, Journal, ReadJournalError};
use tipstaff_policy::{Finding, PolicySet};
use tipstaff_registry::{Catalog, CatalogError, NativeTool, ProfileBook};
use tipstaff_router::RouteCache;
use tipstaff_schema::ServerName;
use tipstaff_triage::{BusinessCalendar, Calendar, TriageSet};
use tokio::sync::watch;

use crate::admission::Throttle;
use crate::edge::{NoConstraints, NoProbe, NoProgress, Nobody, OnlyInstance};
use crate::gate::{ExecutorKey, Gate, Inner, Mode};
use crate::state::State;
use crate::steady::Steady;
use crate::tend::Unwritten;
use crate::{
    Agents, Approver, CallLimits, Clock, ConstraintChecker, Executor, Ids, Instances, OwnGround,
    PathProbe, People, ProgressSink,
};

/// Why a gate could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenGateError {
    /// A required part is missing.
    #[error("the gate has no {part}; give it one")]
    Missing {
        /// Which.
        part: &'static str,
    },
    /// A native tool cannot be registered.
    #[error("a tool of our own cannot be registered")]
    Native(#[source] CatalogError),
    /// The empty policy did not compile.
    #[error("the policy cannot be compiled: {0}")]
    Policy(String),
    /// The journal cannot be read.
    #[error("the journal cannot be read")]
    Read(#[source] ReadJournalError),
    /// The journal cannot be written.
    #[error("the journal cannot be written")]
    Append(#[source] AppendError),
}

/// The parts of a gate.
#[derive(Debug, Default)]
pub struct GateBuilder {
    journal: Option<Arc<dyn Journal>>,
    clock: Option<Arc<dyn Clock>>,
    ids: Option<Arc<dyn Ids>>,
    agents: Agents,
    profiles: ProfileBook,
    policy: Option<PolicySet>,
    triage: Option<(TriageSet, Arc<dyn Calendar>)>,
    people: Option<Arc<dyn People>>,
    approvers: Vec<Arc<dyn Approver>>,
    executors: BTreeMap<ExecutorKey, Arc<dyn Executor>>,
    natives: Vec<NativeTool>,
    servers: BTreeSet<ServerName>,
    probe: Option<Arc<dyn PathProbe>>,
    progress: Option<Arc<dyn ProgressSink>>,
    constraints: Option<Arc<dyn ConstraintChecker>>,
    own: OwnGround,
    instances: Option<Arc<dyn Instances>>,
    instance: Option<String>,
    mode: Mode,
    terms: Terms,
    limits: Limits,
    call_limits: CallLimits,
}

macro_rules! part {
    ($(#[$doc:meta])* $name:ident: dyn $trait:ident) => {
        $(#[$doc])*
        #[must_use]
        pub fn $name(mut self, part: Arc<dyn $trait>) -> Self {
            self.$name = Some(part);
            self
        }
    };
    ($(#[$doc:meta])* $name:ident: $type:ty) => {
        $(#[$doc])*
        #[must_use]
        pub fn $name(mut self, part: $type) -> Self {
            self.$name = part;
            self
        }
    };
}

impl GateBuilder {
    part!(/** The journal: the source of truth. Required. */ journal: dyn Journal);
    part!(/** The clock. Required. */ clock: dyn Clock);
    part!(/** Fresh ids. Required. */ ids: dyn Ids);
    part!(/** The known agents. Without one, every call is refused. */ agents: Agents);
    part!(/** The operator's profiles. Without one, every tool is unknown: critical, ask. */ profiles: ProfileBook);
    part!(/** The roles of people. Default: nobody has any, so nobody can answer. */ people: dyn People);
    part!(/** The file facts. Default: nothing is probed. */ probe: dyn PathProbe);
    part!(/** Who takes output while calls run. Default: nobody. */ progress: dyn ProgressSink);
    part!(/** The checker of a token's constraints. Default: every constraint fails. */ constraints: dyn ConstraintChecker);
    part!(/** What no governed call may reach. */ own: OwnGround);
    part!(/** Which other gates over the journal live. Default: none. */ instances: dyn Instances);
    part!(/** What is done with what policy asks. Default: a person decides. */ mode: Mode);
    part!(/** The terms of approvals where the rule says nothing. */ terms: Terms);
    part!(/** How many questions an agent may put. */ limits: Limits);
    part!(/** Breakers, loops, rates and how many at once. Default: [`CallLimits::default`]. */ call_limits: CallLimits);

    /// The rules. Default: none, so that profiles decide.
    #[must_use]
    pub fn policy(mut self, policy: PolicySet) -> Self {
        self.policy = Some(policy);
        self
    }

    /// The rules over answers, and the calendar of their deadlines. Default: no answer is judged.
    #[must_use]
    pub fn triage(mut self, rules: TriageSet, calendar: Arc<dyn Calendar>) -> Self {
        self.triage = Some((rules, calendar));
        self
    }

    /// This gate's name among those over the same journal. Default: a fresh one.
    #[must_use]
    pub fn instance(mut self, name: impl Into<String>) -> Self {
        self.instance = Some(name.into());
        self
    }

    /// One more way to reach people. Without any, what is asked is refused as `no_approver`.
    #[must_use]
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.approvers.push(approver);
        self
    }

    /// What runs the tools of a source; a second one for the same source replaces the first.
    #[must_use]
    pub fn executor(mut self, key: ExecutorKey, executor: Arc<dyn Executor>) -> Self {
        if let ExecutorKey::Server(server) = &key {
            self.servers.insert(server.clone());
        }
        self.executors.insert(key, executor);
        self
    }

    /// A tool of our own, such as spawn.
    #[must_use]
    pub fn native(mut self, tool: NativeTool) -> Self {
        self.natives.push(tool);
        self
    }

    /// A server that exists although nothing runs it here, so that its tools can be judged.
    #[must_use]
    pub fn server(mut self, name: ServerName) -> Self {
        self.servers.insert(name);
        self
    }

    /// Reads the journal and opens the gate. Executions that an ended gate left without an outcome
    /// are recorded as unknown; questions that still wait are kept again, and tasks that fell due
    /// meanwhile expire or escalate.
    ///
    /// Must be called on a tokio runtime, which also runs the gate.
    ///
    /// # Errors
    /// [`OpenGateError`] when a required part is missing or the journal cannot be read or written.
    pub async fn open(self) -> Result<Gate, OpenGateError> {
        let gate = self.assemble()?;
        gate.0.catch_up().await.map_err(OpenGateError::Read)?;
        gate.recover().await?;
        gate.follow();
        for request in gate.pending_approvals() {
            gate.keep(request.id);
        }
        gate.tend();
        Ok(gate)
    }

    /// A gate that judges only: nothing is read or written, `reads` takes the place of every executor,
    /// and nobody can be asked.
    pub(crate) fn for_judging(
        mut self,
        reads: impl Fn(Arc<dyn Executor>) -> Arc<dyn Executor>,
    ) -> Result<Gate, OpenGateError> {
        let executors = std::mem::take(&mut self.executors);
        self.executors = executors
            .into_iter()
            .map(|(key, executor)| (key, reads(executor)))
            .collect();
        self.approvers.clear();
        self.assemble()
    }

    fn assemble(self) -> Result<Gate, OpenGateError> {
        let missing = |part| OpenGateError::Missing { part };
        let clock = self.clock.ok_or(missing("clock"))?;
        let ids = self.ids.ok_or(missing("source of ids"))?;
        let journal = self.journal.ok_or(missing("journal"))?;
        let policy = match self.policy {
            Some(policy) => policy,
            None => {
                PolicySet::empty().map_err(|findings| OpenGateError::Policy(list(&findings)))?
            }
        };
        let catalog = Catalog::new(self.profiles.clone());
        for native in self.natives {
            catalog.add_native(native).map_err(OpenGateError::Native)?;
        }
        let instance = self
            .instance
            .unwrap_or_else(|| ids.fresh(clock.now()).to_string());
        let (triage, calendar) = with_calendar(self.triage);
        let throttle = Throttle::new(self.call_limits, Steady::new(Arc::clone(&clock)));
        Ok(Gate(Arc::new(Inner {
            throttle: Arc::new(throttle),
            journal,
            clock,
            ids,
            agents: self.agents,
            policy: ArcSwap::from_pointee(policy),
            triage,
            calendar,
            people: self.people.unwrap_or_else(|| Arc::new(Nobody)),
            approvers: self.approvers,
            executors: self.executors,
            catalog,
            routes: RouteCache::new(),
            profiles: self.profiles,
            servers: self.servers,
            probe: self.probe.unwrap_or_else(|| Arc::new(NoProbe)),
            progress: self.progress.unwrap_or_else(|| Arc::new(NoProgress)),
            constraints: self.constraints.unwrap_or_else(|| Arc::new(NoConstraints)),
            own: self.own,
            instances: self.instances.unwrap_or_else(|| Arc::new(OnlyInstance)),
            instance,
            mode: self.mode,
            terms: self.terms,
            limits: self.limits,
            state: Mutex::new(State::default()),
            unwritten: Mutex::new(Unwritten::new()),
            changed: watch::Sender::new(0),
            listed: watch::Sender::new(0),
            stale: watch::Sender::new(BTreeMap::new()),
            pinning: tokio::sync::Mutex::new(()),
        })))
    }
}

/// Rules with their calendar; without rules a plain one, for the tasks of the gate's own.
fn with_calendar(
    triage: Option<(TriageSet, Arc<dyn Calendar>)>,
) -> (Option<TriageSet>, Arc<dyn Calendar>) {
    match triage {
        Some((rules, calendar)) => (Some(rules), calendar),
        None => (None, Arc::new(BusinessCalendar::usual())),
    }
}

fn list(findings: &[Finding]) -> String {
    findings
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("; ")
}
