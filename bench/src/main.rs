//! `cargo xtask bench NAME`: every published figure of tipstaff, made anew by a command.
//!
//! Timings are compared with what stands in the same table, made in the same run on the same
//! machine; no test ever asserts one.
#![expect(
    clippy::disallowed_methods,
    reason = "a measurement reads the clock, and its data from files"
)]

#[cfg(feature = "canon")]
mod canon;
#[cfg(feature = "commands")]
mod commands;
#[cfg(feature = "findings")]
mod findings;
#[cfg(feature = "canon")]
mod quiet;
#[cfg(feature = "resource")]
mod resource;
#[cfg(feature = "route")]
mod route;
#[cfg(feature = "search")]
mod search;
#[cfg(feature = "triage")]
mod triage;
#[cfg(feature = "validate")]
mod validate;

use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use tipstaff_bench::report::Report;

#[derive(Debug, Parser)]
#[command(name = "cargo xtask bench", about = "The figures of docs/bench.md")]
struct Cli {
    #[command(subcommand)]
    bench: Bench,
    #[command(flatten)]
    common: Common,
}

/// What every bench takes.
#[derive(Debug, Args)]
pub(crate) struct Common {
    /// Public data to measure with.
    #[arg(
        long,
        global = true,
        default_value = "../shared/data",
        value_name = "DIR"
    )]
    pub(crate) data: std::path::PathBuf,
    /// One JSON object instead of tables.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Also put the result into docs/bench.md.
    #[arg(long, global = true)]
    record: bool,
}

#[derive(Debug, Subcommand)]
enum Bench {
    /// Canonical JSON and digests, the strict reader, the cleaning of text.
    #[cfg(feature = "canon")]
    Canon,
    /// What runs unasked under the starter policy for commands, and what must not.
    #[cfg(feature = "commands")]
    Commands,
    /// Deciding by rules, beside the scan and four peers.
    #[cfg(feature = "policy")]
    Policy(tipstaff_bench::policy::Sizes),
    /// Reading values and patterns, and matching them, by kind.
    #[cfg(feature = "resource")]
    Resource,
    /// Does search find the right tool, and how quickly?
    #[cfg(feature = "search")]
    Search,
    /// Does the registry tell of poisoned texts, and only of those?
    #[cfg(feature = "findings")]
    Findings,
    /// How long does it take to find the tool for a token?
    #[cfg(feature = "route")]
    Route,
    /// How long does it take to judge an answer by many rules, and to list many tasks?
    #[cfg(feature = "triage")]
    Triage,
    /// Parameters checked by captured schemas; every change of a captured definition must be seen.
    #[cfg(feature = "validate")]
    Validate,
}

impl Bench {
    fn run(self, common: &Common) -> anyhow::Result<Report> {
        let _ = common;
        match self {
            #[cfg(feature = "canon")]
            Self::Canon => Ok(canon::run()),
            #[cfg(feature = "commands")]
            Self::Commands => commands::run(common),
            #[cfg(feature = "policy")]
            Self::Policy(sizes) => tipstaff_bench::policy::run(&sizes),
            #[cfg(feature = "resource")]
            Self::Resource => resource::run(),
            #[cfg(feature = "search")]
            Self::Search => search::run(common),
            #[cfg(feature = "findings")]
            Self::Findings => findings::run(common),
            #[cfg(feature = "route")]
            Self::Route => route::run(),
            #[cfg(feature = "triage")]
            Self::Triage => triage::run(),
            #[cfg(feature = "validate")]
            Self::Validate => validate::run(common),
        }
    }
}

fn main() -> ExitCode {
    let Cli { bench, common } = Cli::parse();
    match bench
        .run(&common)
        .and_then(|report| report.publish(common.json, common.record))
    {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
