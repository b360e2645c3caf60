//! What the gate knows from the journal: approvals, pins, tasks, pauses, and executions without an outcome.
//!
//! A fold and nothing else: dropping it and reading the journal again gives the same state.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use tipstaff_approval::Approvals;
use tipstaff_journal::{Event, StreamKind, kinds};
use tipstaff_registry::Pins;
use tipstaff_triage::events::Owed;
use tipstaff_triage::{Tasks, task_id};
use uuid::Uuid;

use crate::record::WarrantIssued;

/// The folded state.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// The last event that was taken in.
    pub(crate) applied: u64,
    pub(crate) approvals: Approvals,
    pub(crate) pins: Pins,
    pub(crate) tasks: Tasks,
    /// Warrants whose execution has no outcome yet, by call.
    pub(crate) unfinished: BTreeMap<Uuid, Unfinished>,
    /// Tasks that answers should have opened, by call.
    pub(crate) owed: BTreeMap<Uuid, OwedBy>,
    /// How many callers wait for a question, by approval.
    pub(crate) waiting: BTreeMap<Uuid, usize>,
    /// Open questions for which somebody holds a ticket.
    pub(crate) ticketed: BTreeSet<Uuid>,
}

/// An execution that may or may not have run.
#[derive(Debug, Clone)]
pub(crate) struct Unfinished {
    pub(crate) warrant: WarrantIssued,
    pub(crate) correlation: Option<Uuid>,
}

/// Tasks that a call's answer should have opened.
#[derive(Debug, Clone)]
pub(crate) struct OwedBy {
    pub(crate) data: Owed,
    pub(crate) at: DateTime<Utc>,
    pub(crate) correlation: Option<Uuid>,
}

/// Whether the events reached back to what was known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    /// All of them were taken in, or known already.
    All,
    /// Events of somebody else lie between: read on from the journal.
    Gap,
}

impl State {
    /// Takes in events in order; those known already change nothing.
    pub(crate) fn take(&mut self, events: &[Event]) -> Taken {
        for event in events {
            if event.seq <= self.applied {
                continue;
            }
            if event.seq != self.applied + 1 {
                return Taken::Gap;
            }
            self.apply(event);
            self.applied = event.seq;
        }
        Taken::All
    }

    fn apply(&mut self, event: &Event) {
        match event.stream.kind() {
            StreamKind::Approval => {
                report(event, self.approvals.apply(event));
                let open = |id| self.approvals.get(id).is_some_and(|r| !r.state.is_final());
                if let Some(id) = event.stream.uuid().filter(|id| !open(*id)) {
                    self.ticketed.remove(&id);
                }
            }
            StreamKind::Tool => report(event, self.pins.apply(event)),
            StreamKind::Task => {
                report(event, self.tasks.apply(event));
                if event.kind == kinds::TASK_OPENED {
                    self.settle();
                }
            }
            StreamKind::Call => self.apply_call(event),
            StreamKind::Grant
            | StreamKind::Remembered
            | StreamKind::Policy
            | StreamKind::Session
            | StreamKind::Agent
            | StreamKind::Idempotency
            | StreamKind::Journal => {}
        }
    }

    /// Forgets what is not owed any more.
    fn settle(&mut self) {
        let tasks = &self.tasks;
        self.owed.retain(|call, owed| {
            let missing = |name: &str| tasks.get(&task_id(*call, name)).is_none();
            owed.data.rules.iter().any(|owed| missing(&owed.rule))
        });
    }

    fn apply_call(&mut self, event: &Event) {
        let Some(call) = event.stream.uuid() else {
            return;
        };
        if event.kind == kinds::WARRANT_ISSUED {
            match serde_json::from_value(event.data.clone()) {
                Ok(warrant) => {
                    self.unfinished.insert(
                        call,
                        Unfinished {
                            warrant,
                            correlation: event.correlation,
                        },
                    );
                }
                Err(error) => report(event, Err(error)),
            }
        } else if event.kind == kinds::TRIAGE_FAILED {
            match serde_json::from_value::<Owed>(event.data.clone()) {
                Ok(data) => {
                    let owed = OwedBy {
                        data,
                        at: event.ts,
                        correlation: event.correlation,
                    };
                    self.owed.insert(call, owed);
                    self.settle();
                }
                Err(error) => report(event, Err(error)),
            }
        } else if [
            kinds::EXECUTION_SUCCEEDED,
            kinds::EXECUTION_FAILED,
            kinds::EXECUTION_UNKNOWN,
        ]
        .contains(&event.kind)
        {
            self.unfinished.remove(&call);
        }
    }
}

/// An event that does not fit changes nothing: what rests on it stays unusable. It is said aloud.
fn report<E: std::error::Error>(event: &Event, taken: Result<(), E>) {
    if let Err(error) = taken {
        tracing::error!(seq = event.seq, kind = event.kind.as_str(), %error, "an event of the journal does not fit");
    }
}
