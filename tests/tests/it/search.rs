//! `tipstaff search`: what is found for a wish, and what policy keeps from being offered.

use serde_json::{Value, json};

use crate::support::tipstaff::Tipstaff;

/// A home whose manifest has three captured tools, one of which is always denied.
fn home() -> (Tipstaff, String) {
    let tipstaff = Tipstaff::new();
    let tool = |name: &str, about: &str| json!({ "name": name, "description": about, "inputSchema": { "type": "object" } });
    let listing = json!({ "tools": [
        tool("readTextFile", "Gives back contents."),
        tool("delete_file", "Removes a text file for good.\u{202e}"),
        tool("send_mail", "Sends a message."),
    ] });
    tipstaff.write("files.json", &listing.to_string());
    let manifest = json!({
        "version": 1,
        "agents": { "coder": {} },
        "servers": { "files": { "command": "never-started", "tools_from": "files.json" } },
        "policies": [
            { "id": "no-removal", "capability": "files:delete_file", "effect": "deny", "guard": true },
        ],
    });
    let file = tipstaff.write("tipstaff.yaml", &manifest.to_string());
    let file = file.display().to_string();
    (tipstaff, file)
}

#[test]
fn the_best_fit_comes_first_and_what_is_never_allowed_is_not_offered() {
    let (tipstaff, manifest) = home();
    let ran = tipstaff.run(&[
        "search", "-c", &manifest, "--json", "remove", "a", "text", "file",
    ]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    let ids: Vec<&str> = found["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["tool_id"].as_str().unwrap())
        .collect();
    assert_eq!(ids[0], "mcp:files:readTextFile");
    assert!(!ids.contains(&"mcp:files:delete_file"), "{ids:?}");
}

#[test]
fn a_wish_that_nothing_fits_ends_with_one_and_an_unknown_agent_with_two() {
    let (tipstaff, manifest) = home();
    let ran = tipstaff.run(&["search", "-c", &manifest, "qqqq"]);
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stdout.contains("none of 2 tools fits"),
        "{}",
        ran.stdout
    );
    let ran = tipstaff.run(&["search", "-c", &manifest, "--agent", "nobody", "file"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("no agent `nobody`"), "{}", ran.stderr);
}
