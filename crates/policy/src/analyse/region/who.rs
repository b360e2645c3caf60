//! Who may call and which tools there are, as far as rules can tell them apart.

use tipstaff_resource::Search;
use tipstaff_schema::{AgentId, Profile};

use super::names;
use super::{Avoid, Region, failing};
use crate::analyse::call::{Caller, known_caller};
use crate::analyse::capability::{Tool, name_of, open_forms};
use crate::explain::Dimension;
use crate::reference::agent_holds;
use crate::rule::Rule;
use crate::world::World;

/// Tools with more different profiles than these are not looked at in one search.
const MOST_PROFILES: usize = 24;

/// The agents of the world, and for each one that it starts.
pub(super) fn known(world: &World) -> Vec<Caller> {
    let known: Vec<Caller> = world
        .agents
        .iter()
        .map(|agent| known_caller(agent, world))
        .collect();
    let started: Vec<Caller> = known.iter().filter_map(started_by).collect();
    known.into_iter().chain(started).collect()
}

/// The callers for which all of `all` hold and those that are to fail on the agent do not; one for
/// each root.
pub(super) fn callers(all: &[&Rule], avoid: &[Avoid<'_>], region: &Region<'_>) -> Vec<Caller> {
    let failing: Vec<&Rule> = failing(avoid, Dimension::Agent).collect();
    let unknown = if region.world.agents.is_empty() {
        unknown(all, &failing)
    } else {
        Vec::new()
    };
    let holds = |rule: &&Rule, caller: &Caller| agent_holds(rule, &caller.id, &caller.parents);
    let mut found: Vec<Caller> = Vec::new();
    for caller in region.callers.iter().chain(&unknown) {
        if all.iter().all(|rule| holds(rule, caller))
            && !failing.iter().any(|rule| holds(rule, caller))
            && !found.iter().any(|other| other.root == caller.root)
        {
            found.push(caller.clone());
        }
    }
    found
}

/// Where no agents are known: those that the rules name, one that none names, and what they start.
fn unknown(all: &[&Rule], failing: &[&Rule]) -> Vec<Caller> {
    let named = all
        .iter()
        .chain(failing)
        .filter_map(|rule| rule.agent().cloned());
    let caller = |id: AgentId| Caller {
        id,
        parents: Vec::new(),
        root: Some("/srv/agent".to_owned()),
        started: false,
    };
    let free: Vec<Caller> = AgentId::new("any-agent").into_iter().map(caller).collect();
    let named: Vec<Caller> = named.map(caller).collect();
    let started: Vec<Caller> = named.iter().chain(&free).filter_map(started_by).collect();
    free.into_iter().chain(named).chain(started).collect()
}

/// An agent that this one starts.
fn started_by(caller: &Caller) -> Option<Caller> {
    let parents = std::iter::once(caller.id.clone()).chain(caller.parents.clone());
    Some(Caller {
        id: AgentId::new("started-agent").ok()?,
        parents: parents.collect(),
        root: caller.root.clone(),
        started: true,
    })
}

/// The listed tools that all of `all` mean and those that are to fail on the capability do not; one
/// for each profile. The flag says that there may be others.
pub(super) fn listed(all: &[&Rule], avoid: &[Avoid<'_>], region: &Region<'_>) -> (Vec<Tool>, bool) {
    let failing: Vec<&Rule> = failing(avoid, Dimension::Capability).collect();
    let means = |rule: &&Rule, name: &str, id: &str| rule.capability.matches(name, id);
    let fits = |name: &str, id: &str| {
        all.iter().all(|rule| means(rule, name, id))
            && !failing.iter().any(|rule| means(rule, name, id))
            && region.only.as_deref().is_none_or(|only| only == name)
    };
    let mut found: Vec<Tool> = Vec::new();
    for tool in &region.world.capabilities {
        let same = |other: &Tool| other.profile == tool.profile && !other.is_spawn();
        if tool.profile.locked
            || !fits(&tool.name, &tool.tool_id)
            || left_out(&tool.profile, avoid)
            || (tool.name != "spawn" && found.iter().any(same))
        {
            continue;
        }
        found.push(Tool {
            name: tool.name.clone(),
            tool_id: tool.tool_id.clone(),
            profile: tool.profile.clone(),
            schema: tool.input_schema.clone(),
            real: true,
        });
    }
    let more = found.len() > MOST_PROFILES;
    found.truncate(MOST_PROFILES);
    (found, more)
}

/// The same of tools that may exist although the world does not list them.
pub(super) fn unlisted(
    all: &[&Rule],
    avoid: &[Avoid<'_>],
    region: &mut Region<'_>,
) -> (Vec<Tool>, bool) {
    let (mut found, mut more) = (Vec::new(), false);
    if left_out(&Profile::unknown(""), avoid) {
        return (found, more);
    }
    let failing: Vec<&Rule> = failing(avoid, Dimension::Capability).collect();
    for form in open_forms(region.world) {
        match named(all, &failing, &form, region) {
            Search::Found(name) if region.only.as_ref().is_none_or(|only| *only == name) => {
                found.push(assumed(name));
            }
            Search::Found(_) | Search::Nowhere => {}
            Search::NotDecided => more = true,
        }
    }
    (found, more)
}

fn left_out(profile: &Profile, avoid: &[Avoid<'_>]) -> bool {
    let same = |way: &Avoid<'_>| matches!(way, Avoid::Profile(other) if **other == *profile);
    avoid.iter().any(same)
}

fn named(all: &[&Rule], failing: &[&Rule], form: &str, region: &mut Region<'_>) -> Search {
    let wanted: Vec<&str> = all
        .iter()
        .map(|rule| name_of(&rule.capability))
        .chain([form])
        .collect();
    let unwanted: Vec<&str> = failing
        .iter()
        .map(|rule| name_of(&rule.capability))
        .collect();
    let asked = format!("{wanted:?} {unwanted:?}");
    if let Some(known) = region.values.get(&asked) {
        return known.clone();
    }
    let listed = region
        .world
        .capabilities
        .iter()
        .map(|tool| tool.name.as_str());
    // Many listed names make the search large; those that cannot be met are left out.
    let exact = wanted.iter().find(|name| !name.contains(['*', '?']));
    let met = |name: &&str| match exact {
        Some(exact) => exact == name,
        None => form
            .strip_suffix("?*")
            .is_none_or(|server| name.starts_with(server)),
    };
    let none: Vec<&str> = unwanted
        .into_iter()
        .chain(listed.filter(met))
        .take(200)
        .collect();
    let found = names::search(&wanted, &none);
    region.values.insert(asked, found.clone());
    found
}

fn assumed(name: String) -> Tool {
    let tool_id = if name == "spawn" {
        name.clone()
    } else {
        format!("mcp:{name}")
    };
    Tool {
        name,
        tool_id,
        profile: Profile::unknown(""),
        schema: None,
        real: false,
    }
}

/// The actions that a call of this tool may have; for spawn those of one subject are the subject's.
pub(super) fn actions(tool: &Tool, all: &[&Rule], avoid: &[Avoid<'_>]) -> Vec<String> {
    let failing: Vec<&str> = failing(avoid, Dimension::Action)
        .filter_map(|rule| rule.action())
        .collect();
    let mut actions: Vec<String> = if tool.real && !tool.is_spawn() {
        vec![tool.profile.action.clone()]
    } else {
        let wanted = all
            .iter()
            .filter_map(|rule| rule.action().map(str::to_owned));
        wanted
            .chain(["other".to_owned(), "another".to_owned()])
            .collect()
    };
    actions.retain(|action| allowed(action, all, &failing));
    actions.truncate(1);
    actions
}

pub(super) fn allowed(action: &str, all: &[&Rule], failing: &[&str]) -> bool {
    let wants = |rule: &&Rule| rule.action().is_none_or(|own| own == action);
    all.iter().all(wants) && !failing.contains(&action)
}
