//! From what SQLite says to the kinds of fault that the journal's callers know.

use std::sync::Arc;

use rusqlite::{ErrorCode, ffi};
use tipstaff_journal::{AppendError, ReadJournalError, StorageFault};

/// The kind of fault.
pub(super) fn fault(err: &rusqlite::Error) -> StorageFault {
    let extended = err.sqlite_error().map_or(0, |err| err.extended_code);
    match err.sqlite_error_code() {
        // The memory that readers share cannot grow: the usual reason is a full disk.
        _ if extended == ffi::SQLITE_IOERR_SHMSIZE => StorageFault::Full,
        Some(ErrorCode::DiskFull) => StorageFault::Full,
        Some(ErrorCode::ReadOnly) => StorageFault::ReadOnly,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StorageFault::Locked,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StorageFault::Corrupt,
        Some(_) | None => StorageFault::Io,
    }
}

/// Whether after this error of a commit nobody knows what is on disk. A full disk or a lock is
/// found before anything is synced, and SQLite takes the transaction back.
pub(super) fn stops(err: &rusqlite::Error) -> bool {
    !matches!(
        fault(err),
        StorageFault::Full | StorageFault::Locked | StorageFault::ReadOnly
    )
}

/// Nothing was appended, for this reason.
pub(super) fn unavailable(fault: StorageFault, err: &Arc<rusqlite::Error>) -> AppendError {
    AppendError::Unavailable {
        fault,
        source: Some(Box::new(err.clone())),
    }
}

/// Nothing could be read, for this reason.
pub(super) fn unreadable(err: rusqlite::Error) -> ReadJournalError {
    ReadJournalError::Unavailable {
        fault: fault(&err),
        source: Some(Box::new(err)),
    }
}

/// The journal's threads are gone.
pub(super) const CLOSED: ReadJournalError = ReadJournalError::Unavailable {
    fault: StorageFault::Closed,
    source: None,
};
