//! A client that writes the lines of MCP itself, for stories that need no program but ours.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::tipstaff::Tipstaff;

/// A connected client.
#[derive(Debug)]
pub(crate) struct LineClient {
    child: Child,
    into: Option<ChildStdin>,
    from: Lines<BufReader<ChildStdout>>,
    last_id: u64,
}

impl LineClient {
    /// Starts a server by its command line in this home and shakes hands.
    #[track_caller]
    pub(crate) fn connect(tipstaff: &Tipstaff, server: &[String]) -> Self {
        let (program, args) = server.split_first().unwrap();
        let mut child = Command::new(program)
            .args(args)
            .envs(tipstaff.environment())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut client = Self {
            into: child.stdin.take(),
            from: BufReader::new(child.stdout.take().unwrap()).lines(),
            child,
            last_id: 0,
        };
        let hello = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "line", "version": "1" },
        });
        client.request("initialize", &hello);
        client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    /// Calls a tool; the text of its result, whoever made it.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> String {
        let params = json!({ "name": tool, "arguments": arguments });
        let answer = self.request("tools/call", &params);
        let text = answer["result"]["content"][0]["text"].as_str();
        text.unwrap_or_else(|| panic!("no text: {answer}"))
            .to_owned()
    }

    #[track_caller]
    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let line = self.from.next().unwrap().unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                return message;
            }
        }
    }

    fn say(&mut self, message: &Value) {
        let into = self.into.as_mut().unwrap();
        writeln!(into, "{message}").unwrap();
        into.flush().unwrap();
    }
}

/// Closes its side and waits for the server to end.
impl Drop for LineClient {
    fn drop(&mut self) {
        self.into = None;
        let _ended = self.child.wait();
    }
}
