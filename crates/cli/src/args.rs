//! The command line.

mod import;
mod init;
mod policy;
mod tasks;
mod text;
mod triage;
mod whatif;

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use tipstaff_approval::ReviewAnswer;
use tipstaff_schema::{AgentId, Digest, ServerName, Verb};
use uuid::Uuid;

pub(crate) use self::import::ImportArgs;
pub(crate) use self::init::InitArgs;
pub(crate) use self::policy::{CallArgs, CheckArgs, DecideArgs, ExplainArgs};
pub(crate) use self::tasks::{ListArgs, TasksArgs, TasksCommand, WorkArgs};
pub(crate) use self::text::{CanonArgs, CleanArgs, Reader};
pub(crate) use self::triage::{DeadlineArgs, TriageArgs, TriageCommand, TriageTestArgs};
pub(crate) use self::whatif::WhatIfArgs;

/// tipstaff governs what AI agents do: every tool call is judged, asked for where a person should
/// decide, run once on a warrant, and journaled.
#[derive(Debug, Parser)]
#[command(
    name = "tipstaff",
    version,
    propagate_version = true,
    arg_required_else_help = true
)]
#[command(after_help = "\
Examples:
  tipstaff demo                                   the tour, offline, in seconds
  tipstaff init --starter commands --out tipstaff.yaml   a policy to begin with
  tipstaff wrap -- npx -y some-mcp-server         govern one MCP server
  tipstaff serve -c tipstaff.yaml                 govern several, by a manifest
  tipstaff approvals                              what waits for a person
  tipstaff audit verify                           is the journal whole?")]
pub(crate) struct Args {
    /// Print JSON.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// How logs on standard error are written.
    #[arg(long, global = true, value_enum, default_value_t = LogFormat::Text)]
    pub(crate) log_format: LogFormat,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// How logs are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The tour: real decisions, an approval, an attack of each kind, a triaged answer, a verified journal.
    Demo(DemoArgs),
    /// The MCP server of the tour.
    #[command(hide = true)]
    DemoServer {
        /// Its folder.
        folder: PathBuf,
    },
    /// Govern one MCP server, without a manifest.
    Wrap(WrapArgs),
    /// Govern the servers of a manifest; speaks MCP over standard input and output.
    Serve(ServeArgs),
    /// Check a manifest: what is wrong, what is dangerous, whether its tests hold.
    Check(CheckArgs),
    /// Judge calls by a manifest; runs nothing, writes nothing, follows no symlink.
    Decide(DecideArgs),
    /// Why a call is decided as it is: what was derived, which rules matched, which nearly did.
    Explain(ExplainArgs),
    /// A starter policy with its tests inside, written to a file that does not exist yet.
    Init(InitArgs),
    /// Permission rules of Claude Code, Gemini CLI, opencode or Codex as rules of ours, and what of
    /// them cannot be carried over.
    Import(ImportArgs),
    /// What another manifest would have decided of the calls in the journal; runs nothing.
    #[command(name = "whatif")]
    WhatIf(WhatIfArgs),
    /// Which tool an intent token means, and why every other one fell out.
    Route(RouteArgs),
    /// The tools that fit a wish, best first.
    Search(SearchArgs),
    /// Questions that wait for people: list, show, answer.
    Approvals(ApprovalsArgs),
    /// The worklist: what waits for people, and their work on it.
    Tasks(TasksArgs),
    /// Triage rules, tried on an answer.
    Triage(TriageArgs),
    /// When something is due, by a calendar.
    Deadline(DeadlineArgs),
    /// The tools that are known, and how they stand.
    Tools(ToolsArgs),
    /// The journal: read it, verify it.
    Audit(AuditArgs),
    /// Untrusted text from standard input, made safe to show.
    Clean(CleanArgs),
    /// JSON from standard input as canonical text, with its digest.
    Canon(CanonArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DemoArgs {
    /// Leave the folder of the tour behind and say where it is.
    #[arg(long)]
    pub(crate) keep: bool,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
In a client's configuration, put `tipstaff wrap --` before the server's command:
  { \"mcpServers\": { \"files\": { \"command\": \"tipstaff\",
      \"args\": [\"wrap\", \"--\", \"npx\", \"-y\", \"@modelcontextprotocol/server-filesystem\", \"/srv/data\"] } } }
The first call of each tool waits for its review: `tipstaff approvals` in another terminal.")]
pub(crate) struct WrapArgs {
    /// Decide and record, but run what would be asked; guards and denies hold.
    #[arg(long)]
    pub(crate) observe: bool,
    /// The server's name in rules and journal; else one is made from its command.
    #[arg(long, value_parser = server)]
    pub(crate) name: Option<ServerName>,
    /// The agent that calls.
    #[arg(long, default_value = "local", value_parser = agent)]
    pub(crate) agent: AgentId,
    #[command(flatten)]
    pub(crate) state: StateArgs,
    /// The server's command.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    pub(crate) command: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    /// The agent that calls; else the only one in the manifest.
    #[arg(long, value_parser = agent)]
    pub(crate) agent: Option<AgentId>,
    #[command(flatten)]
    pub(crate) state: StateArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ConfigArgs {
    /// The manifest.
    #[arg(short = 'c', long = "config", env = "TIPSTAFF_CONFIG")]
    pub(crate) config: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct StateArgs {
    /// The folder with journal, locks and sockets; by XDG unless given.
    #[arg(long, global = true)]
    pub(crate) state: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  tipstaff route -c tipstaff.yaml token.json
  tipstaff route -c tipstaff.yaml --verb fs.read --cap text
Runs nothing. Exit 1 where no tool is taken.")]
pub(crate) struct RouteArgs {
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    /// The token, as JSON; `-`, or nothing, is standard input.
    #[arg(conflicts_with = "verb")]
    pub(crate) token: Option<PathBuf>,
    /// Ask for a verb instead: `NAMESPACE.ACTION`.
    #[arg(long, value_parser = verb)]
    pub(crate) verb: Option<Verb>,
    /// With --verb: a capability that the tool must have; again for more.
    #[arg(long = "cap", requires = "verb")]
    pub(crate) caps: Vec<String>,
    /// The highest score wins, whether or not the tool can do the job.
    #[arg(long)]
    pub(crate) classic: bool,
    /// The id of a tool whose breaker is to count as open; again for more.
    #[arg(long, value_name = "TOOL_ID")]
    pub(crate) open: Vec<String>,
    /// Read the pins of this state folder too.
    #[arg(long)]
    pub(crate) state: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  tipstaff search -c tipstaff.yaml read a text file
  tipstaff search --state /var/lib/tipstaff send mail --limit 3
With a manifest: its captured tools, less what policy would never allow the agent. Without one: every
tool that was pinned with the state folder. Exit 1 where nothing fits.")]
pub(crate) struct SearchArgs {
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    /// What the tool should do, in your words.
    #[arg(required = true)]
    pub(crate) query: Vec<String>,
    /// How many tools at most.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) limit: u16,
    /// Hide what policy would never allow this agent; else the only one in the manifest.
    #[arg(long, value_parser = agent)]
    pub(crate) agent: Option<AgentId>,
    #[command(flatten)]
    pub(crate) state: StateArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ApprovalsArgs {
    #[command(flatten)]
    pub(crate) state: StateArgs,
    #[command(subcommand)]
    pub(crate) command: Option<ApprovalsCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalsCommand {
    /// What waits.
    List,
    /// One question, whole.
    Show {
        /// Its id.
        id: Uuid,
    },
    /// Let this exact call run, once.
    Approve(AnswerArgs),
    /// Say no.
    Deny {
        #[command(flatten)]
        answer: AnswerArgs,
        /// Why: the agent is told.
        #[arg(long, default_value = "")]
        reason: String,
    },
    /// Say what may be done with a tool that nobody has reviewed yet.
    Review {
        #[command(flatten)]
        answer: AnswerArgs,
        /// `read`: it only reads and may run; `allow`: it may change things and may run; `ask`: each
        /// call is asked; `never`: it is locked.
        #[arg(value_enum)]
        verdict: ReviewVerdict,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ReviewVerdict {
    Read,
    Allow,
    Ask,
    Never,
}

impl From<ReviewVerdict> for ReviewAnswer {
    fn from(verdict: ReviewVerdict) -> Self {
        match verdict {
            ReviewVerdict::Read => Self::Read,
            ReviewVerdict::Allow => Self::Allow,
            ReviewVerdict::Ask => Self::Ask,
            ReviewVerdict::Never => Self::Never,
        }
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct AnswerArgs {
    /// The question's id.
    pub(crate) id: Uuid,
    /// The digest that you were shown; needed where standard input is no terminal.
    #[arg(long)]
    pub(crate) digest: Option<Digest>,
    /// Who you are, once the manifest has people; the password is asked for, or read from
    /// TIPSTAFF_PASSWORD_FILE.
    #[arg(long = "as")]
    pub(crate) person: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ToolsArgs {
    #[command(flatten)]
    pub(crate) state: StateArgs,
    #[command(subcommand)]
    pub(crate) command: Option<ToolsCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ToolsCommand {
    /// Every tool that a server has listed, with its pin.
    List,
    /// One tool: its definition as pinned and as offered now, what governs it, what looks wrong in it.
    Show(ToolArgs),
    /// What changed between the pinned definition and the one on offer, word by word. Exit 1 where
    /// they differ.
    Diff(ToolArgs),
    /// Pin what is offered now: lifts a quarantine, or reviews a tool before its first call. Shows
    /// what changed and what looks wrong in it first.
    Accept(AcceptArgs),
    /// The digests of a `tools/list` answer, a tool a line: the same on every machine.
    Digest {
        /// The answer; `-` is standard input.
        #[arg(default_value = "-")]
        file: PathBuf,
    },
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ToolArgs {
    /// The tool: `server:tool`, its id, or the tool's own name where only one server has it.
    pub(crate) name: String,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct AcceptArgs {
    /// The tools: `server:tool`, or their ids.
    #[arg(required = true)]
    pub(crate) names: Vec<String>,
    /// Do not ask; needed where standard input is no terminal.
    #[arg(long)]
    pub(crate) yes: bool,
    /// What may be done with them, as for `approvals review`; else what was decided before stays.
    #[arg(long, value_enum)]
    pub(crate) review: Option<ReviewVerdict>,
    /// Who you are, once the manifest has people; the password is asked for, or read from
    /// TIPSTAFF_PASSWORD_FILE.
    #[arg(long = "as")]
    pub(crate) person: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct AuditArgs {
    #[command(flatten)]
    pub(crate) state: StateArgs,
    #[command(subcommand)]
    pub(crate) command: AuditCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// The last events.
    Tail {
        /// How many.
        #[arg(short = 'n', long, default_value_t = 20)]
        count: u64,
    },
    /// Whether anything was edited, removed, inserted or reordered. Exit 1 where it was.
    Verify {
        /// An export instead of the store.
        #[arg(long)]
        export: Option<PathBuf>,
        /// A head that was kept elsewhere, as `audit head` prints it; without one the end is not proven.
        #[arg(long)]
        head: Option<String>,
    },
    /// The journal's head, to be kept elsewhere.
    Head,
    /// The whole journal as JSON Lines.
    Export,
}

pub(crate) fn agent(text: &str) -> Result<AgentId, String> {
    AgentId::new(text).map_err(|error| error.to_string())
}

fn server(text: &str) -> Result<ServerName, String> {
    ServerName::new(text).map_err(|error| error.to_string())
}

fn verb(text: &str) -> Result<Verb, String> {
    match text.split_once('.') {
        Some((namespace, action)) => Ok(Verb::new(namespace, action)),
        None => Err("a verb is NAMESPACE.ACTION, such as `fs.read`".to_owned()),
    }
}
