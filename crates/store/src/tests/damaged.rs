//! C157: what somebody does to the file behind our back is found.

use rusqlite::Connection;
use tipstaff_journal::{Damage, EndProof, Journal, ReadJournalError, Report, verify_journal};

use super::{draft, new_path, open, opened_by, stream};
use crate::{OpenJournalError, SqliteJournal};

/// The report on a journal of six events after this was done to its table.
async fn after(sql: &str) -> Report {
    let (_folder, path) = new_path();
    let journal = open(&path);
    let drafts = (2..=6).map(|id| draft(id, id % 2)).collect();
    let head = journal.append(&[], drafts).await.unwrap().head;
    let conn = Connection::open(&path).unwrap();
    conn.execute_batch("DROP TRIGGER event_update; DROP TRIGGER event_delete")
        .unwrap();
    conn.execute_batch(sql).unwrap();
    verify_journal(&journal, Some(&head)).await.unwrap()
}

async fn check(sql: &str, want: &[(u64, Damage)], end: EndProof) {
    let report = after(sql).await;
    let found: Vec<_> = report
        .breaks
        .iter()
        .map(|b| (b.seq, b.damage.clone()))
        .collect();
    assert_eq!((found.as_slice(), report.end), (want, end), "{sql}");
}

#[tokio::test]
async fn the_table_refuses_changes_by_accident() {
    let (_folder, path) = new_path();
    drop(open(&path));
    let conn = Connection::open(&path).unwrap();
    for sql in ["DELETE FROM event", "UPDATE event SET text = ''"] {
        assert!(
            conn.execute_batch(sql)
                .unwrap_err()
                .to_string()
                .contains("events are never")
        );
    }
}

#[tokio::test]
async fn c157_an_untouched_store_is_proven() {
    check("", &[], EndProof::Proven).await;
}

#[tokio::test]
async fn c157_a_store_without_its_tail_or_middle_is_found() {
    check(
        "DELETE FROM event WHERE seq > 4",
        &[(4, Damage::RolledBack { trusted: 6 })],
        EndProof::NotProven,
    )
    .await;
    check(
        "DELETE FROM event",
        &[(0, Damage::RolledBack { trusted: 6 })],
        EndProof::NotProven,
    )
    .await;
    check(
        "DELETE FROM event WHERE seq = 3",
        &[(3, Damage::Missing { from: 3, to: 3 })],
        EndProof::Proven,
    )
    .await;
}

#[tokio::test]
async fn c157_an_edited_text_is_found() {
    check(
        "UPDATE event SET text = replace(text, 'tester', 'nobody') WHERE seq = 3",
        &[(3, Damage::Edited)],
        EndProof::Proven,
    )
    .await;
}

#[tokio::test]
async fn what_is_no_event_any_more_is_reported_and_the_rest_is_verified() {
    let report = after("UPDATE event SET text = 'x' WHERE seq IN (3, 5)").await;
    let damage = report.breaks.iter().map(|b| &b.damage);
    let lines: Vec<u64> = damage
        .filter_map(|d| {
            if let Damage::Unreadable { line, .. } = d {
                Some(*line)
            } else {
                None
            }
        })
        .collect();
    assert_eq!(
        (lines, report.events, report.end),
        (vec![3, 5], 4, EndProof::Proven)
    );
}

#[tokio::test]
async fn an_index_that_says_another_thing_than_its_event_is_found() {
    for sql in [
        "UPDATE event SET stream = 'call/x' WHERE seq = 3",
        "UPDATE event SET version = 9 WHERE seq = 3",
        "UPDATE event SET kind = 'call.refused' WHERE seq = 3",
        "UPDATE event SET correlation = x'00' WHERE seq = 3",
        "UPDATE event SET id = x'00' WHERE seq = 3",
        "UPDATE event SET hash = 'x' WHERE seq = 3",
        "UPDATE event SET text = replace(text, ',', ' ,') WHERE seq = 3",
    ] {
        let report = after(sql).await;
        assert!(
            matches!(report.breaks[0].damage, Damage::Unreadable { line: 3, .. }),
            "{sql}: {report}"
        );
    }
}

#[tokio::test]
async fn a_stream_with_a_hole_is_not_read_as_if_it_were_whole() {
    let (_folder, path) = new_path();
    let journal = open(&path);
    journal
        .append(&[], (2..=4).map(|id| draft(id, 7)).collect())
        .await
        .unwrap();
    let conn = Connection::open(&path).unwrap();
    conn.execute_batch("DROP TRIGGER event_delete; DELETE FROM event WHERE seq = 3")
        .unwrap();
    let err = journal.read(&stream(7)).await.unwrap_err();
    assert!(
        matches!(err, ReadJournalError::Damaged { seq: 4, .. }),
        "{err:?}"
    );
}

#[tokio::test]
async fn a_journal_whose_last_event_was_edited_is_not_opened() {
    let (_folder, path) = new_path();
    drop(open(&path));
    let conn = Connection::open(&path).unwrap();
    conn.execute_batch(
        "DROP TRIGGER event_update; UPDATE event SET text = replace(text, 'tester', 'nobody')",
    )
    .unwrap();
    drop(conn);
    let err = SqliteJournal::open(&path, &opened_by(1)).unwrap_err();
    assert!(matches!(err, OpenJournalError::Damaged { .. }), "{err:?}");
}
