//! Where calls are decided, in the order of precedence.

use serde_json::{Value, json};
use tipstaff_schema::Effect;

use super::bench::*;
use crate::*;

fn allow_srv() -> Value {
    json!([{ "id": "srv", "target": "/srv/**", "effect": "allow" }])
}

#[track_caller]
fn check(verdict: &Verdict, effect: Effect, stage: &str) {
    assert_eq!(
        (verdict.effect, verdict.stage.as_str()),
        (effect, stage),
        "{}",
        verdict.reason
    );
}

#[tokio::test]
async fn each_stage_decides_in_its_turn() {
    let rules = json!([
        { "id": "srv", "target": "/srv/**", "effect": "allow" },
        { "id": "env", "target": "**/.env", "effect": "deny", "guard": true },
        { "id": "ops", "target": "/srv/ops/**", "action": "box_write", "effect": "deny" },
    ]);
    let bench = Bench::new(Setup {
        rules,
        own: vec!["/srv//x/../state/"],
        ..Setup::default()
    })
    .await;
    let decide = |call: Call| bench.gate.decide(&bench.session, &call, Lookup::Lenient);
    check(&decide(read("/srv/a")), Effect::Allow, "policy");
    check(&decide(read("/etc/a")), Effect::Ask, "default");
    check(&decide(read("/srv/.env")), Effect::Deny, "guard");
    check(&decide(read("/srv/.ENV")), Effect::Deny, "guard");
    check(&decide(write("/srv/ops/x")), Effect::Deny, "policy");
    check(
        &decide(read("/srv/state/journal.db")),
        Effect::Deny,
        "own-ground",
    );
    check(
        &decide(read("/srv/STATE/journal.db")),
        Effect::Deny,
        "own-ground",
    );
    check(
        &decide(Call::new("box_shut", json!({ "path": "/srv/a" }))),
        Effect::Deny,
        "locked",
    );
    check(
        &decide(Call::new("box_none", json!({}))),
        Effect::Deny,
        "lookup",
    );
    check(
        &decide(Call::new("box_read", json!({ "path": 7 }))),
        Effect::Deny,
        "validate",
    );
    check(
        &decide(Call::new(
            "box_read",
            json!({ "path": "/srv/a", "more": 1 }),
        )),
        Effect::Deny,
        "validate",
    );
    check(
        &decide(Call::new("box_read", json!({}))),
        Effect::Deny,
        "resource",
    );
    check(&decide(read("/../x")), Effect::Deny, "resource");
}

#[tokio::test]
async fn a_forbidden_context_and_an_unknown_agent_come_before_everything() {
    let bench = Bench::new(Setup {
        rules: allow_srv(),
        ..Setup::default()
    })
    .await;
    let replay = bench.session.clone().forbidden("replay");
    check(
        &bench.gate.decide(&replay, &read("/srv/a"), Lookup::Lenient),
        Effect::Deny,
        "context",
    );
    check(
        &bench
            .gate
            .decide(&replay.child(agent()), &read("/srv/a"), Lookup::Lenient),
        Effect::Deny,
        "context",
    );
    let stranger = Session::launched(tipstaff_schema::AgentId::new("stranger").unwrap());
    check(
        &bench
            .gate
            .decide(&stranger, &read("/srv/a"), Lookup::Lenient),
        Effect::Deny,
        "context",
    );
    assert_eq!(
        short(
            &bench
                .gate
                .submit(&replay, read("/srv/a"), &Cancel::new())
                .await
        ),
        "refused at context"
    );
    assert_eq!(bench.runs(), 0);
}

#[tokio::test]
async fn a_guard_that_might_concern_a_tool_without_resources_makes_it_ask() {
    let rules = json!([{ "id": "env", "target": "**/.env", "effect": "deny", "guard": true }]);
    let bench = Bench::new(Setup {
        rules,
        ..Setup::default()
    })
    .await;
    let verdict = bench.gate.decide(
        &bench.session,
        &Call::new("box_free", json!({})),
        Lookup::Lenient,
    );
    check(&verdict, Effect::Ask, "unknown");
    assert!(verdict.reason.contains("`env`"), "{}", verdict.reason);
}

#[tokio::test]
async fn a_resource_rule_that_yields_an_empty_list_counts_as_none_derived() {
    let rules = json!([
        { "id": "many", "capability": "box_many", "effect": "allow" },
        { "id": "env", "target": "**/.env", "effect": "deny" },
    ]);
    let bench = Bench::new(Setup {
        rules,
        ..Setup::default()
    })
    .await;
    let decide = |n: Value| {
        let call = Call::new("box_many", json!({ "n": n }));
        bench.gate.decide(&bench.session, &call, Lookup::Lenient)
    };
    check(&decide(json!([])), Effect::Ask, "unknown");
    check(&decide(json!(["/srv/a"])), Effect::Allow, "policy");
}

#[tokio::test]
async fn each_resource_is_judged_apart_the_strictest_wins_and_the_reason_names_it() {
    let rules = json!([
        { "id": "srv", "target": "/srv/**", "effect": "allow" },
        { "id": "ops", "target": "/ops/**", "effect": "ask" },
        { "id": "env", "target": "**/.env", "effect": "deny" },
    ]);
    let bench = Bench::new(Setup {
        rules,
        ..Setup::default()
    })
    .await;
    let decide = |paths: &[&str]| {
        let call = Call::new("box_many", json!({ "n": paths }));
        bench.gate.decide(&bench.session, &call, Lookup::Lenient)
    };
    for (paths, effect, rule, part) in [
        (&["/srv/a", "/srv/b"][..], Effect::Allow, "srv", "/srv/a"),
        (&["/srv/a", "/ops/b"], Effect::Ask, "ops", "/ops/b"),
        (
            &["/ops/b", "/x/.env", "/srv/a"],
            Effect::Deny,
            "env",
            "/x/.env",
        ),
    ] {
        let verdict = decide(paths);
        let found = (
            verdict.effect,
            verdict.policy_id.as_deref(),
            verdict.part.as_deref(),
        );
        assert_eq!(found, (effect, Some(rule), Some(part)), "{paths:?}");
    }
    // One that no rule allows holds back the whole call.
    assert_eq!(decide(&["/srv/a", "/etc/b"]).effect, Effect::Ask);
}

#[tokio::test]
async fn the_callers_wish_tightens_and_never_loosens() {
    let bench = Bench::new(Setup {
        rules: allow_srv(),
        ..Setup::default()
    })
    .await;
    let mut call = read("/srv/a");
    call.require_approval = true;
    let verdict = bench.gate.decide(&bench.session, &call, Lookup::Lenient);
    check(&verdict, Effect::Ask, "tighten");
    assert!(verdict.tightened);
    let mut locked = Call::new("box_shut", json!({ "path": "/srv/a" }));
    locked.require_approval = true;
    check(
        &bench.gate.decide(&bench.session, &locked, Lookup::Lenient),
        Effect::Deny,
        "locked",
    );
}

#[tokio::test]
async fn what_is_judged_is_what_is_sent() {
    let bench = Bench::new(Setup {
        rules: allow_srv(),
        ..Setup::default()
    })
    .await;
    assert_eq!(
        short(&bench.submit(read("/srv/./x/../a")).await),
        "completed"
    );
    assert_eq!(short(&bench.submit(read("a")).await), "completed");
    let seen: Vec<Value> = bench
        .tool
        .seen
        .lock()
        .unwrap()
        .iter()
        .map(|(params, _)| params.clone())
        .collect();
    assert_eq!(
        seen,
        [
            json!({ "path": "/srv/a" }),
            json!({ "path": "/srv/repo/a" })
        ]
    );
}

#[tokio::test]
async fn an_allow_needs_the_written_and_the_resolved_path() {
    let bench = Bench::new(Setup {
        rules: allow_srv(),
        ..Setup::default()
    })
    .await;
    bench
        .links
        .0
        .lock()
        .unwrap()
        .insert("/srv/link".to_owned(), "/etc/shadow".to_owned());
    assert_eq!(short(&bench.submit(read("/srv/link")).await), "no_approver");
    bench
        .links
        .0
        .lock()
        .unwrap()
        .insert("/srv/link".to_owned(), "/srv/other".to_owned());
    assert_eq!(short(&bench.submit(read("/srv/link")).await), "completed");
}
