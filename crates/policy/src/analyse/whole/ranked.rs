//! The rules in the order in which they win, found by agent and tool: what decides a candidate, and
//! what would decide it without one of them.

use std::collections::HashMap;
use std::sync::Arc;

use tipstaff_schema::AgentId;

use crate::reference::matches;
use crate::request::Request;
use crate::rule::{Capability, Rule};

/// The rules of a set by rank.
#[derive(Debug)]
pub(crate) struct Ranked<'a> {
    /// The first wins.
    order: Vec<&'a Rule>,
    /// Places in `order`, by agent and exact capability; an open capability has an empty name.
    by_key: HashMap<(Option<&'a AgentId>, &'a str), Vec<usize>>,
}

impl<'a> Ranked<'a> {
    pub(crate) fn new(rules: &'a [Arc<Rule>]) -> Self {
        let mut order: Vec<&Rule> = rules.iter().map(|rule| &**rule).collect();
        order.sort_by_key(|rule| std::cmp::Reverse((rule.guard, rule.specificity, rule.effect)));
        let mut by_key: HashMap<(Option<&AgentId>, &str), Vec<usize>> = HashMap::new();
        for (place, rule) in order.iter().enumerate() {
            let name = match &rule.capability {
                Capability::Exact(name) => name,
                Capability::Any | Capability::Pattern(_) => "",
            };
            by_key.entry((rule.agent(), name)).or_default().push(place);
        }
        Self { order, by_key }
    }

    /// The rules that match, the first to win first.
    pub(crate) fn matching<'s>(
        &'s self,
        request: &'s Request<'_>,
    ) -> impl Iterator<Item = &'a Rule> + 's {
        let agents = std::iter::once(None)
            .chain([Some(request.agent)])
            .chain(request.parents.iter().map(Some));
        let names = ["", request.capability, request.tool_id];
        let mut places: Vec<usize> = agents
            .flat_map(|agent| names.into_iter().map(move |name| (agent, name)))
            .filter_map(|key| self.by_key.get(&key))
            .flatten()
            .copied()
            .collect();
        places.sort_unstable();
        places.dedup();
        places
            .into_iter()
            .filter_map(|place| self.order.get(place).copied())
            .filter(|rule| matches(rule, request))
    }

    /// The rule that decides.
    pub(crate) fn winner(&self, request: &Request<'_>) -> Option<&'a Rule> {
        self.matching(request).next()
    }

    /// The rules in the order in which they win.
    pub(crate) fn order(&self) -> &[&'a Rule] {
        &self.order
    }
}
