//! The gate's end of the control socket.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tipstaff_approval::ApprovalRequest;
use tipstaff_gate::{Approver, Clock, Gate, Vote, Work};
use tipstaff_schema::{Digest, Person};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinHandle;
use uuid::Uuid;

use super::tool_view::ToolView;
use super::wire::{ControlReply, ControlRequest, PendingView, WorkedTask};
use crate::{Directory, SystemClock};

/// The most bytes of one request line.
const MAX_LINE: u64 = 64 * 1024;

/// A socket that cannot be made.
#[derive(Debug, thiserror::Error)]
#[error("the control socket `{}` cannot be made", path.display())]
#[non_exhaustive]
pub struct ListenError {
    /// The socket.
    pub path: PathBuf,
    /// Why not.
    pub source: io::Error,
}

/// Listens for as long as it lives, then removes the socket.
#[derive(Debug)]
pub struct ControlServer {
    path: PathBuf,
    task: JoinHandle<()>,
}

impl ControlServer {
    /// Listens in the state folder, which must belong to this user alone (0700).
    ///
    /// # Errors
    /// [`ListenError`] when the socket cannot be made.
    pub fn listen(state: &Path, gate: Gate, people: Arc<Directory>) -> Result<Self, ListenError> {
        let path = state.join(format!("control-{}.sock", std::process::id()));
        let at = |source| ListenError {
            path: path.clone(),
            source,
        };
        match std::fs::remove_file(&path) {
            Ok(()) => {} // Of an ended process that had our number.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(at(error)),
        }
        let listener = UnixListener::bind(&path).map_err(at)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).map_err(at)?;
        let task = tokio::spawn(async move {
            loop {
                match listener.accept().await {
                    Ok((stream, _)) => {
                        let (gate, people) = (gate.clone(), Arc::clone(&people));
                        tokio::spawn(async move {
                            if let Err(error) = serve(stream, &gate, &people).await {
                                tracing::debug!(%error, "a control connection ended");
                            }
                        });
                    }
                    Err(error) => {
                        tracing::error!(%error, "the control socket cannot accept");
                        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
                    }
                }
            }
        });
        Ok(Self { path, task })
    }

    /// Where it listens.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for ControlServer {
    fn drop(&mut self) {
        self.task.abort();
        drop(std::fs::remove_file(&self.path)); // A dead socket is passed over by clients.
    }
}

async fn serve(mut stream: UnixStream, gate: &Gate, people: &Arc<Directory>) -> io::Result<()> {
    let (read, mut write) = stream.split();
    let mut read = BufReader::new(read);
    let mut line = Vec::new();
    loop {
        line.clear();
        let count = (&mut read)
            .take(MAX_LINE)
            .read_until(b'\n', &mut line)
            .await?;
        if count == 0 {
            return Ok(());
        }
        let reply = match serde_json::from_slice(&line) {
            Ok(request) => reply(request, gate, people).await,
            Err(error) => ControlReply::Refused {
                why: format!("the request cannot be read: {error}"),
            },
        };
        let mut bytes = serde_json::to_vec(&reply)?;
        bytes.push(b'\n');
        write.write_all(&bytes).await?;
    }
}

async fn reply(request: ControlRequest, gate: &Gate, people: &Arc<Directory>) -> ControlReply {
    match request {
        ControlRequest::Pending {} => pending(gate),
        ControlRequest::Show { id } => shown(gate, id),
        ControlRequest::Answer {
            id,
            digest,
            answer,
            person,
            secret,
        } => {
            if gate.approval(id).is_none() {
                return ControlReply::NotFound {};
            }
            match login(people, person, secret).await {
                Ok(person) => match gate.answer(id, digest, answer, &person).await {
                    Ok(state) => answered(state.as_str()),
                    Err(error) => refused(&error),
                },
                Err(refused) => refused,
            }
        }
        ControlRequest::Work {
            ids,
            work,
            person,
            secret,
        } => match login(people, person, secret).await {
            Ok(person) => worked(gate, &ids, &work, &person).await,
            Err(refused) => refused,
        },
        ControlRequest::Tool { tool_id } => match gate.catalog().by_id(&tool_id) {
            Some(entry) => ControlReply::Tool {
                tool: Box::new(ToolView::of(entry)),
            },
            None => ControlReply::NotFound {},
        },
        ControlRequest::AcceptTool {
            tool_id,
            pin,
            review,
            person,
            secret,
        } => {
            if gate.catalog().by_id(&tool_id).is_none() {
                return ControlReply::NotFound {};
            }
            match login(people, person, secret).await {
                Ok(person) => match gate.accept_tool(&tool_id, &pin, review, &person).await {
                    Ok(_) => answered("accepted"),
                    Err(error) => refused(&error),
                },
                Err(refused) => refused,
            }
        }
    }
}

async fn worked(gate: &Gate, ids: &[Digest], work: &Work, person: &Person) -> ControlReply {
    let results = gate.work_on_all(ids, work, person).await;
    let each = results.into_iter().map(|(id, result)| match result {
        Ok(task) => WorkedTask::done(&task),
        Err(error) => WorkedTask::refused(id, chain(&error)),
    });
    ControlReply::Worked {
        tasks: each.collect(),
    }
}

/// An error and its causes, on one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

fn shown(gate: &Gate, id: Uuid) -> ControlReply {
    match gate.approval(id) {
        Some(request) => ControlReply::Request {
            request: Box::new(PendingView::of(&request, SystemClock.now())),
        },
        None => ControlReply::NotFound {},
    }
}

fn pending(gate: &Gate) -> ControlReply {
    let (now, asked) = (SystemClock.now(), gate.pending_approvals());
    let requests = asked.iter().map(|request| PendingView::of(request, now));
    ControlReply::Pending {
        requests: requests.collect(),
    }
}

fn answered(state: &str) -> ControlReply {
    ControlReply::Answered {
        state: state.to_owned(),
    }
}

fn refused(error: &dyn std::error::Error) -> ControlReply {
    ControlReply::Refused {
        why: error.to_string(),
    }
}

/// Who answers, proven; else the refusal.
async fn login(
    people: &Arc<Directory>,
    person: Option<String>,
    secret: Option<String>,
) -> Result<Person, ControlReply> {
    let people = Arc::clone(people);
    // Checking a password takes long on purpose.
    let login =
        tokio::task::spawn_blocking(move || people.login(person.as_deref(), secret.as_deref()));
    match login.await {
        Ok(Ok(person)) => Ok(person),
        Ok(Err(error)) => Err(refused(&error)),
        Err(_) => Err(ControlReply::Refused {
            why: "the password could not be checked".to_owned(),
        }),
    }
}

/// The approver that stands for the control socket: it asks nobody itself, people come and answer.
#[derive(Debug, Clone, Copy, Default)]
pub struct Inbox;

#[async_trait::async_trait]
impl Approver for Inbox {
    async fn ask(&self, _: &ApprovalRequest) -> Option<Vote> {
        None
    }
}
