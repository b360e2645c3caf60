//! The command line of `import`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use tipstaff_manifest::import::{CommandEffects, Origin};
use tipstaff_schema::AgentId;

use super::agent;

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  tipstaff import --rules ~/.claude/settings.json
  tipstaff import --rules .claude/settings.json --read 'files:read_*' --edit files:write_file --out rules.yaml
The rules go to standard output and the report to standard error; with --out the report goes to
standard output. Nothing becomes more allowed than it was. Exit 1 where a deny or an ask could not be
carried over.")]
pub(crate) struct ImportArgs {
    /// The file with the rules; `-` is standard input.
    #[arg(long)]
    pub(crate) rules: PathBuf,
    /// Whose rules they are; else told from the file.
    #[arg(long, value_enum)]
    pub(crate) from: Option<OriginArg>,
    /// The agent that the rules are for; else every agent.
    #[arg(long, value_parser = agent)]
    pub(crate) agent: Option<AgentId>,
    /// The project's folder, put before relative paths; else they hang on each agent's root.
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// What `~` means; else the home folder of who runs this.
    #[arg(long, value_name = "DIR", env = "HOME")]
    pub(crate) home: Option<PathBuf>,
    /// A tool, or pattern over tools, that reads files as the source's own do; again for more.
    #[arg(long, value_name = "SERVER:TOOL")]
    pub(crate) read: Vec<String>,
    /// The same for editing files.
    #[arg(long, value_name = "SERVER:TOOL")]
    pub(crate) edit: Vec<String>,
    /// The same for fetching from the web.
    #[arg(long, value_name = "SERVER:TOOL")]
    pub(crate) web: Vec<String>,
    /// What an allowed command may do: only read below the agent's root, or anything at all, also by
    /// redirection.
    #[arg(long, value_enum, default_value_t = EffectsArg::ReadOnly)]
    pub(crate) effects: EffectsArg,
    /// Write the rules here; the file must not exist.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OriginArg {
    Claude,
    Gemini,
    Opencode,
    Codex,
}

impl From<OriginArg> for Origin {
    fn from(origin: OriginArg) -> Self {
        match origin {
            OriginArg::Claude => Self::Claude,
            OriginArg::Gemini => Self::Gemini,
            OriginArg::Opencode => Self::Opencode,
            OriginArg::Codex => Self::Codex,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EffectsArg {
    ReadOnly,
    Any,
}

impl From<EffectsArg> for CommandEffects {
    fn from(effects: EffectsArg) -> Self {
        match effects {
            EffectsArg::ReadOnly => Self::ReadOnly,
            EffectsArg::Any => Self::Any,
        }
    }
}
