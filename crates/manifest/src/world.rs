//! What policy is told of the world when it is compiled: agents, servers, and the capabilities that
//! are known from captures, profiles and the spawn tool. No server is asked.

use std::collections::BTreeMap;

use chrono_tz::Tz;
use tipstaff_policy::{World, WorldAgent, WorldCapability, WorldServer};
use tipstaff_registry::{ProfileBook, ProfilePatch};
use tipstaff_schema::{AgentId, HintsAsSaid, NamePattern, ServerName};
use tipstaff_spawn::SpawnTool;

use crate::manifest::Server;
use crate::wire::AgentWire;

/// The world of a manifest.
pub(crate) fn of(
    timezone: Tz,
    agents: &BTreeMap<AgentId, AgentWire>,
    servers: &BTreeMap<ServerName, Server>,
    (profiles, patches): (&ProfileBook, &[(NamePattern, ProfilePatch)]),
    spawn: Option<&SpawnTool>,
) -> World {
    let agent = |(id, wire): (&AgentId, &AgentWire)| WorldAgent {
        id: id.clone(),
        root: wire.root.clone(),
        parent: wire.parent.clone(),
    };
    let server = |(name, facts): (&ServerName, &Server)| WorldServer {
        name: name.clone(),
        listed: facts.captured.is_some(),
    };
    let mut capabilities = BTreeMap::new();
    let all = captured(servers, profiles)
        .chain(named(patches, profiles))
        .chain(samples(patches, profiles, servers))
        .chain(spawn.map(ours));
    for capability in all {
        capabilities
            .entry(capability.name.clone())
            .or_insert(capability);
    }
    World {
        agents: agents.iter().map(agent).collect(),
        servers: servers.iter().map(server).collect(),
        capabilities: capabilities.into_values().collect(),
        timezone,
        now: Some(chrono::Utc::now()),
    }
}

/// A tool of a server of which only its profile is known.
fn of_server(name: String, profiles: &ProfileBook) -> WorldCapability {
    let action = format!("mcp.{}", name.split_once(':').map_or("", |(_, tool)| tool));
    WorldCapability {
        tool_id: format!("mcp:{name}"),
        profile: profiles.resolve(&name, &action, &HintsAsSaid::default()),
        name,
        input_schema: None,
        known: false,
        sample: false,
    }
}

fn captured<'a>(
    servers: &'a BTreeMap<ServerName, Server>,
    profiles: &'a ProfileBook,
) -> impl Iterator<Item = WorldCapability> + 'a {
    let listings = servers.iter().flat_map(|(server, facts)| {
        facts
            .captured
            .iter()
            .flat_map(move |listing| listing.tools.iter().map(move |tool| (server, tool)))
    });
    listings.filter_map(|(server, tool)| {
        let name = tool.get("name")?.as_str()?;
        let name = format!("{server}:{name}");
        // Calls are checked against the operator's own table, where there is one.
        let own = profiles.patch(&name, None).params;
        let input_schema = own
            .map(|table| table.to_schema())
            .or_else(|| tool.get("inputSchema").cloned());
        Some(WorldCapability {
            input_schema,
            known: true,
            ..of_server(name, profiles)
        })
    })
}

/// The tools that the profiles name one by one.
fn named<'a>(
    patches: &'a [(NamePattern, ProfilePatch)],
    profiles: &'a ProfileBook,
) -> impl Iterator<Item = WorldCapability> + 'a {
    let exact = patches
        .iter()
        .map(|(pattern, _)| pattern)
        .filter(|pattern| pattern.is_exact());
    exact
        .filter(|pattern| pattern.as_str().contains(':'))
        .map(|pattern| of_server(pattern.as_str().to_owned(), profiles))
}

/// A tool for each pattern of the profiles stands for those that are not listed yet, so that a call
/// that shows a finding is one that the pattern's profile can read.
fn samples<'a>(
    patches: &'a [(NamePattern, ProfilePatch)],
    profiles: &'a ProfileBook,
    servers: &'a BTreeMap<ServerName, Server>,
) -> impl Iterator<Item = WorldCapability> + 'a {
    let open = |name: &String| {
        let of = name.split_once(':').map(|(server, _)| server);
        servers
            .iter()
            .any(|(server, facts)| Some(server.as_str()) == of && facts.captured.is_none())
    };
    let patterns = patches
        .iter()
        .map(|(pattern, _)| pattern)
        .filter(|pattern| !pattern.is_exact());
    patterns
        .map(|pattern| pattern.as_str().replace(['*', '?'], "a"))
        .filter(open)
        .map(|name| WorldCapability {
            sample: true,
            ..of_server(name, profiles)
        })
}

fn ours(spawn: &SpawnTool) -> WorldCapability {
    let tool = spawn.capability();
    WorldCapability {
        name: tool.descriptor.tool_id.clone(),
        tool_id: tool.descriptor.tool_id,
        profile: tool.profile,
        input_schema: Some(tool.descriptor.input_schema),
        known: true,
        sample: false,
    }
}
