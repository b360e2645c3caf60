//! The `tipstaff` binary with a home of its own, so that stories do not meet each other.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;
use tempfile::TempDir;

/// A place where tipstaff runs.
#[derive(Debug)]
pub(crate) struct Tipstaff {
    home: TempDir,
}

/// What a run of the binary came to.
#[derive(Debug)]
pub(crate) struct Ran {
    /// The exit code.
    pub(crate) code: Option<i32>,
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
}

impl Tipstaff {
    /// An empty home.
    pub(crate) fn new() -> Self {
        Self {
            home: TempDir::new().unwrap(),
        }
    }

    /// A path in the home.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// Writes a file in the home, with the folders above it.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// The command line of a run on this home's state, for a client that starts it.
    pub(crate) fn command_line(&self, args: &[&str]) -> Vec<String> {
        let program = binary().display().to_string();
        let state = ["--state".to_owned(), self.state()];
        let (subcommand, args) = args.split_first().unwrap();
        let words = std::iter::once((*subcommand).to_owned()).chain(state);
        let words = words.chain(args.iter().map(|arg| (*arg).to_owned()));
        std::iter::once(program).chain(words).collect()
    }

    /// The command line of `wrap` before this server.
    pub(crate) fn wrap(&self, server: &[String]) -> Vec<String> {
        let mut line = self.command_line(&["wrap", "--name", "it", "--"]);
        line.extend_from_slice(server);
        line
    }

    /// Waits for a question of this kind, `tool` or `call`, and gives the first.
    #[track_caller]
    pub(crate) fn question(&self, kind: &str) -> Value {
        super::eventually("somebody is asked", || {
            let listed = self.on_state("approvals", &["list", "--json"]).json_lines();
            let mut waiting = listed[0]["pending"].as_array()?.iter();
            waiting.find(|question| question["kind"] == kind).cloned()
        })
    }

    /// Answers a question from this process, which is not the one that asks: the answer's verb and
    /// what follows the id.
    #[track_caller]
    pub(crate) fn answer(&self, question: &Value, answer: &[&str]) {
        let (verb, more) = answer.split_first().unwrap();
        let (id, digest) = (text(&question["id"]), text(&question["digest"]));
        let mut args = vec![*verb, id];
        args.extend(more);
        args.extend(["--digest", digest]);
        let ran = self.on_state("approvals", &args);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }

    /// All events of the journal, which is whole.
    #[track_caller]
    pub(crate) fn journal(&self) -> Vec<Value> {
        let verified = self.on_state("audit", &["verify"]);
        assert_eq!(verified.code, Some(0), "{verified:?}");
        self.on_state("audit", &["export"]).json_lines()
    }

    /// Runs a subcommand on this home's state.
    #[track_caller]
    pub(crate) fn on_state(&self, subcommand: &str, args: &[&str]) -> Ran {
        let state = self.state();
        let mut words = vec![subcommand, "--state", &state];
        words.extend(args);
        self.run(&words)
    }

    /// The folder of the state.
    pub(crate) fn state(&self) -> String {
        self.path("state").display().to_string()
    }

    /// Runs it to its end, without input.
    #[track_caller]
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.run_on(args, b"")
    }

    /// Runs it to its end with this on standard input.
    #[track_caller]
    pub(crate) fn run_on(&self, args: &[&str], input: &[u8]) -> Ran {
        self.run_with(args, input, &[])
    }

    /// Runs a subcommand on this home's state with the password that stands in a file.
    #[track_caller]
    pub(crate) fn with_password(&self, file: &Path, subcommand: &str, args: &[&str]) -> Ran {
        let state = self.state();
        let mut words = vec![subcommand, "--state", &state];
        words.extend(args);
        let file = file.display().to_string();
        self.run_with(&words, b"", &[("TIPSTAFF_PASSWORD_FILE", file)])
    }

    #[track_caller]
    fn run_with(&self, args: &[&str], input: &[u8], more: &[(&'static str, String)]) -> Ran {
        let mut command = Command::new(binary());
        command
            .args(args)
            .current_dir(self.home.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        for (name, value) in self.environment().iter().chain(more) {
            command.env(name, value);
        }
        let mut child = command.spawn().unwrap();
        let (mut stdin, input) = (child.stdin.take().unwrap(), input.to_vec());
        // Beside the reading: neither side then waits for the other.
        let writer = std::thread::spawn(move || stdin.write_all(&input));
        let out = child.wait_with_output().unwrap();
        let _unread = writer.join().unwrap(); // It need not read all of it.
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ran {
            code: out.status.code(),
            stdout: text(out.stdout),
            stderr: text(out.stderr),
        }
    }

    /// The variables that keep it at home, and its output as machines like it.
    pub(crate) fn environment(&self) -> Vec<(&'static str, String)> {
        let at = |name: &str| self.path(name).display().to_string();
        vec![
            ("HOME", at("")),
            ("XDG_CONFIG_HOME", at("config")),
            ("XDG_DATA_HOME", at("data")),
            ("XDG_STATE_HOME", at("state")),
            ("XDG_RUNTIME_DIR", at("run")),
            ("NO_COLOR", "1".to_owned()),
        ]
    }
}

impl Ran {
    /// Its output as JSON values, one a line.
    #[track_caller]
    pub(crate) fn json_lines(&self) -> Vec<Value> {
        let parse = |line: &str| {
            serde_json::from_str(line)
                .unwrap_or_else(|_| panic!("no JSON: {line}\n{}", self.stderr))
        };
        self.stdout.lines().map(parse).collect()
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

/// `TIPSTAFF_TEST_BIN`, else built once beside this test.
fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        if let Some(given) = std::env::var_os("TIPSTAFF_TEST_BIN") {
            return given.into();
        }
        let own = std::env::current_exe().unwrap();
        let profile = own.ancestors().nth(2).unwrap();
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let built = Command::new(cargo)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .args([
                "build",
                "--quiet",
                "--package",
                "tipstaff-cli",
                "--target-dir",
            ])
            .arg(profile.parent().unwrap())
            .status()
            .unwrap();
        assert!(built.success(), "the binary does not build");
        profile.join("tipstaff")
    })
}
