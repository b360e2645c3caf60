//! The gate's own events: what it writes of a call, and how it reads that back.
//!
//! Typed here; the journal knows only the envelope. Values over the cap are replaced by their
//! digest and length, so that one huge argument cannot fill the log.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tipstaff_journal::{Draft, Kind, Stream, StreamKind, cap_value};
use tipstaff_schema::{AgentId, Digest};
use uuid::Uuid;

use crate::facts::Facts;
use crate::{Session, Verdict};
use tipstaff_schema::one_form;

one_form!(WarrantIssued);

/// The most bytes of arguments or of an answer that one event holds whole.
pub(crate) const MAX_RECORDED_BYTES: usize = 256 * 1024;

/// Collects the events of one call until they are appended together.
#[derive(Debug)]
pub(crate) struct Trace {
    pub(crate) call_id: Uuid,
    pub(crate) correlation: Uuid,
    pub(crate) causation: Option<Uuid>,
    pub(crate) agent: AgentId,
    pub(crate) actor: String,
    pub(crate) observed: bool,
    /// Not yet appended.
    pub(crate) drafts: Vec<Draft>,
}

impl Trace {
    /// The stream of the call.
    pub(crate) fn stream(&self) -> Stream {
        Stream::of(StreamKind::Call, self.call_id)
    }

    /// Adds an event of the call itself.
    pub(crate) fn push(&mut self, id: Uuid, ts: DateTime<Utc>, kind: Kind, data: Value) {
        let stream = self.stream();
        self.push_to(stream, id, ts, kind, data);
    }

    /// Adds an event of another stream that belongs to this call.
    pub(crate) fn push_to(
        &mut self,
        stream: Stream,
        id: Uuid,
        ts: DateTime<Utc>,
        kind: Kind,
        mut data: Value,
    ) {
        if let (true, Some(object)) = (self.observed, data.as_object_mut()) {
            object.insert("observed".to_owned(), Value::Bool(true));
        }
        self.drafts.push(Draft {
            id,
            ts,
            stream,
            kind,
            correlation: Some(self.correlation),
            causation: self.causation,
            actor: self.actor.clone(),
            data,
        });
    }
}

/// The data of `call.received`.
pub(crate) fn received(session: &Session, tool: &str, params: &Value, extra: Value) -> Value {
    let mut data = json!({
        "agent": session.agent,
        "authentication": session.authentication.as_str(),
        "session": session.key,
        "tool": tool,
        "params": recorded(params),
    });
    if let (Some(object), Value::Object(extra)) = (data.as_object_mut(), extra) {
        object.extend(extra);
    }
    data
}

/// A value as the journal keeps it: whole, or its digest and length; `null` where it has no canonical form.
pub(crate) fn recorded(value: &Value) -> Value {
    cap_value(value, MAX_RECORDED_BYTES).unwrap_or(Value::Null)
}

/// The data of `policy.decided`: the verdict, and what it rests on beside the arguments.
pub(crate) fn decided(verdict: &Verdict, facts: &Facts) -> Value {
    let mut data = serde_json::to_value(verdict).unwrap_or(Value::Null);
    if let (Some(object), Some(digest)) = (data.as_object_mut(), verdict.policy_digest) {
        object.insert(
            "policy_digest".to_owned(),
            Value::String(digest.to_string()),
        );
    }
    if let (Some(object), Ok(facts)) = (data.as_object_mut(), serde_json::to_value(facts)) {
        object.insert("facts".to_owned(), recorded(&facts));
    }
    data
}

/// The data of `warrant.issued`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub(crate) struct WarrantIssued {
    pub(crate) agent: AgentId,
    pub(crate) request: Digest,
    pub(crate) params_digest: Digest,
    pub(crate) tool_id: String,
    pub(crate) pin: Digest,
    pub(crate) deadline: DateTime<Utc>,
    pub(crate) instance: String,
    pub(crate) idempotent: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) approval_id: Option<Uuid>,
}
