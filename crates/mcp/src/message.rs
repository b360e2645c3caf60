//! What kind of message a JSON value is. Stricter than the SDK: what is not plainly one kind is none.

use serde_json::{Map, Value};

/// A JSON object, as messages and arguments are.
pub(crate) type Object = Map<String, Value>;

/// The kinds of message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Wants an answer.
    Request,
    /// Wants none.
    Notification,
    /// Answers with a result.
    Response,
    /// Answers with an error.
    Error,
}

/// The kind of message that an object is; none when it is no JSON-RPC 2.0 message.
pub(crate) fn kind(object: &Object) -> Option<Kind> {
    if object.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return None;
    }
    let method = object.get("method").map(Value::is_string);
    let has = |key: &str| object.contains_key(key);
    match (method, has("id"), has("result"), has("error")) {
        (Some(true), true, false, false) => Some(Kind::Request),
        (Some(true), false, false, false) => Some(Kind::Notification),
        (None, true, true, false) => Some(Kind::Response),
        (None, true, false, true) => Some(Kind::Error),
        (Some(_) | None, _, _, _) => None,
    }
}

/// The method of a request or notification.
pub(crate) fn method(object: &Object) -> &str {
    object
        .get("method")
        .and_then(Value::as_str)
        .unwrap_or_default()
}
