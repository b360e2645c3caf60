//! The arguments of the commands about a policy: check it, judge by it, explain it.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use tipstaff_schema::{AgentId, Placement};

use super::ConfigArgs;

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  tipstaff check -c tipstaff.yaml
  tipstaff check -c tipstaff.yaml --against main.yaml --deny-widening
All pairs of rules are looked at; each finding comes with a call that shows it, which `decide --calls`
and `explain --calls` take. What was not decided within the budget is counted and said.
Exit 0: nothing wrong. 1: a finding that is an error, a test that does not hold, or, with
--deny-widening, a change that lets more happen. 2: the manifest, or the one it is compared with,
cannot be loaded.")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    /// Say what changes against this older manifest.
    #[arg(long, value_name = "OLD")]
    pub(crate) against: Option<PathBuf>,
    /// Fail where more may happen than by the older manifest, or where that was not decided.
    #[arg(long, requires = "against")]
    pub(crate) deny_widening: bool,
    /// How many steps the search over all pairs may take.
    #[arg(long, value_name = "STEPS")]
    pub(crate) budget: Option<u64>,
}

/// The calls that are judged or explained: one by its parts, or many, one a line.
#[derive(Debug, ClapArgs)]
pub(crate) struct CallArgs {
    /// The calls, one JSON object a line; `-` is standard input.
    #[arg(long, required_unless_present = "tool", conflicts_with_all = ["tool", "agent", "params", "at", "cwd", "placement"])]
    pub(crate) calls: Option<PathBuf>,
    /// The tool of a single call: `server:tool`, or `spawn`.
    #[arg(long)]
    pub(crate) tool: Option<String>,
    /// Who calls; else the only agent of the manifest.
    #[arg(long, value_parser = super::agent, requires = "tool")]
    pub(crate) agent: Option<AgentId>,
    /// Its parameters, as a JSON object.
    #[arg(long, value_name = "JSON", requires = "tool")]
    pub(crate) params: Option<String>,
    /// When, as an RFC 3339 time with its zone; else now.
    #[arg(long, value_name = "TIME", requires = "tool")]
    pub(crate) at: Option<String>,
    /// The folder that relative paths hang on.
    #[arg(long, value_name = "FOLDER", requires = "tool")]
    pub(crate) cwd: Option<String>,
    /// Where it is to run.
    #[arg(long, value_parser = placement, requires = "tool")]
    pub(crate) placement: Option<Placement>,
    /// Refuse tools whose definition is neither captured nor pinned.
    #[arg(long)]
    pub(crate) strict: bool,
    /// Read the pins of this state folder too.
    #[arg(long)]
    pub(crate) state: Option<PathBuf>,
}

fn placement(text: &str) -> Result<Placement, String> {
    Placement::new(text).map_err(|error| error.to_string())
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  tipstaff decide -c tipstaff.yaml --tool files:read_file --params '{\"path\":\"/srv/a\"}'
  tipstaff decide -c tipstaff.yaml --calls calls.jsonl
A call is one JSON object a line:
  {\"agent\":\"coder\",\"tool\":\"files:read_file\",\"params\":{\"path\":\"/srv/a\"}}
It may also have `cwd`, `placement`, `at`, `require_approval`, `parents` and an `id`, which comes back.
A decision comes back a line each, in the same order, always as JSON. A single call is answered in
words, or with --json as the same object. Where a command is asked, rules that would allow it come
along (`suggested`). Exit 0 whatever was decided, 1 where a line was no call,
2 where the manifest cannot be loaded.
No symlink is followed: a call that runs is judged by where its paths lead as well.")]
pub(crate) struct DecideArgs {
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) call: CallArgs,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  tipstaff explain -c tipstaff.yaml --tool files:read_file --params '{\"path\":\"/srv/.env\"}'
  tipstaff explain -c tipstaff.yaml --tool spawn --params '{\"input\":\"!git push\"}' --json
Takes what `decide` takes. Says the verdict, what was derived from the call, the verdict on each part of
it, and for each question to policy the rules that matched in order, what each lost to and why, and the
nearest rules that did not match, with the one dimension that kept them away.
Exit 0 whatever was decided, 1 where a line was no call, 2 where the manifest cannot be loaded.")]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) call: CallArgs,
}
