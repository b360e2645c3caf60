//! After a crash: what had a warrant and no outcome is `unknown`, and is never sent again by itself.
//!
//! Also follows what other gates append to the same journal, so that an answer given elsewhere is seen.

use std::sync::Arc;

use serde_json::json;
use tipstaff_journal::{AppendError, kinds};
use tipstaff_schema::{Digest, Domain};
use tipstaff_triage::events::{KeptAnswer, Opened};
use tipstaff_triage::{DeadlineSpec, OnExpiry, Priority, task_id};
use uuid::Uuid;

use crate::OpenGateError;
use crate::gate::Gate;
use crate::record::Trace;
use crate::state::{Taken, Unfinished};

/// How long a fault of the journal is waited out before it is read again.
const PAUSE: chrono::TimeDelta = chrono::TimeDelta::seconds(1);

/// The kind of task, and the rule, of an execution whose outcome is unknown.
const RECONCILE: &str = "tipstaff.reconcile";

impl Gate {
    /// Records executions of ended gates as unknown; those that may not simply be sent again become
    /// tasks for people.
    pub(crate) async fn recover(&self) -> Result<(), OpenGateError> {
        let unfinished: Vec<(Uuid, Unfinished)> = {
            let state = self.0.state();
            state
                .unfinished
                .iter()
                .map(|(call, warrant)| (*call, warrant.clone()))
                .collect()
        };
        for (
            call,
            Unfinished {
                warrant,
                correlation,
            },
        ) in unfinished
        {
            if warrant.instance != self.0.instance && self.0.instances.is_alive(&warrant.instance) {
                continue;
            }
            let mut trace = Trace {
                call_id: call,
                correlation: correlation.unwrap_or(call),
                causation: None,
                agent: warrant.agent.clone(),
                actor: "gate".to_owned(),
                observed: false,
                drafts: Vec::new(),
            };
            let why = "the gate ended while it ran";
            self.note(&mut trace, kinds::EXECUTION_UNKNOWN, json!({ "why": why }));
            self.reconcile(&mut trace, &warrant.tool_id, warrant.idempotent);
            let stream = trace.stream();
            let version = self
                .0
                .journal
                .read(&stream)
                .await
                .map(|events| events.len() as u64)
                .map_err(OpenGateError::Read)?;
            match self
                .0
                .append(&[(stream, version)], std::mem::take(&mut trace.drafts))
                .await
            {
                Ok(_) | Err(AppendError::Conflict { .. }) => {} // Another gate was faster.
                Err(error) => return Err(OpenGateError::Append(error)),
            }
        }
        Ok(())
    }

    /// Opens the task in which a person finds out whether a call had its effect.
    pub(crate) fn reconcile(&self, trace: &mut Trace, tool_id: &str, may_be_sent_again: bool) {
        if may_be_sent_again {
            return;
        }
        let now = self.0.now();
        let Ok(calendar) = Digest::of(Domain::Calendar, &json!("days")) else {
            return;
        };
        let task = Opened {
            task: task_id(trace.call_id, RECONCILE),
            kind: RECONCILE.to_owned(),
            call: trace.call_id,
            tool: tool_id.to_owned(),
            agent: trace.agent.clone(),
            summary: format!(
                "find out whether call {} had its effect, and put right what is not",
                trace.call_id
            ),
            answer: KeptAnswer::None {},
            audience: Vec::new(),
            excluded: Vec::new(),
            priority: Priority::High,
            deadline: DeadlineSpec::of("reconcile", "days", 1),
            due_at: now
                .checked_add_signed(chrono::TimeDelta::days(1))
                .unwrap_or(now),
            calendar,
            on_expiry: OnExpiry::Deny,
            escalate_to: Vec::new(),
            note_required: true,
            observed: false,
        };
        self.open_task(trace, task);
    }

    /// Follows the journal for as long as the gate lives.
    pub(crate) fn follow(&self) {
        let weak = Arc::downgrade(&self.0);
        let mut events = self.0.journal.subscribe(self.0.state().applied + 1);
        tokio::spawn(async move {
            loop {
                let event = events.next().await;
                let Some(inner) = weak.upgrade() else { return };
                match event {
                    Ok(event) => {
                        let taken = inner.state().take(std::slice::from_ref(&event));
                        if taken == Taken::Gap {
                            tracing::warn!(seq = event.seq, "the journal's feed skipped an event");
                            inner.after_conflict().await;
                        }
                        inner
                            .changed
                            .send_modify(|count| *count = count.wrapping_add(1));
                    }
                    Err(error) => {
                        // The feed tries again at its next call; until then, nothing new is known.
                        tracing::error!(%error, "the journal cannot be followed");
                        let (clock, again) = (Arc::clone(&inner.clock), inner.now() + PAUSE);
                        drop(inner);
                        clock.sleep_until(again).await;
                    }
                }
            }
        });
    }
}
