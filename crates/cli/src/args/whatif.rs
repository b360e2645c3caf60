//! The command line of `whatif`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::{ConfigArgs, StateArgs};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  tipstaff whatif -c candidate.yaml                     the calls of the usual state folder
  tipstaff whatif -c candidate.yaml --journal log.jsonl those of an export
Runs nothing, asks nobody, starts no server and follows no path: the time of a call and where its paths
led are as they were recorded. Exit 0 where nothing would be decided otherwise, 1 where something would,
2 where the candidate cannot be used, 5 where the journal cannot be read.")]
pub(crate) struct WhatIfArgs {
    /// The candidate.
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) state: StateArgs,
    /// An export of a journal, as `audit export` prints it, in place of the state folder; `-` is
    /// standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) journal: Option<PathBuf>,
}
