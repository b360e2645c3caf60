//! Rules by capability and agent, so that a rule is held only against those that it can meet.
//!
//! What two rules say of tools and agents decides for almost all pairs that they never meet. That is
//! asked once for each two texts, not for each two rules.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

use crate::rule::{Capability, Rule};
use crate::world::World;

/// A rule with its place among those that were grouped.
pub(super) type Placed<'a> = (usize, &'a Rule);

/// Rules by the text of their capability, then by their agent.
pub(super) struct Groups<'a> {
    by_tool: BTreeMap<&'a str, (&'a Capability, ByAgent<'a>)>,
    families: Families<'a>,
    /// For each capability that was asked for, the texts of those that may mean a tool of it.
    near: HashMap<&'a str, Vec<&'a str>>,
}

type ByAgent<'a> = BTreeMap<Option<&'a str>, Vec<Placed<'a>>>;

impl<'a> Groups<'a> {
    pub(super) fn of(rules: impl Iterator<Item = Placed<'a>>, world: &'a World) -> Self {
        let mut by_tool: BTreeMap<&str, (&Capability, ByAgent<'_>)> = BTreeMap::new();
        for (place, rule) in rules {
            let (_, group) = by_tool
                .entry(rule.capability.as_str())
                .or_insert_with(|| (&rule.capability, BTreeMap::new()));
            let agent = rule.agent().map(tipstaff_schema::AgentId::as_str);
            group.entry(agent).or_default().push((place, rule));
        }
        Self {
            by_tool,
            families: Families::of(world),
            near: HashMap::new(),
        }
    }

    /// The rules that may hold for a call for which this one holds, in their order.
    pub(super) fn meeting(
        &mut self,
        rule: &'a Rule,
        may_share: impl Fn(&Capability, &Capability) -> bool,
    ) -> Merged<'a, '_> {
        let by_tool = &self.by_tool;
        let near = self
            .near
            .entry(rule.capability.as_str())
            .or_insert_with(|| {
                let others = by_tool.iter();
                let near = others.filter(|(_, (other, _))| may_share(&rule.capability, other));
                near.map(|(text, _)| *text).collect()
            });
        let groups = near.iter().filter_map(|tool| by_tool.get(tool));
        let mut lists: Vec<&[Placed<'a>]> = Vec::new();
        let named = rule.agent().map(tipstaff_schema::AgentId::as_str);
        for (_, group) in groups {
            match named {
                None => lists.extend(group.values().map(Vec::as_slice)),
                Some(named) => {
                    let kin = self.families.kin(named);
                    let others = kin.iter().copied().filter(|other| *other != named);
                    let agents = [None, Some(named)].into_iter().chain(others.map(Some));
                    lists.extend(
                        agents
                            .filter_map(|agent| group.get(&agent))
                            .map(Vec::as_slice),
                    );
                }
            }
        }
        Merged::of(lists)
    }
}

/// Several lists as one, in the order of the places.
pub(super) struct Merged<'a, 'g> {
    lists: Vec<&'g [Placed<'a>]>,
    next: BinaryHeap<Reverse<(usize, usize)>>,
}

impl<'a, 'g> Merged<'a, 'g> {
    fn of(lists: Vec<&'g [Placed<'a>]>) -> Self {
        let first =
            |(list, rules): (usize, &&[Placed<'a>])| Some(Reverse((rules.first()?.0, list)));
        let next = lists.iter().enumerate().filter_map(first).collect();
        Self { lists, next }
    }
}

impl<'a> Iterator for Merged<'a, '_> {
    type Item = Placed<'a>;

    fn next(&mut self) -> Option<Placed<'a>> {
        let Reverse((_, list)) = self.next.pop()?;
        let rules = self.lists.get_mut(list)?;
        let (first, rest) = rules.split_first()?;
        *rules = rest;
        if let Some((place, _)) = rest.first() {
            self.next.push(Reverse((*place, list)));
        }
        Some(*first)
    }

    /// Exact.
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.lists.iter().map(|list| list.len()).sum();
        (left, Some(left))
    }
}

/// Agents that start each other, directly or not.
struct Families<'a> {
    first: HashMap<&'a str, &'a str>,
    members: HashMap<&'a str, Vec<&'a str>>,
}

impl<'a> Families<'a> {
    fn of(world: &'a World) -> Self {
        let parents: HashMap<&str, &str> = world
            .agents
            .iter()
            .filter_map(|agent| Some((agent.id.as_str(), agent.parent.as_ref()?.as_str())))
            .collect();
        let mut families = Self {
            first: HashMap::new(),
            members: HashMap::new(),
        };
        if parents.is_empty() {
            return families;
        }
        let named = world.agents.iter().map(|agent| agent.id.as_str());
        for agent in named.chain(parents.values().copied()) {
            let mut first = agent;
            // A circle of parents ends after as many steps as there are parents.
            for _ in 0..parents.len() {
                first = parents.get(first).copied().unwrap_or(first);
            }
            if families.first.insert(agent, first).is_none() {
                families.members.entry(first).or_default().push(agent);
            }
        }
        families
    }

    fn kin(&self, agent: &str) -> &[&'a str] {
        let first = self.first.get(agent);
        let members = first.and_then(|first| self.members.get(first));
        members.map_or(&[], Vec::as_slice)
    }
}
