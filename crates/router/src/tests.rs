//! The rules of routing, by table.

mod cache;
mod differential;
mod router;

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;
use tipstaff_schema::verbs::Tier;
use tipstaff_schema::{
    BackendId, IntentError, IntentToken, Object, Provenance, Snapshot, SnapshotEntry,
    ToolDescriptor, ToolRoute, Verb,
};

use crate::reference::{judge, outcome};
use crate::{
    DefaultIntentRouter, OpenBreakers, Outranked, RouteCache, RouteIndex, RouteMode, Score, Why,
    explain_sync, resolve_sync,
};

/// `ns.action`, with the tags that it needs after blanks.
fn token(text: &str) -> IntentToken {
    let mut words = text.split(' ');
    let (ns, action) = words.next().unwrap().split_once('.').unwrap();
    let provenance = json!({ "source": "reflex", "trigger": "t", "ts": "2026-01-01T00:00:00Z" });
    let provenance: Provenance = serde_json::from_value(provenance).unwrap();
    let object: Object = serde_json::from_value(json!({ "kind": "none", "value": null })).unwrap();
    let mut token = IntentToken::new(Verb::new(ns, action), object, provenance, "test".to_owned());
    token.required_capabilities = words.map(str::to_owned).collect();
    token
}

/// `ns.action`, with its tags after blanks. The source follows from the id: `mcp:<server>:<tool>`,
/// `term`, else a native backend.
fn tool(id: &str, text: &str) -> ToolDescriptor {
    let verb = token(text);
    let source = match id.split(':').collect::<Vec<_>>().as_slice() {
        ["mcp", server, _] => json!({ "kind": "mcp_server", "server": server }),
        ["term"] => json!({ "kind": "terminal" }),
        _ => json!({ "kind": "native_backend", "backend": "host" }),
    };
    serde_json::from_value(json!({
        "tool_id": id, "source": source, "verb": { "namespace": verb.verb.namespace, "action": verb.verb.action },
        "description": "", "input_schema": {}, "capabilities": verb.required_capabilities,
    }))
    .unwrap()
}

fn entry(id: &str, text: &str, tier: Tier) -> SnapshotEntry {
    SnapshotEntry {
        descriptor: Arc::new(tool(id, text)),
        callable: true,
        tier,
    }
}

/// Tools as `id verb tags…`, all of tier read.
fn tools(tools: &[&str]) -> Snapshot {
    let split = |line: &&str| {
        line.split_once(' ')
            .map(|(id, text)| entry(id, text, Tier::Read))
            .unwrap()
    };
    Snapshot {
        version: 1,
        entries: tools.iter().map(split).collect(),
    }
}

/// The route in short: an id, `?` and the sentence, or `!` and the error.
fn short(route: Result<ToolRoute, IntentError>) -> String {
    match route {
        Ok(
            ToolRoute::Mcp { tool_id, .. }
            | ToolRoute::NativeBackend { tool_id, .. }
            | ToolRoute::Terminal { tool_id, .. },
        ) => tool_id.unwrap(),
        Ok(ToolRoute::HumanConfirm { ask }) => format!("?{ask}"),
        Err(error) => format!("!{error}"),
    }
}

fn route(mode: RouteMode, tools: &Snapshot, text: &str, open: &[&str]) -> String {
    let open: OpenBreakers = open.iter().map(|id| (*id).to_owned()).collect();
    let token = token(text);
    let scanned = short(outcome(judge(mode, tools, &token, &open), &token, &[]));
    let indexed = RouteIndex::new(Arc::new(tools.clone())).resolve(mode, &token, &open);
    assert_eq!(short(indexed), scanned, "the index says the same");
    scanned
}

#[track_caller]
fn check(list: &[&str], text: &str, open: &[&str], strict: &str, classic: &str) {
    assert_eq!(
        route(RouteMode::Strict, &tools(list), text, open),
        strict,
        "strict"
    );
    assert_eq!(
        route(RouteMode::Classic, &tools(list), text, open),
        classic,
        "classic"
    );
}

const NOTHING: &str =
    "?No tool found for `fs.read`. Register a tool for it in the registry, or wire up a backend.";

#[track_caller]
fn check_score(text: &str, of: &str, want: f32) {
    let got = DefaultIntentRouter::score(&token(text), &tool("t", of));
    assert!((got - want).abs() < 1e-6, "{got} is not {want}");
}

#[test]
fn scores_are_those_of_the_page() {
    check_score("fs.read", "fs.read", 2.0);
    check_score("fs.read", "fs.write", 1.0);
    check_score("fs.read", "net.read", 0.0);
    check_score("fs.read", "mcp.read", 0.5);
    check_score("mcp.read", "mcp.read", 2.5);
    check_score("mcp.read", "mcp.write", 1.0);
    check_score("fs.read a b", "fs.read b c", 2.0 + 1.5 / 3.0);
    check_score("fs.read a", "net.x a", 1.5);
    check_score("fs.read a", "net.x", 0.0);
    check_score("fs.read a a", "net.x a", 1.5);
}

#[test]
fn the_exact_verb_wins() {
    check(&["a fs.read", "b fs.write"], "fs.read", &[], "a", "a");
    check(
        &["mcp:m:read mcp.read", "z fs.read"],
        "fs.read",
        &[],
        "z",
        "z",
    );
}

#[test]
fn a_server_s_tool_of_that_name_stands_in() {
    check(
        &["mcp:m:read mcp.read"],
        "fs.read",
        &[],
        "mcp:m:read",
        "mcp:m:read",
    );
}

#[test]
fn a_namespace_alone_never_leads_to_another_action() {
    check(&["a fs.write"], "fs.read", &[], NOTHING, "a");
    check(&["a net.x tag"], "fs.read tag", &[], NOTHING, "a");
    check(&[], "fs.read", &[], NOTHING, NOTHING);
}

#[test]
fn required_capabilities_are_required() {
    check(&["a fs.read", "b fs.read x"], "fs.read x", &[], "b", "b");
    check(
        &["a fs.read y"],
        "fs.read y x",
        &[],
        "!missing capability: x",
        "a",
    );
    check(
        &["a fs.read", "b fs.read x"],
        "fs.read x y",
        &[],
        "!missing capability: y",
        "b",
    );
    check(
        &["a fs.read x", "b fs.read y"],
        "fs.read x y",
        &[],
        "!missing capability: y",
        "a",
    );
    check(&["a fs.write"], "fs.read x", &[], NOTHING, "a");
}

#[test]
fn an_open_breaker_is_never_an_excuse_for_a_worse_tool() {
    check(
        &["a fs.read", "b fs.write"],
        "fs.read",
        &["a"],
        "!tool unavailable: a",
        "b",
    );
    check(&["a fs.read", "b fs.read"], "fs.read", &["a"], "b", "b");
    check(
        &["a fs.read", "b fs.read"],
        "fs.read",
        &["a", "b"],
        "!tool unavailable: a",
        NOTHING,
    );
    check(
        &["a fs.read x", "b fs.read"],
        "fs.read x",
        &["a"],
        "!tool unavailable: a",
        "b",
    );
}

#[test]
fn ties_fall_by_exactness_tier_and_id() {
    check(&["b fs.read", "a fs.read"], "fs.read", &[], "a", "a");
    // 0.5 for the name and 1.5 for the tag are as much as the exact verb's 2, which then counts.
    let list = ["a mcp.read x", "b fs.read"];
    assert_eq!(
        route(RouteMode::Classic, &tools(&list), "fs.read x", &[]),
        "b"
    );
    let tiers = Snapshot {
        version: 1,
        entries: vec![
            entry("a", "fs.read", Tier::Execute),
            entry("b", "fs.read", Tier::Write),
        ],
    };
    assert_eq!(route(RouteMode::Strict, &tiers, "fs.read", &[]), "b");
}

#[test]
fn c098_two_servers_that_differ_in_nothing_are_both_named() {
    let ask = "?`fs.send` fits two tools equally well: `mcp:evil:send` and `mcp:pay:send`. Name the one that is meant.";
    check(
        &["mcp:pay:send mcp.send", "mcp:evil:send mcp.send"],
        "fs.send",
        &[],
        ask,
        ask,
    );
    check(
        &["mcp:evil:send mcp.send", "mcp:pay:send mcp.send"],
        "fs.send",
        &[],
        ask,
        ask,
    );
    check(
        &["mcp:evil:send mcp.send", "mcp:pay:send mcp.send"],
        "fs.send",
        &["mcp:evil:send"],
        "mcp:pay:send",
        "mcp:pay:send",
    );
    check(
        &["mcp:pay:a mcp.send", "mcp:pay:b mcp.send"],
        "fs.send",
        &[],
        "mcp:pay:a",
        "mcp:pay:a",
    );
    let tiers = Snapshot {
        version: 1,
        entries: vec![
            entry("mcp:evil:send", "mcp.send", Tier::External),
            entry("mcp:pay:send", "mcp.send", Tier::Write),
        ],
    };
    assert_eq!(
        route(RouteMode::Strict, &tiers, "fs.send", &[]),
        "mcp:pay:send"
    );
}

#[test]
fn what_may_not_be_called_is_no_candidate() {
    let mut list = tools(&["a fs.read", "b fs.write"]);
    list.entries[0].callable = false;
    assert_eq!(route(RouteMode::Strict, &list, "fs.read", &[]), NOTHING);
    assert_eq!(route(RouteMode::Classic, &list, "fs.read", &[]), "b");
}

#[test]
fn the_route_says_where_to_go() {
    let find = |list: &[&str]| {
        resolve_sync(&tools(list), &token("fs.read"), &OpenBreakers::new()).unwrap()
    };
    let id = |id: &str| Some(id.to_owned());
    assert_eq!(
        find(&["mcp:m:read mcp.read"]),
        ToolRoute::Mcp {
            server: "m".to_owned(),
            tool: "read".to_owned(),
            tool_id: id("mcp:m:read")
        }
    );
    assert_eq!(
        find(&["a fs.read"]),
        ToolRoute::NativeBackend {
            backend: BackendId::new("host"),
            tool_id: id("a")
        }
    );
    assert_eq!(
        find(&["term fs.read"]),
        ToolRoute::Terminal {
            session_hint: None,
            tool_id: id("term")
        }
    );
    let friendly = ToolDescriptor {
        mcp_name: Some("read_v2".to_owned()),
        ..tool("mcp:m:read_v2", "fs.read")
    };
    let list = Snapshot {
        version: 1,
        entries: vec![SnapshotEntry::from(friendly)],
    };
    let route = resolve_sync(&list, &token("fs.read"), &OpenBreakers::new()).unwrap();
    assert!(matches!(route, ToolRoute::Mcp { tool, .. } if tool == "read_v2"));
}

#[test]
fn foreign_names_in_sentences_are_cleaned() {
    let said = route(
        RouteMode::Strict,
        &tools(&[]),
        "fs.re\u{1b}[31m\u{202e}",
        &[],
    );
    assert!(!said.contains(['\u{1b}', '\u{202e}']), "{said}");
}

#[test]
fn an_explanation_names_every_tool_and_why() {
    let mut list = tools(&[
        "a fs.read x",
        "b fs.read",
        "c fs.write",
        "d fs.read x",
        "e fs.read x",
        "f fs.read x",
    ]);
    list.entries[3].callable = false;
    let open = OpenBreakers::from(["e".to_owned()]);
    let said = explain_sync(RouteMode::Strict, &list, &token("fs.read x"), &open);
    let why: Vec<(&str, Why)> = said
        .candidates
        .iter()
        .map(|one| (one.tool_id.as_str(), one.why.clone()))
        .collect();
    assert_eq!(
        why,
        [
            ("a", Why::Chosen),
            ("d", Why::NotCallable),
            ("e", Why::Resting),
            ("f", Why::Outranked(Outranked::ById)),
            ("b", Why::Lacks(vec!["x".to_owned()])),
            ("c", Why::OtherVerb),
        ]
    );
    assert_eq!(
        said.candidates[0].score,
        Score {
            verb: 2.0,
            fallback: 0.0,
            tags: 1.5
        }
    );
    assert_eq!(short(said.outcome), "a");
    let tie = explain_sync(
        RouteMode::Strict,
        &tools(&["mcp:a:x mcp.x", "mcp:b:x mcp.x"]),
        &token("fs.x"),
        &OpenBreakers::new(),
    );
    assert!(tie.candidates.iter().all(|one| one.why == Why::Tied));
}

/// A tool of few verbs, tags, tiers and servers, so that ties are common.
fn any_entry(id: usize) -> impl Strategy<Value = SnapshotEntry> {
    let tier = prop::sample::select(vec![Tier::Read, Tier::Write]);
    let verb = prop::sample::select(vec![
        "fs.read",
        "fs.write",
        "mcp.read",
        "mcp.read x",
        "fs.read x",
        "fs.read x y",
    ]);
    let source = prop::sample::select(vec!["mcp:m:", "mcp:n:", ""]);
    (tier, verb, source, any::<bool>()).prop_map(move |(tier, verb, source, callable)| {
        SnapshotEntry {
            callable,
            ..entry(&format!("{source}t{id}"), verb, tier)
        }
    })
}

proptest! {
    #[test]
    fn the_order_of_registration_changes_nothing(
        (list, mixed) in (1_usize..7).prop_flat_map(|n| (0..n).map(any_entry).collect::<Vec<_>>())
            .prop_flat_map(|list| (Just(list.clone()), Just(list).prop_shuffle())),
        text in prop::sample::select(vec!["fs.read", "fs.read x", "mcp.read", "fs.other"]),
        open in prop::collection::btree_set("t[0-3]", 0..2),
    ) {
        let open: OpenBreakers = open.iter().flat_map(|id| ["mcp:m:", "mcp:n:", ""].map(|source| format!("{source}{id}"))).collect();
        for mode in [RouteMode::Strict, RouteMode::Classic] {
            let run = |entries: &[SnapshotEntry]| {
                let tools = Snapshot { version: 1, entries: entries.to_vec() };
                let token = token(text);
                short(outcome(judge(mode, &tools, &token, &open), &token, &[]))
            };
            prop_assert_eq!(run(&list), run(&mixed));
        }
    }

    #[test]
    fn strict_takes_only_what_can_do_the_job(
        list in (1_usize..7).prop_flat_map(|n| (0..n).map(any_entry).collect::<Vec<_>>()),
        text in prop::sample::select(vec!["fs.read", "fs.read x", "mcp.read"]),
    ) {
        let (tools, token) = (Snapshot { version: 1, entries: list }, token(text));
        let taken = short(resolve_sync(&tools, &token, &OpenBreakers::new()));
        if let Some(entry) = tools.entries.iter().find(|entry| entry.descriptor.tool_id == taken) {
            let verb = &entry.descriptor.verb;
            prop_assert!(entry.callable && verb.action == token.verb.action && [token.verb.namespace.as_str(), "mcp"].contains(&verb.namespace.as_str()));
            prop_assert!(token.required_capabilities.iter().all(|tag| entry.descriptor.capabilities.contains(tag)));
        }
    }
}
