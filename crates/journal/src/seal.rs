//! Sealing: the one place that numbers, chains and hashes events.
//!
//! The canonical text of an event is put together from parts in their canonical order, with one
//! canonical pass over the data, which can run before any lock is held ([`CheckedDraft`]). Storage
//! is not known here: a journal says at which version its streams are.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::{Value, json};
use tipstaff_schema::{Digest, Domain, canonical};

use crate::cap::{MAX_DATA_BYTES, MAX_DEPTH, depth_within};
use crate::wire::time_text;
use crate::{
    AppendError, Draft, DraftError, EVENT_VERSION, Event, Head, OpenedBy, Stream, StreamKind, kinds,
};

/// A draft that keeps every rule, with its data in canonical form.
#[derive(Debug, Clone)]
pub struct CheckedDraft {
    draft: Draft,
    data: String,
}

/// An event with its canonical text, `hash` included; UTF-8 on one line.
#[derive(Debug, Clone, PartialEq)]
pub struct Sealed {
    /// The event.
    pub event: Event,
    /// What to store; [`from_line`](crate::from_line) reads it.
    pub text: String,
}

impl CheckedDraft {
    /// Checks a caller's draft.
    ///
    /// # Errors
    /// [`DraftError`] with the rule that it breaks.
    pub fn new(draft: Draft) -> Result<Self, DraftError> {
        if draft.kind == kinds::JOURNAL_OPENED {
            return Err(DraftError::Reserved);
        }
        Self::check(draft)
    }

    fn check(mut draft: Draft) -> Result<Self, DraftError> {
        if draft.actor.is_empty() || draft.actor.len() > 256 {
            return Err(DraftError::Actor {
                bytes: draft.actor.len(),
            });
        }
        draft.ts = crate::wire::whole_micros(draft.ts).ok_or(DraftError::Time)?;
        if !depth_within(&draft.data, MAX_DEPTH) {
            return Err(DraftError::TooDeep { max: MAX_DEPTH });
        }
        let not_canonical = |why: String| DraftError::NotCanonical { why };
        let data = canonical(&draft.data).map_err(|err| not_canonical(err.to_string()))?;
        if data.len() > MAX_DATA_BYTES {
            return Err(DraftError::TooLarge {
                bytes: data.len(),
                max: MAX_DATA_BYTES,
            });
        }
        if has_float(&draft.data) {
            // `1.0` is written as `1`: the event must hold what its readers will read.
            draft.data =
                serde_json::from_str(&data).map_err(|err| not_canonical(err.to_string()))?;
        }
        Ok(Self { draft, data })
    }

    /// The draft, its time cut to the microsecond.
    #[must_use]
    pub fn draft(&self) -> &Draft {
        &self.draft
    }

    fn seal(self, seq: u64, version: u64, prev: Digest) -> Sealed {
        let Draft {
            id,
            ts,
            stream,
            kind,
            correlation,
            causation,
            actor,
            data,
        } = self.draft;
        // The hash comes last; until then the field holds the one before.
        let (v, hash) = (EVENT_VERSION, prev);
        let mut event = Event {
            v,
            seq,
            id,
            ts,
            stream,
            version,
            kind,
            correlation,
            causation,
            actor,
            data,
            prev,
            hash,
        };
        let (mut text, cut) = unhashed(&event, &self.data);
        event.hash = Digest::of_canonical(Domain::Event, text.as_bytes());
        text.insert_str(cut, &format!("\"hash\":\"{}\",", event.hash));
        Sealed { event, text }
    }
}

fn has_float(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_f64(),
        Value::Array(items) => items.iter().any(has_float),
        Value::Object(map) => map.values().any(has_float),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

/// The canonical text of everything but the hash, and the place where the hash would stand.
fn unhashed(event: &Event, data: &str) -> (String, usize) {
    // INVARIANT: keys in canonical order; a test compares with the canonical writer.
    let mut text = String::with_capacity(data.len() + 640);
    let _ = write!(text, "{{\"actor\":{}", Value::from(event.actor.as_str()));
    if let Some(id) = event.causation {
        let _ = write!(text, ",\"causation\":\"{id}\"");
    }
    if let Some(id) = event.correlation {
        let _ = write!(text, ",\"correlation\":\"{id}\"");
    }
    let _ = write!(text, ",\"data\":{data},");
    let cut = text.len();
    let (stream, ts) = (Value::from(event.stream.to_string()), time_text(event.ts));
    let Event {
        v,
        seq,
        id,
        version,
        kind,
        prev,
        ..
    } = event;
    let _ = write!(
        text,
        "\"id\":\"{id}\",\"kind\":\"{kind}\",\"prev\":\"{prev}\",\"seq\":{seq},\"stream\":{stream},"
    );
    let _ = write!(text, "\"ts\":\"{ts}\",\"v\":{v},\"version\":{version}}}");
    (text, cut)
}

/// The canonical text of an event as it stands, with the hash it claims, and the hash it should have.
/// `None` when its data has no canonical form.
pub(crate) fn render(event: &Event) -> Option<(String, Digest)> {
    let (mut text, cut) = unhashed(event, &canonical(&event.data).ok()?);
    let hash = Digest::of_canonical(Domain::Event, text.as_bytes());
    text.insert_str(cut, &format!("\"hash\":\"{}\",", event.hash));
    Some((text, hash))
}

/// What `prev` of a first event must be: the digest of its `data`, cut to the two fields that count.
pub(crate) fn root(data: &Value) -> Option<Digest> {
    let (id, created_at) = (data.get("id")?.as_str()?, data.get("created_at")?.as_str()?);
    Digest::of(
        Domain::Journal,
        &json!({ "id": id, "created_at": created_at }),
    )
    .ok()
}

/// The first event of a new journal.
///
/// # Errors
/// [`DraftError`] when the actor or the time breaks a rule.
pub fn opening(by: &OpenedBy) -> Result<Sealed, DraftError> {
    let stream = Stream::of(StreamKind::Journal, by.journal_id);
    let at = crate::wire::whole_micros(by.at).ok_or(DraftError::Time)?;
    let data = json!({ "id": by.journal_id.to_string(), "created_at": time_text(at) });
    let prev = root(&data).ok_or(DraftError::Time)?;
    let draft = Draft::new(
        by.event_id,
        at,
        stream,
        kinds::JOURNAL_OPENED,
        by.actor.clone(),
        data,
    );
    Ok(CheckedDraft::check(draft)?.seal(1, 1, prev))
}

/// Checks the caller's drafts, all of them, before anything is locked.
///
/// # Errors
/// [`AppendError::Invalid`] for the first that breaks a rule, or whose id another draft has too.
pub fn check_drafts(drafts: Vec<Draft>) -> Result<Vec<CheckedDraft>, AppendError> {
    let mut ids = std::collections::HashSet::with_capacity(drafts.len());
    let check = |(index, draft): (usize, Draft)| {
        let id = draft.id;
        let checked = if ids.insert(id) {
            CheckedDraft::new(draft)
        } else {
            Err(DraftError::DuplicateId { id })
        };
        checked.map_err(|source| AppendError::Invalid { index, source })
    };
    drafts.into_iter().enumerate().map(check).collect()
}

/// Checks the expected versions against the present ones.
///
/// # Errors
/// [`AppendError::Conflict`] for the first that differs, and whatever `version_of` returns.
pub fn check_expected<E: From<AppendError>>(
    expected: &[(Stream, u64)],
    mut version_of: impl FnMut(&Stream) -> Result<u64, E>,
) -> Result<(), E> {
    for (stream, expected) in expected {
        let actual = version_of(stream)?;
        if actual != *expected {
            return Err(AppendError::Conflict {
                stream: stream.clone(),
                expected: *expected,
                actual,
            }
            .into());
        }
    }
    Ok(())
}

/// Numbers, chains and hashes the drafts after this head; returns them with the new head.
/// `version_of` gives a stream's version before this append and is asked once for each stream.
///
/// # Errors
/// Whatever `version_of` returns.
pub fn seal<E>(
    drafts: Vec<CheckedDraft>,
    mut head: Head,
    mut version_of: impl FnMut(&Stream) -> Result<u64, E>,
) -> Result<(Vec<Sealed>, Head), E> {
    let mut versions: HashMap<Stream, u64> = HashMap::new();
    let mut sealed = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let stream = &draft.draft.stream;
        let version = 1 + match versions.get(stream) {
            Some(version) => *version,
            None => version_of(stream)?,
        };
        versions.insert(stream.clone(), version);
        let next = draft.seal(head.seq + 1, version, head.hash);
        head = Head {
            seq: next.event.seq,
            hash: next.event.hash,
        };
        sealed.push(next);
    }
    Ok((sealed, head))
}
