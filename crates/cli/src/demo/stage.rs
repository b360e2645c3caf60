//! What the tour is played on: a real gate over a real journal, and a real server as a child.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tipstaff_approval::{Answer, ApprovalState};
use tipstaff_gate::{
    Call, Cancel, Clock, ExecutorKey, Gate, Ids, Outcome, Session, Submission, Ticket,
};
use tipstaff_host::{FileProbe, HostConstraints, RandomIds, SystemClock};
use tipstaff_journal::OpenedBy;
use tipstaff_manifest::Manifest;
use tipstaff_mcp::{McpServer, ServerCommand, ServerLimits};
use tipstaff_registry::PinMode;
use tipstaff_schema::{AgentId, Person, ServerName};
use tipstaff_store::SqliteJournal;
use tokio::sync::mpsc;
use uuid::Uuid;

use super::approver::{Desk, Question};
use super::ground::Ground;
use super::stop::Stop;
use super::trail::Trail;
use crate::exit::{ENVIRONMENT, Failure};
use crate::host::JOURNAL;
use crate::place;

/// Nothing in the tour takes longer.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) const AGENT: &str = "scout";
pub(super) const PERSON: &str = "ana";
pub(super) const SERVER: &str = "desk";

pub(super) struct Stage {
    pub(super) ground: Ground,
    pub(super) gate: Gate,
    pub(super) session: Session,
    server: McpServer,
    questions: mpsc::UnboundedReceiver<Question>,
    seen: u64,
}

impl Stage {
    /// Opens the gate in a furnished folder; the server is not started yet.
    pub(super) async fn open(ground: Ground) -> Result<Self, Failure> {
        let failed = |error: &(dyn std::error::Error + 'static)| Failure::environment(error);
        let program = text(std::env::current_exe().map_err(|error| failed(&error))?)?;
        let manifest = manifest(&ground, &program)?;
        let agent = AgentId::new(AGENT).map_err(|error| failed(&error))?;
        let name = ServerName::new(SERVER).map_err(|error| failed(&error))?;
        let (desk, questions) = Desk::of(Person::new(PERSON).map_err(|error| failed(&error))?);
        let command = ServerCommand::new(
            program,
            ["demo-server".to_owned(), text(ground.folder().to_owned())?],
        );
        let server = McpServer::new(name.clone(), command, ServerLimits::default());
        let now = SystemClock.now();
        let by = OpenedBy {
            journal_id: RandomIds.fresh(now),
            at: now,
            event_id: RandomIds.fresh(now),
            actor: "tipstaff".to_owned(),
        };
        let journal = SqliteJournal::open(&ground.state().join(JOURNAL), &by)
            .map_err(|error| failed(&error))?;
        let gate = manifest
            .builder()
            .journal(Arc::new(journal))
            .clock(Arc::new(SystemClock))
            .ids(Arc::new(RandomIds))
            .probe(Arc::new(FileProbe))
            .constraints(Arc::new(HostConstraints::new()))
            .approver(Arc::new(desk))
            .executor(ExecutorKey::Server(name), Arc::new(server.clone()))
            .own(place::own_ground(
                &ground.state(),
                &[ground.manifest()],
                &[ground.files()],
            ))
            .open()
            .await
            .map_err(|error| failed(&error))?;
        Ok(Self {
            ground,
            gate,
            session: Session::launched(agent),
            server,
            questions,
            seen: 0,
        })
    }

    /// Starts the server and waits for its tools.
    pub(super) async fn start(&mut self) -> Result<(), Stop> {
        self.server.start(self.gate.clone(), PinMode::FirstUse);
        self.server.listed(PATIENCE).await.map_err(Stop::broken)?;
        self.trail().await.map(drop)
    }

    /// Stops the server and waits until it is gone.
    pub(super) async fn close(self) {
        self.server.stop().await;
    }

    /// Sends a call or a token the whole way. A question is not waited for.
    pub(super) async fn send(
        &mut self,
        what: impl Into<Submission>,
    ) -> Result<(Outcome, Trail), Stop> {
        let outcome = self.gate.start(&self.session, what, &Cancel::new()).await;
        Ok((outcome, self.trail().await?))
    }

    /// Presents a call with the ticket that was given for one.
    pub(super) async fn present(
        &mut self,
        ticket: &Ticket,
        call: Call,
    ) -> Result<(Outcome, Trail), Stop> {
        let outcome = self
            .gate
            .resume(&self.session, ticket, call, &Cancel::new())
            .await;
        Ok((outcome, self.trail().await?))
    }

    /// What the journal holds since the last look.
    pub(super) async fn trail(&mut self) -> Result<Trail, Stop> {
        let trail = Trail::since(&**self.gate.journal(), self.seen).await?;
        self.seen = trail.last().unwrap_or(self.seen);
        Ok(trail)
    }

    /// The next question that reaches the person.
    pub(super) async fn question(&mut self) -> Result<Question, Stop> {
        let next = tokio::time::timeout(PATIENCE, self.questions.recv()).await;
        next.ok()
            .flatten()
            .ok_or_else(|| Stop::wrong("no question reached the approver"))
    }

    /// Says yes, and waits until the gate has written it down.
    pub(super) async fn approve(&mut self, question: Question) -> Result<(), Stop> {
        let id = question.request.id;
        question.answer(Answer::Approve);
        let approved = || self.is_approved(id);
        until(
            self.gate.subscribe_state(),
            approved,
            "the approver's yes was not taken",
        )
        .await?;
        self.trail().await.map(drop)
    }

    /// Whether an approval may still be used.
    pub(super) fn is_approved(&self, id: Uuid) -> bool {
        let request = self.gate.approval(id);
        let state = request.map(|request| request.state_at(SystemClock.now()));
        matches!(state, Some(ApprovalState::Approved { .. }))
    }

    /// Waits until a tool stands as said.
    pub(super) async fn until_tool(
        &self,
        name: &str,
        stands: impl Fn(&tipstaff_registry::Standing) -> bool,
    ) -> Result<(), Stop> {
        let so = || {
            self.gate
                .catalog()
                .by_name(name)
                .is_some_and(|entry| stands(&entry.standing))
        };
        until(
            self.gate.subscribe_catalog(),
            so,
            "the change of a tool was not noticed",
        )
        .await
    }
}

/// Waits for something to become so, looking again whenever `changes` tells of a change.
async fn until(
    mut changes: tokio::sync::watch::Receiver<u64>,
    so: impl Fn() -> bool,
    or: &str,
) -> Result<(), Stop> {
    let wait = async {
        loop {
            changes.mark_unchanged();
            if so() {
                return true;
            }
            if changes.changed().await.is_err() {
                return false;
            }
        }
    };
    match tokio::time::timeout(PATIENCE, wait).await {
        Ok(true) => Ok(()),
        Ok(false) | Err(_) => Err(Stop::wrong(or)),
    }
}

/// The embedded manifest with this folder in it; kept in the folder too, for those who look.
fn manifest(ground: &Ground, program: &str) -> Result<Manifest, Failure> {
    let filled = [
        ("$ROOT", text(ground.files())?),
        ("$PROGRAM", program.to_owned()),
        ("$FOLDER", text(ground.folder().to_owned())?),
    ];
    let mut yaml = include_str!("demo.yaml").to_owned();
    // Comments keep the names; a JSON text is a YAML text.
    for (name, value) in filled {
        yaml = yaml.replace(
            &format!(" {name}"),
            &format!(" {}", serde_json::Value::String(value)),
        );
    }
    let path = ground.manifest();
    std::fs::write(&path, &yaml).map_err(|error| Failure::environment(&error))?;
    Manifest::from_text(&path, &yaml)
        .map_err(|rejected| Failure::new(ENVIRONMENT, rejected.render()))
}

fn text(path: PathBuf) -> Result<String, Failure> {
    let shown = path.display().to_string();
    path.into_os_string().into_string().map_err(|_| {
        Failure::new(
            ENVIRONMENT,
            format!("the path `{}` is no UTF-8", shown.escape_debug()),
        )
    })
}
