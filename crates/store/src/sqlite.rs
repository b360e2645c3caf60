//! A journal in one SQLite file, which several processes may share.
//!
//! The async face is thin: appends go to one writing thread, reads to a few reading ones, and the
//! answers come back through one-shot channels, so that any runtime will do. What is acknowledged is
//! synced: WAL with `synchronous=FULL`.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use async_trait::async_trait;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use tipstaff_journal::{
    AppendError, Appended, Bell, Draft, Event, Filter, Head, Journal, OpenedBy, ReadJournalError,
    StorageFault, Stream, Subscription, check_drafts,
};
use tokio::sync::{mpsc, oneshot};

pub use error::OpenJournalError;
use reader::Readers;
use watch::Watch;

mod error;
mod fault;
pub(crate) mod place;
mod reader;
mod row;
pub(crate) mod schema;
mod watch;
mod writer;

/// The first SQLite without the race in which a WAL file is reset while it is read.
const OLDEST_SQLITE: i32 = 3_051_003;
/// How long we wait for another process's lock.
const BUSY: Duration = Duration::from_secs(5);
/// How many appends may wait; further callers wait to be let in.
const WAITING: usize = 1024;
const READERS: usize = 2;

/// A [`Journal`] in one SQLite file.
///
/// Dropping it waits for the appends that were handed over, and ends its subscriptions.
#[derive(Debug)]
pub struct SqliteJournal {
    path: PathBuf,
    readers: Readers,
    bell: Arc<Bell>,
    watch: OnceLock<Option<Watch>>,
    /// `None` when opened for reading only.
    writer: Option<Writer>,
}

#[derive(Debug)]
struct Writer {
    jobs: Option<mpsc::Sender<writer::Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Writer {
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for SqliteJournal {
    fn drop(&mut self) {
        drop(self.writer.take());
        self.bell.close();
    }
}

/// What tests change.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tuning {
    /// How long to wait for another's lock.
    pub(crate) busy: Duration,
    /// How to commit.
    pub(crate) commit: writer::Commit,
    /// How large the file may become, as if the disk were full.
    pub(crate) max_pages: Option<u32>,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            busy: BUSY,
            commit: writer::commit,
            max_pages: None,
        }
    }
}

impl SqliteJournal {
    /// Opens the journal at this path; makes it, and its folder, when there is none. `by` is used
    /// only then.
    ///
    /// # Errors
    /// [`OpenJournalError`], with a variant for each thing that must be mended differently.
    pub fn open(path: &Path, by: &OpenedBy) -> Result<Self, OpenJournalError> {
        Self::open_tuned(path, by, Tuning::default())
    }

    pub(crate) fn open_tuned(
        path: &Path,
        by: &OpenedBy,
        tuning: Tuning,
    ) -> Result<Self, OpenJournalError> {
        check_sqlite()?;
        let path = place::for_writing(path)?;
        let mut conn = connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE, tuning.busy)?;
        schema::check(&conn, &path)?;
        set_durable(&conn, &path, &tuning)?;
        schema::bring_up(&mut conn, &path, by)?;
        let bell = Arc::new(Bell::default());
        let readers = Readers::start(&path, READERS)?;
        let (jobs, mut waiting) = mpsc::channel(WAITING);
        let thread = spawn("journal-writer", &path, {
            let bell = bell.clone();
            move || writer::run(&conn, &mut waiting, &bell, tuning.commit)
        })?;
        let writer = Some(Writer {
            jobs: Some(jobs),
            thread: Some(thread),
        });
        Ok(Self {
            path,
            readers,
            bell,
            watch: OnceLock::new(),
            writer,
        })
    }

    /// Opens an existing journal for reading only: every append is refused.
    ///
    /// # Errors
    /// [`OpenJournalError`], also when the file is not there.
    pub fn open_read_only(path: &Path) -> Result<Self, OpenJournalError> {
        check_sqlite()?;
        let path = place::for_reading(path)?;
        let conn = connect_reader(&path)?;
        schema::check_readable(&conn, &path)?;
        let readers = Readers::start(&path, READERS)?;
        Ok(Self {
            path,
            readers,
            bell: Arc::default(),
            watch: OnceLock::new(),
            writer: None,
        })
    }

    /// The file, without links in its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn check_sqlite() -> Result<(), OpenJournalError> {
    if rusqlite::version_number() < OLDEST_SQLITE {
        return Err(OpenJournalError::OldSqlite {
            found: rusqlite::version(),
        });
    }
    Ok(())
}

fn connect(path: &Path, access: OpenFlags, busy: Duration) -> Result<Connection, OpenJournalError> {
    let flags = access | OpenFlags::SQLITE_OPEN_NOFOLLOW | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || {
        let conn = Connection::open_with_flags(path, flags)?;
        conn.busy_timeout(busy)?;
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        conn.execute_batch("PRAGMA cell_size_check = ON")?;
        Ok(conn)
    };
    open().map_err(|err| schema::storage(path, err))
}

fn connect_reader(path: &Path) -> Result<Connection, OpenJournalError> {
    connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY, BUSY)
}

/// WAL, every commit synced, also through a drive's cache where the system can.
fn set_durable(conn: &Connection, path: &Path, tuning: &Tuning) -> Result<(), OpenJournalError> {
    let failed = |err| schema::storage(path, err);
    let mode: String = conn
        .query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))
        .map_err(failed)?;
    if mode != "wal" {
        let why = format!("SQLite cannot use write-ahead logging here, but `{mode}` only");
        return Err(OpenJournalError::Damaged {
            path: path.to_owned(),
            why,
        });
    }
    let durable =
        "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON";
    conn.execute_batch(durable).map_err(failed)?;
    if let Some(pages) = tuning.max_pages {
        conn.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))
            .map_err(failed)?;
    }
    Ok(())
}

fn spawn(
    name: &str,
    path: &Path,
    work: impl FnOnce() + Send + 'static,
) -> Result<JoinHandle<()>, OpenJournalError> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(work)
        .map_err(|err| OpenJournalError::Storage {
            path: path.to_owned(),
            fault: StorageFault::Io,
            source: Box::new(err),
        })
}

#[async_trait]
impl Journal for SqliteJournal {
    async fn append(
        &self,
        expected: &[(Stream, u64)],
        drafts: Vec<Draft>,
    ) -> Result<Appended, AppendError> {
        let refused = |fault| AppendError::Unavailable {
            fault,
            source: None,
        };
        let drafts = check_drafts(drafts)?;
        let writer = self
            .writer
            .as_ref()
            .ok_or_else(|| refused(StorageFault::ReadOnly))?;
        let jobs = writer
            .jobs
            .as_ref()
            .ok_or_else(|| refused(StorageFault::Closed))?;
        let (reply, answer) = oneshot::channel();
        let job = writer::Job {
            expected: expected.to_vec(),
            drafts,
            reply,
        };
        jobs.send(job)
            .await
            .map_err(|_| refused(StorageFault::Closed))?;
        answer.await.map_err(|_| refused(StorageFault::Closed))?
    }

    async fn read(&self, stream: &Stream) -> Result<Vec<Event>, ReadJournalError> {
        self.readers.stream(stream.clone()).await
    }

    async fn scan(
        &self,
        from_seq: u64,
        limit: usize,
        filter: &Filter,
    ) -> Result<Vec<Event>, ReadJournalError> {
        self.readers.scan(from_seq, limit, filter.clone()).await
    }

    async fn head(&self) -> Result<Head, ReadJournalError> {
        self.readers.head().await
    }

    fn subscribe(&self, from_seq: u64) -> Subscription {
        // Without a watch, appends of this process are still seen at once.
        self.watch
            .get_or_init(|| Watch::start(&self.path, self.bell.clone()).ok());
        Subscription::new(Arc::new(self.readers.clone()), self.bell.clone(), from_seq)
    }
}
