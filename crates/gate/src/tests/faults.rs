//! A journal that fails: whatever cannot be written does not happen.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::json;
use tipstaff_approval::Answer;
use tipstaff_journal::{
    AppendError, Appended, Draft, DraftError, Event, Filter, Head, Journal, MemoryJournal,
    ReadJournalError, StorageFault, Stream, Subscription,
};

use super::bench::*;
use crate::*;

/// What goes wrong, and when.
#[derive(Debug, Default)]
pub(super) struct Faults {
    /// Appends that still work.
    left: AtomicUsize,
    slow: AtomicBool,
    no_tasks: AtomicBool,
    /// Takes no further event.
    shut: Mutex<Option<Stream>>,
}

impl Faults {
    /// Nothing fails, but every append lets others go first.
    pub(super) fn slow() -> Self {
        Self {
            left: AtomicUsize::new(usize::MAX),
            slow: AtomicBool::new(true),
            ..Self::default()
        }
    }

    /// So many appends work, then none does.
    pub(super) fn after(appends: usize) -> Arc<Self> {
        Arc::new(Self {
            left: AtomicUsize::new(appends),
            ..Self::default()
        })
    }

    /// Appends with the beginning of a task are refused as invalid.
    pub(super) fn refusing_tasks() -> Arc<Self> {
        Arc::new(Self {
            left: AtomicUsize::new(usize::MAX),
            no_tasks: AtomicBool::new(true),
            ..Self::default()
        })
    }

    /// Nothing fails but what is to be appended to this stream.
    pub(super) fn shut(&self, stream: Stream) {
        *self.shut.lock().unwrap() = Some(stream);
    }

    pub(super) fn mend(&self) {
        self.no_tasks.store(false, Ordering::SeqCst);
        self.left.store(usize::MAX, Ordering::SeqCst);
    }
}

#[derive(Debug)]
pub(super) struct Faulty(pub(super) Arc<MemoryJournal>, pub(super) Arc<Faults>);

#[async_trait::async_trait]
impl Journal for Faulty {
    async fn append(
        &self,
        expected: &[(Stream, u64)],
        drafts: Vec<Draft>,
    ) -> Result<Appended, AppendError> {
        if self.1.slow.load(Ordering::SeqCst) {
            for _ in 0..3 {
                tokio::task::yield_now().await;
            }
        }
        if self.1.left.load(Ordering::SeqCst) == 0 {
            return Err(AppendError::Unavailable {
                fault: StorageFault::Full,
                source: None,
            });
        }
        let opens = |draft: &Draft| draft.kind.as_str() == "task.opened";
        if self.1.no_tasks.load(Ordering::SeqCst)
            && let Some(index) = drafts.iter().position(opens)
        {
            let id = drafts[index].id;
            return Err(AppendError::Invalid {
                index,
                source: DraftError::DuplicateId { id },
            });
        }
        let shut = self.1.shut.lock().unwrap().clone();
        let refused = |draft: &Draft| Some(&draft.stream) == shut.as_ref();
        if let Some(index) = drafts.iter().position(refused) {
            let id = drafts[index].id;
            let source = DraftError::DuplicateId { id };
            return Err(AppendError::Invalid { index, source });
        }
        self.1.left.fetch_sub(1, Ordering::SeqCst);
        self.0.append(expected, drafts).await
    }

    async fn read(&self, stream: &Stream) -> Result<Vec<Event>, ReadJournalError> {
        self.0.read(stream).await
    }

    async fn scan(
        &self,
        from_seq: u64,
        limit: usize,
        filter: &Filter,
    ) -> Result<Vec<Event>, ReadJournalError> {
        self.0.scan(from_seq, limit, filter).await
    }

    async fn head(&self) -> Result<Head, ReadJournalError> {
        self.0.head().await
    }

    fn subscribe(&self, from_seq: u64) -> Subscription {
        self.0.subscribe(from_seq)
    }
}

async fn failing_after(appends: usize) -> (Bench, Arc<Faults>) {
    let faults = Faults::after(appends);
    let setup = Setup {
        approver: Some(Scripted(None)),
        faults: Some(Arc::clone(&faults)),
        ..Setup::default()
    };
    (Bench::new(setup).await, faults)
}

#[tokio::test]
async fn i6_without_a_warrant_in_the_journal_nothing_runs() {
    let (bench, faults) = failing_after(0).await;
    let free = || Call::new("box_free", json!({}));
    assert_eq!(short(&bench.submit(free()).await), "refused at warrant");
    assert_eq!(
        short(&bench.submit(write("/x")).await),
        "refused at warrant"
    );
    assert_eq!(
        short(&bench.submit(Call::new("none", json!({}))).await),
        "refused at warrant"
    );
    assert_eq!((bench.runs(), bench.kinds().await.len()), (0, 0));
    faults.mend();
    assert_eq!(short(&bench.submit(free()).await), "completed");
    assert_eq!(bench.runs(), 1);
}

#[tokio::test]
async fn i6_an_outcome_that_cannot_be_written_is_told_and_becomes_unknown() {
    let (bench, faults) = failing_after(1).await;
    assert_eq!(
        short(&bench.submit(Call::new("box_free", json!({}))).await),
        "completed"
    );
    assert_eq!(bench.runs(), 1);
    faults.mend();
    let next = Bench::new(Setup {
        journal: Some(bench.journal.clone()),
        ids_from: 10_000,
        ..Setup::default()
    })
    .await;
    assert_eq!(next.runs(), 0);
    assert!(next.kinds().await.contains(&"execution.unknown".to_owned()));
}

#[tokio::test]
async fn i2_an_answer_or_a_use_that_cannot_be_written_did_not_happen() {
    let (bench, faults) = failing_after(2).await; // The question, and that the call waits for it.
    let ticket = bench.ticket(write("/x")).await;
    let answer = || {
        bench
            .gate
            .answer(ticket.approval_id, ticket.digest, Answer::Approve, &ANA)
    };
    static ANA: std::sync::LazyLock<tipstaff_schema::Person> =
        std::sync::LazyLock::new(|| person("ana"));
    assert!(answer().await.is_err());
    assert_eq!(bench.gate.pending_approvals().len(), 1);
    faults.mend();
    answer().await.unwrap();
    faults.left.store(0, Ordering::SeqCst);
    assert_eq!(
        short(&bench.submit(write("/x")).await),
        "refused at warrant"
    );
    assert_eq!(bench.runs(), 0);
    faults.mend();
    assert_eq!(short(&bench.submit(write("/x")).await), "completed");
    assert_eq!(bench.runs(), 1);
}
