//! A manifest that was read and checked, and the gate that it describes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tipstaff_approval::Terms;
use tipstaff_gate::{Agents, CallLimits, ExecutorKey, Gate, GateBuilder};
use tipstaff_host::Directory;
use tipstaff_journal::AppendError;
use tipstaff_policy::{PolicySet, World};
use tipstaff_registry::{PinMode, ProfileBook};
use tipstaff_schema::{BackendId, Digest, ServerName};
use tipstaff_spawn::{SPAWN, SpawnTool};
use tipstaff_triage::{BusinessCalendar, TriageSet};

use crate::problem::Problem;
use crate::rules::Rules;
use crate::servers::Captured;
use crate::sources::Sources;
use crate::tests_in_policy::PolicyTest;

/// A checked manifest.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Manifest {
    /// The digest of the manifest and everything that it includes.
    pub digest: Digest,
    /// The agents.
    pub agents: Agents,
    /// The servers, by name.
    pub servers: BTreeMap<ServerName, Server>,
    /// The profiles of tools.
    pub profiles: ProfileBook,
    /// The rules.
    pub policy: PolicySet,
    /// What the rules were compiled against: agents, servers and tools.
    pub world: World,
    /// Where each rule stands.
    pub(crate) rules: Arc<Rules>,
    /// The rules over answers, with their calendar.
    pub triage: TriageSet,
    /// The calendar of deadlines.
    pub calendar: Arc<BusinessCalendar>,
    /// The terms of approvals where a rule says nothing.
    pub terms: Terms,
    /// How the gateway waits for people.
    pub hold: Hold,
    /// Breakers, loops, rates and how many calls at once.
    pub limits: CallLimits,
    /// The people.
    pub people: Directory,
    /// Where the journal lies; none means the state folder.
    pub store: Option<Store>,
    /// The spawn tool; none while the manifest has no `spawn:`.
    pub spawn: Option<SpawnTool>,
    /// The tests of the policy.
    pub tests: Vec<PolicyTest>,
    /// Keys whose function this build does not have: `serve` refuses to start on them.
    pub unbuilt: Vec<Problem>,
    /// What is worth knowing, and stops nothing.
    pub warnings: Vec<Problem>,
    /// The files that it is made of.
    pub sources: Sources,
}

/// One server.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Server {
    /// The program; none for a server that is reached by URL.
    pub command: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// Additions to its environment; `${…}` unresolved.
    pub env: BTreeMap<String, String>,
    /// Its working folder.
    pub cwd: Option<String>,
    /// Where it is reached.
    pub url: Option<String>,
    /// How its tools come to be trusted.
    pub pin: PinMode,
    /// Its captured listing.
    pub captured: Option<Captured>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Values of the environment may be secrets.
        let env: Vec<&String> = self.env.keys().collect();
        f.debug_struct("Server")
            .field("command", &self.command)
            .field("args", &self.args)
            .field("env", &env)
            .finish_non_exhaustive()
    }
}

/// How the gateway waits for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hold {
    /// It keeps the call open for a while, then tells the client to call again.
    #[default]
    Auto,
}

impl Hold {
    /// How long a call is kept open.
    #[must_use]
    pub const fn limit(self) -> Duration {
        match self {
            Self::Auto => Duration::from_secs(50),
        }
    }
}

/// Where the journal lies.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Store {
    /// A SQLite file; relative to the state folder.
    Sqlite(PathBuf),
}

impl Manifest {
    /// A gate with all that the manifest says: agents, servers, profiles, rules, triage, people,
    /// terms, limits, spawn. Journal, clock, ids, executors of servers, approvers and file facts are the caller's.
    #[must_use]
    pub fn builder(&self) -> GateBuilder {
        let mut builder = Gate::builder()
            .agents(self.agents.clone())
            .profiles(self.profiles.clone())
            .policy(self.policy.clone())
            .triage(
                self.triage.clone(),
                Arc::<BusinessCalendar>::clone(&self.calendar),
            )
            .people(Arc::new(self.people.clone()))
            .terms(self.terms.clone())
            .call_limits(self.limits.clone());
        for name in self.servers.keys() {
            builder = builder.server(name.clone());
        }
        if let Some(spawn) = &self.spawn {
            let key = ExecutorKey::Native(BackendId::new(SPAWN));
            builder = builder
                .native(spawn.capability())
                .executor(key, Arc::new(spawn.clone()));
        }
        builder
    }

    /// Offers the captured listings to a gate, so that their tools are known and pinned.
    ///
    /// # Errors
    /// [`AppendError`] when the gate's journal cannot be written.
    pub async fn offer_captured(&self, gate: &Gate) -> Result<(), AppendError> {
        for (name, server) in &self.servers {
            if let Some(captured) = &server.captured {
                gate.offer_tools(name, &server.identity(), &captured.tools, PinMode::Captured)
                    .await?;
            }
        }
        Ok(())
    }
}
