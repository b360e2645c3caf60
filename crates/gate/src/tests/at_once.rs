//! How many calls at once: places are given back on every way out.

use std::sync::Arc;

use serde_json::json;
use tipstaff_schema::AgentId;

use super::bench::*;
use super::limits::{free, nz, with};
use crate::*;

async fn holding(edit: impl FnOnce(&mut CallLimits)) -> (Bench, Arc<tokio::sync::Notify>) {
    let hold = Arc::new(tokio::sync::Notify::new());
    let tool = Counter {
        hold: Some(Arc::clone(&hold)),
        ..Counter::default()
    };
    let mut limits = CallLimits::default();
    edit(&mut limits);
    (
        Bench::new(Setup {
            tool,
            limits,
            ..Setup::default()
        })
        .await,
        hold,
    )
}

/// Starts a call and waits until it runs.
async fn running(bench: &Bench, call: Call) -> tokio::task::JoinHandle<Outcome> {
    let before = bench.runs();
    let (gate, session) = (bench.gate.clone(), bench.session.clone());
    let call = tokio::spawn(async move { gate.submit(&session, call, &Cancel::new()).await });
    while bench.runs() == before {
        tokio::task::yield_now().await;
    }
    call
}

#[tokio::test]
async fn more_at_once_than_allowed_is_refused_at_once_and_places_come_back() {
    let edits: [fn(&mut Concurrent); 3] = [
        |most| most.agent = nz(2),
        |most| most.server = nz(2),
        |most| most.held = nz(2),
    ];
    for edit in edits {
        let (bench, hold) = holding(|limits| edit(&mut limits.concurrent)).await;
        for round in 0..3 {
            let first = running(&bench, free(round * 10)).await;
            let second = running(&bench, free(round * 10 + 1)).await;
            let third = bench.submit(free(round * 10 + 2)).await;
            assert_eq!(short(&third), "refused at limit");
            assert!(third.for_model().contains("which is the most"), "{third:?}");
            hold.notify_waiters();
            assert_eq!(short(&first.await.unwrap()), "completed");
            assert_eq!(short(&second.await.unwrap()), "completed");
        }
    }
}

#[tokio::test]
async fn calls_that_wait_for_people_keep_no_other_from_running() {
    let mut limits = CallLimits::default();
    limits.concurrent.agent = nz(1);
    limits.concurrent.held = nz(3);
    let rules = json!([{ "id": "w", "capability": "box_write", "effect": "ask" }]);
    let approver = Some(Scripted(None));
    let bench = Bench::new(Setup {
        rules,
        limits,
        approver,
        ..Setup::default()
    })
    .await;
    let wait = |path: &str| {
        let (gate, session, call) = (bench.gate.clone(), bench.session.clone(), write(path));
        tokio::spawn(async move { gate.submit(&session, call, &Cancel::new()).await })
    };
    let waiting = [wait("/1"), wait("/1")];
    while bench.gate.pending_approvals().is_empty() {
        tokio::task::yield_now().await;
    }
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
    assert_eq!(short(&bench.submit(free(1)).await), "completed");
    let third = wait("/1");
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
    assert_eq!(
        short(&bench.submit(free(2)).await),
        "refused at limit",
        "the gate is full of waiters"
    );
    third.abort();
    assert!(third.await.is_err());
    assert_eq!(
        short(&bench.submit(free(3)).await),
        "completed",
        "one that leaves gives its place back"
    );
    for call in waiting {
        call.abort();
    }
}

#[tokio::test]
async fn dropping_the_caller_at_any_await_gives_every_place_back() {
    for polls in 0..12 {
        let bench = with(|limits| {
            limits.concurrent.agent = nz(1);
            limits.concurrent.server = nz(1);
            limits.concurrent.held = nz(1);
        })
        .await;
        let cancel = Cancel::new();
        let mut call = Box::pin(bench.gate.submit(&bench.session, free(1), &cancel));
        for _ in 0..polls {
            let ready = std::future::poll_fn(|context| {
                std::task::Poll::Ready(call.as_mut().poll(context).is_ready())
            });
            if ready.await {
                break;
            }
            tokio::task::yield_now().await;
        }
        drop(call);
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
        assert_eq!(
            short(&bench.submit(free(2)).await),
            "completed",
            "after {polls} polls"
        );
    }
}

#[tokio::test]
async fn a_stranger_takes_no_place() {
    let bench = with(|limits| limits.concurrent.held = nz(1)).await;
    let stranger = Session::launched(AgentId::new("stranger").unwrap());
    for _ in 0..3 {
        let outcome = bench.gate.submit(&stranger, free(1), &Cancel::new()).await;
        assert_eq!(short(&outcome), "refused at context");
    }
}

#[tokio::test]
async fn c100_a_tool_is_always_named_with_its_server() {
    let rules = json!([
        { "id": "no", "capability": "files:search", "effect": "deny" },
        { "id": "all", "capability": "*", "effect": "allow" },
    ]);
    let bench = Bench::new(Setup {
        rules,
        ..Setup::default()
    })
    .await;
    let join = async |server: &str| {
        let server = tipstaff_schema::ServerName::new(server).unwrap();
        let tool = json!({ "name": "search", "inputSchema": { "type": "object" } });
        let (gate, identity) = (&bench.gate, tipstaff_registry::ServerIdentity::default());
        let mode = tipstaff_registry::PinMode::Captured;
        gate.offer_tools(&server, &identity, &[tool], mode)
            .await
            .unwrap();
    };
    let search = async |name: &str| short(&bench.submit(Call::new(name, json!({}))).await);
    join("files").await;
    assert_eq!(search("files:search").await, "denied");
    assert_eq!(
        search("search").await,
        "refused at lookup",
        "a bare name is none"
    );
    join("web").await;
    assert_eq!(
        search("files:search").await,
        "denied",
        "the rule still fits its tool"
    );
    assert_eq!(search("search").await, "refused at lookup");
}
