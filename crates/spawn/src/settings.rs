//! What an operator sets for the spawn tool.

use std::sync::Arc;
use std::time::Duration;

use crate::{Delegate, SpawnError};

/// The settings of the spawn tool.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SpawnSettings {
    /// Commands are shut off on every path; tasks may still be handed on.
    pub no_shell: bool,
    /// The folders in which programs are looked up, in order; nothing else counts, whatever `PATH` says.
    pub path: Vec<String>,
    /// The wall-clock limit of one call.
    pub timeout: Duration,
    /// The variables of this process that a command inherits; all others are kept from it.
    pub environment: Vec<String>,
    /// How commands are confined.
    pub sandbox: Sandbox,
    /// Who takes tasks; none means that agent mode is refused.
    pub delegate: Option<Arc<dyn Delegate>>,
}

/// How commands on this machine are confined, beside what rules say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Sandbox {
    /// Not at all: a command may do what this user may do.
    #[default]
    Off,
    /// By the Landlock module of Linux: to the reads, writes and connections of its plan. Where the
    /// kernel has none, commands are refused.
    Landlock,
}

impl Default for SpawnSettings {
    fn default() -> Self {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self {
            no_shell: false,
            path: owned(&[
                "/usr/local/bin",
                "/usr/bin",
                "/bin",
                "/usr/local/sbin",
                "/usr/sbin",
                "/sbin",
            ]),
            timeout: Duration::from_secs(120),
            environment: owned(&[
                "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "TERM", "TMPDIR", "TZ", "USER",
            ]),
            sandbox: Sandbox::Off,
            delegate: None,
        }
    }
}

impl SpawnSettings {
    /// Checks the program path.
    pub(crate) fn check(&self) -> Result<(), SpawnError> {
        if self.path.is_empty() {
            return Err(SpawnError::EmptyPath);
        }
        match self
            .path
            .iter()
            .find(|folder| !folder.starts_with('/') || folder.contains(':'))
        {
            Some(folder) => Err(SpawnError::Path {
                folder: folder.escape_debug().to_string(),
            }),
            None => Ok(()),
        }
    }
}
