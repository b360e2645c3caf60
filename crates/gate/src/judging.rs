//! Judging a call that is ready: everything that its judgement rests on, put together.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use tipstaff_policy::Rule;

use crate::gate::Gate;
use crate::judge::{Case, Watch, judge};
use crate::ready::Ready;
use crate::{Call, Session, Verdict};

impl Gate {
    pub(crate) fn judge_ready(
        &self,
        session: &Session,
        call: &Call,
        ready: &Ready,
        at: DateTime<Utc>,
    ) -> Verdict {
        self.judge_watched(session, call, ready, at, Watch::Nobody)
    }

    /// The same, with somebody looking on.
    pub(crate) fn judge_watched(
        &self,
        session: &Session,
        call: &Call,
        ready: &Ready,
        at: DateTime<Utc>,
        watch: Watch<'_>,
    ) -> Verdict {
        self.judge_with(session, call, ready, at, (watch, &[]))
    }

    /// The same, as if there were more rules.
    pub(crate) fn judge_with(
        &self,
        session: &Session,
        call: &Call,
        ready: &Ready,
        at: DateTime<Utc>,
        (watch, more): (Watch<'_>, &[Arc<Rule>]),
    ) -> Verdict {
        let policy = self.0.policy.load();
        let changeable = self.changeable(session, ready, at);
        let mut verdict = judge(&Case {
            policy: &policy,
            changeable: &changeable,
            watch,
            more,
            own: &self.0.own,
            session,
            root: ready.root.as_deref(),
            entry: &ready.entry,
            action: &ready.action,
            params: &ready.params,
            resources: &ready.resources,
            resolved: &ready.probed.resolved,
            plan: ready.prepared.plan.as_ref(),
            moved: &ready.probed.moved,
            names: &ready.names,
            cwd: ready.cwd.as_deref(),
            placement: ready.placement.as_ref(),
            env: &ready.env,
            raw_differs: ready.raw_differs,
            require_approval: call.require_approval,
            at,
        });
        if let Some(note) = ready.note {
            verdict.reason = format!("{} ({note})", verdict.reason);
        }
        verdict
    }
}
