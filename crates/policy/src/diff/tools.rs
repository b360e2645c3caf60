//! Changes of the tools and agents themselves: what a profile says where no rule does, what is locked,
//! what there is at all.

use serde::Serialize;
use tipstaff_schema::{Effect, Profile};

use super::PolicyDiff;
use super::change::{Change, Direction};
use super::sides::Sides;
use crate::analyse::region::{Found, Region, Seen};
use crate::world::{World, WorldCapability};

/// One thing that changed of a tool or agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ToolChange {
    /// The tool, or the agent.
    pub name: String,
    /// What changed.
    pub fact: ToolFact,
    /// What it was; empty where it was not there.
    pub old: String,
    /// What it is; empty where it is gone.
    pub new: String,
    /// Which way it goes.
    pub direction: Direction,
}

/// What can change of a tool or agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ToolFact {
    /// The tool is new or gone.
    Tool,
    /// What is decided where no rule matches.
    Default,
    /// Whether every call is denied.
    Locked,
    /// What it acts on, its action, or how its values are passed on: rules match otherwise.
    Derivation,
    /// The agent is new or gone.
    Agent,
    /// The agent's root or parent: relative patterns and inherited rules match otherwise.
    Ground,
}

impl ToolFact {
    /// The spelling in JSON and in text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Default => "default",
            Self::Locked => "locked",
            Self::Derivation => "derivation",
            Self::Agent => "agent",
            Self::Ground => "ground",
        }
    }
}

pub(super) fn all(sides: &Sides<'_>, region: &mut Region<'_>, diff: &mut PolicyDiff) {
    let (old, new) = (sides.old.world, sides.new.world);
    let find = |world: &'_ World, name: &str| -> Option<WorldCapability> {
        world
            .capabilities
            .iter()
            .find(|tool| tool.name == name)
            .cloned()
    };
    for tool in &sides.world().capabilities {
        match (find(old, &tool.name), find(new, &tool.name)) {
            (Some(before), Some(after)) => {
                let facts = facts(&before.profile, &after.profile);
                if facts.is_empty() {
                    continue;
                }
                let derivation = facts.iter().any(|change| change.0 == ToolFact::Derivation);
                diff.not_decided += usize::from(derivation);
                if !derivation {
                    diff.changes.extend(shown(sides, region, &tool.name));
                }
                diff.tools
                    .extend(
                        facts
                            .into_iter()
                            .map(|(fact, old, new, direction)| ToolChange {
                                name: tool.name.clone(),
                                fact,
                                old,
                                new,
                                direction,
                            }),
                    );
            }
            (None, Some(after)) => diff.tools.push(here(
                &tool.name,
                ToolFact::Tool,
                &said(&after.profile),
                Direction::Widening,
            )),
            (Some(before), None) => diff.tools.push(here(
                &tool.name,
                ToolFact::Tool,
                &said(&before.profile),
                Direction::Narrowing,
            )),
            (None, None) => {}
        }
    }
    agents(sides, diff);
}

fn said(profile: &Profile) -> String {
    if profile.locked {
        "locked".to_owned()
    } else {
        format!("default {}", profile.default_effect)
    }
}

/// Something that is new, or gone.
fn here(name: &str, fact: ToolFact, what: &str, direction: Direction) -> ToolChange {
    let (old, new) = match direction {
        Direction::Widening => (String::new(), what.to_owned()),
        Direction::Narrowing => (what.to_owned(), String::new()),
    };
    ToolChange {
        name: name.to_owned(),
        fact,
        old,
        new,
        direction,
    }
}

fn way(stricter: bool) -> Direction {
    if stricter {
        Direction::Narrowing
    } else {
        Direction::Widening
    }
}

fn facts(before: &Profile, after: &Profile) -> Vec<(ToolFact, String, String, Direction)> {
    let mut facts = Vec::new();
    if before.locked != after.locked {
        let word = |profile: &Profile| if profile.locked { "locked" } else { "open" }.to_owned();
        facts.push((
            ToolFact::Locked,
            word(before),
            word(after),
            way(after.locked),
        ));
    }
    let default = |profile: &Profile| -> Effect { profile.default_effect };
    if default(before) != default(after) {
        let stricter = default(after) > default(before);
        facts.push((
            ToolFact::Default,
            default(before).to_string(),
            default(after).to_string(),
            way(stricter),
        ));
    }
    let derived = |profile: &Profile| {
        format!(
            "{} {:?} {}",
            profile.action, profile.resources, profile.keep_raw_resources
        )
    };
    if derived(before) != derived(after) {
        let short = |profile: &Profile| {
            format!(
                "action {}, {} resource rules",
                profile.action,
                profile.resources.len()
            )
        };
        facts.push((
            ToolFact::Derivation,
            short(before),
            short(after),
            Direction::Widening,
        ));
    }
    facts
}

/// A call of the tool that is decided otherwise although no rule changed; none where there is none.
fn shown(sides: &Sides<'_>, region: &mut Region<'_>, name: &str) -> Option<Change> {
    // A locked tool is not looked at, so it is looked for in a world in which it is open.
    let mut world = sides.world().clone();
    world.capabilities.retain(|tool| tool.name == name);
    for tool in &mut world.capabilities {
        tool.profile.locked = false;
    }
    let mut inner = Region::new(&world, region.left);
    inner.only = Some(name.to_owned());
    let mut change = None;
    let found = inner.find(&[], &mut |call| {
        let (old, new) = sides.judge(call);
        if old.differs(&new)
            && (old.locked != new.locked || (old.rule.is_none() && new.rule.is_none()))
        {
            change = Some(Change::new(&old, &new, call.line()));
            return Seen::Yes;
        }
        match new.rule.or(old.rule) {
            Some(rule) => Seen::Not(rule),
            None => Seen::NotWithThisTool,
        }
    });
    region.left = inner.left;
    match found {
        Found::Call(_) => change,
        Found::Nowhere | Found::NotDecided => None,
    }
}

fn agents(sides: &Sides<'_>, diff: &mut PolicyDiff) {
    for agent in &sides.world().agents {
        let find = |world: &World| {
            world
                .agents
                .iter()
                .find(|known| known.id == agent.id)
                .cloned()
        };
        let (before, after) = (find(sides.old.world), find(sides.new.world));
        let name = agent.id.to_string();
        match (before, after) {
            (Some(before), Some(after))
                if before.root != after.root || before.parent != after.parent =>
            {
                let text = |agent: &crate::world::WorldAgent| {
                    let root = agent.root.as_deref().unwrap_or("none");
                    let parent = agent
                        .parent
                        .as_ref()
                        .map_or("none", |parent| parent.as_str());
                    format!("root {root}, parent {parent}")
                };
                diff.not_decided += 1;
                diff.tools.push(ToolChange {
                    name,
                    fact: ToolFact::Ground,
                    old: text(&before),
                    new: text(&after),
                    direction: Direction::Widening,
                });
            }
            (None, Some(_)) => {
                diff.tools
                    .push(here(&name, ToolFact::Agent, "known", Direction::Widening));
            }
            (Some(_), None) => {
                diff.tools
                    .push(here(&name, ToolFact::Agent, "known", Direction::Narrowing));
            }
            (Some(_) | None, _) => {}
        }
    }
}
