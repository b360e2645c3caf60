//! The gate as an object: what it is made of, and how it reads and writes the journal.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;
use chrono::{DateTime, Utc};
use tipstaff_approval::{ApprovalRequest, Limits, Terms};
use tipstaff_journal::{
    AppendError, Appended, Draft, Filter, Journal, Kind, ReadJournalError, Stream,
};
use tipstaff_policy::PolicySet;
use tipstaff_registry::{Catalog, CatalogSnapshot, ProfileBook};
use tipstaff_router::RouteCache;
use tipstaff_schema::{BackendId, ServerName, ToolSource};
use tipstaff_triage::{Calendar, Task, TaskQuery, TriageSet};
use tokio::sync::watch;
use uuid::Uuid;

use crate::admission::Throttle;
use crate::state::{State, Taken};
use crate::tend::Unwritten;
use crate::{
    Agents, Approver, Breakers, Clock, ConstraintChecker, Executor, GateBuilder, Ids, Instances,
    OwnGround, PathProbe, People, ProgressSink,
};

/// Which executor runs the calls of a tool.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExecutorKey {
    /// The tools of a mounted MCP server.
    Server(ServerName),
    /// The tools of a native backend.
    Native(BackendId),
    /// A terminal.
    Terminal,
}

impl ExecutorKey {
    /// The key of a tool's source; none for a server whose name is none.
    pub(crate) fn of(source: &ToolSource) -> Option<Self> {
        match source {
            ToolSource::McpServer { server } => {
                ServerName::new(server.clone()).ok().map(Self::Server)
            }
            ToolSource::NativeBackend { backend } => Some(Self::Native(backend.clone())),
            ToolSource::Terminal => Some(Self::Terminal),
        }
    }
}

/// What is done with what policy asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// A person decides.
    #[default]
    Enforce,
    /// It runs, and every event says `observed`. Structure, own ground, locks, guards and denies hold.
    Observe,
}

/// The one way of a call. Cheap to clone; all clones are one gate.
#[derive(Debug, Clone)]
pub struct Gate(pub(crate) Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) throttle: Arc<Throttle>,
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) agents: Agents,
    pub(crate) policy: ArcSwap<PolicySet>,
    pub(crate) triage: Option<TriageSet>,
    /// Of deadlines: that of the rules, else a plain one.
    pub(crate) calendar: Arc<dyn Calendar>,
    pub(crate) people: Arc<dyn People>,
    pub(crate) approvers: Vec<Arc<dyn Approver>>,
    pub(crate) executors: BTreeMap<ExecutorKey, Arc<dyn Executor>>,
    pub(crate) catalog: Catalog,
    pub(crate) routes: RouteCache,
    pub(crate) profiles: ProfileBook,
    pub(crate) servers: BTreeSet<ServerName>,
    pub(crate) probe: Arc<dyn PathProbe>,
    pub(crate) progress: Arc<dyn ProgressSink>,
    pub(crate) constraints: Arc<dyn ConstraintChecker>,
    pub(crate) own: OwnGround,
    pub(crate) instances: Arc<dyn Instances>,
    pub(crate) instance: String,
    pub(crate) mode: Mode,
    pub(crate) terms: Terms,
    pub(crate) limits: Limits,
    // Never held across an await.
    pub(crate) state: Mutex<State>,
    /// Outcomes that the journal did not take.
    pub(crate) unwritten: Mutex<Unwritten>,
    /// Counts changes of the state, for those who wait.
    pub(crate) changed: watch::Sender<u64>,
    /// Counts changes of the catalog.
    pub(crate) listed: watch::Sender<u64>,
    /// Servers that said that their listing changed, until they listed anew.
    /// With the number of times that they said so.
    pub(crate) stale: watch::Sender<BTreeMap<ServerName, u64>>,
    /// Held while pins and catalog change together: by one listing, or one acceptance, at a time.
    pub(crate) pinning: tokio::sync::Mutex<()>,
}

impl Gate {
    /// Begins to put a gate together.
    #[must_use]
    pub fn builder() -> GateBuilder {
        GateBuilder::default()
    }

    /// The journal that it writes.
    #[must_use]
    pub fn journal(&self) -> &Arc<dyn Journal> {
        &self.0.journal
    }

    /// The tools as they stand now.
    #[must_use]
    pub fn catalog(&self) -> Arc<CatalogSnapshot> {
        self.0.catalog.snapshot()
    }

    /// Tells when tools came, went, were accepted or quarantined.
    #[must_use]
    pub fn subscribe_catalog(&self) -> watch::Receiver<u64> {
        self.0.listed.subscribe()
    }

    /// Tells when approvals, tasks or pins changed.
    #[must_use]
    pub fn subscribe_state(&self) -> watch::Receiver<u64> {
        self.0.changed.subscribe()
    }

    /// Judges by another policy from now on. Questions that wait are judged by it when they are answered.
    pub fn replace_policy(&self, policy: PolicySet) {
        self.0.policy.store(Arc::new(policy));
    }

    /// Which tools rest after failures: for a router, or to show.
    #[must_use]
    pub fn breakers(&self) -> &Arc<Breakers> {
        &self.0.throttle.breakers
    }

    /// The questions that wait for people, the next to expire first.
    #[must_use]
    pub fn pending_approvals(&self) -> Vec<ApprovalRequest> {
        let now = self.0.now();
        self.0
            .state()
            .approvals
            .pending(now)
            .into_iter()
            .cloned()
            .collect()
    }

    /// One approval request, whatever its state.
    #[must_use]
    pub fn approval(&self, id: Uuid) -> Option<ApprovalRequest> {
        self.0.state().approvals.get(id).cloned()
    }

    /// One page of the worklist, in the order of the queue.
    #[must_use]
    pub fn tasks(&self, query: &TaskQuery) -> Vec<Task> {
        self.0
            .state()
            .tasks
            .page(query)
            .into_iter()
            .cloned()
            .collect()
    }
}

impl Inner {
    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    pub(crate) fn fresh(&self) -> Uuid {
        self.ids.fresh(self.clock.now())
    }

    /// The state; a panic elsewhere does not poison it, since every fold step is whole.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The outcomes that the journal did not take.
    pub(crate) fn unwritten(&self) -> MutexGuard<'_, Unwritten> {
        self.unwritten
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// A draft of this gate's own, without correlation.
    pub(crate) fn draft(
        &self,
        stream: Stream,
        kind: Kind,
        actor: &str,
        data: serde_json::Value,
    ) -> Draft {
        let now = self.now();
        Draft::new(self.ids.fresh(now), now, stream, kind, actor, data)
    }

    /// Appends and takes in what was appended.
    pub(crate) async fn append(
        &self,
        expected: &[(Stream, u64)],
        drafts: Vec<Draft>,
    ) -> Result<Appended, AppendError> {
        let appended = self.journal.append(expected, drafts).await?;
        let taken = self.state().take(&appended.events);
        if taken == Taken::Gap
            && let Err(error) = self.catch_up().await
        {
            tracing::error!(%error, "the journal could not be read back");
        }
        self.changed
            .send_modify(|count| *count = count.wrapping_add(1));
        Ok(appended)
    }

    /// Takes in what others have appended after losing to one of them; a failure is said aloud, and
    /// what is not known stays unusable.
    pub(crate) async fn after_conflict(&self) {
        if let Err(error) = self.catch_up().await {
            tracing::error!(%error, "the journal cannot be read");
        }
    }

    /// Takes in what others have appended.
    pub(crate) async fn catch_up(&self) -> Result<(), ReadJournalError> {
        loop {
            let from = self.state().applied + 1;
            let events = self.journal.scan(from, 1000, &Filter::all()).await?;
            if events.is_empty() {
                return Ok(());
            }
            let taken = self.state().take(&events);
            if taken == Taken::Gap && self.state().applied < from {
                let why = "the events before it are missing".to_owned();
                return Err(ReadJournalError::Damaged { seq: from, why });
            }
            self.changed
                .send_modify(|count| *count = count.wrapping_add(1));
        }
    }
}
