//! One mounted server, over all its restarts.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tipstaff_gate::{Cancel, Gate};
use tipstaff_registry::{PinMode, ServerIdentity};
use tipstaff_schema::ServerName;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use super::command::ServerCommand;
use super::link::{Link, Streams};
use super::noise::Noise;
use super::stderr::Stderr;
use super::{process, supervise};
use crate::ServerError;

/// What one server may use of us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerLimits {
    /// The bytes of one message that are kept; an answer that is longer is cut visibly, a listing
    /// that is longer is refused. 4 MiB unless set: a screenshot fits, a flood does not.
    pub max_result_bytes: usize,
    /// How long it may take to answer its first request. 60 s unless set: a first start may have to
    /// fetch packages.
    pub start: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            max_result_bytes: 4 * 1024 * 1024,
            start: Duration::from_secs(60),
        }
    }
}

/// Where listings go: the gate, which pins and records them.
#[async_trait::async_trait]
pub(crate) trait Listings: Send + Sync {
    /// What was listed before counts no more, until the next offer. Returns at once.
    fn changed(&self, server: &ServerName);

    /// A whole listing, as received. An error says that it could not be recorded and does not hold.
    async fn offer(
        &self,
        server: &ServerName,
        identity: &ServerIdentity,
        raw: Vec<Value>,
    ) -> Result<(), String>;
}

struct IntoGate {
    gate: Gate,
    mode: PinMode,
}

#[async_trait::async_trait]
impl Listings for IntoGate {
    fn changed(&self, server: &ServerName) {
        self.gate.listing_changed(server);
    }

    async fn offer(
        &self,
        server: &ServerName,
        identity: &ServerIdentity,
        raw: Vec<Value>,
    ) -> Result<(), String> {
        let listing = self
            .gate
            .offer_tools(server, identity, &raw, self.mode)
            .await
            .map_err(|error| error.to_string())?;
        tracing::info!(%server, changes = listing.changes.len(), "took in a listing");
        Ok(())
    }
}

/// How a server is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerStatus {
    /// Not started, or between starts.
    Starting,
    /// Connected.
    Running,
    /// Not connected; it is started again.
    Down {
        /// What is known; cleaned.
        why: String,
    },
    /// Stopped for good.
    Stopped,
}

#[derive(Debug, Clone)]
pub(super) enum State {
    Starting,
    Up(Arc<Link>),
    Down(String),
    Stopped,
}

/// Makes the streams to a server, each time it is started.
pub(crate) trait Connect: Send + Sync {
    /// `stop` asks what was started to end.
    fn connect(&self, stderr: &Stderr, stop: Cancel) -> std::io::Result<Streams>;
}

impl Connect for ServerCommand {
    fn connect(&self, stderr: &Stderr, stop: Cancel) -> std::io::Result<Streams> {
        process::start(self, stderr, stop)
    }
}

pub(super) struct Inner {
    pub(super) name: ServerName,
    pub(super) identity: ServerIdentity,
    pub(super) connect: Box<dyn Connect>,
    pub(super) limits: ServerLimits,
    pub(super) state: watch::Sender<State>,
    /// How many listings the gate took.
    pub(super) listed: watch::Sender<u64>,
    /// How many notices of a change were read, and the wake-up for them.
    pub(super) notices: AtomicU64,
    pub(super) woken: Notify,
    pub(super) noise: Arc<Noise>,
    pub(super) stderr: Stderr,
    pub(super) stop: Cancel,
    supervisor: Mutex<Option<JoinHandle<()>>>,
}

/// A mounted server. Cheap to clone; as an executor it runs the calls of this server's tools.
#[derive(Clone)]
pub struct McpServer {
    pub(super) inner: Arc<Inner>,
}

impl McpServer {
    /// A server over stdio; nothing is started yet.
    #[must_use]
    pub fn new(name: ServerName, command: ServerCommand, limits: ServerLimits) -> Self {
        let identity = ServerIdentity {
            command: Some(command.program.clone()),
            args: command.args.clone(),
            cwd: command.cwd.as_ref().map(|cwd| cwd.display().to_string()),
            env_names: command.env.keys().cloned().collect(),
            ..ServerIdentity::default()
        };
        Self::over(name, identity, Box::new(command), limits)
    }

    pub(crate) fn over(
        name: ServerName,
        identity: ServerIdentity,
        connect: Box<dyn Connect>,
        limits: ServerLimits,
    ) -> Self {
        Self {
            inner: Arc::new(Inner {
                name,
                identity,
                connect,
                limits,
                state: watch::Sender::new(State::Starting),
                listed: watch::Sender::new(0),
                notices: AtomicU64::new(0),
                woken: Notify::new(),
                noise: Arc::default(),
                stderr: Stderr::default(),
                stop: Cancel::new(),
                supervisor: Mutex::new(None),
            }),
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &ServerName {
        &self.inner.name
    }

    /// Starts it, keeps it running until [`McpServer::stop`], and offers each of its listings to the
    /// gate. A second start does nothing. Needs a tokio runtime.
    pub fn start(&self, gate: Gate, mode: PinMode) {
        self.start_into(Arc::new(IntoGate { gate, mode }));
    }

    pub(crate) fn start_into(&self, listings: Arc<dyn Listings>) {
        let mut supervisor = self
            .inner
            .supervisor
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if supervisor.is_none() {
            *supervisor = Some(tokio::spawn(supervise::supervise(
                self.inner.clone(),
                listings,
            )));
        }
    }

    /// Waits until its first listing was taken.
    ///
    /// # Errors
    /// [`ServerError::Down`] as soon as a start fails, [`ServerError::Slow`] after `limit`. It is
    /// started again all the same.
    pub async fn listed(&self, limit: Duration) -> Result<(), ServerError> {
        let server = self.inner.name.clone();
        let mut listed = self.inner.listed.subscribe();
        let mut state = self.inner.state.subscribe();
        let down = async {
            loop {
                match &*state.borrow_and_update() {
                    State::Down(why) => return why.clone(),
                    State::Stopped => return "it was stopped".to_owned(),
                    State::Starting | State::Up(_) => {}
                }
                if state.changed().await.is_err() {
                    return "it was stopped".to_owned();
                }
            }
        };
        tokio::select! {
            biased;
            Ok(_) = listed.wait_for(|count| *count > 0) => Ok(()),
            why = down => Err(ServerError::Down { server, why }),
            () = tokio::time::sleep(limit) => Err(ServerError::Slow { server, limit }),
        }
    }

    /// How it is doing.
    #[must_use]
    pub fn status(&self) -> ServerStatus {
        match &*self.inner.state.borrow() {
            State::Starting => ServerStatus::Starting,
            State::Up(_) => ServerStatus::Running,
            State::Down(why) => ServerStatus::Down { why: why.clone() },
            State::Stopped => ServerStatus::Stopped,
        }
    }

    /// The last lines that it wrote to its standard error, oldest first, cleaned.
    #[must_use]
    pub fn last_words(&self, most: usize) -> Vec<String> {
        self.inner.stderr.lines(most)
    }

    /// How many lines it wrote to its standard output that are no messages.
    #[must_use]
    pub fn skipped_lines(&self) -> u64 {
        self.inner.noise.count()
    }

    /// Stops it for good: its input is closed, then it is asked, then killed, with all of its group.
    /// Returns when it is gone.
    pub async fn stop(&self) {
        self.inner.stop.cancel();
        let supervisor = self
            .inner
            .supervisor
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(supervisor) = supervisor {
            let _whatever_became_of_it = supervisor.await;
        }
        self.inner.state.send_replace(State::Stopped);
    }
}

impl std::fmt::Debug for McpServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("McpServer")
            .field("name", &self.inner.name)
            .field("status", &self.status())
            .finish()
    }
}
