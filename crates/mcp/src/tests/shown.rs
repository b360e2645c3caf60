//! What clients are shown of tools, and under which names.

use std::sync::Arc;

use serde_json::{Value, json};
use tipstaff_registry::{Catalog, PinMode, Pins, ProfileBook, ServerIdentity, ToolEntry};
use tipstaff_schema::ServerName;

use crate::Naming;
use crate::gateway::{Names, shown};

fn entries(server: &str, raw: &[Value]) -> Vec<Arc<ToolEntry>> {
    let catalog = Catalog::new(ProfileBook::default());
    let server = ServerName::new(server).unwrap();
    catalog.offer(
        &server,
        &ServerIdentity::default(),
        raw,
        &Pins::default(),
        PinMode::FirstUse,
    );
    catalog.snapshot().iter().cloned().collect()
}

fn raw(name: &str) -> Value {
    json!({ "name": name, "inputSchema": { "type": "object", "properties": {} } })
}

#[test]
fn texts_are_cleaned_and_what_steers_a_validator_is_left() {
    let hidden = "read\u{e0041}\u{200b} it";
    let schema = json!({
        "type": "object",
        "properties": {
            "description": { "type": "string", "description": hidden, "enum": [hidden], "default": hidden },
        },
    });
    let raw = json!({
        "name": "read", "title": hidden, "description": hidden, "inputSchema": schema,
        "annotations": { "title": hidden, "readOnlyHint": true }, "_meta": { "k": [hidden] },
        "execution": { "taskSupport": "forbidden" }, "later": { "x": 1 },
        "icons": [{ "src": "https://x.test/i.png" }, { "src": "javascript:alert(1)" }, { "src": "file:///etc/passwd" }],
    });
    let entries = entries("s", &[raw]);
    let clean = "read it";
    let want = json!({
        "name": "s__read", "title": clean, "description": clean,
        "inputSchema": {
            "type": "object",
            "properties": {
                "description": { "type": "string", "description": clean, "enum": [hidden], "default": hidden },
            },
        },
        "annotations": { "title": clean, "readOnlyHint": true }, "_meta": { "k": [clean] },
        "execution": { "taskSupport": "forbidden" }, "later": { "x": 1 },
        "icons": [{ "src": "https://x.test/i.png" }],
    });
    assert_eq!(shown(&entries[0], "s__read"), want);
}

#[test]
fn one_server_keeps_its_names_and_several_are_told_apart() {
    let mut all = entries("a", &[raw("read")]);
    all.extend(entries("b", &[raw("read")]));
    let names = Names::of(&all, Naming::Prefixed);
    assert_eq!(
        (names.name("mcp:a:read"), names.name("mcp:b:read")),
        (Some("a__read"), Some("b__read"))
    );
    assert_eq!(names.id("b__read"), Some("mcp:b:read"));
    let names = Names::of(&all[..1], Naming::Plain);
    assert_eq!(
        (names.name("mcp:a:read"), names.id("read")),
        (Some("read"), Some("mcp:a:read"))
    );
    assert_eq!(names.id("a__read"), None);
}

#[test]
fn a_long_name_is_cut_with_a_tail_that_tells_tools_apart() {
    let long = "x".repeat(70);
    let all = entries("a", &[raw(&format!("{long}1")), raw(&format!("{long}2"))]);
    let names = Names::of(&all, Naming::Prefixed);
    let shown: Vec<&str> = all
        .iter()
        .map(|entry| names.name(entry.tool_id()).unwrap())
        .collect();
    assert_ne!(shown[0], shown[1]);
    for (name, entry) in shown.iter().zip(&all) {
        assert_eq!((name.len(), names.id(name)), (64, Some(entry.tool_id())));
        assert!(name.starts_with("a__xxx"));
    }
}

#[test]
fn c098_the_same_name_on_two_servers_never_leads_to_the_other_tool() {
    let mut all = entries("a", &[raw("read")]);
    all.extend(entries("b", &[raw("read")]));
    let names = Names::of(&all, Naming::Plain);
    assert_eq!(names.id("read"), Some("mcp:a:read"));
    let other = names.name("mcp:b:read").unwrap();
    assert!(
        other.starts_with("read-") && names.id(other) == Some("mcp:b:read"),
        "{other}"
    );
}
