//! What is acknowledged is there; what cannot be written is refused with the reason (I6, C164).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rusqlite::{Connection, ffi};
use serde_json::Value;
use tipstaff_journal::conformance::{self, Boxed, Subject};
use tipstaff_journal::{
    AppendError, EndProof, Filter, Journal, ReadJournalError, StorageFault, verify_journal,
};

use super::{draft, fault, new_path, open, opened_by, sized, stream};
use crate::SqliteJournal;
use crate::sqlite::Tuning;

#[tokio::test]
async fn the_sqlite_journal_conforms() {
    let (folder, _) = new_path();
    let count = AtomicUsize::new(0);
    let make = || async {
        let path = folder
            .path()
            .join(format!("{}.db", count.fetch_add(1, Ordering::Relaxed)));
        let journal: Arc<dyn Journal> = Arc::new(open(&path));
        let again = move |closed: Arc<dyn Journal>| -> Boxed<'static, Arc<dyn Journal>> {
            drop(closed);
            Box::pin(async move { Arc::new(open(&path)) as Arc<dyn Journal> })
        };
        Subject {
            journal,
            reopen: Some(Box::new(again)),
        }
    };
    assert_eq!(conformance::run(make).await, Ok(()));
}

#[tokio::test]
async fn two_openings_of_one_file_are_one_journal() {
    let (_folder, path) = new_path();
    let (a, b) = (open(&path), open(&path));
    let mut following = b.subscribe(2);
    let first = a
        .append(&[(stream(2), 0)], vec![draft(2, 2)])
        .await
        .unwrap();
    let err = b
        .append(&[(stream(2), 0)], vec![draft(3, 2)])
        .await
        .unwrap_err();
    assert!(
        matches!(
            err,
            AppendError::Conflict {
                expected: 0,
                actual: 1,
                ..
            }
        ),
        "{err:?}"
    );
    let second = b
        .append(&[(stream(2), 1)], vec![draft(3, 2)])
        .await
        .unwrap();
    assert_eq!(second.events[0].prev, first.head.hash);
    assert_eq!(following.next().await.unwrap(), first.events[0]);
    assert_eq!(following.next().await.unwrap(), second.events[0]);
    let report = verify_journal(&a, Some(&second.head)).await.unwrap();
    assert_eq!((report.breaks, report.end), (vec![], EndProof::Proven));
}

#[tokio::test]
async fn dropping_the_journal_ends_its_subscriptions_after_what_is_there() {
    let (_folder, path) = new_path();
    let journal = open(&path);
    let mut following = journal.subscribe(1);
    drop(journal);
    assert_eq!(following.next().await.unwrap().seq, 1);
    let ended = following.next().await.unwrap_err();
    assert!(
        matches!(
            ended,
            ReadJournalError::Unavailable {
                fault: StorageFault::Closed,
                ..
            }
        ),
        "{ended:?}"
    );
}

static COMMITS: AtomicUsize = AtomicUsize::new(0);

#[tokio::test]
async fn appends_that_wait_together_share_one_commit() {
    let (_folder, path) = new_path();
    let commit = |conn: &Connection| {
        COMMITS.fetch_add(1, Ordering::Relaxed);
        conn.execute_batch("COMMIT")
    };
    let journal = SqliteJournal::open_tuned(
        &path,
        &opened_by(1),
        Tuning {
            commit,
            ..Tuning::default()
        },
    )
    .unwrap();
    let journal = Arc::new(journal);
    // While another holds the lock the first append waits for it, and the others gather behind it.
    let lock = Connection::open(&path).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let append = |id| {
        let journal = journal.clone();
        tokio::spawn(async move { journal.append(&[], vec![draft(id, id)]).await })
    };
    let waiting: Vec<_> = (2..66).map(append).collect();
    // Every task has handed its append over when a later one runs: the runtime has one thread, and is fair.
    tokio::task::yield_now().await;
    lock.execute_batch("COMMIT").unwrap();
    for append in waiting {
        append.await.unwrap().unwrap();
    }
    let commits = COMMITS.load(Ordering::Relaxed);
    assert!(commits <= 2, "64 appends, {commits} commits");
    let head = journal.head().await.unwrap();
    assert_eq!(
        verify_journal(&*journal, Some(&head)).await.unwrap().end,
        EndProof::Proven
    );
}

#[tokio::test]
async fn c164_a_full_disk_refuses_what_does_not_fit_and_nothing_else() {
    let (_folder, path) = new_path();
    let tuning = Tuning {
        max_pages: Some(40),
        ..Tuning::default()
    };
    let journal = SqliteJournal::open_tuned(&path, &opened_by(1), tuning).unwrap();
    let large = Value::from("x".repeat(200_000));
    let err = journal
        .append(&[], vec![draft(2, 2), sized(3, 2, &large)])
        .await
        .unwrap_err();
    assert_eq!(fault(&err), StorageFault::Full);
    assert_eq!(
        err.to_string(),
        "the journal cannot be written: the disk is full"
    );
    assert_eq!(journal.head().await.unwrap().seq, 1);
    journal
        .append(&[(stream(2), 0)], vec![draft(2, 2)])
        .await
        .unwrap();
    drop(journal);
    let head = open(&path)
        .append(&[(stream(2), 1)], vec![sized(3, 2, &large)])
        .await
        .unwrap()
        .head;
    assert_eq!(
        verify_journal(&open(&path), Some(&head)).await.unwrap().end,
        EndProof::Proven
    );
}

#[tokio::test]
async fn a_lock_held_too_long_refuses_and_works_again_when_it_is_gone() {
    let (_folder, path) = new_path();
    let tuning = Tuning {
        busy: Duration::ZERO,
        ..Tuning::default()
    };
    let journal = SqliteJournal::open_tuned(&path, &opened_by(1), tuning).unwrap();
    let lock = Connection::open(&path).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let err = journal.append(&[], vec![draft(2, 2)]).await.unwrap_err();
    assert_eq!(fault(&err), StorageFault::Locked);
    assert_eq!(journal.head().await.unwrap().seq, 1, "readers do not wait");
    lock.execute_batch("ROLLBACK").unwrap();
    assert_eq!(
        journal
            .append(&[], vec![draft(2, 2)])
            .await
            .unwrap()
            .head
            .seq,
        2
    );
}

fn failure(code: i32) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)
}

#[tokio::test]
async fn i6_after_a_sync_that_failed_nothing_is_appended_until_the_journal_is_opened_again() {
    for code in [
        ffi::SQLITE_IOERR_FSYNC,
        ffi::SQLITE_IOERR_WRITE,
        ffi::SQLITE_CORRUPT,
    ] {
        let (_folder, path) = new_path();
        static FAIL: AtomicUsize = AtomicUsize::new(0);
        FAIL.store(code as usize, Ordering::Relaxed);
        let commit = |conn: &Connection| match FAIL.swap(0, Ordering::Relaxed) {
            0 => conn.execute_batch("COMMIT"),
            code => Err(failure(code as i32)),
        };
        let journal = SqliteJournal::open_tuned(
            &path,
            &opened_by(1),
            Tuning {
                commit,
                ..Tuning::default()
            },
        )
        .unwrap();
        for id in 2..5 {
            let err = journal.append(&[], vec![draft(id, 2)]).await.unwrap_err();
            assert_eq!(fault(&err), StorageFault::Stopped, "{code}");
        }
        assert_eq!(
            journal.scan(1, 10, &Filter::all()).await.unwrap().len(),
            1,
            "readers go on"
        );
        drop(journal);
        assert_eq!(
            open(&path)
                .append(&[], vec![draft(2, 2)])
                .await
                .unwrap()
                .head
                .seq,
            2
        );
    }
}

#[tokio::test]
async fn a_commit_that_finds_the_disk_full_is_taken_back_and_later_ones_work() {
    static FAIL: AtomicUsize = AtomicUsize::new(1);
    let (_folder, path) = new_path();
    let commit = |conn: &Connection| match FAIL.swap(0, Ordering::Relaxed) {
        0 => conn.execute_batch("COMMIT"),
        _ => Err(failure(ffi::SQLITE_FULL)),
    };
    let journal = SqliteJournal::open_tuned(
        &path,
        &opened_by(1),
        Tuning {
            commit,
            ..Tuning::default()
        },
    )
    .unwrap();
    let err = journal.append(&[], vec![draft(2, 2)]).await.unwrap_err();
    assert_eq!(fault(&err), StorageFault::Full);
    assert_eq!(
        journal
            .append(&[(stream(2), 0)], vec![draft(2, 2)])
            .await
            .unwrap()
            .head
            .seq,
        2
    );
}
