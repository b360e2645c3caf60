//! Who is calling, how that is known, and under what context.
//!
//! A session is made by a transport that authenticated the caller (a bearer token, or an agent
//! fixed at launch). Nothing in a body, a client's self-description or its metadata changes it.

use tipstaff_schema::AgentId;

/// How the transport came to know the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Authentication {
    /// Fixed when the process was started (stdio, or the embedding program's own word).
    Launch,
    /// A bearer token that belongs to the agent.
    Token,
}

impl Authentication {
    /// The spelling in the journal.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Launch => "launch",
            Self::Token => "token",
        }
    }
}

/// Whether calls may run at all. What a call starts inherits it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Context {
    /// Calls are judged and may run.
    Live,
    /// Every call is refused, whatever else holds: replay, dreaming, simulation. Holds the reason.
    Forbidden(String),
}

/// One authenticated caller.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Session {
    /// The agent.
    pub agent: AgentId,
    /// How it is known.
    pub authentication: Authentication,
    /// Names this connection; approvals are spent only by the session that asked. Over stdio the
    /// agent stands for the session, so that a restarted client finds its approvals again.
    pub key: String,
    /// The agents that started this one, nearest first; empty for a root agent.
    pub parents: Vec<AgentId>,
    /// Whether calls may run.
    pub context: Context,
}

impl Session {
    /// A live session of a root agent whose agent was fixed at launch; the agent stands for the session.
    #[must_use]
    pub fn launched(agent: AgentId) -> Self {
        let key = format!("agent:{agent}");
        Self {
            agent,
            authentication: Authentication::Launch,
            key,
            parents: Vec::new(),
            context: Context::Live,
        }
    }

    /// A live session of a root agent that showed a token; `key` names the connection.
    #[must_use]
    pub fn by_token(agent: AgentId, key: impl Into<String>) -> Self {
        Self {
            agent,
            authentication: Authentication::Token,
            key: key.into(),
            parents: Vec::new(),
            context: Context::Live,
        }
    }

    /// The session of an agent that this one starts: it inherits the context and the lineage.
    #[must_use]
    pub fn child(&self, agent: AgentId) -> Self {
        let mut parents = vec![self.agent.clone()];
        parents.extend(self.parents.iter().cloned());
        Self {
            key: format!("{}/{agent}", self.key),
            agent,
            parents,
            ..self.clone()
        }
    }

    /// The same session, in which nothing may run.
    #[must_use]
    pub fn forbidden(mut self, why: impl Into<String>) -> Self {
        self.context = Context::Forbidden(why.into());
        self
    }
}
