//! What time does to tasks, and what is still owed: tasks that fall due expire or escalate, tasks that
//! could not be opened are opened, outcomes that could not be written are written.
//!
//! One loop a gate. Of several gates over one journal each tries; the versions let one win.

use std::collections::VecDeque;
use std::sync::Arc;

use chrono::TimeDelta;
use tipstaff_journal::{AppendError, Draft, Stream, StreamKind, kinds};
use tipstaff_schema::Digest;
use tipstaff_triage::{OpenFor, TaskEvent, task_id};
use uuid::Uuid;

use crate::gate::{Gate, Inner};
use crate::state::OwedBy;

/// How many tasks fall due in one append.
const AT_ONCE: usize = 100;
/// When what failed is tried again.
const AGAIN: TimeDelta = TimeDelta::seconds(60);
/// No outcome that could not be written is kept beyond so many; what is dropped becomes `unknown`
/// when a gate opens on the journal next.
const MOST_KEPT: usize = 1_000;

/// Outcomes with their tasks that the journal did not take, oldest first.
pub(crate) type Unwritten = VecDeque<Vec<Draft>>;

impl Gate {
    /// Sees to tasks for as long as the gate lives.
    pub(crate) fn tend(&self) {
        let weak = Arc::downgrade(&self.0);
        let mut changed = self.0.changed.subscribe();
        tokio::spawn(async move {
            let mut again = None;
            loop {
                changed.mark_unchanged();
                let Some(inner) = weak.upgrade() else { return };
                let gate = Self(inner);
                let now = gate.0.now();
                if again.is_none_or(|again| again <= now) {
                    again = (!gate.make_good().await).then(|| now + AGAIN);
                } else if let Err(error) = gate.expire_tasks().await {
                    tracing::error!(%error, "tasks that fell due cannot be marked");
                }
                let due = gate.0.state().tasks.next_due().filter(|due| now < *due);
                let wake = due.into_iter().chain(again).min();
                let clock = Arc::clone(&gate.0.clock);
                drop(gate);
                let slept = async {
                    match wake {
                        Some(at) => clock.sleep_until(at).await,
                        None => std::future::pending().await,
                    }
                };
                tokio::select! {
                    told = changed.changed() => if told.is_err() { return },
                    () = slept => {}
                }
            }
        });
    }

    /// Whether nothing is left that has to be tried again.
    async fn make_good(&self) -> bool {
        let written = self.write_kept().await;
        let opened = self.open_owed().await;
        let expired = self.expire_tasks().await;
        written && opened && expired.unwrap_or(false)
    }

    /// Marks or escalates everything that has fallen due, the oldest first, and says whether all of
    /// it could be. One that cannot be written keeps no other from its turn. The gate does this
    /// itself when a task falls due, and at its start; to call it besides does no harm.
    ///
    /// # Errors
    /// [`AppendError`] when the journal cannot be written.
    pub async fn expire_tasks(&self) -> Result<bool, AppendError> {
        let due: Vec<Digest> = {
            let (state, now) = (self.0.state(), self.0.now());
            let due = state.tasks.fallen_due(now, &*self.0.calendar);
            due.map(|(task, _)| task.id).collect()
        };
        let mut all = true;
        for some in due.chunks(AT_ONCE) {
            match self.lapse(some).await {
                Ok(()) => {}
                Err(AppendError::Unavailable { fault, source }) => {
                    return Err(AppendError::Unavailable { fault, source });
                }
                // One of them has changed or cannot be written: each by itself.
                Err(_) => {
                    self.0.after_conflict().await;
                    for one in some {
                        let lapsed = self.lapse(std::slice::from_ref(one)).await;
                        if let Err(error) = &lapsed {
                            tracing::warn!(%error, task = %one, "a task that fell due could not be marked");
                        }
                        all &= lapsed.is_ok();
                    }
                }
            }
        }
        Ok(all)
    }

    async fn lapse(&self, ids: &[Digest]) -> Result<(), AppendError> {
        let (mut expected, mut drafts) = (Vec::new(), Vec::new());
        {
            let (state, now) = (self.0.state(), self.0.now());
            for id in ids {
                let Some((task, event)) = state.tasks.lapse_of(id, now, &*self.0.calendar) else {
                    continue; // Somebody was faster.
                };
                let Some((stream, mut draft)) = self.0.lapse_draft(id, &event) else {
                    continue;
                };
                draft.correlation = task.correlation;
                expected.push((stream, task.version));
                drafts.push(draft);
            }
        }
        if drafts.is_empty() {
            return Ok(());
        }
        self.0.append(&expected, drafts).await.map(|_| ())
    }

    /// Opens the tasks that are owed, where that has become possible.
    async fn open_owed(&self) -> bool {
        let owed: Vec<(Uuid, OwedBy)> = {
            let state = self.0.state();
            let owed = state.owed.iter();
            owed.map(|(call, owed)| (*call, owed.clone())).collect()
        };
        let mut all = true;
        for (call, owed) in owed {
            for rule in owed.data.rules.iter().map(|owed| &owed.rule) {
                all &= self.open_one(call, &owed, rule).await;
            }
        }
        all
    }

    async fn open_one(&self, call: Uuid, owed: &OwedBy, name: &str) -> bool {
        let id = task_id(call, name);
        let summary = owed.data.rules.iter().find(|owed| owed.rule == name);
        let rule = self.0.triage.as_ref().and_then(|rules| rules.rule(name));
        let (Some(rule), Some(summary)) = (rule, summary) else {
            return true; // The rule is no more: nothing is to be tried.
        };
        if self.task(&id).is_some() {
            return true;
        }
        let facts = OpenFor {
            call_id: call,
            tool_name: &owed.data.tool,
            agent: &owed.data.agent,
            at: owed.at,
        };
        let (summary, answer) = (summary.summary.clone(), owed.data.answer.clone());
        let opened = match rule.open(&facts, summary, answer, &*self.0.calendar) {
            Ok(opened) => opened,
            Err(error) => {
                tracing::warn!(%error, %call, "a task is still owed");
                return false;
            }
        };
        let event = TaskEvent::Opened(Box::new(opened));
        let Some((stream, mut draft)) = self.0.lapse_draft(&id, &event) else {
            return false;
        };
        draft.correlation = owed.correlation;
        match self.0.append(&[(stream, 0)], vec![draft]).await {
            Ok(_) => true,
            Err(AppendError::Conflict { .. }) => {
                self.0.after_conflict().await; // It was opened elsewhere.
                true
            }
            Err(error) => {
                tracing::warn!(%error, %call, "a task is still owed");
                false
            }
        }
    }

    /// Keeps an outcome that the journal did not take, to be written later.
    pub(crate) fn keep_unwritten(&self, drafts: Vec<Draft>) {
        let mut kept = self.0.unwritten();
        if kept.len() < MOST_KEPT {
            kept.push_back(drafts);
        }
        drop(kept);
        self.0
            .changed
            .send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Writes the outcomes that were kept, unless the journal holds another one meanwhile.
    async fn write_kept(&self) -> bool {
        loop {
            let Some(drafts) = self.0.unwritten().front().cloned() else {
                return true;
            };
            match self.write_late(drafts).await {
                Ok(()) => drop(self.0.unwritten().pop_front()),
                Err(error) => {
                    tracing::warn!(%error, "an outcome is still not written");
                    return false;
                }
            }
        }
    }

    async fn write_late(
        &self,
        drafts: Vec<Draft>,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let Some(stream) = drafts
            .iter()
            .map(|draft| &draft.stream)
            .find(|stream| stream.kind() == StreamKind::Call)
            .cloned()
        else {
            return Ok(());
        };
        let events = self.0.journal.read(&stream).await?;
        let ends = [
            kinds::EXECUTION_SUCCEEDED,
            kinds::EXECUTION_FAILED,
            kinds::EXECUTION_UNKNOWN,
        ];
        if events.iter().any(|event| ends.contains(&event.kind)) {
            return Ok(());
        }
        let version = u64::try_from(events.len()).unwrap_or(u64::MAX);
        let own = drafts.iter().filter(|draft| draft.stream == stream);
        let alone: Vec<Draft> = own.cloned().collect();
        let expected = [(stream, version)];
        match self.0.append(&expected, drafts).await {
            Ok(_) => return Ok(()),
            Err(AppendError::Invalid { .. }) => {} // Perhaps only the tasks are.
            Err(error) => return Err(Box::new(error)),
        }
        match self.0.append(&expected, alone).await {
            Ok(_) => Ok(()),
            Err(AppendError::Invalid { source, .. }) => {
                // It never can be: it becomes `unknown` when a gate opens on the journal next.
                tracing::error!(error = %source, "an outcome cannot be written");
                Ok(())
            }
            Err(error) => Err(Box::new(error)),
        }
    }
}

impl Inner {
    /// A task's own stream, and the draft of what time or the gate does to it.
    fn lapse_draft(&self, id: &Digest, event: &TaskEvent) -> Option<(Stream, Draft)> {
        let stream = Stream::new(StreamKind::Task, id.to_string()).ok()?;
        let draft = self.task_draft(stream.clone(), event, "gate").ok()?;
        Some((stream, draft))
    }
}
