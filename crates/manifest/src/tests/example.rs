//! The example of the documentation loads, its test holds, and what is not built is named.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use tipstaff_gate::Gate;
use tipstaff_host::RandomIds;
use tipstaff_journal::MemoryJournal;
use uuid::Uuid;

use super::bench::load;
use crate::Manifest;

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/example.yaml")
}

fn read() -> Manifest {
    Manifest::load(&example()).unwrap_or_else(|refused| panic!("{}", refused.render()))
}

/// A gate over the manifest at a time.
async fn gate(manifest: &Manifest) -> Gate {
    let now: DateTime<Utc> = "2026-03-02T10:00:00Z".parse().unwrap();
    let builder = manifest
        .builder()
        .journal(Arc::new(MemoryJournal::new(Uuid::from_u128(7), now)))
        .clock(Arc::new(tipstaff_host::SystemClock))
        .ids(Arc::new(RandomIds));
    let gate = builder.open().await.unwrap();
    manifest.offer_captured(&gate).await.unwrap();
    gate
}

#[tokio::test]
async fn c125_the_example_loads_and_its_tests_hold() {
    let manifest = read();
    assert_eq!(manifest.tests.len(), 1);
    let gate = gate(&manifest).await;
    for test in &manifest.tests {
        let failure = test.run(&gate);
        assert!(failure.is_none(), "{failure:?}");
    }
}

#[test]
fn exactly_the_keys_whose_function_is_missing_are_named() {
    let manifest = read();
    let named: Vec<&str> = manifest
        .unbuilt
        .iter()
        .map(|problem| problem.message.split('`').nth(1).unwrap())
        .collect();
    assert_eq!(
        named,
        [
            "agents.coder.token_file",
            "servers.search.url",
            "console",
            "spawn.placements"
        ]
    );
    let off = load(
        "version: 1\nspawn: { no_shell: false, sandbox: landlock, placements: {} }\napprovals: { hold: auto }\n",
    );
    assert_eq!(off.unbuilt, []);
    let on = load(
        "version: 1\nspawn: { placements: { lab: {} } }\napprovals: { hold: elicit }\nstore: { postgres: x, journal: y }\nredact: {}\n",
    );
    let named: Vec<&str> = on
        .unbuilt
        .iter()
        .map(|problem| problem.message.split('`').nth(1).unwrap())
        .collect();
    assert_eq!(
        named,
        [
            "spawn.placements",
            "approvals.hold",
            "store.postgres",
            "store.journal",
            "redact"
        ]
    );
}

#[test]
fn a_capture_is_found_beside_the_manifest() {
    let manifest = read();
    let grid = manifest
        .servers
        .iter()
        .find(|(name, _)| name.as_str() == "grid")
        .unwrap()
        .1;
    assert_eq!(grid.captured.as_ref().unwrap().tools.len(), 2);
}

#[tokio::test]
async fn a_test_that_comes_out_otherwise_says_what_was_decided() {
    let text = "version: 1\nagents: { a: { root: /srv } }\nservers: { s: { command: x } }\ntools: { \"s:t\": { default_effect: allow, risk: low, access: read } }\n\
                policies:\n  - { id: no, capability: \"s:t\", effect: deny, reason: not here }\n\
                tests:\n  - { call: { agent: a, tool: \"s:t\", params: {} }, expect: allow }\n  - { call: { agent: a, tool: \"s:t\", params: {} }, expect: deny, by: other }\n";
    let manifest = load(text);
    let gate = gate(&manifest).await;
    let failures: Vec<String> = manifest
        .tests
        .iter()
        .filter_map(|test| test.run(&gate))
        .map(|failure| failure.problem.to_string())
        .collect();
    assert_eq!(failures.len(), 2, "{failures:?}");
    assert!(
        failures[0].starts_with(
            "tipstaff.yaml:8:5: error: the test expects allow, but the call is decided deny by `no`"
        ),
        "{failures:?}"
    );
    assert!(
        failures[1].contains("expects deny by `other`"),
        "{failures:?}"
    );
}

#[test]
fn checking_resolves_no_secret() {
    let text = "version: 1\nservers: { s: { command: x, env: { T: \"${env:NO_SUCH_NAME_1}\", U: \"${file:/no/such}\" } } }\n";
    let manifest = load(text);
    let server = manifest.servers.values().next().unwrap();
    assert_eq!(
        server.env.get("T").map(String::as_str),
        Some("${env:NO_SUCH_NAME_1}")
    );
}
