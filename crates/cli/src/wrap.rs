//! `tipstaff wrap -- CMD…`: one MCP server behind the gate, without a manifest.
//!
//! Its tools are listed at once; the first call of each waits for a person's review. What the client
//! configured for the server (its environment) reaches the server unchanged.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tipstaff_gate::{AgentFacts, ExecutorKey, Gate, Mode, Session};
use tipstaff_host::Directory;
use tipstaff_mcp::{Gateway, GatewayOptions, McpServer, Naming, ServerCommand, ServerLimits};
use tipstaff_registry::PinMode;
use tipstaff_schema::{Digest, Domain, ServerName};

use crate::args::WrapArgs;
use crate::exit::{self, Code, ENVIRONMENT, Failure, USAGE};
use crate::host::Host;
use crate::{out, place};

/// How long a server may take to list its tools; a first start may have to fetch packages.
pub(crate) const TO_START: Duration = Duration::from_secs(60);

pub(crate) async fn run(args: WrapArgs) -> Result<Code, Failure> {
    let state = place::state(args.state.state.as_deref())?;
    let here = std::env::current_dir().map_err(|error| Failure::environment(&error))?;
    let name = match &args.name {
        Some(name) => name.clone(),
        None => name_of(&args.command)?,
    };
    let (program, arguments) = args
        .command
        .split_first()
        .ok_or_else(|| Failure::new(USAGE, "name the server's command"))?;
    let command = ServerCommand::new(program, arguments)
        .in_folder(&here)
        .inherit_environment();
    let server = McpServer::new(name.clone(), command, ServerLimits::default());
    let facts = AgentFacts {
        root: here.to_str().map(str::to_owned),
        owner: None,
    };
    let own = place::own_ground(&state, &[], std::slice::from_ref(&here));
    let builder = Gate::builder()
        .agents([(args.agent.clone(), facts)].into_iter().collect())
        .mode(if args.observe {
            Mode::Observe
        } else {
            Mode::Enforce
        })
        .executor(
            ExecutorKey::Server(name.clone()),
            std::sync::Arc::new(server.clone()),
        );
    let host = Host::open(&state, None, builder, Directory::default(), own).await?;
    greet(&name, &state, &host, &args);
    server.start(host.gate.clone(), PinMode::Reviewed);
    if let Err(error) = server.listed(TO_START).await {
        let words = server.last_words(20).join("\n  ");
        server.stop().await;
        let message = format!(
            "`{name}` does not list its tools: {}\n  {words}",
            exit::chain(&error)
        );
        return Err(Failure::new(ENVIRONMENT, message.trim_end()));
    }
    let mut options = GatewayOptions::default();
    options.naming = Naming::Plain;
    let gateway = Gateway::new(host.gate.clone(), Session::launched(args.agent), options);
    let ended = serve_until_told(gateway).await;
    server.stop().await;
    ended
}

/// Serves the client until it leaves, or until this process is told to end.
pub(crate) async fn serve_until_told(gateway: Gateway) -> Result<Code, Failure> {
    use tokio::signal::unix::{SignalKind, signal};
    let failed = |error: std::io::Error| Failure::environment(&error);
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    tokio::select! {
        ended = gateway.serve_stdio() => ended.map(|()| exit::OK).map_err(|error| Failure::environment(&error)),
        _ = terminate.recv() => Ok(exit::OK),
        _ = interrupt.recv() => Ok(exit::OK),
    }
}

/// Says on standard error, which clients keep, what is new and where to answer.
fn greet(name: &ServerName, state: &Path, host: &Host, args: &WrapArgs) {
    let shown = state.display();
    if host.fresh {
        out::complain(&format!(
            "tipstaff: new state folder {shown}; no tool of `{name}` has been reviewed yet"
        ));
    }
    if args.observe {
        out::complain("tipstaff: observing: what would be asked runs; guards and denies hold");
    }
    let flag = args
        .state
        .state
        .as_ref()
        .map(|_| format!(" --state {shown}"))
        .unwrap_or_default();
    out::complain(&format!(
        "tipstaff: `{name}` is governed; answer questions with: tipstaff approvals{flag}"
    ));
}

/// A name for a server that was given none: the most telling word of its command, and a part of the
/// command's digest, so that another command never stands under the same pins.
fn name_of(command: &[String]) -> Result<ServerName, Failure> {
    let telling = command
        .iter()
        .rev()
        .filter(|word| !word.starts_with('-'))
        .map(|word| {
            let base = PathBuf::from(word)
                .file_name()
                .map(|name| name.to_string_lossy().to_lowercase())
                .unwrap_or_default();
            let clean: String = base
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
                .collect();
            clean.trim_matches('-').chars().take(24).collect::<String>()
        });
    let mut words: Vec<String> = telling.filter(|word| !word.is_empty()).collect();
    words.sort_by_key(|word| !(word.contains("mcp") || word.contains("server")));
    let word = words
        .into_iter()
        .next()
        .unwrap_or_else(|| "server".to_owned());
    let digest = Digest::of(Domain::Tool, &serde_json::json!({ "wrap": command }))
        .map_err(|e| Failure::environment(&e))?;
    let tail: String = digest
        .as_bytes()
        .iter()
        .take(3)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    ServerName::new(format!("{word}-{tail}"))
        .map_err(|error| Failure::new(USAGE, error.to_string()))
}
