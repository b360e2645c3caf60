//! What the gate knows of agents: which exist, where their work lies, and whose they are.

use std::collections::BTreeMap;

use tipstaff_schema::{AgentId, Person};

/// One known agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentFacts {
    /// The folder that its relative paths hang on, absolute.
    pub root: Option<String>,
    /// The person who answers for it; `four_eyes` excludes this person.
    pub owner: Option<Person>,
}

/// The known agents. A call of any other agent is refused at context.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Agents(BTreeMap<AgentId, AgentFacts>);

impl Agents {
    /// The facts about an agent; none for an unknown one.
    #[must_use]
    pub fn get(&self, agent: &AgentId) -> Option<&AgentFacts> {
        self.0.get(agent)
    }

    /// All of them, by id.
    pub fn iter(&self) -> impl Iterator<Item = (&AgentId, &AgentFacts)> {
        self.0.iter()
    }

    /// The only agent, where exactly one is known.
    #[must_use]
    pub fn only(&self) -> Option<&AgentId> {
        let mut all = self.0.keys();
        all.next().filter(|_| all.next().is_none())
    }
}

impl FromIterator<(AgentId, AgentFacts)> for Agents {
    fn from_iter<I: IntoIterator<Item = (AgentId, AgentFacts)>>(agents: I) -> Self {
        Self(agents.into_iter().collect())
    }
}
