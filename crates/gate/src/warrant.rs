//! The proof, bound to one request digest, that one execution may start.
//!
//! Only the gate makes one, after the event `warrant.issued` is in the journal. It is neither
//! `Clone` nor readable from any format, and `execute` consumes it.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::Value;
use tipstaff_command::CommandPlan;
use tipstaff_registry::ToolEntry;
use tipstaff_schema::{Digest, Placement};
use uuid::Uuid;

use crate::{Program, ProgressOf, ProgressSink, Session};

/// Permission for exactly one execution.
#[derive(Debug)]
#[must_use = "a warrant that is dropped leaves an execution whose outcome is unknown"]
pub struct Warrant {
    pub(crate) call_id: Uuid,
    pub(crate) request: Digest,
    pub(crate) params_digest: Digest,
    pub(crate) deadline: DateTime<Utc>,
    pub(crate) session: Session,
    pub(crate) entry: Arc<ToolEntry>,
    pub(crate) params: Value,
    pub(crate) cwd: Option<String>,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) placement: Option<Placement>,
    pub(crate) plan: Option<CommandPlan>,
    pub(crate) program: Option<Program>,
    pub(crate) root: Option<String>,
    pub(crate) progress: Progress,
}

/// Where output goes while the call runs.
#[derive(Debug)]
pub(crate) struct Progress {
    pub(crate) sink: Arc<dyn ProgressSink>,
    pub(crate) correlation: Uuid,
}

impl Warrant {
    /// The call that it was issued for.
    #[must_use]
    pub fn call_id(&self) -> Uuid {
        self.call_id
    }

    /// The digest of the request that was judged.
    #[must_use]
    pub fn request_digest(&self) -> Digest {
        self.request
    }

    /// The digest of the canonical arguments; what is sent must have the same.
    #[must_use]
    pub fn params_digest(&self) -> Digest {
        self.params_digest
    }

    /// When the execution must have ended.
    #[must_use]
    pub fn deadline(&self) -> DateTime<Utc> {
        self.deadline
    }

    /// Who called.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The tool.
    #[must_use]
    pub fn entry(&self) -> &ToolEntry {
        &self.entry
    }

    /// The canonical arguments.
    #[must_use]
    pub fn params(&self) -> &Value {
        &self.params
    }

    /// The folder to run in.
    #[must_use]
    pub fn cwd(&self) -> Option<&str> {
        self.cwd.as_deref()
    }

    /// Additions to the environment.
    #[must_use]
    pub fn env(&self) -> &BTreeMap<String, String> {
        &self.env
    }

    /// Where to run; an executor that does not serve it refuses.
    #[must_use]
    pub fn placement(&self) -> Option<&Placement> {
        self.placement.as_ref()
    }

    /// The plan that was judged, for a command.
    #[must_use]
    pub fn plan(&self) -> Option<&CommandPlan> {
        self.plan.as_ref()
    }

    /// The program to start, as it was found, judged and approved: no other may be started in its
    /// place. None for what starts none on this machine.
    #[must_use]
    pub fn program(&self) -> Option<&Program> {
        self.program.as_ref()
    }

    /// The agent's root folder.
    #[must_use]
    pub fn root(&self) -> Option<&str> {
        self.root.as_deref()
    }

    /// Passes on a piece of output while the call runs.
    pub fn progress(&self, piece: &str) {
        let of = ProgressOf {
            call: self.call_id,
            correlation: self.progress.correlation,
            agent: &self.session.agent,
        };
        self.progress.sink.progress(&of, piece);
    }
}
