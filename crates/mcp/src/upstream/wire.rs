//! The line protocol of a mounted server, below the SDK.
//!
//! The SDK's types drop what they do not know, and its own transport does not bound, count or check
//! enough. So the answers to calls and listings are taken here as they came, what is no message is
//! skipped, and no `tools/call` leaves whose arguments are not the ones that were judged.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{
    ClientNotification, ClientRequest, EmptyResult, ErrorCode, ErrorData, JsonRpcMessage,
    RequestId, ServerResult,
};
use rmcp::service::{RoleClient, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tipstaff_gate::Cancel;
use tipstaff_schema::{Digest, Domain, ServerName, parse_strict};
use tokio::io::{AsyncRead, AsyncWrite};

use super::{cut, noise::Noise};
use crate::line::{Line, LineReader};
use crate::message::{self, Kind, Object};
use crate::outbox::{Frame, Outbox, SendError, Ticket};
use crate::skim::{Skim, Skimmer};

/// Requests of the server that may be open at once; further ones are skipped.
const MAX_INBOUND: usize = 64;
const CLOSE_LIMIT: Duration = Duration::from_secs(2);

/// An answer as it came.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    /// The result.
    Whole(Value),
    /// The head of a result that was too long, with a note in it.
    Cut(Value),
    /// The server answered with what cannot be read.
    Unreadable(String),
}

/// Where the answer to one request is put, past the SDK.
#[derive(Debug, Clone, Default)]
pub(crate) struct Slot(Arc<Mutex<Option<Answer>>>);

impl Slot {
    pub(crate) fn take(&self) -> Option<Answer> {
        lock(&self.0).take()
    }

    fn put(&self, answer: Answer) {
        *lock(&self.0) = Some(answer);
    }
}

/// What a `tools/call` must be to leave; a call without it never does.
#[derive(Debug, Clone)]
pub(crate) struct Judged {
    /// The tool's own name.
    pub(crate) tool: String,
    /// The digest of the arguments that the warrant names.
    pub(crate) params: Digest,
    /// Tells whether it was written.
    pub(crate) ticket: Ticket,
}

/// Called the moment a notice of a changed listing is read, before anything that follows it.
pub(crate) type Changed = Arc<dyn Fn() + Send + Sync>;

/// What a connection tells of itself.
#[derive(Clone)]
pub(crate) struct Hooks {
    pub(crate) server: ServerName,
    pub(crate) noise: Arc<Noise>,
    pub(crate) changed: Changed,
    /// Given when the connection has ended.
    pub(crate) closed: Cancel,
}

#[derive(Debug, Default)]
struct Open {
    /// Our requests that wait for an answer; those with a slot are answered past the SDK.
    ours: HashMap<RequestId, Option<Slot>>,
    /// The server's requests that we have not answered.
    theirs: HashSet<RequestId>,
}

/// The transport.
pub(crate) struct Wire<R> {
    lines: LineReader<R>,
    outbox: Outbox,
    open: Arc<Mutex<Open>>,
    hooks: Hooks,
}

impl<R: AsyncRead + Send + Unpin> Wire<R> {
    pub(crate) fn new(
        reader: R,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        limit: usize,
        hooks: Hooks,
    ) -> Self {
        let lines = LineReader::new(reader, limit);
        Self {
            lines,
            outbox: Outbox::new(writer),
            open: Arc::default(),
            hooks,
        }
    }

    async fn next(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            match self.lines.next().await {
                Ok(Some(line)) => {
                    if let Some(message) = self.read(line) {
                        return Some(message);
                    }
                }
                Ok(None) => return None,
                Err(error) => {
                    tracing::warn!(server = %self.hooks.server, %error, "reading from the server failed");
                    return None;
                }
            }
        }
    }

    fn read(&self, line: Line) -> Option<RxJsonRpcMessage<RoleClient>> {
        match line {
            Line::Over { head, size, skim } => self.read_over(&head, size, &skim),
            Line::Whole(bytes) if bytes.iter().all(u8::is_ascii_whitespace) => {
                self.skip("an empty line", &bytes)
            }
            Line::Whole(bytes) => match parse_strict(&bytes) {
                Ok(Value::Object(object)) => self.read_object(object, &bytes),
                Ok(_) => self.skip("no object", &bytes),
                Err(error) => self.read_broken(&bytes, &error.to_string()),
            },
        }
    }

    fn read_object(
        &self,
        mut object: Object,
        bytes: &[u8],
    ) -> Option<RxJsonRpcMessage<RoleClient>> {
        match message::kind(&object) {
            None => self.skip("no JSON-RPC message", bytes),
            Some(Kind::Notification) => {
                if message::method(&object) == "notifications/tools/list_changed" {
                    (self.hooks.changed)();
                }
                None
            }
            Some(Kind::Request) => self.read_request(object, bytes),
            Some(Kind::Response | Kind::Error) => {
                let id = object.get("id").and_then(our_id);
                let Some((id, slot)) = id.and_then(|id| self.take_open(id)) else {
                    return self.skip("the answer to no open request", bytes);
                };
                match (slot, object.remove("result"), object.remove("error")) {
                    (Some(slot), Some(result), _) => Some(answer(id, &slot, Answer::Whole(result))),
                    (None, Some(result), _) => Some(typed_result(id, result)),
                    (_, None, error) => Some(JsonRpcMessage::error(
                        protocol_error(error.as_ref()),
                        Some(id),
                    )),
                }
            }
        }
    }

    fn read_request(&self, object: Object, bytes: &[u8]) -> Option<RxJsonRpcMessage<RoleClient>> {
        let Ok(message) =
            serde_json::from_value::<RxJsonRpcMessage<RoleClient>>(Value::Object(object))
        else {
            return self.skip("a malformed request", bytes);
        };
        if let JsonRpcMessage::Request(request) = &message {
            let mut open = lock(&self.open);
            if open.theirs.len() >= MAX_INBOUND || !open.theirs.insert(request.id.clone()) {
                drop(open);
                return self.skip("too many open requests", bytes);
            }
        }
        Some(message)
    }

    /// A line that is no JSON. Where it is still plain which request it answers, that one is ended.
    fn read_broken(&self, bytes: &[u8], why: &str) -> Option<RxJsonRpcMessage<RoleClient>> {
        let skim = Skimmer::read(bytes);
        match self.answered(&skim) {
            Some((id, Some(slot))) => Some(answer(id, &slot, Answer::Unreadable(why.to_owned()))),
            Some((id, None)) => Some(JsonRpcMessage::error(
                ErrorData::parse_error(why.to_owned(), None),
                Some(id),
            )),
            None => self.skip(why, bytes),
        }
    }

    fn read_over(
        &self,
        head: &[u8],
        size: u64,
        skim: &Skim,
    ) -> Option<RxJsonRpcMessage<RoleClient>> {
        let Some((id, slot)) = self.answered(skim) else {
            return self.skip("a line over the limit", head);
        };
        match slot {
            Some(slot) if skim.has_result => Some(answer(
                id,
                &slot,
                Answer::Cut(cut::result(head, size, skim)),
            )),
            Some(_) | None => {
                let (code, message) = cut::error(head, size, skim);
                Some(JsonRpcMessage::error(error_data(code, message), Some(id)))
            }
        }
    }

    fn answered(&self, skim: &Skim) -> Option<(RequestId, Option<Slot>)> {
        if skim.has_method || skim.has_result == skim.has_error {
            return None;
        }
        let id: Value = serde_json::from_slice(skim.id.as_deref()?).ok()?;
        self.take_open(our_id(&id)?)
    }

    fn take_open(&self, id: RequestId) -> Option<(RequestId, Option<Slot>)> {
        let slot = lock(&self.open).ours.remove(&id)?;
        Some((id, slot))
    }

    fn skip<T>(&self, why: &str, line: &[u8]) -> Option<T> {
        self.hooks.noise.skip(&self.hooks.server, why, line);
        None
    }

    fn frame(&self, item: &TxJsonRpcMessage<RoleClient>) -> Result<Frame, SendError> {
        let bytes =
            serde_json::to_vec(item).map_err(|error| SendError::Refused(error.to_string()))?;
        let mut ticket = None;
        let mut open = lock(&self.open);
        match item {
            JsonRpcMessage::Request(sent) => {
                let (judged, slot) = may_leave(&bytes, &sent.request)?;
                ticket = judged;
                open.ours.insert(sent.id.clone(), slot);
            }
            JsonRpcMessage::Notification(sent) => {
                if let ClientNotification::CancelledNotification(cancelled) = &sent.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    open.ours.remove(id);
                }
            }
            JsonRpcMessage::Response(sent) => {
                open.theirs.remove(&sent.id);
            }
            JsonRpcMessage::Error(sent) => {
                if let Some(id) = &sent.id {
                    open.theirs.remove(id);
                }
            }
        }
        Ok(Frame::new(bytes).with_ticket(ticket))
    }
}

impl<R: AsyncRead + Send + Unpin + 'static> Transport<RoleClient> for Wire<R> {
    type Error = SendError;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), SendError>> + Send + 'static {
        let sent = self.frame(&item).map(|frame| self.outbox.send(frame));
        async move { sent?.await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.next().await
    }

    async fn close(&mut self) -> Result<(), SendError> {
        self.outbox.close(CLOSE_LIMIT).await;
        Ok(())
    }
}

impl<R> Drop for Wire<R> {
    fn drop(&mut self) {
        self.hooks.closed.cancel();
    }
}

/// The handshake, listings, and calls that were judged: nothing else is ever asked of a server.
fn may_leave(
    frame: &[u8],
    request: &ClientRequest,
) -> Result<(Option<Ticket>, Option<Slot>), SendError> {
    if let ClientRequest::CallToolRequest(call) = request {
        let ticket = check_call(frame, call.extensions.get())?;
        Ok((Some(ticket), call.extensions.get().cloned()))
    } else if let ClientRequest::ListToolsRequest(list) = request {
        Ok((None, list.extensions.get().cloned()))
    } else if let ClientRequest::InitializeRequest(_) = request {
        Ok((None, None))
    } else {
        Err(SendError::Refused(format!(
            "`{}` is nothing that we ask of servers",
            request.method()
        )))
    }
}

/// I1: what is compared is the frame as it will be written, read again as the server will read it.
fn check_call(frame: &[u8], judged: Option<&Judged>) -> Result<Ticket, SendError> {
    let refuse = |why: String| SendError::Refused(why);
    let judged = judged.ok_or_else(|| refuse("no call leaves without a warrant".to_owned()))?;
    let frame = parse_strict(frame).map_err(|error| refuse(error.to_string()))?;
    if frame.pointer("/params/name").and_then(Value::as_str) != Some(&judged.tool) {
        return Err(refuse("it names another tool than the warrant".to_owned()));
    }
    let arguments = frame
        .pointer("/params/arguments")
        .ok_or_else(|| refuse("it has no arguments".to_owned()))?;
    let digest =
        Digest::of(Domain::Params, arguments).map_err(|error| refuse(error.to_string()))?;
    if digest != judged.params {
        return Err(refuse(
            "its arguments are not the ones that the warrant names".to_owned(),
        ));
    }
    Ok(judged.ticket.clone())
}

/// The SDK numbers our requests with small integers; any other id is none of ours.
fn our_id(id: &Value) -> Option<RequestId> {
    id.as_i64().map(RequestId::Number)
}

fn answer(id: RequestId, slot: &Slot, answer: Answer) -> RxJsonRpcMessage<RoleClient> {
    slot.put(answer);
    JsonRpcMessage::response(ServerResult::EmptyResult(EmptyResult {}), id)
}

fn typed_result(id: RequestId, result: Value) -> RxJsonRpcMessage<RoleClient> {
    match serde_json::from_value(result) {
        Ok(result) => JsonRpcMessage::response(result, id),
        Err(error) => {
            JsonRpcMessage::error(ErrorData::parse_error(error.to_string(), None), Some(id))
        }
    }
}

fn protocol_error(error: Option<&Value>) -> ErrorData {
    let part = |key| error.and_then(|error| error.get(key));
    let code = part("code").and_then(Value::as_i64).unwrap_or(-32603);
    let message = part("message")
        .and_then(Value::as_str)
        .unwrap_or("an error without a message");
    error_data(code, message.chars().take(super::MAX_WHY_CHARS).collect())
}

fn error_data(code: i64, message: String) -> ErrorData {
    ErrorData::new(
        ErrorCode(i32::try_from(code).unwrap_or(-32603)),
        message,
        None,
    )
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
