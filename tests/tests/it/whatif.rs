//! `tipstaff whatif`: what other rules would have made of calls that were really made, from the state
//! folder and from an export. Nothing reaches the server again.

use serde_json::{Value, json};

use crate::support::line::LineClient;
use crate::support::tipstaff::Tipstaff;

/// A manifest over the fixture's server, as a file in the home.
fn manifest(tipstaff: &Tipstaff, name: &str, rules: &Value) -> String {
    let folder = tipstaff.path("server");
    std::fs::create_dir_all(&folder).unwrap();
    let text = json!({
        "version": 1,
        "agents": { "coder": { "root": folder } },
        "servers": {
            "job": { "command": env!("CARGO_BIN_EXE_fixture-server"), "args": [folder], "pin": "first-use" },
        },
        "tools": { "job:*": { "access": "read", "risk": "low", "resource":
            { "kind": "path", "from": "/a", "optional": true } } },
        "policies": rules,
    });
    // JSON is YAML.
    let file = tipstaff.write(name, &text.to_string());
    file.display().to_string()
}

/// A home in which an agent read two files, as the rule `all` allowed.
fn worked() -> Tipstaff {
    let tipstaff = Tipstaff::new();
    let rules = json!([{ "id": "all", "target": "./**", "effect": "allow" }]);
    let file = manifest(&tipstaff, "tipstaff.yaml", &rules);
    let line = tipstaff.command_line(&["serve", "-c", &file]);
    let mut client = LineClient::connect(&tipstaff, &line);
    for path in ["one.txt", "key.pem"] {
        let text = client.call("work", &json!({ "a": path }));
        assert_eq!(text, "done");
    }
    drop(client);
    tipstaff
}

fn arrived(tipstaff: &Tipstaff) -> usize {
    let calls = std::fs::read_to_string(tipstaff.path("server/calls"));
    calls.unwrap_or_default().lines().count()
}

#[test]
fn the_rules_that_decided_change_nothing() {
    let tipstaff = worked();
    let file = tipstaff.path("tipstaff.yaml").display().to_string();
    let ran = tipstaff.on_state("whatif", &["-c", &file]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.starts_with("2 calls judged again"), "{ran:?}");
    assert!(
        ran.stdout.contains("nothing would be decided otherwise"),
        "{ran:?}"
    );
    assert_eq!(arrived(&tipstaff), 2);
}

#[test]
fn what_would_be_decided_otherwise_is_shown_by_rule_and_tool_with_the_calls() {
    let tipstaff = worked();
    let rules = json!([
        { "id": "all", "target": "./**", "effect": "allow" },
        { "id": "keys", "target": "**/*.pem", "effect": "deny", "guard": true },
        { "id": "idle", "capability": "job:wait", "effect": "deny" },
    ]);
    let file = manifest(&tipstaff, "candidate.yaml", &rules);
    let ran = tipstaff.on_state("whatif", &["-c", &file]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    for part in [
        "1 call would be decided otherwise",
        "allow -> deny (stricter): 1 call of `job:work`",
        "now by rule `keys`, then by rule `all`",
        "key.pem",
        "matched no call: idle",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    let as_json = tipstaff.on_state("whatif", &["-c", &file, "--json"]);
    let report = &as_json.json_lines()[0];
    assert_eq!(report["then"], json!({ "allow": 2, "ask": 0, "deny": 0 }));
    assert_eq!(report["now"], json!({ "allow": 1, "ask": 0, "deny": 1 }));
    assert_eq!(report["never_hit"], json!(["idle"]));
    assert_eq!(report["changes"][0]["widens"], json!(false));
    assert_eq!(arrived(&tipstaff), 2);
}

#[test]
fn an_export_is_read_as_the_state_is_and_a_broken_one_is_refused_with_its_line() {
    let tipstaff = worked();
    let rules = json!([{ "id": "none", "effect": "ask" }]);
    let file = manifest(&tipstaff, "candidate.yaml", &rules);
    let export = tipstaff.on_state("audit", &["export"]);
    let log = tipstaff.write("log.jsonl", &export.stdout);
    let log = log.display().to_string();
    let report = |args: &[&str]| {
        let ran = tipstaff.on_state("whatif", args);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        ran.json_lines()[0]["changes"].clone()
    };
    let from_state = report(&["-c", &file, "--json"]);
    let from_export = report(&["-c", &file, "--json", "--journal", &log]);
    assert_eq!(from_state, from_export);
    assert_eq!(from_state[0]["calls"], json!(2));
    tipstaff.write("log.jsonl", &format!("{{}}\n{}", export.stdout));
    let ran = tipstaff.on_state("whatif", &["-c", &file, "--journal", &log]);
    assert_eq!(ran.code, Some(5), "{ran:?}");
    assert!(ran.stderr.contains("line 1 of the export"), "{ran:?}");
}

#[test]
fn without_a_journal_or_with_a_bad_candidate_it_says_which() {
    let tipstaff = Tipstaff::new();
    let file = manifest(&tipstaff, "candidate.yaml", &json!([]));
    let ran = tipstaff.on_state("whatif", &["-c", &file]);
    assert_eq!(ran.code, Some(5), "{ran:?}");
    assert!(ran.stderr.contains("there is no journal"), "{ran:?}");
    let bad = manifest(
        &tipstaff,
        "bad.yaml",
        &json!([{ "id": "x", "effect": "permit" }]),
    );
    let ran = tipstaff.on_state("whatif", &["-c", &bad]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
}
