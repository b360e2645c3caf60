//! `cargo xtask`: every check that this workspace has to pass, one subcommand each.
//!
//! It judges the repository and starts the tools that do. It never judges the product at run
//! time, installs nothing and writes into the tree only where `--write` says so: what brings the
//! tools is `.ci/run`, so that a check cannot change the machine it runs on.

#![expect(
    clippy::disallowed_methods,
    reason = "a build tool reads files, clock and environment"
)]
#![expect(clippy::print_stdout, reason = "a build tool talks to the terminal")]

mod bench;
mod controls;
mod differential;
mod layers;
mod links;
mod manifests;
mod process;
mod pure;
mod scratch;
mod source;
mod step;
mod suite;
mod tally;
mod tidy;
mod tools;
mod umbrella;
mod wire;
mod workspace;

#[cfg(test)]
mod tests;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::step::{Mode, Step};
use crate::workspace::Workspace;

#[derive(Debug, Parser)]
#[command(
    name = "cargo xtask",
    about = "Every check that this workspace has to pass"
)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// All checks, cheapest first, up to the first that fails.
    Ci,
    /// Formatting.
    Fmt {
        /// Format instead of comparing.
        #[arg(long)]
        write: bool,
    },
    /// The layer table: each crate in one row, each arrow pointing down, the umbrella empty.
    Layers,
    /// House rules that no compiler knows: heads, sizes, manifests, top-level files, links.
    Tidy,
    /// Everything compiles with all features.
    Check,
    /// Clippy, warnings refused.
    Clippy,
    /// All tests and doctests.
    Test,
    /// Golden wire vectors and the published JSON Schemas.
    Wire {
        /// Write `docs/schema` instead of comparing.
        #[arg(long)]
        write: bool,
    },
    /// rustdoc, warnings refused.
    Docs,
    /// Each crate alone: with no feature, with each one, with all (needs cargo-hack).
    Features,
    /// Licences, sources and banned crates (needs cargo-deny).
    Deny,
    /// A measurement of `docs/bench.md`, by its heading there.
    Bench {
        /// Which one.
        name: String,
        /// What it takes; `--help` lists it.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// The indexes of policy and router against their scans, on ten million requests.
    Differential,
    /// Seeded faults from `tests/controls.toml`: each must make its test fail.
    Controls {
        /// All of them, not the changed and sampled ones.
        #[arg(long)]
        all: bool,
        /// Only these ids.
        ids: Vec<String>,
    },
}

impl Task {
    fn step(self) -> Option<(Step, Mode)> {
        let write_if = |write: bool| if write { Mode::Write } else { Mode::Compare };
        let plain = |step| Some((step, Mode::Compare));
        match self {
            Self::Ci | Self::Bench { .. } => None,
            Self::Fmt { write } => Some((Step::Fmt, write_if(write))),
            Self::Layers => plain(Step::Layers),
            Self::Tidy => plain(Step::Tidy),
            Self::Check => plain(Step::Check),
            Self::Clippy => plain(Step::Clippy),
            Self::Test => plain(Step::Test),
            Self::Wire { write } => Some((Step::Wire, write_if(write))),
            Self::Docs => plain(Step::Docs),
            Self::Features => plain(Step::Features),
            Self::Deny => plain(Step::Deny),
            Self::Differential => plain(Step::Differential),
            Self::Controls { all: true, .. } => Some((Step::Controls, Mode::All)),
            Self::Controls { ids, .. } if ids.is_empty() => plain(Step::Controls),
            Self::Controls { ids, .. } => Some((Step::Controls, Mode::Only(ids))),
        }
    }
}

fn main() -> ExitCode {
    let task = Cli::parse().task;
    let ws = match Workspace::load() {
        Ok(ws) => ws,
        Err(error) => {
            println!("error: {error:#}");
            return ExitCode::FAILURE;
        }
    };
    if let Task::Bench { name, args } = &task {
        // Its output is a table or an object and nothing else.
        return match bench::run(&ws, name, args) {
            Ok(_) => ExitCode::SUCCESS,
            Err(error) => {
                println!("error: {error:#}");
                ExitCode::FAILURE
            }
        };
    }
    let passed = match task.step() {
        None => step::run_all(&ws),
        Some((step, mode)) => step::run_one(&ws, step, &mode),
    };
    if passed {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
