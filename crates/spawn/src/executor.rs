//! What runs commands: this machine, or another place that a host brings along.
//!
//! An executor gets a [`WarrantedCommand`], which only the spawn tool makes out of a warrant, so that
//! none can run what nobody allowed.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use tipstaff_command::CommandPlan;
use tipstaff_gate::{Cancel, ExecError, ExecOutput, Program, Warrant};
use tipstaff_schema::Placement;

use crate::parse::parse_spawn;

/// Runs commands in one place or several.
#[async_trait::async_trait]
pub trait CommandExecutor: std::fmt::Debug + Send + Sync {
    /// Whether it runs commands there.
    fn serves(&self, placement: &Placement) -> bool;

    /// Runs a command to its end. Must refuse a placement that it does not serve, stop soon after
    /// `cancel` and by the command's deadline, and leave nothing of it running.
    ///
    /// # Errors
    /// [`ExecError`]: which variant decides whether the outcome is known.
    async fn run(&self, command: WarrantedCommand, cancel: Cancel)
    -> Result<ExecOutput, ExecError>;
}

/// A command that may run once. It cannot be made without a warrant, nor cloned.
#[derive(Debug)]
#[must_use = "a command that is dropped leaves an execution whose outcome is unknown"]
pub struct WarrantedCommand {
    warrant: Warrant,
    text: String,
}

impl WarrantedCommand {
    /// Reads the command from the warrant's own arguments.
    pub(crate) fn of(warrant: Warrant) -> Result<Self, ExecError> {
        let parsed = parse_spawn(warrant.params()).map_err(|error| ExecError::NeverSent {
            why: error.to_string(),
        })?;
        Ok(Self {
            text: parsed.body,
            warrant,
        })
    }

    /// The command as text, for a shell: `bash --noprofile --norc -c`.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The words of one plain command, to be started without a shell; none where a shell is needed.
    #[must_use]
    pub fn argv(&self) -> Option<Vec<String>> {
        self.plan().and_then(CommandPlan::single_argv)
    }

    /// What it was understood to do.
    #[must_use]
    pub fn plan(&self) -> Option<&CommandPlan> {
        self.warrant.plan()
    }

    /// The program to start on this machine: the first of the words, or bash. None elsewhere.
    #[must_use]
    pub fn program(&self) -> Option<&Program> {
        self.warrant.program()
    }

    /// Where it is to run.
    #[must_use]
    pub fn placement(&self) -> Placement {
        self.warrant
            .placement()
            .cloned()
            .unwrap_or_else(Placement::local)
    }

    /// The folder to run in.
    #[must_use]
    pub fn cwd(&self) -> Option<&str> {
        self.warrant.cwd()
    }

    /// The agent's root folder.
    #[must_use]
    pub fn root(&self) -> Option<&str> {
        self.warrant.root()
    }

    /// Additions to the environment.
    #[must_use]
    pub fn env(&self) -> &BTreeMap<String, String> {
        self.warrant.env()
    }

    /// When it must have ended.
    #[must_use]
    pub fn deadline(&self) -> DateTime<Utc> {
        self.warrant.deadline()
    }

    /// Passes on a piece of output while it runs.
    pub fn progress(&self, piece: &str) {
        self.warrant.progress(piece);
    }
}
