//! The threads that read, each with its own connection that cannot write.
//!
//! Readers never wait for the writer (WAL) and see only what was committed.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use tipstaff_journal::{Event, Feed, Filter, Head, ReadJournalError, Stream};
use tokio::sync::{mpsc, oneshot};

use super::fault::{CLOSED, unreadable};
use super::row::{COLUMNS, read_row};
use super::writer::read_head;
use super::{OpenJournalError, connect_reader};

/// How many reads may wait; further callers wait to be let in.
const WAITING: usize = 256;

type Reply<T> = oneshot::Sender<Result<T, ReadJournalError>>;

enum Job {
    Stream(Stream, Reply<Vec<Event>>),
    Scan(u64, usize, Filter, Reply<Vec<Event>>),
    Head(Reply<Head>),
}

/// The way to the reading threads; they end when the last of these is dropped.
#[derive(Debug, Clone)]
pub(super) struct Readers(mpsc::Sender<Job>);

impl Readers {
    /// Starts this many threads.
    pub(super) fn start(path: &Path, count: usize) -> Result<Self, OpenJournalError> {
        let (sender, receiver) = mpsc::channel(WAITING);
        let receiver = Arc::new(Mutex::new(receiver));
        for _ in 0..count {
            let (conn, receiver) = (connect_reader(path)?, receiver.clone());
            super::spawn("journal-reader", path, move || run(&conn, &receiver))?;
        }
        Ok(Self(sender))
    }

    async fn ask<T>(&self, job: impl FnOnce(Reply<T>) -> Job) -> Result<T, ReadJournalError> {
        let (reply, answer) = oneshot::channel();
        self.0.send(job(reply)).await.map_err(|_| CLOSED)?;
        answer.await.map_err(|_| CLOSED)?
    }

    pub(super) async fn stream(&self, stream: Stream) -> Result<Vec<Event>, ReadJournalError> {
        self.ask(|reply| Job::Stream(stream, reply)).await
    }

    pub(super) async fn scan(
        &self,
        from: u64,
        limit: usize,
        filter: Filter,
    ) -> Result<Vec<Event>, ReadJournalError> {
        self.ask(|reply| Job::Scan(from, limit, filter, reply))
            .await
    }

    pub(super) async fn head(&self) -> Result<Head, ReadJournalError> {
        self.ask(Job::Head).await
    }
}

#[async_trait]
impl Feed for Readers {
    async fn page(&self, from_seq: u64, limit: usize) -> Result<Vec<Event>, ReadJournalError> {
        self.scan(from_seq, limit, Filter::all()).await
    }
}

fn run(conn: &Connection, jobs: &Mutex<mpsc::Receiver<Job>>) {
    loop {
        let job = jobs
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .blocking_recv();
        // Whoever asked may have gone.
        match job {
            None => return,
            Some(Job::Stream(stream, reply)) => {
                let _ = reply.send(read_stream(conn, &stream));
            }
            Some(Job::Scan(from, limit, filter, reply)) => {
                let _ = reply.send(scan(conn, from, limit, &filter));
            }
            Some(Job::Head(reply)) => {
                let _ = reply.send(head(conn));
            }
        }
    }
}

fn head(conn: &Connection) -> Result<Head, ReadJournalError> {
    let sql = "SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1";
    conn.query_row(sql, [], read_head).map_err(unreadable)
}

fn query(conn: &Connection, sql: &str, values: Vec<Value>) -> Result<Vec<Event>, ReadJournalError> {
    let mut statement = conn.prepare(sql).map_err(unreadable)?;
    let mut rows = statement
        .query(params_from_iter(values))
        .map_err(unreadable)?;
    let mut events = Vec::new();
    while let Some(row) = rows.next().map_err(unreadable)? {
        events.push(read_row(row)?);
    }
    Ok(events)
}

fn read_stream(conn: &Connection, stream: &Stream) -> Result<Vec<Event>, ReadJournalError> {
    let sql = format!("SELECT {COLUMNS} FROM event WHERE stream = ? ORDER BY version");
    let events = query(conn, &sql, vec![stream.to_string().into()])?;
    for (event, version) in events.iter().zip(1..) {
        if event.version != version {
            let why = format!("its stream's version {version} is not there");
            return Err(ReadJournalError::Damaged {
                seq: event.seq,
                why,
            });
        }
    }
    Ok(events)
}

fn scan(
    conn: &Connection,
    from: u64,
    limit: usize,
    filter: &Filter,
) -> Result<Vec<Event>, ReadJournalError> {
    let Ok(from) = i64::try_from(from) else {
        return Ok(Vec::new());
    };
    let mut sql = format!("SELECT {COLUMNS} FROM event WHERE seq >= ?");
    let mut values: Vec<Value> = vec![from.into()];
    if !filter.kinds.is_empty() {
        let marks = vec!["?"; filter.kinds.len()].join(", ");
        sql += &format!(" AND kind IN ({marks})");
        values.extend(
            filter
                .kinds
                .iter()
                .map(|kind| Value::from(kind.as_str().to_owned())),
        );
    }
    if !filter.streams.is_empty() {
        // `0` is the character after `/`.
        let ranges = vec!["(stream >= ? AND stream < ?)"; filter.streams.len()].join(" OR ");
        sql += &format!(" AND ({ranges})");
        let bounds = filter
            .streams
            .iter()
            .flat_map(|kind| [format!("{}/", kind.as_str()), format!("{}0", kind.as_str())]);
        values.extend(bounds.map(Value::from));
    }
    if let Some(id) = filter.correlation {
        sql += " AND correlation = ?";
        values.push(id.as_bytes().to_vec().into());
    }
    sql += " ORDER BY seq LIMIT ?";
    values.push(i64::try_from(limit).unwrap_or(i64::MAX).into());
    query(conn, &sql, values)
}
