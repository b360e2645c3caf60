//! The one thread that writes: many appends, one transaction, one sync.
//!
//! Each append's own conflict check runs inside the transaction, against what the file holds then,
//! since other processes write to it too. Nothing is answered before the commit. After a commit
//! that failed in a way that leaves the disk unknown, nothing is appended any more.

use std::sync::Arc;

use rusqlite::types::Type;
use rusqlite::{Connection, Row, Statement, params};
use tipstaff_journal::{
    AppendError, Appended, Bell, CheckedDraft, DraftError, Head, Sealed, StorageFault, Stream,
    check_expected, seal,
};
use tokio::sync::{mpsc, oneshot};

use super::fault::{fault, stops, unavailable};
use super::row::place;

/// How many appends share one commit at most.
const BATCH: usize = 256;

/// One append that waits.
pub(super) struct Job {
    pub(super) expected: Vec<(Stream, u64)>,
    pub(super) drafts: Vec<CheckedDraft>,
    pub(super) reply: oneshot::Sender<Result<Appended, AppendError>>,
}

/// How a transaction is committed; another one only in tests, to let it fail.
pub(super) type Commit = fn(&Connection) -> rusqlite::Result<()>;

pub(super) fn commit(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute_batch("COMMIT")
}

/// Why one append did not get in.
enum Failure {
    /// Its own fault; the others of the batch go on.
    Refused(AppendError),
    /// The storage's; the whole batch is taken back.
    Storage(rusqlite::Error),
}

impl From<AppendError> for Failure {
    fn from(err: AppendError) -> Self {
        Self::Refused(err)
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(err: rusqlite::Error) -> Self {
        Self::Storage(err)
    }
}

/// Works until the journal is dropped.
pub(super) fn run(conn: &Connection, jobs: &mut mpsc::Receiver<Job>, bell: &Bell, commit: Commit) {
    let mut stopped: Option<Arc<rusqlite::Error>> = None;
    while let Some(first) = jobs.blocking_recv() {
        let mut batch = vec![first];
        while batch.len() < BATCH {
            let Ok(job) = jobs.try_recv() else { break };
            batch.push(job);
        }
        let (replies, work): (Vec<_>, Vec<_>) = batch
            .into_iter()
            .map(|job| (job.reply, (job.expected, job.drafts)))
            .unzip();
        let written = match &stopped {
            Some(err) => Err((StorageFault::Stopped, err.clone())),
            None => write(conn, work, commit),
        };
        match written {
            Ok(results) => {
                replies
                    .into_iter()
                    .zip(results)
                    .for_each(|(reply, result)| drop(reply.send(result)));
                bell.ring();
            }
            Err((fault, err)) => {
                for reply in replies {
                    let _ = reply.send(Err(unavailable(fault, &err)));
                }
                if fault == StorageFault::Stopped {
                    stopped = Some(err);
                }
            }
        }
    }
}

type Work = (Vec<(Stream, u64)>, Vec<CheckedDraft>);

type Written = Vec<Result<Appended, AppendError>>;

/// Writes one batch, all or nothing. After [`StorageFault::Stopped`] nothing may be written.
fn write(
    conn: &Connection,
    batch: Vec<Work>,
    commit: Commit,
) -> Result<Written, (StorageFault, Arc<rusqlite::Error>)> {
    let (done, at_commit) = match begin(conn, batch) {
        Ok(results) => (commit(conn).map(|()| results), true),
        Err(err) => (Err(err), false),
    };
    done.map_err(|err| {
        let rolled_back = conn.is_autocommit() || conn.execute_batch("ROLLBACK").is_ok();
        let stop = !rolled_back || (at_commit && stops(&err));
        let fault = if stop {
            StorageFault::Stopped
        } else {
            fault(&err)
        };
        (fault, Arc::new(err))
    })
}

/// Everything but the commit.
fn begin(conn: &Connection, batch: Vec<Work>) -> rusqlite::Result<Written> {
    conn.execute_batch("BEGIN IMMEDIATE")?;
    let mut table = Table::new(conn)?;
    let mut head = table.head()?;
    let mut results = Vec::with_capacity(batch.len());
    for (expected, drafts) in batch {
        match table.append(head, &expected, drafts) {
            Ok(appended) => {
                head = appended.head;
                results.push(Ok(appended));
            }
            Err(Failure::Refused(err)) => results.push(Err(err)),
            Err(Failure::Storage(err)) => return Err(err),
        }
    }
    Ok(results)
}

/// The statements of one transaction.
struct Table<'c> {
    head: Statement<'c>,
    version: Statement<'c>,
    id: Statement<'c>,
    insert: Statement<'c>,
}

impl<'c> Table<'c> {
    fn new(conn: &'c Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            head: conn.prepare("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1")?,
            version: conn
                .prepare("SELECT coalesce(max(version), 0) FROM event WHERE stream = ?")?,
            id: conn.prepare("SELECT 1 FROM event WHERE id = ?")?,
            insert: conn.prepare(INSERT)?,
        })
    }

    fn head(&mut self) -> rusqlite::Result<Head> {
        self.head.query_row([], read_head)
    }

    /// Checks and inserts one append; what it refuses, it refuses before the first insert.
    fn append(
        &mut self,
        head: Head,
        expected: &[(Stream, u64)],
        drafts: Vec<CheckedDraft>,
    ) -> Result<Appended, Failure> {
        let version = &mut self.version;
        let mut version_of = |stream: &Stream| -> Result<u64, Failure> {
            Ok(version.query_row([stream.to_string()], |row| row.get(0).map(place))?)
        };
        check_expected(expected, &mut version_of)?;
        for (index, draft) in drafts.iter().enumerate() {
            let id = draft.draft().id;
            if self.id.exists([id.as_bytes().as_slice()])? {
                return Err(AppendError::Invalid {
                    index,
                    source: DraftError::DuplicateId { id },
                }
                .into());
            }
        }
        let (sealed, head) = seal(drafts, head, version_of)?;
        let mut events = Vec::with_capacity(sealed.len());
        for sealed in sealed {
            insert(&mut self.insert, &sealed)?;
            events.push(sealed.event);
        }
        Ok(Appended { events, head })
    }
}

/// The place and the hash of a row with just these.
pub(super) fn read_head(row: &Row<'_>) -> rusqlite::Result<Head> {
    let hash: String = row.get(1)?;
    let no_digest = |err| rusqlite::Error::FromSqlConversionFailure(1, Type::Text, Box::new(err));
    Ok(Head {
        seq: place(row.get(0)?),
        hash: hash.parse().map_err(no_digest)?,
    })
}

pub(super) const INSERT: &str = "INSERT INTO event (seq, id, stream, version, kind, correlation, hash, text) \
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)";

/// Inserts one event.
pub(super) fn insert(
    statement: &mut Statement<'_>,
    Sealed { event, text }: &Sealed,
) -> rusqlite::Result<()> {
    statement.execute(params![
        number(event.seq)?,
        event.id.as_bytes().as_slice(),
        event.stream.to_string(),
        number(event.version)?,
        event.kind.as_str(),
        event
            .correlation
            .as_ref()
            .map(|id| id.as_bytes().as_slice()),
        event.hash.to_string(),
        text,
    ])?;
    Ok(())
}

fn number(place: u64) -> rusqlite::Result<i64> {
    i64::try_from(place).map_err(|err| rusqlite::Error::ToSqlConversionFailure(Box::new(err)))
}
