//! The line protocol towards a client, below the SDK.
//!
//! A line is read by the strict reader, so that two equal keys never reach a judge; what is no
//! message is answered where an id can be told and skipped where not; ids go back as they came.
//! Nothing but messages is ever written.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{
    ClientRequest, CustomRequest, ErrorCode, JsonRpcMessage, RequestId, RequestMetaObject,
};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tipstaff_schema::parse_strict;
use tipstaff_schema::sanitization::sanitize_for_display;
use tokio::io::{AsyncRead, AsyncWrite};

use super::ids::Ids;
use crate::line::{Line, LineReader};
use crate::message::{self, Kind, Object};
use crate::outbox::{Frame, Outbox, SendError};
use crate::skim::Skimmer;

/// A longer message of a client is refused.
const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;
const CLOSE_LIMIT: Duration = Duration::from_secs(2);
const PROTOCOL_VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const PARSE_ERROR: i32 = ErrorCode::PARSE_ERROR.0;
const INVALID_REQUEST: i32 = ErrorCode::INVALID_REQUEST.0;
const INVALID_PARAMS: i32 = ErrorCode::INVALID_PARAMS.0;

/// The requests that we answer ourselves, past the SDK's types.
pub(super) const LIST_TOOLS: &str = "tools/list";
pub(super) const CALL_TOOL: &str = "tools/call";

/// What came of one line.
enum Read {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    Refused { id: Vec<u8>, code: i32, why: String },
    Nothing,
}

/// The transport.
pub(crate) struct Wire<R> {
    lines: LineReader<R>,
    outbox: Outbox,
    ids: Arc<Mutex<Ids>>,
    /// Refusals that wait for room in the outbox.
    refusals: Vec<Vec<u8>>,
    /// Whether the client has opened the protocol; before that the SDK bears nothing but requests.
    opened: bool,
}

impl<R: AsyncRead + Send + Unpin> Wire<R> {
    pub(crate) fn new(reader: R, writer: impl AsyncWrite + Send + Unpin + 'static) -> Self {
        Self {
            lines: LineReader::new(reader, MAX_MESSAGE_BYTES),
            outbox: Outbox::new(writer),
            ids: Arc::default(),
            refusals: Vec::new(),
            opened: false,
        }
    }

    fn read(&mut self, line: Line) -> Read {
        let bytes = match line {
            Line::Whole(bytes) => bytes,
            Line::Over { size, skim, .. } => {
                let why = format!("the message has {size} bytes, more than {MAX_MESSAGE_BYTES}");
                return if skim.has_method {
                    refused(skim.id, INVALID_REQUEST, why)
                } else {
                    skipped(&why)
                };
            }
        };
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Read::Nothing;
        }
        match parse_strict(&bytes) {
            Ok(Value::Object(object)) => self.read_object(object, &bytes),
            Ok(_) => skipped("a message is one object; batches are not served"),
            Err(error) => {
                // What a lax reader would still take is JSON with something in it that we refuse.
                let is_json = serde_json::from_slice::<Value>(&bytes).is_ok();
                let code = if is_json {
                    INVALID_REQUEST
                } else {
                    PARSE_ERROR
                };
                refused(Skimmer::read(&bytes).id, code, error.to_string())
            }
        }
    }

    fn read_object(&mut self, object: Object, bytes: &[u8]) -> Read {
        match message::kind(&object) {
            None => refused(
                Skimmer::read(bytes).id,
                INVALID_REQUEST,
                "it is no JSON-RPC 2.0 message".to_owned(),
            ),
            Some(Kind::Request) => self.read_request(object, bytes),
            Some(Kind::Notification) if self.opened => self.read_notification(object),
            Some(Kind::Response | Kind::Error) if self.opened => typed(object),
            Some(Kind::Notification | Kind::Response | Kind::Error) => {
                skipped("nothing was asked and nothing opened")
            }
        }
    }

    fn read_request(&mut self, mut object: Object, bytes: &[u8]) -> Read {
        let Some(raw) = Skimmer::read(bytes).id else {
            return skipped("a request without an id that can be told");
        };
        let value = object.get("id").cloned().unwrap_or_default();
        let (ours, cancel) = match self.ids().open(raw.clone(), value) {
            Ok(opened) => opened,
            Err(why) => return refused(Some(raw), INVALID_REQUEST, why),
        };
        let method = message::method(&object).to_owned();
        self.opened |= opens(&method, &object);
        let request = if method == LIST_TOOLS || method == CALL_TOOL {
            untyped(method, object.remove("params"))
        } else {
            object.insert("id".to_owned(), json!(ours));
            match serde_json::from_value::<RxJsonRpcMessage<RoleServer>>(Value::Object(object)) {
                Ok(JsonRpcMessage::Request(request)) => Ok(request.request),
                Ok(_) => Err("it is no request".to_owned()),
                Err(error) => Err(error.to_string()),
            }
        };
        match request {
            Ok(mut request) => {
                rmcp::model::GetExtensions::extensions_mut(&mut request).insert(cancel);
                Read::Message(Box::new(JsonRpcMessage::request(
                    request,
                    RequestId::Number(ours),
                )))
            }
            Err(why) => {
                self.ids().close(ours);
                refused(Some(raw), INVALID_PARAMS, why)
            }
        }
    }

    fn read_notification(&self, mut object: Object) -> Read {
        if message::method(&object) == "notifications/cancelled" {
            let params = object.get_mut("params").and_then(Value::as_object_mut);
            let Some(id) = params.and_then(|params| params.get_mut("requestId")) else {
                return Read::Nothing;
            };
            let Some(ours) = self.ids().cancel(id) else {
                return Read::Nothing;
            };
            *id = json!(ours);
        }
        typed(object)
    }

    fn ids(&self) -> MutexGuard<'_, Ids> {
        lock(&self.ids)
    }

    /// The bytes of an answer under the client's id; `None` for one that nobody waits for.
    fn frame(
        &self,
        item: &TxJsonRpcMessage<RoleServer>,
    ) -> Result<Option<Vec<u8>>, serde_json::Error> {
        let (id, key, body) = match item {
            JsonRpcMessage::Response(sent) => {
                (Some(&sent.id), "result", serde_json::to_vec(&sent.result)?)
            }
            JsonRpcMessage::Error(sent) => {
                (sent.id.as_ref(), "error", serde_json::to_vec(&sent.error)?)
            }
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => {
                return serde_json::to_vec(item).map(Some);
            }
        };
        let raw = match id {
            Some(RequestId::Number(ours)) => self.ids().close(*ours),
            Some(RequestId::String(_)) | None => None,
        };
        Ok(raw.map(|raw| envelope(&raw, key, &body)))
    }
}

impl<R: AsyncRead + Send + Unpin + 'static> Transport<RoleServer> for Wire<R> {
    type Error = SendError;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), SendError>> + Send + 'static {
        let sent = match self.frame(&item) {
            Ok(bytes) => Ok(bytes.map(|bytes| self.outbox.send(Frame::new(bytes)))),
            Err(error) => Err(SendError::Refused(error.to_string())),
        };
        async move {
            match sent? {
                Some(sent) => sent.await,
                None => Ok(()),
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            while !self.refusals.is_empty() {
                // Waiting for room may be given up and taken up again without losing any.
                let queue = self.outbox.queue()?;
                let room = queue.reserve().await.ok()?;
                if let Some(refusal) = self.refusals.pop() {
                    room.send(Frame::new(refusal));
                }
            }
            let line = match self.lines.next().await {
                Ok(line) => line?,
                Err(error) => {
                    tracing::warn!(%error, "reading from the client failed");
                    return None;
                }
            };
            match self.read(line) {
                Read::Message(message) => return Some(*message),
                Read::Refused { id, code, why } => {
                    let error =
                        json!({ "code": code, "message": sanitize_for_display(&why) }).to_string();
                    self.refusals.push(envelope(&id, "error", error.as_bytes()));
                }
                Read::Nothing => {}
            }
        }
    }

    async fn close(&mut self) -> Result<(), SendError> {
        self.outbox.close(CLOSE_LIMIT).await;
        Ok(())
    }
}

fn envelope(id: &[u8], key: &str, body: &[u8]) -> Vec<u8> {
    [
        b"{\"jsonrpc\":\"2.0\",\"id\":",
        id,
        b",\"",
        key.as_bytes(),
        b"\":",
        body,
        b"}",
    ]
    .concat()
}

fn refused(id: Option<Vec<u8>>, code: i32, why: String) -> Read {
    // A scalar that is no id (null, a fraction) is echoed all the same: that is what the client sent.
    match id {
        Some(id) if serde_json::from_slice::<Value>(&id).is_ok() => Read::Refused { id, code, why },
        Some(_) | None => skipped(&why),
    }
}

fn skipped(why: &str) -> Read {
    tracing::debug!(
        why = sanitize_for_display(why),
        "skipped a line of the client that is no message"
    );
    Read::Nothing
}

fn typed(object: Object) -> Read {
    match serde_json::from_value(Value::Object(object)) {
        Ok(message) => Read::Message(Box::new(message)),
        Err(error) => skipped(&error.to_string()),
    }
}

/// A request whose arguments reach us as the strict reader gave them.
fn untyped(method: String, params: Option<Value>) -> Result<ClientRequest, String> {
    let mut params = match params {
        Some(Value::Object(params)) => params,
        None => Object::new(),
        Some(_) => return Err("`params` is an object".to_owned()),
    };
    let meta = match params.remove("_meta") {
        Some(meta) => serde_json::from_value::<RequestMetaObject>(meta)
            .map_err(|_| "`_meta` is an object".to_owned())?,
        None => RequestMetaObject::default(),
    };
    let mut request = CustomRequest::new(method, Some(Value::Object(params)));
    request.extensions.insert(meta);
    Ok(ClientRequest::CustomRequest(request))
}

/// Whether the request opens the protocol: `initialize`, or the newer era's first real request.
fn opens(method: &str, object: &Object) -> bool {
    let inline = object
        .get("params")
        .and_then(|params| params.get("_meta"))
        .and_then(|m| m.get(PROTOCOL_VERSION_KEY));
    method == "initialize" || (inline.is_some() && method != "server/discover" && method != "ping")
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
