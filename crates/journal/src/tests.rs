//! Tests of the journal, by what they are about.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    Draft, Event, Filter, Head, Journal, Kind, MemoryJournal, Stream, StreamKind, kinds, to_line,
};

mod damage;
mod damaged_at_random;
mod envelope;
mod lines;
mod memory;

struct Unpark(std::thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs a future on this thread.
fn wait<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let (mut future, mut cx) = (pin!(future), Context::from_waker(&waker));
    loop {
        match future.as_mut().poll(&mut cx) {
            Poll::Ready(result) => return result,
            Poll::Pending => std::thread::park(),
        }
    }
}

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000 + seconds, 0).unwrap()
}

fn new_journal() -> MemoryJournal {
    MemoryJournal::new(Uuid::from_u128(1), at(0))
}

fn draft(id: u128, stream: u128, kind: Kind, data: Value) -> Draft {
    let stream = Stream::of(StreamKind::Call, Uuid::from_u128(stream));
    Draft::new(
        Uuid::from_u128(id),
        at(id as i64),
        stream,
        kind,
        "coder",
        data,
    )
}

fn all(journal: &MemoryJournal) -> (Vec<Event>, Head) {
    (
        wait(journal.scan(0, usize::MAX, &Filter::all())).unwrap(),
        wait(journal.head()).unwrap(),
    )
}

/// A journal of `count` events over two streams.
fn sample(count: u128) -> (Vec<Event>, Head) {
    let journal = new_journal();
    let drafts =
        (2..=count).map(|id| draft(id, id % 2, kinds::CALL_RECEIVED, json!({ "n": id as u64 })));
    wait(journal.append(&[], drafts.collect())).unwrap();
    all(&journal)
}

fn export(events: &[Event]) -> String {
    events.iter().map(|event| to_line(event) + "\n").collect()
}
