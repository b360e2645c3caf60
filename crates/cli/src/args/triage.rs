//! The command line of triage rules and deadlines.

use std::path::PathBuf;

use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};
use tipstaff_schema::AgentId;

#[derive(Debug, Args)]
pub(crate) struct TriageArgs {
    #[command(subcommand)]
    pub(crate) command: TriageCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TriageCommand {
    /// Which rules match an answer, and why the others do not. Opens nothing.
    Test(TriageTestArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Exit 0 where a rule matches, 1 where none does or the schema shows that one never will.
  tipstaff triage test --rules tipstaff.yaml --answer answer.json
  tipstaff triage test --rules rules.yaml --answer - --tool grid:status < answer.json")]
pub(crate) struct TriageTestArgs {
    /// The rules: a manifest, or a list of rules.
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: PathBuf,
    /// The answer as JSON, its structured content where it has any; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) answer: PathBuf,
    /// The tool's output schema: which conditions can never hold under it?
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,
    /// The tool that answered; without it `applies_to` is not asked about tools.
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// The agent that called; without it `applies_to` is not asked about agents.
    #[arg(long, value_parser = agent)]
    pub(crate) agent: Option<AgentId>,
    /// When the answer came, as RFC 3339; else now.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) at: Option<DateTime<Utc>>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
  tipstaff deadline --calendar tipstaff.yaml --from 2026-12-23T14:00:00Z \\
    --spec '{\"kind\": \"working-days\", \"params\": {\"n\": 2}}'")]
pub(crate) struct DeadlineArgs {
    /// The calendar: a file of its own, or a manifest. Without one it is Monday to Friday from nine
    /// to five in UTC.
    #[arg(long, value_name = "FILE")]
    pub(crate) calendar: Option<PathBuf>,
    /// When it opens, as RFC 3339; else now.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) from: Option<DateTime<Utc>>,
    /// The deadline, as a rule states it: `kind` and `params`.
    #[arg(long, value_name = "JSON")]
    pub(crate) spec: String,
}

fn agent(text: &str) -> Result<AgentId, String> {
    AgentId::new(text).map_err(|error| error.to_string())
}

fn time(text: &str) -> Result<DateTime<Utc>, String> {
    DateTime::parse_from_rfc3339(text)
        .map(|at| at.to_utc())
        .map_err(|_| "a time is written like `2026-12-23T14:00:00Z`".to_owned())
}
