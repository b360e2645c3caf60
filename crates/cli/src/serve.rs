//! `tipstaff serve`: the servers of a manifest behind one gate, over standard input and output.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tipstaff_gate::{ExecutorKey, Session};
use tipstaff_manifest::{Manifest, Server, Store, resolve};
use tipstaff_mcp::{Gateway, GatewayOptions, McpServer, Naming, ServerCommand, ServerLimits};
use tipstaff_schema::{AgentId, ServerName};

use crate::args::ServeArgs;
use crate::exit::{self, Code, Failure, USAGE};
use crate::host::Host;
use crate::wrap::{TO_START, serve_until_told};
use crate::{check, ground, out, place};

pub(crate) async fn run(args: ServeArgs) -> Result<Code, Failure> {
    let file = place::manifest(args.config.config.as_deref())?;
    let manifest = check::load(&file)?;
    refuse(&manifest).await?;
    let agent = agent(args.agent, &manifest)?;
    let state = place::state(args.state.state.as_deref())?;
    let base = file.parent().unwrap_or(Path::new("/")).to_owned();
    let servers = servers(&manifest, &base)?;
    let host = open(&manifest, &state, &servers).await?;
    if host.fresh {
        let shown = state.display();
        out::complain(&format!(
            "tipstaff: new state folder {shown}; no tool has been pinned yet"
        ));
    }
    start(&manifest, &host, &servers).await?;
    let mut options = GatewayOptions::default();
    options.naming = if servers.len() > 1 {
        Naming::Prefixed
    } else {
        Naming::Plain
    };
    options.hold = manifest.hold.limit();
    let gateway = Gateway::new(host.gate.clone(), Session::launched(agent), options);
    let ended = serve_until_told(gateway).await;
    for server in servers.values() {
        server.stop().await;
    }
    ended
}

/// What a manifest must not have when its gate starts: keys that are not built, tests that fail, a
/// rule that lets an agent write its own rules.
async fn refuse(manifest: &Manifest) -> Result<(), Failure> {
    let failures = check::failing_tests(manifest).await?;
    let failed = failures.iter().map(|failure| &failure.problem);
    let shown: Vec<String> = manifest
        .unbuilt
        .iter()
        .chain(failed)
        .map(|problem| manifest.sources.render(problem))
        .collect();
    if !shown.is_empty() {
        return Err(Failure::new(USAGE, shown.join("\n\n")));
    }
    if let Some((rule, file)) = ground::writable(manifest) {
        let message = format!(
            "rule `{rule}` would let an agent write `{}`, where its own rules stand: move the file or narrow the rule",
            file.display()
        );
        return Err(Failure::new(USAGE, message));
    }
    Ok(())
}

async fn open(
    manifest: &Manifest,
    state: &Path,
    servers: &BTreeMap<ServerName, McpServer>,
) -> Result<Host, Failure> {
    let mut builder = manifest.builder();
    for (name, server) in servers {
        builder = builder.executor(ExecutorKey::Server(name.clone()), Arc::new(server.clone()));
    }
    let journal = manifest.store.as_ref().map(|store| match store {
        Store::Sqlite(path) => path.clone(),
        _ => PathBuf::from(crate::host::JOURNAL),
    });
    let own = ground::of(manifest, state, journal.as_deref());
    Host::open(
        state,
        journal.as_deref(),
        builder,
        manifest.people.clone(),
        own,
    )
    .await
}

/// Offers what is captured, starts the servers, and waits until each has listed its tools.
async fn start(
    manifest: &Manifest,
    host: &Host,
    servers: &BTreeMap<ServerName, McpServer>,
) -> Result<(), Failure> {
    manifest
        .offer_captured(&host.gate)
        .await
        .map_err(|error| Failure::environment(&error))?;
    for (name, server) in servers {
        let pin = manifest
            .servers
            .get(name)
            .map_or_else(Default::default, |facts| facts.pin);
        server.start(host.gate.clone(), pin);
    }
    for (name, server) in servers {
        // One server that does not start leaves the others as they are.
        if let Err(error) = server.listed(TO_START).await {
            out::complain(&format!(
                "tipstaff: `{name}` does not list its tools: {}",
                exit::chain(&error)
            ));
        }
    }
    Ok(())
}

fn agent(given: Option<AgentId>, manifest: &Manifest) -> Result<AgentId, Failure> {
    let known = |agent: &AgentId| manifest.agents.get(agent).is_some();
    match given {
        Some(agent) if known(&agent) => Ok(agent),
        Some(agent) => Err(Failure::new(USAGE, format!("the manifest has no agent `{agent}`"))),
        None => manifest.agents.only().cloned().ok_or_else(|| {
            Failure::new(USAGE, "the manifest does not have exactly one agent: say which one calls with `--agent NAME`")
        }),
    }
}

fn servers(manifest: &Manifest, base: &Path) -> Result<BTreeMap<ServerName, McpServer>, Failure> {
    let start = |(name, facts): (&ServerName, &Server)| {
        let program = facts.command.as_deref().unwrap_or_default();
        let mut command = ServerCommand::new(program, &facts.args);
        if let Some(cwd) = &facts.cwd {
            command = command.in_folder(base.join(cwd));
        }
        for (variable, value) in &facts.env {
            let value = resolve(value, base).map_err(|error| {
                Failure::new(
                    USAGE,
                    format!("server `{name}`, variable `{variable}`: {error}"),
                )
            })?;
            command = command.with_env(variable, value);
        }
        Ok((
            name.clone(),
            McpServer::new(name.clone(), command, ServerLimits::default()),
        ))
    };
    manifest.servers.iter().map(start).collect()
}
