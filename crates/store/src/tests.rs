//! Tests of the SQLite journal, by what they are about; those with several processes are in `tests/`.

#![cfg(feature = "sqlite")]

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use tempfile::TempDir;
use tipstaff_journal::{AppendError, Draft, OpenedBy, StorageFault, Stream, StreamKind, kinds};
use uuid::Uuid;

use crate::SqliteJournal;

mod damaged;
mod durable;
mod identity;
mod model;
mod place;

fn at() -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000, 0).unwrap()
}

fn opened_by(id: u128) -> OpenedBy {
    OpenedBy {
        journal_id: Uuid::from_u128(id),
        at: at(),
        event_id: Uuid::from_u128(id),
        actor: "tester".to_owned(),
    }
}

/// A folder that only we may enter, and a path in it.
fn new_path() -> (TempDir, PathBuf) {
    let folder = tempfile::Builder::new()
        .permissions(Permissions::from_mode(0o700))
        .tempdir()
        .unwrap();
    let path = folder.path().join("journal.db");
    (folder, path)
}

fn open(path: &Path) -> SqliteJournal {
    SqliteJournal::open(path, &opened_by(1)).unwrap()
}

fn stream(id: u128) -> Stream {
    Stream::of(StreamKind::Call, Uuid::from_u128(id))
}

fn draft(id: u128, stream_id: u128) -> Draft {
    sized(id, stream_id, &Value::from(id as u64))
}

fn sized(id: u128, stream_id: u128, data: &Value) -> Draft {
    Draft::new(
        Uuid::from_u128(id),
        at(),
        stream(stream_id),
        kinds::CALL_RECEIVED,
        "tester",
        json!({ "data": data }),
    )
}

#[track_caller]
fn fault(err: &AppendError) -> StorageFault {
    let AppendError::Unavailable { fault, .. } = err else {
        panic!("{err:?}")
    };
    *fault
}
