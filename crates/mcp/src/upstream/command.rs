//! How a server over stdio is started: what the operator configured, and the little of our own
//! environment that it sees.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

/// What of our environment every server is given; anything else must be configured.
const PASSED_ON: [&str; 11] = [
    "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ",
    "USER",
];

/// The start of one server. Its variables may hold secrets, so `Debug` prints only their names.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct ServerCommand {
    /// The program; looked up in `PATH` when it has no slash.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The folder to start it in; ours where there is none.
    pub cwd: Option<PathBuf>,
    /// Variables for it, references resolved.
    pub env: BTreeMap<String, String>,
    inherit: Inherit,
}

/// What of our environment a server sees.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Inherit {
    /// Only what every program needs.
    #[default]
    Little,
    /// All of it: whoever started us configured it for this server.
    All,
}

impl ServerCommand {
    /// A program with arguments, in our folder and with no variables of its own.
    #[must_use]
    pub fn new(
        program: impl Into<String>,
        args: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        Self {
            program: program.into(),
            args: args.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }

    /// The same, started in this folder.
    #[must_use]
    pub fn in_folder(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// The same, with one more variable.
    #[must_use]
    pub fn with_env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// The same, given all of our own environment: for a server that takes our place in a client's
    /// configuration. It is no part of the server's identity, since it differs from start to start.
    #[must_use]
    pub fn inherit_environment(mut self) -> Self {
        self.inherit = Inherit::All;
        self
    }

    /// The whole environment of the server.
    pub(crate) fn environment(&self) -> BTreeMap<OsString, OsString> {
        let all = self.inherit == Inherit::All;
        let passed_on = std::env::vars_os()
            .filter(|(name, _)| all || PASSED_ON.iter().any(|known| name == known));
        // A shell function in a variable would run in every shell that the server starts.
        let passed_on = passed_on.filter(|(_, value)| !value.as_encoded_bytes().starts_with(b"()"));
        passed_on
            .chain(
                self.env
                    .iter()
                    .map(|(name, value)| (name.into(), value.into())),
            )
            .collect()
    }
}

impl std::fmt::Debug for ServerCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerCommand")
            .field("program", &self.program)
            .field("args", &self.args)
            .field("cwd", &self.cwd)
            .field("env", &self.env.keys())
            .finish()
    }
}
