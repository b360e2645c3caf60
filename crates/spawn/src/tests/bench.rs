//! What the tests put a gate with a spawn tool together from.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use tempfile::TempDir;
use tipstaff_approval::{Answer, ApprovalRequest};
use tipstaff_gate::{
    AgentFacts, Approver, Call, Cancel, Clock, ExecOutput, ExecutorKey, FileFacts, Gate, Ids,
    Outcome, PathProbe, People, ProgressOf, ProgressSink, Session, Vote, content_digest,
};
use tipstaff_journal::MemoryJournal;
use tipstaff_policy::{PolicySet, World};
use tipstaff_schema::{AgentId, BackendId, Digest, Person, Placement, Role};
use uuid::Uuid;

use crate::{SPAWN, SpawnSettings, SpawnTool};

#[derive(Debug)]
struct RealClock;

#[async_trait::async_trait]
impl Clock for RealClock {
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }

    async fn sleep_until(&self, at: DateTime<Utc>) {
        tokio::time::sleep((at - Utc::now()).to_std().unwrap_or_default()).await;
    }
}

#[derive(Debug, Default)]
struct Counting(AtomicU64);

impl Ids for Counting {
    fn fresh(&self, _: DateTime<Utc>) -> Uuid {
        Uuid::from_u128(
            0x0190_0000_0000_7000_8000_0000_0000_0001
                + u128::from(self.0.fetch_add(1, Ordering::SeqCst)),
        )
    }
}

/// The files of this machine, as a host's probe would tell of them.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// Once this file was looked at, it becomes a copy of the other.
    pub(super) swap: Mutex<Option<(PathBuf, PathBuf)>>,
}

impl PathProbe for Files {
    fn resolve(&self, path: &str) -> Result<String, String> {
        let real = std::fs::canonicalize(path);
        Ok(real.map_or_else(|_| path.to_owned(), |real| real.display().to_string()))
    }

    fn file(&self, path: &str) -> Option<FileFacts> {
        let facts = std::fs::metadata(path).ok()?;
        let swap = self
            .swap
            .lock()
            .unwrap()
            .take_if(|(file, _)| file == Path::new(path));
        if let Some((file, other)) = swap {
            std::fs::remove_file(&file).unwrap();
            std::fs::copy(other, &file).unwrap();
        }
        Some(FileFacts {
            runs: facts.is_file() && facts.mode() & 0o111 != 0,
            open: facts.mode() & 0o002 != 0,
            ours: true,
            stamp: format!("{}:{}:{}", facts.ino(), facts.ctime(), facts.ctime_nsec()),
        })
    }

    fn content(&self, path: &str) -> Option<Digest> {
        let bytes = std::fs::read(path).ok()?;
        Some(content_digest(&bytes))
    }
}

/// Keeps what is told while commands run.
#[derive(Debug, Default)]
pub(super) struct Heard(pub(super) Mutex<String>);

impl ProgressSink for Heard {
    fn progress(&self, _: &ProgressOf<'_>, piece: &str) {
        self.0.lock().unwrap().push_str(piece);
    }
}

/// A person who says yes to everything.
#[derive(Debug)]
pub(super) struct Yes;

#[async_trait::async_trait]
impl Approver for Yes {
    async fn ask(&self, request: &ApprovalRequest) -> Option<Vote> {
        Some(Vote {
            person: Person::new("ana").unwrap(),
            digest: request.digest,
            answer: Answer::Approve,
        })
    }
}

impl People for Yes {
    fn roles(&self, _: &Person) -> Vec<Role> {
        vec![Role::new("approver").unwrap()]
    }
}

/// A gate over one spawn tool, and a folder for the agent.
pub(super) struct Bench {
    pub(super) gate: Gate,
    pub(super) session: Session,
    pub(super) heard: Arc<Heard>,
    pub(super) files: Arc<Files>,
    folder: TempDir,
}

/// With a person who says yes, so that every command runs.
pub(super) async fn bench(settings: SpawnSettings) -> Bench {
    Bench::new(
        SpawnTool::new(settings).unwrap(),
        &json!([]),
        Some(Arc::new(Yes)),
    )
    .await
}

/// With nobody to ask: what these rules do not allow does not run.
pub(super) async fn ruled(tool: SpawnTool, rules: &Value) -> Bench {
    Bench::new(tool, rules, None).await
}

pub(super) fn place(name: &str) -> Placement {
    Placement::new(name).unwrap()
}

pub(super) fn agent(name: &str) -> AgentId {
    AgentId::new(name).unwrap()
}

impl Bench {
    pub(super) async fn new(
        tool: SpawnTool,
        rules: &Value,
        approver: Option<Arc<dyn Approver>>,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (heard, files) = (Arc::new(Heard::default()), Arc::new(Files::default()));
        let root = Some(folder.path().canonicalize().unwrap().display().to_string());
        let facts = AgentFacts { root, owner: None };
        let rules = serde_json::from_value(rules.clone()).unwrap();
        let mut builder = Gate::builder()
            .journal(Arc::new(MemoryJournal::new(Uuid::from_u128(7), Utc::now())))
            .clock(Arc::new(RealClock))
            .ids(Arc::new(Counting::default()))
            .agents(
                ["coder", "helper", "deep"]
                    .map(|name| (agent(name), facts.clone()))
                    .into_iter()
                    .collect(),
            )
            .probe(Arc::<Files>::clone(&files))
            .progress(Arc::<Heard>::clone(&heard))
            .policy(PolicySet::compile(rules, &World::default()).unwrap().0)
            .people(Arc::new(Yes))
            .native(tool.capability())
            .executor(ExecutorKey::Native(BackendId::new(SPAWN)), Arc::new(tool));
        if let Some(approver) = approver {
            builder = builder.approver(approver);
        }
        Self {
            gate: builder.open().await.unwrap(),
            session: Session::launched(agent("coder")),
            heard,
            files,
            folder,
        }
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn call(input: &str) -> Call {
        Call::new(SPAWN, json!({ "input": input }))
    }

    pub(super) async fn submit(&self, input: &str) -> Outcome {
        self.gate
            .submit(&self.session, Self::call(input), &Cancel::new())
            .await
    }

    /// The answer of an input that runs.
    pub(super) async fn runs(&self, input: &str) -> ExecOutput {
        match self.submit(input).await {
            Outcome::Completed { result, .. } => result,
            other => panic!("{input}: {other:?}"),
        }
    }

    /// Why an input is refused, with the stage.
    pub(super) async fn refused(&self, input: &str) -> String {
        match self.submit(input).await {
            Outcome::Refused { why, stage, .. } => format!("{}: {why}", stage.as_str()),
            Outcome::Failed {
                why,
                never_ran: true,
            } => format!("never ran: {why}"),
            other => panic!("{input}: {other:?}"),
        }
    }
}
