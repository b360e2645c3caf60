//! The binary `tipstaff`: reads the command line, starts the runtime, turns results into exit codes.
//!
//! Every command is a module of its own. Nothing is decided here; calls go through the one gate.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the program: clock, environment and files are its own"
)]

mod approvals;
mod args;
mod audit;
mod calls;
mod canon;
mod changes;
mod check;
mod clean;
mod deadline;
mod decide;
mod demo;
mod exit;
mod explain;
mod ground;
mod host;
mod import;
mod init;
mod input;
mod limits;
mod out;
mod place;
mod route;
mod search;
mod serve;
mod state;
mod tasks;
mod tools;
mod triage;
mod whatif;
mod wrap;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};
use crate::exit::Failure;

fn main() -> ExitCode {
    if cfg!(windows) {
        out::complain(
            "tipstaff does not run on Windows: it relies on process groups, file modes and sockets of Unix",
        );
        return exit::ENVIRONMENT.into();
    }
    let args = Args::parse();
    logging(&args);
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            out::complain(&format!("the runtime cannot start: {error}"));
            return exit::ENVIRONMENT.into();
        }
    };
    let ended = runtime.block_on(run(args));
    // Blocking reads of a terminal or a client that never ends must not keep the process.
    runtime.shutdown_timeout(std::time::Duration::from_secs(1));
    match ended {
        Ok(code) => code.into(),
        Err(failure) => {
            out::complain(&failure.to_string());
            failure.code.into()
        }
    }
}

async fn run(args: Args) -> Result<exit::Code, Failure> {
    let json = args.json;
    match args.command {
        Command::Demo(demo) => demo::run(&demo, json).await,
        Command::DemoServer { folder } => demo::server::run(&folder).await,
        Command::Wrap(wrap) => wrap::run(wrap).await,
        Command::Serve(serve) => serve::run(serve).await,
        Command::Check(check) => check::run(&check, json).await,
        Command::Decide(decide) => decide::run(&decide, json).await,
        Command::Explain(explain) => explain::run(&explain, json).await,
        Command::Init(init) => init::run(&init, json),
        Command::Import(import) => import::run(&import, json),
        Command::WhatIf(args) => whatif::run(&args, json).await,
        Command::Route(route) => route::run(&route, json).await,
        Command::Search(search) => search::run(&search, json).await,
        Command::Approvals(approvals) => approvals::run(approvals, json).await,
        Command::Tasks(tasks) => tasks::run(tasks, json).await,
        Command::Triage(triage) => triage::run(&triage, json),
        Command::Deadline(deadline) => deadline::run(&deadline, json),
        Command::Tools(tools) => tools::run(tools, json).await,
        Command::Audit(audit) => audit::run(audit, json).await,
        Command::Clean(clean) => clean::run(&clean, json),
        Command::Canon(canon) => canon::run(&canon, json),
    }
}

/// Logs go to standard error; `RUST_LOG` chooses, warnings unless it says otherwise.
fn logging(args: &Args) {
    use tracing_subscriber::EnvFilter;
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    match args.log_format {
        args::LogFormat::Text => subscriber.with_ansi(false).init(),
        args::LogFormat::Json => subscriber.json().init(),
    }
}
