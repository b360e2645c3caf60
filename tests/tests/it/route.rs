//! `tipstaff route`: the tool that a token means, and why the others fell out.

use serde_json::{Value, json};

use crate::support::tipstaff::Tipstaff;

/// Two servers with captured listings: both have `send`, one has `read_file`.
fn manifest(tipstaff: &Tipstaff) -> String {
    let tool =
        |name: &str| json!({"name": name, "description": "", "inputSchema": {"type": "object"}});
    for (server, tools) in [
        ("mail", vec![tool("send"), tool("read_file")]),
        ("post", vec![tool("send")]),
    ] {
        tipstaff.write(
            &format!("{server}.json"),
            &json!({ "tools": tools }).to_string(),
        );
    }
    let server = |name: &str| json!({"command": "true", "tools_from": format!("{name}.json")});
    let text = json!({
        "version": 1,
        "agents": {"coder": {}},
        "servers": {"mail": server("mail"), "post": server("post")},
    });
    // JSON is YAML.
    tipstaff
        .write("tipstaff.yaml", &text.to_string())
        .display()
        .to_string()
}

fn whys(answer: &Value) -> Vec<(&str, &str)> {
    let candidates = answer["candidates"].as_array().unwrap().iter();
    candidates
        .map(|one| {
            (
                one["tool_id"].as_str().unwrap(),
                one["why"].as_str().unwrap(),
            )
        })
        .collect()
}

#[test]
fn a_verb_is_explained_tool_by_tool() {
    let tipstaff = Tipstaff::new();
    let manifest = manifest(&tipstaff);
    let ran = tipstaff.run(&["route", "-c", &manifest, "--verb", "fs.read_file"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(
        lines[..2],
        [
            "fs.read_file, strict",
            "routed: mcp:mail:read_file (tool `read_file` of server `mail`)"
        ]
    );
    assert!(
        lines.iter().any(|line| line.contains("mcp:mail:read_file")
            && line.starts_with("0.50")
            && line.ends_with("chosen")),
        "{ran:?}"
    );
    assert!(
        lines
            .iter()
            .any(|line| line.contains("mcp:post:send") && line.ends_with("another verb")),
        "{ran:?}"
    );

    let open = [
        "route",
        "-c",
        &manifest,
        "--json",
        "--verb",
        "fs.read_file",
        "--open",
        "mcp:mail:read_file",
    ];
    let ran = tipstaff.run(&open);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let answer = &ran.json_lines()[0];
    assert_eq!(
        answer["outcome"],
        json!({"error": "tool unavailable: mcp:mail:read_file"})
    );
    assert!(whys(answer).contains(&("mcp:mail:read_file", "breaker_open")));
}

#[test]
fn two_servers_alike_are_both_named_and_nothing_that_fits_is_said_so() {
    let tipstaff = Tipstaff::new();
    let manifest = manifest(&tipstaff);
    let ran = tipstaff.run(&["route", "-c", &manifest, "--json", "--verb", "fs.send"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let answer = &ran.json_lines()[0];
    let ask = answer["outcome"]["route"]["ask"].as_str().unwrap();
    assert!(
        ask.contains("mcp:mail:send") && ask.contains("mcp:post:send"),
        "{ask}"
    );
    assert_eq!(answer["unknown_verb"], false);
    assert_eq!(
        whys(answer),
        [
            ("mcp:mail:send", "tied"),
            ("mcp:post:send", "tied"),
            ("mcp:mail:read_file", "other_verb")
        ]
    );

    let ran = tipstaff.run(&["route", "-c", &manifest, "--verb", "fs.move"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        ran.stdout
            .contains("not routed: No tool found for `fs.move`."),
        "{ran:?}"
    );
    assert!(ran.stdout.contains("unknown verb: fs.move"), "{ran:?}");

    let ran = tipstaff.run(&["route", "-c", &manifest, "--verb", "fs.read"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        ran.stdout.contains("nearest: mcp:mail:read_file"),
        "{ran:?}"
    );
    assert!(!ran.stdout.contains("unknown verb"), "{ran:?}");
}

#[test]
fn a_token_is_read_from_a_file_and_refused_with_its_fault() {
    let tipstaff = Tipstaff::new();
    let manifest = manifest(&tipstaff);
    let token = json!({
        "schema": "intent-token/1", "id": "00000000-0000-4000-8000-000000000001", "namespace": "it",
        "verb": {"namespace": "fs", "action": "read_file"}, "object": {"kind": "path", "value": "/a"},
        "required_capabilities": ["text"], "constraints": [{"op": "user_present"}],
        "provenance": {"source": "reflex", "trigger": "it", "ts": "2026-01-01T00:00:00Z"},
    });
    let file = tipstaff
        .write("token.json", &token.to_string())
        .display()
        .to_string();
    let ran = tipstaff.run(&["route", "-c", &manifest, &file]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    for part in ["missing capability: text", "lacks text", "constraints: 1"] {
        assert!(ran.stdout.contains(part), "{part}: {ran:?}");
    }
    let file = tipstaff.write("bad.json", "{}").display().to_string();
    let ran = tipstaff.run(&["route", "-c", &manifest, &file]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("is no intent token"), "{ran:?}");
}
