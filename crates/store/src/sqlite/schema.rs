//! Whose file it is and in which format: `application_id`, `user_version` and the migrations.
//!
//! Migrations only go forward. A file of another program, or of a newer tipstaff, is refused before
//! anything in it is changed.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};
use tipstaff_journal::{OpenedBy, opening};

use super::fault::fault;
use super::row::{LAST, read_row};
use super::{OpenJournalError, writer};

/// `TIPS`.
pub(crate) const APPLICATION_ID: i32 = 0x5449_5053;

/// Each brings a file from the format of its place to the next. Never changed once released.
const MIGRATIONS: &[&str] = &["
    CREATE TABLE event (
        seq INTEGER PRIMARY KEY,
        id BLOB NOT NULL UNIQUE,
        stream TEXT NOT NULL,
        version INTEGER NOT NULL,
        kind TEXT NOT NULL,
        correlation BLOB,
        hash TEXT NOT NULL,
        text TEXT NOT NULL,
        UNIQUE (stream, version)
    ) STRICT;
    CREATE INDEX event_kind ON event (kind);
    CREATE INDEX event_correlation ON event (correlation) WHERE correlation IS NOT NULL;
    CREATE TRIGGER event_update BEFORE UPDATE ON event
        BEGIN SELECT raise(ABORT, 'events are never changed'); END;
    CREATE TRIGGER event_delete BEFORE DELETE ON event
        BEGIN SELECT raise(ABORT, 'events are never deleted'); END;
"];

/// What a file is to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Identity {
    /// Nothing is in it.
    New,
    /// A journal in this format.
    Ours(usize),
}

pub(super) fn storage(path: &Path, err: rusqlite::Error) -> OpenJournalError {
    let path = path.to_owned();
    if err.sqlite_error_code() == Some(rusqlite::ErrorCode::NotADatabase) {
        return OpenJournalError::NotADatabase { path };
    }
    OpenJournalError::Storage {
        path,
        fault: fault(&err),
        source: Box::new(err),
    }
}

fn identity(conn: &Connection, path: &Path) -> Result<Identity, OpenJournalError> {
    let ask = |sql| {
        conn.query_row(sql, [], |row| row.get::<_, i32>(0))
            .map_err(|err| storage(path, err))
    };
    let application_id = ask("PRAGMA application_id")?;
    let format = ask("PRAGMA user_version")?;
    let path = path.to_owned();
    if application_id == 0 && format == 0 && ask("SELECT count(*) FROM sqlite_schema")? == 0 {
        return Ok(Identity::New);
    }
    if application_id != APPLICATION_ID {
        return Err(OpenJournalError::Foreign {
            path,
            application_id,
        });
    }
    match usize::try_from(format) {
        Ok(known) if known <= MIGRATIONS.len() => Ok(Identity::Ours(known)),
        Ok(_) => Err(OpenJournalError::Newer {
            path,
            format,
            known: MIGRATIONS.len() as i32,
        }),
        Err(_) => Err(OpenJournalError::Damaged {
            path,
            why: format!("its format is {format}"),
        }),
    }
}

/// Refuses a file that is not ours, without changing it.
pub(super) fn check(conn: &Connection, path: &Path) -> Result<(), OpenJournalError> {
    identity(conn, path).map(drop)
}

/// Refuses a file that is not a journal in the newest format.
pub(super) fn check_readable(conn: &Connection, path: &Path) -> Result<(), OpenJournalError> {
    let path = path.to_owned();
    match identity(conn, &path)? {
        Identity::Ours(format) if format == MIGRATIONS.len() => Ok(()),
        Identity::Ours(format) => {
            let why =
                format!("its format is {format}, open it once for writing to bring it up to date");
            Err(OpenJournalError::Damaged { path, why })
        }
        Identity::New => Err(OpenJournalError::Damaged {
            path,
            why: "it is empty".to_owned(),
        }),
    }
}

/// Makes a new journal, or brings an old one to the newest format; in one transaction.
pub(super) fn bring_up(
    conn: &mut Connection,
    path: &Path,
    by: &OpenedBy,
) -> Result<(), OpenJournalError> {
    let failed = |err| storage(path, err);
    let tx = conn
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(failed)?;
    // Another process may have done it since `check`.
    let found = identity(&tx, path)?;
    let from = match found {
        Identity::New => 0,
        Identity::Ours(format) => format,
    };
    for migration in MIGRATIONS.iter().skip(from) {
        tx.execute_batch(migration).map_err(failed)?;
    }
    if from < MIGRATIONS.len() {
        tx.pragma_update(None, "user_version", MIGRATIONS.len() as i32)
            .map_err(failed)?;
    }
    if found == Identity::New {
        let first = opening(by).map_err(|source| OpenJournalError::Opening { source })?;
        tx.prepare(writer::INSERT)
            .and_then(|mut insert| writer::insert(&mut insert, &first))
            .map_err(failed)?;
        tx.pragma_update(None, "application_id", APPLICATION_ID)
            .map_err(failed)?;
    }
    check_last(&tx, path)?;
    tx.commit().map_err(failed)
}

/// The last event must be whole: everything is chained to it.
pub(super) fn check_last(conn: &Connection, path: &Path) -> Result<(), OpenJournalError> {
    let damaged = |why: String| OpenJournalError::Damaged {
        path: path.to_owned(),
        why,
    };
    match conn.query_row(LAST, [], |row| Ok(read_row(row))) {
        Ok(Ok(event)) if event.computed_hash() == Some(event.hash) => Ok(()),
        Ok(Ok(event)) => Err(damaged(format!(
            "event {} does not have the hash that it claims",
            event.seq
        ))),
        Ok(Err(err)) => Err(damaged(err.to_string())),
        Err(rusqlite::Error::QueryReturnedNoRows) => Err(damaged("it holds no event".to_owned())),
        Err(err) => Err(storage(path, err)),
    }
}
