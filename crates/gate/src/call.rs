//! What a caller asks for: one call of one tool, or an intent token that is routed to one.
//!
//! Nothing here is believed: parameters are validated, resources derived, and the agent comes from
//! the [`Session`](crate::Session).

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde_json::Value;
use tipstaff_schema::{IntentToken, Placement};
use uuid::Uuid;

/// One call as it came in.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Call {
    /// The tool's name (`server:tool`, `spawn`) or its id.
    pub tool: String,
    /// The arguments, as the strict reader gave them.
    pub params: Value,
    /// The folder that relative paths hang on; the agent's root where there is none.
    pub cwd: Option<String>,
    /// Additions to the environment of what is started.
    pub env: BTreeMap<String, String>,
    /// Where it is to run; none means where the tool says.
    pub placement: Option<Placement>,
    /// Why, in the caller's words: shown as such, never believed.
    pub reason: Option<String>,
    /// What the call belongs to; a token's id.
    pub correlation: Option<Uuid>,
    /// What caused it; a token's parent.
    pub causation: Option<Uuid>,
    /// The caller wants a person to look: an allow becomes ask.
    pub require_approval: bool,
    /// The approval that the caller means to use: then no question is opened.
    pub approval_id: Option<Uuid>,
    /// How long the caller waits for an answer; none means as long as the question lives.
    pub deadline: Option<DateTime<Utc>>,
}

impl Call {
    /// A call with these arguments and nothing else set.
    #[must_use]
    pub fn new(tool: impl Into<String>, params: Value) -> Self {
        Self {
            tool: tool.into(),
            params,
            cwd: None,
            env: BTreeMap::new(),
            placement: None,
            reason: None,
            correlation: None,
            causation: None,
            require_approval: false,
            approval_id: None,
            deadline: None,
        }
    }
}

/// What can be submitted: a call, or a token that is routed to a tool first.
#[derive(Debug, Clone, PartialEq)]
pub enum Submission {
    /// A call of a named tool.
    Call(Call),
    /// An intent: the router finds the tool, its object and modifiers become the arguments.
    Token(IntentToken),
}

impl From<Call> for Submission {
    fn from(call: Call) -> Self {
        Self::Call(call)
    }
}

impl From<IntentToken> for Submission {
    fn from(token: IntentToken) -> Self {
        Self::Token(token)
    }
}
