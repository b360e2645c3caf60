//! Rings the bell when another process has written.
//!
//! SQLite tells nobody of a commit, so a thread asks it, twenty times a second, whether the file has
//! changed; from the first subscription on, and no sooner.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use rusqlite::Connection;
use tipstaff_journal::Bell;

use super::{OpenJournalError, connect_reader, spawn};

const EVERY: Duration = Duration::from_millis(50);

/// Ends the watching thread when dropped.
#[derive(Debug)]
pub(super) struct Watch(#[expect(dead_code, reason = "dropping it is its use")] mpsc::Sender<()>);

impl Watch {
    pub(super) fn start(path: &Path, bell: Arc<Bell>) -> Result<Self, OpenJournalError> {
        let (sender, receiver) = mpsc::channel();
        let conn = connect_reader(path)?;
        spawn("journal-watch", path, move || run(&conn, &receiver, &bell))?;
        Ok(Self(sender))
    }
}

fn run(conn: &Connection, stop: &mpsc::Receiver<()>, bell: &Bell) {
    let mut seen = None;
    while stop.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
        // What cannot be read now is found by whoever reads next.
        let now = conn
            .query_row("PRAGMA data_version", [], |row| row.get::<_, i64>(0))
            .ok();
        if now != seen {
            seen = now;
            bell.ring();
        }
    }
}
