//! The wire form of an event, and its strict reading.
//!
//! Every value has exactly one accepted spelling: a time to the microsecond with `Z`, a UUID in
//! lower case with hyphens. What could be written in two ways could be edited without a trace.

use chrono::{DateTime, NaiveDateTime, Utc};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use tipstaff_schema::Digest;
use uuid::Uuid;

use crate::{Event, Kind, Stream};
use tipstaff_schema::one_form;

one_form!(EventWire);

/// The form of times in events.
const TIME: &str = "%Y-%m-%dT%H:%M:%S%.6fZ";

/// An event as it is written.
#[derive(Debug, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub(crate) struct EventWire {
    actor: String,
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    causation: Option<String>,
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    correlation: Option<String>,
    data: Value,
    hash: Digest,
    id: String,
    kind: Kind,
    prev: Digest,
    seq: u64,
    stream: Stream,
    ts: String,
    v: u32,
    version: u64,
}

/// What is not there is left out: `null` would be a second spelling.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    String::deserialize(from).map(Some)
}

/// A field whose spelling is not the one that we write.
#[derive(Debug, thiserror::Error)]
#[error("`{field}` holds `{}`, which is not in the form that events are written in", text.escape_default())]
pub(crate) struct FieldError {
    field: &'static str,
    text: String,
}

/// The time as it is written in events.
pub(crate) fn time_text(at: DateTime<Utc>) -> String {
    at.format(TIME).to_string()
}

/// The time cut to the microsecond; `None` outside the years that have four digits.
pub(crate) fn whole_micros(at: DateTime<Utc>) -> Option<DateTime<Utc>> {
    time(&time_text(at))
}

fn time(text: &str) -> Option<DateTime<Utc>> {
    let at = NaiveDateTime::parse_from_str(text, TIME).ok()?.and_utc();
    (text.len() == "YYYY-MM-DDThh:mm:ss.ffffffZ".len() && time_text(at) == text).then_some(at)
}

fn uuid(text: &str) -> Option<Uuid> {
    let id = Uuid::try_parse(text).ok()?;
    (id.to_string() == text).then_some(id)
}

fn field<T>(
    field: &'static str,
    text: String,
    read: fn(&str) -> Option<T>,
) -> Result<T, FieldError> {
    read(&text).ok_or(FieldError { field, text })
}

impl TryFrom<EventWire> for Event {
    type Error = FieldError;
    fn try_from(wire: EventWire) -> Result<Self, FieldError> {
        Ok(Self {
            v: wire.v,
            seq: wire.seq,
            id: field("id", wire.id, uuid)?,
            ts: field("ts", wire.ts, time)?,
            stream: wire.stream,
            version: wire.version,
            kind: wire.kind,
            correlation: wire
                .correlation
                .map(|text| field("correlation", text, uuid))
                .transpose()?,
            causation: wire
                .causation
                .map(|text| field("causation", text, uuid))
                .transpose()?,
            actor: wire.actor,
            data: wire.data,
            prev: wire.prev,
            hash: wire.hash,
        })
    }
}

impl From<Event> for EventWire {
    fn from(event: Event) -> Self {
        Self {
            actor: event.actor,
            causation: event.causation.map(|id| id.to_string()),
            correlation: event.correlation.map(|id| id.to_string()),
            data: event.data,
            hash: event.hash,
            id: event.id.to_string(),
            kind: event.kind,
            prev: event.prev,
            seq: event.seq,
            stream: event.stream,
            ts: time_text(event.ts),
            v: event.v,
            version: event.version,
        }
    }
}
