//! Limits as an operator sees them: a server that fails behind `serve`, an agent that goes round in
//! circles, and one that is too fast. What is refused never reaches the server.

use serde_json::{Value, json};

use crate::support::eventually;
use crate::support::journal::accounts;
use crate::support::line::LineClient;
use crate::support::tipstaff::Tipstaff;

/// A home whose manifest has the fixture's server and these limits.
fn home(limits: &Value) -> (Tipstaff, Vec<String>) {
    let tipstaff = Tipstaff::new();
    let folder = tipstaff.path("server");
    std::fs::create_dir_all(&folder).unwrap();
    let text = json!({
        "version": 1,
        "agents": { "coder": { "root": folder } },
        "servers": {
            "job": { "command": env!("CARGO_BIN_EXE_fixture-server"), "args": [folder], "pin": "first-use" },
        },
        "tools": { "job:*": { "access": "read", "risk": "low" } },
        "policies": [{ "id": "all", "capability": "job:*", "effect": "allow" }],
        "limits": limits,
    });
    // JSON is YAML.
    let manifest = tipstaff.write("tipstaff.yaml", &text.to_string());
    let line = tipstaff.command_line(&["serve", "-c", &manifest.display().to_string()]);
    (tipstaff, line)
}

/// How many calls arrived at the server.
fn arrived(tipstaff: &Tipstaff) -> usize {
    let calls = std::fs::read_to_string(tipstaff.path("server/calls"));
    calls.unwrap_or_default().lines().count()
}

/// What the journal says of breakers, and the stage of every refusal.
fn told(events: &[Value]) -> (Vec<&str>, Vec<&str>) {
    let read = |key: &'static str| {
        events
            .iter()
            .filter_map(move |event| event["data"][key].as_str())
    };
    let refusals = events
        .iter()
        .filter(|event| event["kind"] == "call.refused");
    let stages = refusals.filter_map(|event| event["data"]["stage"].as_str());
    (read("breaker").collect(), stages.collect())
}

#[test]
fn a_server_that_fails_is_left_alone_and_tried_again_by_one_call() {
    let (tipstaff, line) = home(&json!({ "breaker": { "failures": 2, "cool_down": "1s" } }));
    tipstaff.write("server/ill", "");
    let mut client = LineClient::connect(&tipstaff, &line);
    for n in 0..2 {
        let text = client.call("work", &json!({ "n": n }));
        assert!(text.contains("out of order"), "{text}");
    }
    let text = client.call("work", &json!({ "n": 2 }));
    assert!(
        text.contains("tool unavailable: `job:work` failed"),
        "{text}"
    );
    assert_eq!(
        arrived(&tipstaff),
        2,
        "the refused call never reached the server"
    );
    std::fs::remove_file(tipstaff.path("server/ill")).unwrap();
    assert_eq!(
        client.call("wait", &json!({})),
        "done",
        "the other tool never rested"
    );
    let mut n = 3;
    eventually("the tool is tried again and works", || {
        n += 1;
        (client.call("work", &json!({ "n": n })) == "done").then_some(())
    });
    drop(client);
    let events = tipstaff.journal();
    let (breaker, stages) = told(&events);
    assert_eq!(breaker, ["opened", "closed"], "each change is written once");
    assert!(
        !stages.is_empty() && stages.iter().all(|stage| *stage == "breaker"),
        "{stages:?}"
    );
    assert_eq!(
        accounts(&events).last().map(String::as_str),
        Some("mcp:job:work succeeded")
    );
}

#[test]
fn an_agent_that_goes_round_in_circles_is_told_so() {
    let limits = json!({
        "repeats": { "calls": 3, "within": "1h" },
        "tools": { "job:wait": { "repeats": "off" } },
    });
    let (tipstaff, line) = home(&limits);
    let mut client = LineClient::connect(&tipstaff, &line);
    for _ in 0..3 {
        assert_eq!(client.call("work", &json!({ "a": 1, "b": 2 })), "done");
        assert_eq!(client.call("work", &json!({ "a": 2 })), "done");
    }
    let text = client.call("work", &json!({ "b": 2, "a": 1 }));
    assert!(
        text.contains("made 3 times within 60 min, which looks like a loop"),
        "{text}"
    );
    assert_eq!(
        client.call("work", &json!({ "a": 3 })),
        "done",
        "another call goes"
    );
    for _ in 0..10 {
        assert_eq!(client.call("wait", &json!({})), "done", "it may be polled");
    }
    drop(client);
    assert_eq!(arrived(&tipstaff), 17);
    assert_eq!(told(&tipstaff.journal()).1, ["limit"]);
}

#[test]
fn an_agent_that_is_too_fast_hears_when_to_come_back() {
    let (tipstaff, line) = home(&json!({ "rate": { "tool": { "calls": 2, "within": "1h" } } }));
    let mut client = LineClient::connect(&tipstaff, &line);
    for n in 0..2 {
        assert_eq!(client.call("work", &json!({ "n": n })), "done");
    }
    let text = client.call("work", &json!({ "n": 2 }));
    assert!(
        text.contains("2 times in 60 min; try again in 30 min"),
        "{text}"
    );
    assert_eq!(
        client.call("wait", &json!({})),
        "done",
        "another tool has a bucket of its own"
    );
    drop(client);
    assert_eq!(arrived(&tipstaff), 3);
    assert_eq!(told(&tipstaff.journal()).1, ["limit"]);
}

#[test]
fn check_shows_the_limits_and_refuses_one_that_is_wrong() {
    let (tipstaff, _) =
        home(&json!({ "repeats": "off", "tools": { "jub:*": { "breaker": "off" } } }));
    let manifest = tipstaff.path("tipstaff.yaml").display().to_string();
    let ran = tipstaff.run(&["check", "-c", &manifest]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let shown = "limits: a breaker after 5 failures in a row, for 30 s, probe 30 s; no loops; at once 64 of an agent";
    assert!(ran.stdout.contains(shown), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("limits of `jub:*`: no breaker"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("there is no server `jub`"),
        "{}",
        ran.stdout
    );
    let json = tipstaff
        .run(&["check", "-c", &manifest, "--json"])
        .json_lines();
    assert_eq!(json[0]["limits"]["repeats"], Value::Null);
    assert_eq!(json[0]["limits"]["breaker"]["failures"], 5);
    let (tipstaff, _) = home(&json!({ "breaker": { "failures": 0 } }));
    let manifest = tipstaff.path("tipstaff.yaml").display().to_string();
    let ran = tipstaff.run(&["check", "-c", &manifest]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(
        ran.stderr.contains("`failures: 0` would refuse every call"),
        "{}",
        ran.stderr
    );
}
