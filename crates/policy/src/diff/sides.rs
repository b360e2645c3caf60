//! Two policies over one search: a candidate is judged by both, each in its own world.

use tipstaff_command::Ceiling;
use tipstaff_schema::Effect;

use super::Side;
use crate::analyse::{Call, Ranked};
use crate::request::Request;
use crate::rule::Rule;
use crate::terms::Terms;
use crate::world::World;

/// Both sides, and the world in which calls are looked for.
pub(super) struct Sides<'a> {
    pub(super) old: Side<'a>,
    pub(super) new: Side<'a>,
    old_rules: Ranked<'a>,
    new_rules: Ranked<'a>,
    world: World,
}

/// What one side makes of a call.
#[derive(Debug, Clone)]
pub(super) struct Judged<'a> {
    pub(super) effect: Effect,
    pub(super) locked: bool,
    pub(super) rule: Option<&'a Rule>,
}

impl<'a> Judged<'a> {
    pub(super) fn differs(&self, other: &Self) -> bool {
        self.outcome() != other.outcome()
    }

    fn outcome(&self) -> (Effect, bool, Option<&'a Terms>, Option<&'a Ceiling>) {
        match self.rule {
            Some(rule) => (self.effect, rule.fresh, rule.terms(), rule.ceiling()),
            None => (self.effect, false, None, None),
        }
    }
}

impl<'a> Sides<'a> {
    pub(super) fn new(old: Side<'a>, new: Side<'a>) -> Self {
        let mut world = new.world.clone();
        for tool in &old.world.capabilities {
            if !world
                .capabilities
                .iter()
                .any(|known| known.name == tool.name)
            {
                world.capabilities.push(tool.clone());
            }
        }
        for agent in &old.world.agents {
            if !world.agents.iter().any(|known| known.id == agent.id) {
                world.agents.push(agent.clone());
            }
        }
        for server in &old.world.servers {
            if !world.servers.iter().any(|known| known.name == server.name) {
                world.servers.push(server.clone());
            }
        }
        Self {
            old,
            new,
            old_rules: Ranked::new(old.set.rules()),
            new_rules: Ranked::new(new.set.rules()),
            world,
        }
    }

    /// Everything that either world knows; where both know it, as the new one does.
    pub(super) fn world(&self) -> &World {
        &self.world
    }

    /// What each side makes of the call, by its own profile of the tool and root of the agent.
    pub(super) fn judge(&self, call: &Call) -> (Judged<'a>, Judged<'a>) {
        let request = call.request();
        (
            judge(&self.old_rules, self.old.world, &request),
            judge(&self.new_rules, self.new.world, &request),
        )
    }
}

fn judge<'a>(rules: &Ranked<'a>, world: &World, request: &Request<'_>) -> Judged<'a> {
    let known = world
        .capabilities
        .iter()
        .find(|tool| tool.name == request.capability);
    let caller = std::iter::once(request.agent)
        .chain(request.parents)
        .find_map(|id| world.agents.iter().find(|agent| agent.id == *id));
    let profile = known.map_or(request.profile, |tool| &tool.profile);
    let root = caller.map_or(request.root, |agent| agent.root.as_deref());
    // The action of spawn is the part's; every other tool's is its profile's.
    let action = match known {
        Some(tool) if tool.name != "spawn" => tool.profile.action.as_str(),
        Some(_) | None => request.action,
    };
    let request = Request {
        profile,
        root,
        action,
        ..*request
    };
    if profile.locked {
        return Judged {
            effect: Effect::Deny,
            locked: true,
            rule: None,
        };
    }
    match rules.winner(&request) {
        Some(rule) => Judged {
            effect: rule.effect,
            locked: false,
            rule: Some(rule),
        },
        None => Judged {
            effect: profile.default_effect,
            locked: false,
            rule: None,
        },
    }
}
