//! `tipstaff serve` over two real servers and a manifest: what is allowed runs, what is asked
//! waits for another process, what is denied never reaches a server, and `decide` says beforehand
//! what will happen.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::client::Client;
use crate::support::journal::accounts;
use crate::support::programs::{Node, python};
use crate::support::tipstaff::Tipstaff;
use crate::support::{inspector, need};

/// A manifest over the filesystem server of this folder and the server that has everything.
fn manifest(tipstaff: &Tipstaff, node: &Node, data: &Path) -> String {
    let server = |line: Vec<String>| {
        let (command, args) = line.split_first().unwrap();
        json!({"command": command, "args": args, "pin": "first-use"})
    };
    let under = |pattern: &str| format!("{}/{pattern}", data.display());
    let path = json!({"kind": "path", "from": "/path"});
    let text = json!({
        "version": 1,
        "agents": {"coder": {"root": data}},
        "servers": {
            "files": server(node.filesystem(data)),
            "all": server(node.everything()),
        },
        "tools": {
            "files:read_*": {"access": "read", "risk": "low", "resource": path},
            "files:write_file": {"access": "write", "risk": "medium", "resource": path},
            "all:echo": {"access": "read", "risk": "low"},
            "all:get-env": {"locked": true},
        },
        "policies": [
            {"id": "read", "capability": "files:read_*", "target": under("**"), "effect": "allow"},
            {"id": "write", "capability": "files:write_file", "target": under("**"), "effect": "ask"},
            {"id": "secrets", "guard": true, "capability": "files:*", "target": "**/.env*", "effect": "deny",
             "reason": "secrets stay where they are"},
            {"id": "echo", "capability": "all:echo", "effect": "allow"},
        ],
    });
    // JSON is YAML.
    tipstaff
        .write("tipstaff.yaml", &text.to_string())
        .display()
        .to_string()
}

fn serve(tipstaff: &Tipstaff, manifest: &str) -> Vec<String> {
    tipstaff.command_line(&["serve", "-c", manifest])
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("{result}"))
}

#[test]
fn the_inspector_reads_through_and_is_refused_a_secret() {
    let node = need!(Node::find());
    let (tipstaff, data) = (Tipstaff::new(), TempDir::new().unwrap());
    let (open, secret) = (data.path().join("a.txt"), data.path().join(".env"));
    std::fs::write(&open, "hello\n").unwrap();
    std::fs::write(&secret, "KEY=1\n").unwrap();
    let serve = serve(&tipstaff, &manifest(&tipstaff, &node, data.path()));

    let tools = inspector::list(&node, &serve);
    let has = |name: &str| tools.iter().any(|tool| tool["name"] == name);
    assert!(has("files__read_text_file") && has("all__echo"));
    assert!(!has("all__get-env"), "what is always denied is not shown");

    let read = |path: &Path| {
        let path = path.to_str().unwrap();
        inspector::call(&node, &serve, "files__read_text_file", &[("path", path)])
    };
    assert_eq!(text(&read(&open)), "hello\n");
    let refused = read(&secret);
    assert_eq!(refused["isError"], json!(true));
    assert!(
        text(&refused).contains("secrets stay where they are"),
        "{refused}"
    );
    let echo = inspector::call(&node, &serve, "all__echo", &[("message", "hi")]);
    assert_eq!(text(&echo), "Echo: hi");

    let calls = accounts(&tipstaff.journal());
    assert_eq!(
        calls,
        [
            "mcp:files:read_text_file succeeded",
            "mcp:files:read_text_file denied",
            "mcp:all:echo succeeded",
        ]
    );
}

#[test]
fn a_write_waits_for_an_answer_and_runs_once() {
    let (node, python) = (need!(Node::find()), need!(python()));
    let (tipstaff, data) = (Tipstaff::new(), TempDir::new().unwrap());
    let file = data.path().join("b.txt");
    let manifest = manifest(&tipstaff, &node, data.path());
    let mut client = Client::connect(&python, &serve(&tipstaff, &manifest));
    let write = json!({"path": file, "content": "yes"});
    let call = client.start_call("files__write_file", &write);
    let question = tipstaff.question("call");
    assert!(!file.exists());
    tipstaff.answer(&question, &["approve"]);
    assert_eq!(client.finish(&call)["ok"]["isError"], json!(false));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "yes");
    drop(client);
    let events = tipstaff.journal();
    let used = events
        .iter()
        .filter(|event| event["kind"] == "approval.used")
        .count();
    assert_eq!(used, 1);
    assert_eq!(accounts(&events), ["mcp:files:write_file succeeded"]);
}

#[test]
fn decide_says_beforehand_what_serve_will_do() {
    let node = need!(Node::find());
    let (tipstaff, data) = (Tipstaff::new(), TempDir::new().unwrap());
    let manifest = manifest(&tipstaff, &node, data.path());
    let call = |tool: &str, path: &str| {
        let path = data.path().join(path);
        json!({"agent": "coder", "tool": tool, "params": {"path": path}}).to_string()
    };
    let calls = [
        call("files:read_text_file", "a.txt"),
        call("files:read_text_file", ".env"),
        call("files:write_file", "b.txt"),
        call("all:get-env", ""),
    ];
    let file = tipstaff.write("calls.jsonl", &calls.join("\n"));
    let ran = tipstaff.run(&[
        "decide",
        "-c",
        &manifest,
        "--calls",
        file.to_str().unwrap(),
        "--json",
    ]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let decided: Vec<_> = ran
        .json_lines()
        .iter()
        .map(|line| (line["effect"].clone(), line["stage"].clone()))
        .collect();
    let want = |effect: &str, stage: &str| (json!(effect), json!(stage));
    assert_eq!(
        decided,
        [
            want("allow", "policy"),
            want("deny", "guard"),
            want("ask", "policy"),
            want("deny", "locked"),
        ]
    );
}
