//! What every journal must do, as code that runs against any of them.
//!
//! A plain public module, so that whoever writes a journal can run it in a test of their own. It
//! needs no runtime and panics at nothing: each broken rule is returned, by name.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use chrono::DateTime;
use serde_json::Value;
use uuid::Uuid;

use crate::{
    AppendError, Draft, Filter, Head, Journal, Kind, ReadJournalError, Stream, StreamKind,
};

mod follow;
mod read;
mod write;

/// A future on the heap.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Closes a journal and opens it again.
pub type Reopen = Box<dyn FnOnce(Arc<dyn Journal>) -> Boxed<'static, Arc<dyn Journal>> + Send>;

/// A new journal to be tested.
pub struct Subject {
    /// The journal, with nothing but its `journal.opened`.
    pub journal: Arc<dyn Journal>,
    /// How to open it again; `None` for one that does not outlive its process.
    pub reopen: Option<Reopen>,
}

impl std::fmt::Debug for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subject")
            .field("journal", &self.journal)
            .finish_non_exhaustive()
    }
}

/// The rules that a journal broke.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("broken rules: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct ConformanceError(pub Vec<BrokenRule>);

/// One rule that a journal broke.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{rule}: {found}")]
#[non_exhaustive]
pub struct BrokenRule {
    /// The rule's name.
    pub rule: &'static str,
    /// What was found instead.
    pub found: String,
}

/// Runs every check, each against a new journal from `make`.
///
/// # Errors
/// [`ConformanceError`] with all rules that are broken.
pub async fn run<F: Future<Output = Subject>>(
    make: impl Fn() -> F,
) -> Result<(), ConformanceError> {
    let mut broken = Vec::new();
    for (rule, check) in CHECKS {
        if let Err(Found(found)) = check(make().await).await {
            broken.push(BrokenRule { rule, found });
        }
    }
    if broken.is_empty() {
        Ok(())
    } else {
        Err(ConformanceError(broken))
    }
}

type Check = fn(Subject) -> Boxed<'static, Outcome>;

macro_rules! checks {
    ($($rule:literal: $check:path;)*) => {
        const CHECKS: &[(&str, Check)] = &[$(($rule, |subject| Box::pin($check(subject)))),*];
    };
}

checks! {
    "a new journal holds its opening only": read::opens;
    "appended events are numbered, chained and returned in order": write::orders;
    "what is read is what was appended": read::keeps;
    "expected versions that hold let the append through": write::expects;
    "a conflict appends nothing": write::conflicts;
    "without drafts the versions are only checked": write::checks_only;
    "an id is appended once": write::refuses_known_ids;
    "one bad draft refuses all": write::refuses_bad_drafts;
    "of many appends with one expected version one wins": write::one_wins;
    "appends at one time all get in, each whole": write::all_get_in;
    "an append that is dropped is whole or absent": write::drops_whole;
    "a stream is read in order and alone": read::streams;
    "a scan gives what passes the filter": read::filters;
    "a scan starts and stops where it should": read::limits;
    "a subscription gives old and new events once and in order": follow::follows;
    "a subscription loses nothing when a wait is dropped": follow::survives_drop;
    "a journal that is opened again is the same and goes on": read::reopens;
}

type Outcome = Result<(), Found>;

/// What was found instead of what should be.
struct Found(String);

impl From<AppendError> for Found {
    fn from(err: AppendError) -> Self {
        Self(format!("append failed: {err:?}"))
    }
}

impl From<ReadJournalError> for Found {
    fn from(err: ReadJournalError) -> Self {
        Self(format!("read failed: {err:?}"))
    }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, wanted: &T) -> Outcome {
    if found == wanted {
        Ok(())
    } else {
        Err(Found(format!("{what}: found {found:?}, wanted {wanted:?}")))
    }
}

/// The chain holds from its first event to this head.
async fn intact(journal: &dyn Journal, head: Head) -> Outcome {
    let report = crate::verify_journal(journal, Some(&head)).await?;
    let good = report.is_intact() && report.end == crate::EndProof::Proven;
    if good {
        Ok(())
    } else {
        Err(Found(report.to_string()))
    }
}

async fn seqs(journal: &dyn Journal, filter: &Filter) -> Result<Vec<u64>, Found> {
    Ok(journal
        .scan(1, 1000, filter)
        .await?
        .iter()
        .map(|event| event.seq)
        .collect())
}

fn stream(id: u128) -> Stream {
    Stream::of(StreamKind::Call, Uuid::from_u128(id))
}

/// A draft with this id for this stream.
fn draft(id: u128, stream: &Stream, kind: Kind) -> Draft {
    let ts = DateTime::from_timestamp_micros(1_800_000_000_000_000).unwrap_or_default();
    Draft::new(
        Uuid::from_u128(id),
        ts,
        stream.clone(),
        kind,
        "tester",
        Value::from(id as u64),
    )
}

/// All results, polled as one.
async fn join_all<T>(mut futures: Vec<Boxed<'_, T>>) -> Vec<T> {
    let mut done: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    poll_fn(|cx| {
        for (future, slot) in futures.iter_mut().zip(&mut done) {
            if slot.is_none()
                && let Poll::Ready(result) = future.as_mut().poll(cx)
            {
                *slot = Some(result);
            }
        }
        if done.iter().all(Option::is_some) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
    done.into_iter().flatten().collect()
}

/// Polls once, and drops the future.
async fn poll_once<T>(mut future: Boxed<'_, T>) -> Option<T> {
    poll_fn(|cx| match future.as_mut().poll(cx) {
        Poll::Ready(result) => Poll::Ready(Some(result)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}
