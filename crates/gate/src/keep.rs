//! Keeping a question once it is put: showing it to every approver, taking the first answer that
//! decides, ending it in time, taking it back.
//!
//! A question is kept by a task of its own, so that it outlives the connection of the caller who
//! caused it. Every step names the version that it follows: of two who are equally fast, one wins.

use std::sync::Arc;

use tipstaff_approval::{ApprovalEvent, ApprovalRequest, ApprovalState, events};
use tipstaff_journal::{AppendError, Stream, StreamKind};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::Session;
use crate::gate::Gate;

impl Gate {
    /// Takes a question back, unless somebody else waits for it too.
    pub(crate) async fn withdraw(&self, session: &Session, id: Uuid) {
        {
            let state = self.0.state();
            let waiting = state.waiting.get(&id).copied().unwrap_or_default();
            if waiting > 1 || state.ticketed.contains(&id) {
                return;
            }
        }
        let event = ApprovalEvent::Withdrawn(events::Withdrawn {
            reason: "the caller cancelled the call".to_owned(),
        });
        self.step(id, &event, &format!("agent:{}", session.agent))
            .await;
    }

    pub(crate) async fn void(
        &self,
        request: &ApprovalRequest,
        why: &str,
    ) -> Result<(), AppendError> {
        let event = ApprovalEvent::Voided(events::Voided {
            reason: why.to_owned(),
        });
        match self.write_step(request, &event, "gate").await {
            // Somebody else was faster: what there is now is looked at again.
            Err(AppendError::Conflict { .. }) => {
                self.0.after_conflict().await;
                Ok(())
            }
            written => written,
        }
    }

    /// Keeps a question: shows it to all approvers, takes the first answer that decides, ends it in time.
    pub(crate) fn keep(&self, id: Uuid) {
        let gate = self.clone();
        tokio::spawn(async move { gate.keeper(id).await });
    }

    async fn keeper(&self, id: Uuid) {
        let Some(request) = self.approval(id) else {
            return;
        };
        let mut asked = JoinSet::new();
        for approver in &self.0.approvers {
            let (approver, request) = (Arc::clone(approver), request.clone());
            asked.spawn(async move { approver.ask(&request).await });
        }
        let mut changed = self.0.changed.subscribe();
        loop {
            changed.mark_unchanged();
            let Some(request) = self.approval(id) else {
                return;
            };
            let until = match request.state {
                ApprovalState::Pending { until } | ApprovalState::Approved { until } => until,
                ApprovalState::Denied
                | ApprovalState::Expired
                | ApprovalState::Withdrawn
                | ApprovalState::Void
                | ApprovalState::Used => return,
            };
            if self.0.now() >= until {
                self.step(id, &ApprovalEvent::Expired(events::Expired {}), "gate")
                    .await;
                continue;
            }
            tokio::select! {
                Some(vote) = asked.join_next(), if !asked.is_empty() => {
                    if let Ok(Some(vote)) = vote
                        && let Err(error) = self.answer(id, vote.digest, vote.answer, &vote.person).await
                    {
                        tracing::warn!(%error, approval = %id, "an approver's answer did not count");
                    }
                }
                _ = changed.changed() => {}
                () = self.0.clock.sleep_until(until) => {}
            }
        }
    }

    /// Writes a step that somebody else may have been faster with.
    async fn step(&self, id: Uuid, event: &ApprovalEvent, actor: &str) {
        let Some(request) = self.approval(id) else {
            return;
        };
        if let Err(error) = self.write_step(&request, event, actor).await {
            tracing::debug!(%error, approval = %id, "the step was not written");
            let lost = matches!(error, AppendError::Conflict { .. });
            if !lost || self.0.catch_up().await.is_err() {
                tracing::error!(%error, "the journal cannot be used");
                let again = self.0.now() + chrono::TimeDelta::seconds(1);
                self.0.clock.sleep_until(again).await;
            }
        }
    }

    async fn write_step(
        &self,
        request: &ApprovalRequest,
        event: &ApprovalEvent,
        actor: &str,
    ) -> Result<(), AppendError> {
        let stream = Stream::of(StreamKind::Approval, request.id);
        let Ok(mut draft) = self
            .0
            .approval_draft(request.id, event, actor, self.0.now())
        else {
            return Ok(());
        };
        draft.correlation = request.correlation;
        self.0
            .append(&[(stream, request.version)], vec![draft])
            .await
            .map(|_| ())
    }
}
