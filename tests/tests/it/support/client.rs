//! The official Python SDK's client, held by the hand: one step at a time, several in flight.
//!
//! Speaks to `drivers/client.py`, which speaks MCP. Judges nothing.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{PATIENCE, eventually};

/// A connected client with its server.
#[derive(Debug)]
pub(crate) struct Client {
    child: Child,
    steps: Option<ChildStdin>,
    answers: Receiver<Value>,
    early: BTreeMap<u64, Value>,
    last_id: u64,
    folder: TempDir,
    ready: Value,
}

/// A step whose answer is still to come.
#[derive(Debug)]
pub(crate) struct Pending(u64);

impl Client {
    /// Starts the server by this command line and connects, in the era that the server speaks.
    #[track_caller]
    pub(crate) fn connect(python: &Path, server: &[String]) -> Self {
        Self::connect_with(python, server, &json!({}))
    }

    /// The same with more of what the driver takes in its first line: `env`, `cwd`, `mode`.
    #[track_caller]
    pub(crate) fn connect_with(python: &Path, server: &[String], more: &Value) -> Self {
        let folder = TempDir::new().unwrap();
        let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("drivers/client.py");
        let said = std::fs::File::create(folder.path().join("stderr")).unwrap();
        let mut child = Command::new(python)
            .arg(driver)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(said)
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (send, answers) = channel();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let _test_is_over = send.send(serde_json::from_str(&line).unwrap());
            }
        });
        let steps = child.stdin.take();
        let early = BTreeMap::new();
        let mut client = Self {
            child,
            steps,
            answers,
            early,
            last_id: 0,
            folder,
            ready: Value::Null,
        };
        let (command, args) = server.split_first().unwrap();
        let mut start = json!({"command": command, "args": args});
        start
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        client.tell(&start);
        client.ready = client.next_answer()["ready"].take();
        client
    }

    /// What the handshake told: `protocol` and `server`.
    pub(crate) fn ready(&self) -> &Value {
        &self.ready
    }

    /// The names of the tools, in the order of the listing.
    #[track_caller]
    pub(crate) fn tool_names(&mut self) -> Vec<String> {
        let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
        self.list().iter().map(name).collect()
    }

    /// The tools, all pages.
    #[track_caller]
    pub(crate) fn list(&mut self) -> Vec<Value> {
        let pending = self.begin(json!({"do": "list"}));
        let mut answer = self.finish(&pending);
        answer["ok"]["tools"]
            .as_array_mut()
            .unwrap_or_else(|| panic!("no list"))
            .split_off(0)
    }

    /// Calls a tool and waits: `ok` with the result, or `error`.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let pending = self.start_call(tool, arguments);
        self.finish(&pending)
    }

    /// Starts a call; other things may happen before its answer.
    #[track_caller]
    pub(crate) fn start_call(&mut self, tool: &str, arguments: &Value) -> Pending {
        self.begin(json!({"do": "call", "tool": tool, "arguments": arguments}))
    }

    /// Notifications and progress so far.
    #[track_caller]
    pub(crate) fn seen(&mut self) -> Vec<Value> {
        let pending = self.begin(json!({"do": "seen"}));
        let answer = self.finish(&pending);
        answer["ok"]["seen"].as_array().cloned().unwrap()
    }

    /// Waits for the answer of a step.
    #[track_caller]
    pub(crate) fn finish(&mut self, pending: &Pending) -> Value {
        loop {
            if let Some(answer) = self.early.remove(&pending.0) {
                return answer;
            }
            let answer = self.next_answer();
            self.early.insert(answer["id"].as_u64().unwrap(), answer);
        }
    }

    /// What driver and server wrote to standard error so far.
    pub(crate) fn stderr(&self) -> String {
        std::fs::read_to_string(self.stderr_file()).unwrap_or_default()
    }

    fn stderr_file(&self) -> PathBuf {
        self.folder.path().join("stderr")
    }

    #[track_caller]
    fn begin(&mut self, mut step: Value) -> Pending {
        self.last_id += 1;
        step["id"] = json!(self.last_id);
        self.tell(&step);
        Pending(self.last_id)
    }

    #[track_caller]
    fn tell(&mut self, line: &Value) {
        let steps = self.steps.as_mut().unwrap();
        let told = steps.write_all(format!("{line}\n").as_bytes());
        told.unwrap_or_else(|_| panic!("the client is gone:\n{}", self.stderr()));
    }

    #[track_caller]
    fn next_answer(&mut self) -> Value {
        match self.answers.recv_timeout(PATIENCE) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => panic!("no answer:\n{}", self.stderr()),
            Err(RecvTimeoutError::Disconnected) => {
                panic!("the client ended:\n{}", self.stderr())
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.steps = None;
        if std::thread::panicking() {
            let _gone = self.child.kill();
            let _gone = self.child.wait();
        } else {
            eventually("the client ends", || self.child.try_wait().unwrap());
        }
    }
}
