//! I6 against a model: whatever is asked, refused and interrupted, the journal holds exactly the
//! events that were acknowledged, in that order.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicI32, Ordering};

use proptest::prelude::*;
use rusqlite::{Connection, ffi};
use tipstaff_journal::{EndProof, Event, Filter, Journal, verify_journal};

use super::{draft, new_path, opened_by, stream};
use crate::SqliteJournal;
use crate::sqlite::Tuning;

/// One append, and what happens to it.
#[derive(Debug, Clone)]
struct Step {
    stream: u128,
    expected: Option<u64>,
    count: u128,
    commit: CommitWill,
    reopen: bool,
}

#[derive(Debug, Clone, Copy)]
enum CommitWill {
    Work,
    FindTheDiskFull,
    FailToSync,
}

fn step() -> impl Strategy<Value = Step> {
    let commit = prop_oneof![
        6 => Just(CommitWill::Work),
        1 => Just(CommitWill::FindTheDiskFull),
        1 => Just(CommitWill::FailToSync),
    ];
    (
        0..3_u128,
        prop::option::of(0..4_u64),
        0..4_u128,
        commit,
        prop::bool::weighted(0.2),
    )
        .prop_map(|(stream, expected, count, commit, reopen)| Step {
            stream,
            expected,
            count,
            commit,
            reopen,
        })
}

static NEXT_COMMIT: AtomicI32 = AtomicI32::new(ffi::SQLITE_OK);

fn commit(conn: &Connection) -> rusqlite::Result<()> {
    match NEXT_COMMIT.swap(ffi::SQLITE_OK, Ordering::Relaxed) {
        ffi::SQLITE_OK => conn.execute_batch("COMMIT"),
        code => Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)),
    }
}

fn open(path: &Path) -> SqliteJournal {
    SqliteJournal::open_tuned(
        path,
        &opened_by(1),
        Tuning {
            commit,
            ..Tuning::default()
        },
    )
    .unwrap()
}

async fn run(steps: Vec<Step>) -> Result<(), TestCaseError> {
    let (_folder, path) = new_path();
    let mut journal = open(&path);
    let mut acknowledged: Vec<Event> = Vec::new();
    let mut versions: HashMap<u128, u64> = HashMap::new();
    let (mut id, mut stopped) = (100, false);
    for step in steps {
        let drafts: Vec<_> = (0..step.count)
            .map(|n| draft(id + n, step.stream))
            .collect();
        id += step.count;
        let version = versions.entry(step.stream).or_default();
        let fits = step.expected.is_none_or(|expected| expected == *version);
        let code = match step.commit {
            CommitWill::Work => ffi::SQLITE_OK,
            CommitWill::FindTheDiskFull => ffi::SQLITE_FULL,
            CommitWill::FailToSync => ffi::SQLITE_IOERR_FSYNC,
        };
        NEXT_COMMIT.store(code, Ordering::Relaxed);
        let expected: Vec<_> = step
            .expected
            .map(|version| (stream(step.stream), version))
            .into_iter()
            .collect();
        let result = journal.append(&expected, drafts).await;
        NEXT_COMMIT.store(ffi::SQLITE_OK, Ordering::Relaxed);
        let will_work = !stopped && matches!(step.commit, CommitWill::Work);
        stopped |= matches!(step.commit, CommitWill::FailToSync);
        prop_assert_eq!(
            result.is_ok(),
            fits && will_work,
            "{:?}: {:?}",
            step,
            result
        );
        if let Ok(appended) = result {
            *version += appended.events.len() as u64;
            acknowledged.extend(appended.events);
        }
        if step.reopen {
            drop(journal);
            journal = open(&path);
            stopped = false;
        }
        let stored = journal.scan(2, usize::MAX, &Filter::all()).await.unwrap();
        prop_assert_eq!(&stored, &acknowledged);
    }
    let head = journal.head().await.unwrap();
    prop_assert_eq!(
        verify_journal(&journal, Some(&head)).await.unwrap().end,
        EndProof::Proven
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn i6_the_journal_holds_what_was_acknowledged_and_nothing_else(steps in prop::collection::vec(step(), 1..12)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(run(steps))?;
    }
}
