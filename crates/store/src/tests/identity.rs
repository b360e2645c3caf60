//! Whose file it is: new, ours, another program's, a newer one's, none at all.

#![expect(
    clippy::disallowed_methods,
    reason = "files are looked at here, in a test"
)]

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rusqlite::Connection;
use tipstaff_journal::{AppendError, Filter, Journal as _, StorageFault};

use super::{draft, new_path, open, opened_by, stream};
use crate::sqlite::schema::APPLICATION_ID;
use crate::{OpenJournalError, SqliteJournal};

fn refusal(path: &Path) -> OpenJournalError {
    SqliteJournal::open(path, &opened_by(1)).unwrap_err()
}

fn write(path: &Path, bytes: &[u8]) {
    let mut file = OpenOptions::new()
        .create(true)
        .truncate(true)
        .write(true)
        .mode(0o600)
        .open(path)
        .unwrap();
    file.write_all(bytes).unwrap();
}

fn database(path: &Path, sql: &str) -> Vec<u8> {
    write(path, b"");
    Connection::open(path).unwrap().execute_batch(sql).unwrap();
    fs::read(path).unwrap()
}

#[test]
fn the_linked_sqlite_is_new_enough() {
    assert!(
        rusqlite::version_number() >= 3_051_003,
        "{}",
        rusqlite::version()
    );
}

#[tokio::test]
async fn an_existing_journal_keeps_its_opening() {
    let (_folder, path) = new_path();
    let head = open(&path).head().await.unwrap();
    let again = SqliteJournal::open(&path, &opened_by(99)).unwrap();
    assert_eq!(again.head().await.unwrap(), head);
}

#[tokio::test]
async fn an_empty_file_is_new() {
    let (_folder, path) = new_path();
    write(&path, b"");
    assert_eq!(open(&path).head().await.unwrap().seq, 1);
}

#[test]
fn a_database_of_another_program_is_refused_and_untouched() {
    let (_folder, path) = new_path();
    for (sql, id) in [
        ("CREATE TABLE t (a)", 0),
        ("PRAGMA application_id = 7", 7),
        ("PRAGMA user_version = 3", 0),
    ] {
        let bytes = database(&path, sql);
        let err = refusal(&path);
        assert!(
            matches!(err, OpenJournalError::Foreign { application_id, .. } if application_id == id),
            "{err:?}"
        );
        assert_eq!(fs::read(&path).unwrap(), bytes, "{sql}");
        assert!(matches!(
            SqliteJournal::open_read_only(&path),
            Err(OpenJournalError::Foreign { .. })
        ));
    }
}

#[test]
fn a_newer_format_is_refused_and_untouched() {
    let (_folder, path) = new_path();
    let bytes = database(
        &path,
        &format!("PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = 2"),
    );
    assert!(matches!(
        refusal(&path),
        OpenJournalError::Newer {
            format: 2,
            known: 1,
            ..
        }
    ));
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn what_is_no_database_is_refused_and_untouched() {
    let (_folder, path) = new_path();
    let text = b"{\"seq\":1}\n".repeat(1000);
    write(&path, &text);
    assert!(matches!(
        refusal(&path),
        OpenJournalError::NotADatabase { .. }
    ));
    assert_eq!(fs::read(&path).unwrap(), text);
}

#[test]
fn a_journal_without_its_events_is_damaged() {
    let (_folder, path) = new_path();
    drop(open(&path));
    let conn = Connection::open(&path).unwrap();
    conn.execute_batch("DROP TRIGGER event_delete; DELETE FROM event")
        .unwrap();
    drop(conn);
    assert!(matches!(refusal(&path), OpenJournalError::Damaged { .. }));
}

#[test]
fn a_truncated_file_is_an_error_that_says_so() {
    let (_folder, path) = new_path();
    drop(open(&path));
    let bytes = fs::read(&path).unwrap();
    write(&path, &bytes[..bytes.len() / 2]);
    let err = refusal(&path);
    assert!(
        matches!(
            err,
            OpenJournalError::Storage {
                fault: StorageFault::Corrupt,
                ..
            }
        ),
        "{err:?}"
    );
}

#[test]
fn who_opens_must_have_a_name() {
    let (_folder, path) = new_path();
    let mut by = opened_by(1);
    by.actor.clear();
    let err = SqliteJournal::open(&path, &by).unwrap_err();
    assert!(matches!(err, OpenJournalError::Opening { .. }), "{err:?}");
    open(&path);
}

#[tokio::test]
async fn opened_for_reading_it_reads_follows_and_refuses_appends() {
    let (_folder, path) = new_path();
    let writer = open(&path);
    let reader = SqliteJournal::open_read_only(&path).unwrap();
    let err = reader.append(&[], vec![draft(2, 2)]).await.unwrap_err();
    assert!(
        matches!(
            err,
            AppendError::Unavailable {
                fault: StorageFault::ReadOnly,
                ..
            }
        ),
        "{err:?}"
    );
    let mut following = reader.subscribe(2);
    let appended = writer.append(&[], vec![draft(2, 2)]).await.unwrap();
    assert_eq!(following.next().await.unwrap(), appended.events[0]);
    assert_eq!(reader.read(&stream(2)).await.unwrap(), appended.events);
    assert_eq!(
        reader.scan(2, 9, &Filter::all()).await.unwrap(),
        appended.events
    );
    assert_eq!(reader.head().await.unwrap(), appended.head);
}
