//! The journal in memory, subscriptions and the bell.

use std::sync::Arc;

use serde_json::Value;

use super::{draft, new_journal, wait};
use crate::conformance::{self, Subject};
use crate::{Journal, ReadJournalError, StorageFault, kinds};

#[test]
fn the_journal_in_memory_conforms() {
    let make = || async {
        Subject {
            journal: Arc::new(new_journal()),
            reopen: None,
        }
    };
    assert_eq!(wait(conformance::run(make)), Ok(()));
}

#[test]
fn a_subscription_wakes_for_an_append_on_another_thread() {
    let journal = Arc::new(new_journal());
    let mut subscription = journal.subscribe(2);
    let writer = std::thread::spawn({
        let journal = journal.clone();
        move || {
            wait(journal.append(&[], vec![draft(2, 2, kinds::CALL_RECEIVED, Value::Null)])).unwrap()
        }
    });
    assert_eq!(wait(subscription.next()).unwrap().seq, 2);
    assert_eq!(subscription.position(), 3);
    writer.join().unwrap();
}

#[test]
fn a_subscription_drains_and_ends_when_its_journal_is_gone() {
    let journal = new_journal();
    let mut subscription = journal.subscribe(1);
    let waiting = std::thread::spawn(move || {
        assert_eq!(wait(subscription.next()).unwrap().seq, 1);
        wait(subscription.next()).unwrap_err()
    });
    drop(journal);
    let ended = waiting.join().unwrap();
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
