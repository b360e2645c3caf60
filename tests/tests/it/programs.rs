//! The real servers and clients among themselves, without us: what they do alone is what we
//! compare with, and a driver that cannot do this proves nothing about us.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::client::Client;
use crate::support::programs::{Node, python};
use crate::support::{inspector, need};

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

#[test]
fn the_python_client_reads_a_file_of_the_filesystem_server() {
    let (node, python) = (need!(Node::find()), need!(python()));
    let data = TempDir::new().unwrap();
    let file = data.path().join("a.txt");
    std::fs::write(&file, "hello\n").unwrap();
    let mut client = Client::connect(&python, &node.filesystem(data.path()));
    assert!(client.tool_names().contains(&"read_text_file".to_owned()));
    let read = client.call("read_text_file", &json!({"path": file}));
    assert_eq!(text(&read["ok"]), "hello\n");
    let outside = client.call("read_text_file", &json!({"path": "/etc/hostname"}));
    assert_eq!(outside["ok"]["isError"], json!(true));
}

#[test]
fn the_python_client_keeps_several_calls_in_flight() {
    let (node, python) = (need!(Node::find()), need!(python()));
    let mut client = Client::connect(&python, &node.everything());
    assert_eq!(
        client.ready()["server"]["name"],
        json!("mcp-servers/everything")
    );
    let slow = client.start_call(
        "trigger-long-running-operation",
        &json!({"duration": 1, "steps": 2}),
    );
    let quick = client.call("echo", &json!({"message": "hi"}));
    assert_eq!(text(&quick["ok"]), "Echo: hi");
    let slow = client.finish(&slow);
    assert!(text(&slow["ok"]).contains("completed"), "{slow}");
    let progress = client
        .seen()
        .iter()
        .filter(|seen| seen["progress"].is_object())
        .count();
    assert_eq!(progress, 2);
}

#[test]
fn the_inspector_lists_and_calls() {
    let node = need!(Node::find());
    let data = TempDir::new().unwrap();
    let file = data.path().join("a.txt");
    std::fs::write(&file, "hello\n").unwrap();
    let server = node.filesystem(data.path());
    let tools = inspector::list(&node, &server);
    assert!(tools.iter().any(|tool| tool["name"] == "read_text_file"));
    let path = file.to_str().unwrap();
    let read = inspector::call(&node, &server, "read_text_file", &[("path", path)]);
    assert_eq!(text(&read), "hello\n");
    let outside = inspector::call(
        &node,
        &server,
        "read_text_file",
        &[("path", "/etc/hostname")],
    );
    assert_eq!(outside["isError"], json!(true));
}
