//! One live connection to a mounted server: the handshake, the listing, and calls.
//!
//! Knows nothing of restarts, pins or warrants; a call is a name, arguments and the digest that they
//! must have.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use rmcp::ClientHandler;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientCapabilities, ClientConfig, ClientRequest,
    ErrorCode, Implementation, ListToolsRequest, PaginatedRequestParams, ProtocolVersion,
    ServerResult,
};
use rmcp::service::{
    ClientInitializeError, PeerRequestOptions, RequestHandle, RoleClient, RunningService,
    ServiceError,
};
use serde_json::Value;
use tipstaff_gate::Cancel;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Instant;

use super::wire::{Answer, Hooks, Judged, Slot, Wire};
use crate::message::Object;
use crate::outbox::SendError;

const PAGE_LIMIT: Duration = Duration::from_secs(30);
const CANCEL_LIMIT: Duration = Duration::from_secs(2);
const MAX_PAGES: usize = 1_000;
/// Tools of one server; more is no catalog.
const MAX_TOOLS: usize = 10_000;

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    #[error("the handshake failed")]
    Handshake(#[source] Box<ClientInitializeError>),
    #[error("it ended before it had answered `initialize`")]
    Ended,
    #[error("it did not answer `initialize` within {} s", .0.as_secs())]
    Silent(Duration),
}

/// Why there is no listing. A partial one is none.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ListError {
    #[error("page {page} of the listing: {why}")]
    Page { page: usize, why: String },
    #[error("the listing never ends")]
    Endless,
}

/// A call that gave no answer, and what is proven of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CallError {
    /// The server says that there is no such call, or the caller no longer wanted it.
    NeverRan(String),
    /// Nothing was sent, since the server cannot be reached.
    Unsent(String),
    /// The server answered with an error.
    Failed(String),
    /// It may have run.
    Uncertain(String),
}

/// What one call is.
pub(crate) struct Outgoing {
    pub(crate) tool: String,
    pub(crate) arguments: Object,
    pub(crate) params: tipstaff_schema::Digest,
    pub(crate) deadline: Instant,
}

/// The end of a server that we read. A type of its own, since a boxed trait inside the transport's
/// type keeps the compiler from seeing that the SDK's futures are `Send`.
pub(crate) struct Source(pub(crate) Box<dyn AsyncRead + Send + Unpin>);

impl AsyncRead for Source {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, into)
    }
}

/// The streams of a server, whatever is behind them.
pub(crate) struct Streams {
    pub(crate) reader: Source,
    pub(crate) writer: Box<dyn AsyncWrite + Send + Unpin>,
}

/// We offer servers nothing: no sampling, no elicitation, no roots.
#[derive(Debug)]
struct Client;

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(
            ClientCapabilities::default(),
            Implementation::new("tipstaff", env!("CARGO_PKG_VERSION")),
        )
        .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }
}

/// A connection.
#[derive(Debug)]
pub(crate) struct Link {
    service: RunningService<RoleClient, Client>,
    closed: Cancel,
}

impl Link {
    /// Shakes hands in the era of `initialize`, which every server over stdio still speaks.
    pub(crate) async fn open(
        streams: Streams,
        line_limit: usize,
        start_limit: Duration,
        hooks: Hooks,
    ) -> Result<Self, OpenError> {
        let closed = hooks.closed.clone();
        let wire = Wire::new(streams.reader, streams.writer, line_limit, hooks);
        match tokio::time::timeout(start_limit, rmcp::serve_client(Client, wire)).await {
            Ok(Ok(service)) => Ok(Self { service, closed }),
            Ok(Err(
                ClientInitializeError::ConnectionClosed(_)
                | ClientInitializeError::TransportError { .. },
            )) => Err(OpenError::Ended),
            Ok(Err(error)) => Err(OpenError::Handshake(Box::new(error))),
            Err(_) => Err(OpenError::Silent(start_limit)),
        }
    }

    /// What the server tells models about itself.
    pub(crate) fn instructions(&self) -> Option<String> {
        self.service
            .peer_info()
            .and_then(|info| info.instructions.clone())
    }

    /// Given when the connection has ended.
    pub(crate) fn closed(&self) -> &Cancel {
        &self.closed
    }

    /// The whole listing, as received.
    pub(crate) async fn list(&self) -> Result<Vec<Value>, ListError> {
        let (mut tools, mut cursors) = (Vec::new(), Vec::<String>::new());
        for page in 1..=MAX_PAGES {
            let fail = |why: String| ListError::Page { page, why };
            let Some(mut result) = self.page(cursors.last()).await.map_err(fail)? else {
                return Ok(tools);
            };
            match result.remove("tools") {
                Some(Value::Array(entries)) => tools.extend(entries),
                Some(_) | None => return Err(fail("it holds no list of tools".to_owned())),
            }
            let next = match result.remove("nextCursor") {
                None | Some(Value::Null) => return Ok(tools),
                Some(Value::String(next)) if next.is_empty() => return Ok(tools),
                Some(Value::String(next)) => next,
                Some(_) => return Err(fail("its cursor is no text".to_owned())),
            };
            if cursors.contains(&next) || tools.len() > MAX_TOOLS {
                return Err(ListError::Endless);
            }
            cursors.push(next);
        }
        Err(ListError::Endless)
    }

    /// One page; `None` where the server has no tools at all.
    async fn page(&self, cursor: Option<&String>) -> Result<Option<Object>, String> {
        let slot = Slot::default();
        let params = PaginatedRequestParams::default().with_cursor(cursor.cloned());
        let mut request = ListToolsRequest::with_param(params);
        request.extensions.insert(slot.clone());
        let options = PeerRequestOptions::with_timeout(PAGE_LIMIT);
        let asked = self
            .service
            .send_request_with_option(ClientRequest::ListToolsRequest(request), options);
        let handle = asked.await.map_err(|error| error.to_string())?;
        match handle.await_response().await {
            Ok(_) => {}
            Err(ServiceError::McpError(error))
                if error.code == ErrorCode::METHOD_NOT_FOUND && cursor.is_none() =>
            {
                return Ok(None);
            }
            Err(error) => return Err(error.to_string()),
        }
        match slot.take() {
            Some(Answer::Whole(Value::Object(page))) => Ok(Some(page)),
            Some(Answer::Cut(_)) => Err("it is longer than messages may be".to_owned()),
            Some(Answer::Unreadable(why)) => Err(why),
            Some(Answer::Whole(_)) | None => Err("it is no object".to_owned()),
        }
    }

    /// Sends one call and waits for its answer, its deadline, or `cancel`.
    pub(crate) async fn call(&self, call: Outgoing, cancel: &Cancel) -> Result<Answer, CallError> {
        let (slot, judged) = (
            Slot::default(),
            Judged {
                tool: call.tool.clone(),
                params: call.params,
                ticket: Default::default(),
            },
        );
        let mut request = CallToolRequest::new(
            CallToolRequestParams::new(call.tool).with_arguments(call.arguments),
        );
        request.extensions.insert(slot.clone());
        request.extensions.insert(judged.clone());
        let mut pending = Pending {
            judged,
            handle: None,
        };
        let asked = self.service.send_request_with_option(
            ClientRequest::CallToolRequest(request),
            PeerRequestOptions::no_options(),
        );
        let answer = async {
            let handle = pending.handle.insert(asked.await?);
            (&mut handle.rx)
                .await
                .map_err(|_| ServiceError::TransportClosed)?
        };
        let answered = tokio::select! {
            biased;
            answered = answer => answered,
            () = cancel.cancelled() => return Err(pending.abandon("it was cancelled", CallError::NeverRan)),
            () = tokio::time::sleep_until(call.deadline) => {
                let why = "the server did not answer in time";
                return Err(pending.abandon(why, CallError::Unsent));
            }
        };
        pending.handle = None;
        match answered {
            Ok(result) => taken(&result, &slot),
            Err(error) => Err(pending.failed(&error)),
        }
    }

    /// Ends the connection: the server's standard input is closed.
    pub(crate) fn close(&self) {
        self.service.cancellation_token().cancel();
    }
}

fn taken(_stub: &ServerResult, slot: &Slot) -> Result<Answer, CallError> {
    match slot.take() {
        Some(Answer::Unreadable(why)) => Err(CallError::Uncertain(format!(
            "the answer cannot be read: {why}"
        ))),
        Some(answer) => Ok(answer),
        None => Err(CallError::Uncertain("the answer was lost".to_owned())),
    }
}

/// A call that was handed over. Dropping it tells the server that nobody waits any more.
struct Pending {
    judged: Judged,
    handle: Option<RequestHandle<RoleClient>>,
}

impl Pending {
    /// `unsent` says what it is when nothing has left yet.
    fn abandon(mut self, why: &str, unsent: fn(String) -> CallError) -> CallError {
        let taken_back = self.judged.ticket.withdraw();
        self.tell_server(why);
        if taken_back {
            unsent(format!("{why}, before it was sent"))
        } else {
            CallError::Uncertain(why.to_owned())
        }
    }

    fn failed(self, error: &ServiceError) -> CallError {
        let unsent = self.judged.ticket.withdraw();
        if let ServiceError::McpError(error) = error {
            return said(error);
        }
        let why = if let ServiceError::TransportSend(error) = error {
            match error.error.downcast_ref::<SendError>() {
                // Ours, not the server's: it is not what was judged.
                Some(error @ SendError::Refused(_)) if unsent => {
                    return CallError::NeverRan(error.to_string());
                }
                Some(error) => error.to_string(),
                None => "it could not be sent".to_owned(),
            }
        } else if let ServiceError::TransportClosed = error {
            "the connection to the server was lost".to_owned()
        } else {
            error.to_string()
        };
        if unsent {
            CallError::Unsent(why)
        } else {
            CallError::Uncertain(why)
        }
    }

    fn tell_server(&mut self, why: &str) {
        let Some(handle) = self.handle.take() else {
            return;
        };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let why = why.to_owned();
        runtime.spawn(async move {
            let _best_effort = tokio::time::timeout(CANCEL_LIMIT, handle.cancel(Some(why))).await;
        });
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.judged.ticket.withdraw();
        self.tell_server("the caller is gone");
    }
}

/// Method-not-found and invalid params prove that nothing ran; any other error says that it failed.
fn said(error: &rmcp::ErrorData) -> CallError {
    let why = format!("the server says: {} ({})", error.message, error.code.0);
    match error.code {
        ErrorCode::METHOD_NOT_FOUND | ErrorCode::INVALID_PARAMS => CallError::NeverRan(why),
        _ => CallError::Failed(why),
    }
}
