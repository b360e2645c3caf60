//! One call a line, as `decide --calls` and the manifest's `tests` take it. A stable form: others
//! write it.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::Value;
use tipstaff_gate::{Call, Session};
use tipstaff_schema::one_form_read;
use tipstaff_schema::{AgentId, Placement, StrictJsonError, parse_strict};

one_form_read!(CallLine);

/// One call. Unknown keys and equal keys are refused.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
#[non_exhaustive]
pub struct CallLine {
    /// Who calls.
    pub agent: AgentId,
    /// The agents that started it, nearest first; for a started agent that the manifest does not name.
    #[serde(default)]
    pub parents: Vec<AgentId>,
    /// The tool's name (`server:tool`, `spawn`) or its id.
    pub tool: String,
    /// The arguments.
    pub params: Value,
    /// The folder that relative paths hang on.
    #[serde(default)]
    pub cwd: Option<String>,
    /// Where it is to run.
    #[serde(default)]
    pub placement: Option<Placement>,
    /// When; absent means now.
    #[serde(default)]
    pub at: Option<DateTime<Utc>>,
    /// The caller wants a person to look.
    #[serde(default)]
    pub require_approval: bool,
    /// Comes back in the decision.
    #[serde(default)]
    pub id: Option<Value>,
}

/// A line that is no call.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallLineError {
    /// It is no strict JSON.
    #[error("it is no JSON that can be judged: {0}")]
    Json(StrictJsonError),
    /// It is JSON, but no call.
    #[error("it is no call: {source}")]
    Call {
        /// What does not fit.
        source: serde_json::Error,
        /// The line's `id`, where it has one.
        id: Option<Value>,
    },
}

impl CallLine {
    /// Reads one line.
    ///
    /// # Errors
    /// [`CallLineError`] when it is no strict JSON, or no call.
    pub fn read(line: &[u8]) -> Result<Self, CallLineError> {
        let value = parse_strict(line).map_err(CallLineError::Json)?;
        let id = value.get("id").cloned();
        Self::from_value(value).map_err(|source| CallLineError::Call { source, id })
    }

    pub(crate) fn from_value(value: Value) -> Result<Self, serde_json::Error> {
        serde_json::from_value(value)
    }

    /// The session and the call that it stands for.
    #[must_use]
    pub fn into_call(self) -> (Session, Call) {
        let mut call = Call::new(self.tool, self.params);
        call.cwd = self.cwd;
        call.placement = self.placement;
        call.require_approval = self.require_approval;
        let mut session = Session::launched(self.agent);
        session.parents = self.parents;
        (session, call)
    }
}
