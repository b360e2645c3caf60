//! The MCP Inspector's command line: one process, one request, one JSON answer.

use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::programs::Node;

/// The tools that it lists.
#[track_caller]
pub(crate) fn list(node: &Node, server: &[String]) -> Vec<Value> {
    let answer = ask(node, server, &["--method", "tools/list"]);
    answer["tools"].as_array().unwrap().clone()
}

/// The result of a call with these text arguments.
#[track_caller]
pub(crate) fn call(node: &Node, server: &[String], tool: &str, args: &[(&str, &str)]) -> Value {
    let pairs: Vec<String> = args
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let mut line = vec!["--method", "tools/call", "--tool-name", tool];
    for pair in &pairs {
        line.extend(["--tool-arg", pair]);
    }
    ask(node, server, &line)
}

#[track_caller]
fn ask(node: &Node, server: &[String], request: &[&str]) -> Value {
    // A file, since on its own command line the server's flags would be taken for its own.
    let home = TempDir::new().unwrap();
    let config = home.path().join("mcp.json");
    let (command, args) = server.split_first().unwrap();
    let entry = json!({"mcpServers": {"it": {"command": command, "args": args}}});
    std::fs::write(&config, entry.to_string()).unwrap();
    let words = node.inspector();
    let (program, script) = words.split_first().unwrap();
    let out = Command::new(program)
        .args(script)
        .args([
            "--cli",
            "--config",
            config.to_str().unwrap(),
            "--server",
            "it",
        ])
        .args(request)
        .env("HOME", home.path())
        .env("MCP_INSPECTOR_SECRET_STORE", "memory")
        .output()
        .unwrap();
    // It ends with 5 where the tool said `isError`: an answer like any other.
    let stderr = String::from_utf8_lossy(&out.stderr);
    serde_json::from_slice(&out.stdout).unwrap_or_else(|_| panic!("{}\n{stderr}", out.status))
}
