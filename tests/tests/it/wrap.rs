//! `tipstaff wrap` before real servers: a tool is reviewed once, a call is asked about and answered
//! from a second process, what is refused never reaches the server, a dead server is told.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::client::Client;
use crate::support::journal::accounts;
use crate::support::programs::{Node, python};
use crate::support::tipstaff::Tipstaff;
use crate::support::{eventually, inspector, need};

fn text(answer: &Value) -> String {
    answer["ok"]["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("{answer}"))
        .to_owned()
}

fn refused(answer: &Value) -> bool {
    answer["ok"]["isError"] == json!(true)
}

#[test]
fn a_tool_is_reviewed_once_and_then_runs_unasked() {
    let (node, python) = (need!(Node::find()), need!(python()));
    let (tipstaff, data) = (Tipstaff::new(), TempDir::new().unwrap());
    let file = data.path().join("a.txt");
    std::fs::write(&file, "hello\n").unwrap();
    let server = node.filesystem(data.path());
    let mut client = Client::connect(&python, &tipstaff.wrap(&server));

    let mut direct = Client::connect(&python, &server).tool_names();
    direct.sort();
    assert_eq!(
        client.tool_names(),
        direct,
        "unreviewed tools are listed, under their own names"
    );

    let first = client.start_call("read_text_file", &json!({"path": file}));
    let question = tipstaff.question("tool");
    tipstaff.answer(&question, &["review", "read"]);
    assert_eq!(text(&client.finish(&first)), "hello\n");
    let second = client.call("read_text_file", &json!({"path": file}));
    assert_eq!(text(&second), "hello\n");

    drop(client);
    let calls = accounts(&tipstaff.journal());
    assert_eq!(
        calls,
        [
            "mcp:it:read_text_file succeeded",
            "mcp:it:read_text_file succeeded"
        ]
    );
}

#[test]
fn an_asked_call_is_answered_from_another_process_each_time() {
    let (node, python) = (need!(Node::find()), need!(python()));
    let (tipstaff, data) = (Tipstaff::new(), TempDir::new().unwrap());
    let file = data.path().join("a.txt");
    let mut client = Client::connect(&python, &tipstaff.wrap(&node.filesystem(data.path())));
    let write = json!({"path": file, "content": "once"});

    let call = client.start_call("write_file", &write);
    tipstaff.answer(&tipstaff.question("tool"), &["review", "ask"]);
    let question = tipstaff.question("call");
    assert!(!file.exists(), "nothing runs before the answer");
    tipstaff.answer(&question, &["approve"]);
    assert!(!refused(&client.finish(&call)));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "once");

    std::fs::remove_file(&file).unwrap();
    let again = client.start_call("write_file", &write);
    tipstaff.answer(
        &tipstaff.question("call"),
        &["deny", "--reason", "once was enough"],
    );
    let again = client.finish(&again);
    assert!(
        refused(&again) && text(&again).contains("once was enough"),
        "{again}"
    );
    assert!(!file.exists());

    drop(client);
    let calls = accounts(&tipstaff.journal());
    assert_eq!(
        calls,
        ["mcp:it:write_file succeeded", "mcp:it:write_file denied"]
    );
}

#[test]
fn a_tool_that_was_never_to_run_does_not() {
    let (node, python) = (need!(Node::find()), need!(python()));
    let (tipstaff, data) = (Tipstaff::new(), TempDir::new().unwrap());
    let mut client = Client::connect(&python, &tipstaff.wrap(&node.filesystem(data.path())));
    let folder = json!({"path": data.path().join("new")});
    let call = client.start_call("create_directory", &folder);
    tipstaff.answer(&tipstaff.question("tool"), &["review", "never"]);
    assert!(refused(&client.finish(&call)));
    assert!(refused(&client.call("create_directory", &folder)));
    assert!(!data.path().join("new").exists());
}

#[test]
fn a_server_killed_in_the_middle_leaves_a_call_that_nobody_calls_done() {
    let (node, python) = (need!(Node::find()), need!(python()));
    let tipstaff = Tipstaff::new();
    let pid = tipstaff.path("server.pid");
    let mut client = Client::connect(
        &python,
        &tipstaff.wrap(&telling_its_pid(&pid, node.everything())),
    );
    let call = client.start_call(
        "trigger-long-running-operation",
        &json!({"duration": 300, "steps": 2}),
    );
    tipstaff.answer(&tipstaff.question("tool"), &["review", "allow"]);
    eventually("the call is under way", || {
        let events = tipstaff.journal();
        events
            .iter()
            .any(|event| event["kind"] == "warrant.issued")
            .then_some(())
    });
    let pid = std::fs::read_to_string(&pid).unwrap();
    assert!(
        Command::new("kill")
            .args(["-9", pid.trim()])
            .status()
            .unwrap()
            .success()
    );
    assert!(refused(&client.finish(&call)));

    drop(client);
    let calls = accounts(&tipstaff.journal());
    assert_eq!(calls, ["mcp:it:trigger-long-running-operation unknown"]);
}

#[test]
fn the_inspector_sees_the_same_server() {
    let node = need!(Node::find());
    let (tipstaff, data) = (Tipstaff::new(), TempDir::new().unwrap());
    let server = node.filesystem(data.path());
    let names = |tools: Vec<Value>| -> BTreeSet<String> {
        tools.iter().map(|tool| tool["name"].to_string()).collect()
    };
    let wrapped = inspector::list(&node, &tipstaff.wrap(&server));
    assert_eq!(names(wrapped), names(inspector::list(&node, &server)));
}

/// The server, behind a shell that writes down the process id and becomes it.
fn telling_its_pid(file: &Path, server: Vec<String>) -> Vec<String> {
    let script = "echo $$ > \"$0\"; exec \"$@\"";
    let shell = ["/bin/sh", "-c", script, file.to_str().unwrap()];
    shell
        .iter()
        .map(|word| (*word).to_owned())
        .chain(server)
        .collect()
}
