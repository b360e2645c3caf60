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
    let mut capabilities: BTreeMap<String, WorldCapability> = BTreeMap::new();
    let mut add = |name: String, schema: Option<serde_json::Value>, known| {
        let action = format!("mcp.{}", name.split_once(':').map_or("", |(_, tool)| tool));
        let profile = profiles.resolve(&name, &action, &HintsAsSaid::default());
        let tool_id = format!("mcp:{name}");
        let capability = WorldCapability {
            name: name.clone(),
            tool_id,
            profile,
            input_schema: schema,
            known,
        };
        capabilities.entry(name).or_insert(capability);
    };
    for (server, facts) in servers {
        for entry in facts.captured.iter().flat_map(|captured| &captured.tools) {
            if let Some(tool) = entry.get("name").and_then(serde_json::Value::as_str) {
                add(
                    format!("{server}:{tool}"),
                    entry.get("inputSchema").cloned(),
                    true,
                );
            }
        }
    }
    for (pattern, _) in patches
        .iter()
        .filter(|(pattern, _)| pattern.is_exact() && pattern.as_str().contains(':'))
    {
        add(pattern.as_str().to_owned(), None, false);
    }
    if let Some(spawn) = spawn {
        let tool = spawn.capability();
        let name = tool.descriptor.tool_id.clone();
        let schema = Some(tool.descriptor.input_schema);
        let capability = WorldCapability {
            name: name.clone(),
            tool_id: name.clone(),
            profile: tool.profile,
            input_schema: schema,
            known: true,
        };
        capabilities.insert(name, capability);
    }
    let agent = |(id, wire): (&AgentId, &AgentWire)| WorldAgent {
        id: id.clone(),
        root: wire.root.clone(),
        parent: wire.parent.clone(),
    };
    let server = |(name, facts): (&ServerName, &Server)| WorldServer {
        name: name.clone(),
        listed: facts.captured.is_some(),
    };
    World {
        agents: agents.iter().map(agent).collect(),
        servers: servers.iter().map(server).collect(),
        capabilities: capabilities.into_values().collect(),
        timezone,
        now: Some(chrono::Utc::now()),
    }
}
