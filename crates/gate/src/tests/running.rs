//! Executions: what a warrant carries, what an outcome says, and what a crash leaves behind.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use tipstaff_journal::{Filter, Journal};
use tipstaff_schema::{Digest, Domain};
use tipstaff_triage::TaskQuery;

use super::bench::*;
use crate::*;

fn free(n: u64) -> Call {
    Call::new("box_free", json!({ "n": n }))
}

fn with_answer(answer: Result<ExecOutput, ExecError>) -> Setup {
    let tool = Counter {
        answer: std::sync::Mutex::new(Some(answer)),
        ..Counter::default()
    };
    Setup {
        tool,
        ..Setup::default()
    }
}

#[tokio::test]
async fn i1_the_warrant_carries_the_digest_of_the_arguments_that_are_sent() {
    let bench = Bench::new(Setup::default()).await;
    for n in 0..20 {
        bench.submit(free(n)).await;
    }
    let seen = bench.tool.seen.lock().unwrap().clone();
    assert_eq!(seen.len(), 20);
    for (params, digest) in seen {
        assert_eq!(Digest::of(Domain::Params, &params).unwrap(), digest);
    }
}

#[tokio::test]
async fn an_allowed_call_is_two_appends() {
    let bench = Bench::new(Setup::default()).await;
    assert_eq!(short(&bench.submit(free(1)).await), "completed");
    let want = [
        "call.received",
        "policy.decided",
        "warrant.issued",
        "execution.succeeded",
    ];
    assert_eq!(bench.kinds().await, want);
}

#[tokio::test]
async fn each_way_of_failing_is_told_apart() {
    let why = || "w".to_owned();
    for (error, outcome, kind) in [
        (
            ExecError::NeverSent { why: why() },
            "failed",
            "execution.failed",
        ),
        (
            ExecError::Failed { why: why() },
            "failed",
            "execution.failed",
        ),
        (
            ExecError::Uncertain { why: why() },
            "unknown",
            "execution.unknown",
        ),
    ] {
        let bench = Bench::new(with_answer(Err(error.clone()))).await;
        assert_eq!(short(&bench.submit(free(1)).await), outcome, "{error:?}");
        assert!(bench.kinds().await.contains(&kind.to_owned()), "{error:?}");
        let tasks = bench.gate.tasks(&TaskQuery::default());
        assert_eq!(
            tasks.len(),
            usize::from(outcome == "unknown"),
            "what is unknown is somebody's task"
        );
    }
}

#[tokio::test]
async fn a_caller_that_goes_away_does_not_take_the_outcome_with_it() {
    let hold = Arc::new(tokio::sync::Notify::new());
    let tool = Counter {
        hold: Some(Arc::clone(&hold)),
        ..Counter::default()
    };
    let bench = Bench::new(Setup {
        tool,
        ..Setup::default()
    })
    .await;
    let caller = {
        let (gate, session) = (bench.gate.clone(), bench.session.clone());
        tokio::spawn(async move { gate.submit(&session, free(1), &Cancel::new()).await })
    };
    while bench.runs() == 0 {
        tokio::task::yield_now().await;
    }
    caller.abort();
    assert!(caller.await.is_err());
    let mut changed = bench.gate.subscribe_state();
    hold.notify_one();
    while !bench
        .kinds()
        .await
        .contains(&"execution.succeeded".to_owned())
    {
        changed.changed().await.unwrap();
    }
}

#[tokio::test]
async fn i6_what_was_running_when_a_gate_died_is_unknown_and_is_not_run_again() {
    let hold = Arc::new(tokio::sync::Notify::new());
    let tool = Counter {
        hold: Some(hold),
        ..Counter::default()
    };
    let bench = Bench::new(Setup {
        tool,
        ..Setup::default()
    })
    .await;
    let caller = {
        let (gate, session) = (bench.gate.clone(), bench.session.clone());
        tokio::spawn(async move { gate.submit(&session, free(1), &Cancel::new()).await })
    };
    while bench.runs() == 0 {
        tokio::task::yield_now().await;
    }
    let next = Bench::new(Setup {
        journal: Some(bench.journal.clone()),
        ids_from: 10_000,
        ..Setup::default()
    })
    .await;
    assert_eq!(next.runs(), 0);
    let want = [
        "call.received",
        "policy.decided",
        "warrant.issued",
        "execution.unknown",
        "task.opened",
    ];
    assert_eq!(next.kinds().await, want);
    assert_eq!(next.gate.tasks(&TaskQuery::default()).len(), 1);
    caller.abort();
}

#[tokio::test]
async fn an_executor_that_does_not_end_is_given_up() {
    let hold = Arc::new(tokio::sync::Notify::new());
    let tool = Counter {
        hold: Some(hold),
        ..Counter::default()
    };
    let bench = Bench::new(Setup {
        tool,
        ..Setup::default()
    })
    .await;
    let caller = {
        let (gate, session) = (bench.gate.clone(), bench.session.clone());
        tokio::spawn(async move {
            gate.submit(&session, Call::new("box_slow", json!({})), &Cancel::new())
                .await
        })
    };
    while bench.runs() == 0 {
        tokio::task::yield_now().await;
    }
    bench.clock.forward(chrono::TimeDelta::seconds(7));
    assert_eq!(short(&caller.await.unwrap()), "unknown");
}

#[tokio::test]
async fn observing_runs_what_would_be_asked_and_nothing_that_is_denied() {
    let rules = json!([{ "id": "no", "target": "/no/**", "effect": "deny" }]);
    let bench = Bench::new(Setup {
        rules,
        mode: Mode::Observe,
        own: vec!["/own"],
        ..Setup::default()
    })
    .await;
    assert_eq!(short(&bench.submit(write("/x")).await), "completed");
    assert_eq!(short(&bench.submit(write("/no/x")).await), "denied");
    assert_eq!(short(&bench.submit(write("/own/x")).await), "denied");
    assert_eq!(
        short(
            &bench
                .submit(Call::new("box_shut", json!({ "path": "/x" })))
                .await
        ),
        "denied"
    );
    assert_eq!(bench.runs(), 1);
    let events = bench.journal.scan(2, 100, &Filter::all()).await.unwrap();
    assert!(
        events
            .iter()
            .all(|event| event.data["observed"] == Value::Bool(true))
    );
}

#[tokio::test]
async fn an_answer_opens_its_task_in_the_append_of_the_outcome() {
    let triage = json!([{
        "name": "breach", "when": [{ "path": "/status", "equals": "BREACH" }], "summary": "late: {/asset}",
        "deadline": { "name": "d", "kind": "working-days", "params": { "n": 2 } },
    }]);
    let answer = ExecOutput {
        data: Some(json!({ "status": "BREACH", "asset": "T1" })),
        ..ExecOutput::default()
    };
    let bench = Bench::new(Setup {
        triage,
        ..with_answer(Ok(answer))
    })
    .await;
    let Outcome::Completed { tasks, .. } = bench.submit(free(1)).await else {
        panic!("not completed")
    };
    assert_eq!(tasks.len(), 1);
    let task = bench.gate.tasks(&TaskQuery::default()).remove(0);
    assert_eq!(task.summary, "late: T1");
    assert_eq!(task.due_at.to_rfc3339(), "2026-03-04T17:00:00+00:00");
    assert_eq!(
        bench.kinds().await.last().map(String::as_str),
        Some("task.opened")
    );
}

#[tokio::test]
async fn a_token_goes_the_same_way_and_an_unknown_verb_goes_nowhere() {
    use tipstaff_schema::{IntentToken, Object, Provenance, Verb};
    let bench = Bench::new(Setup::default()).await;
    let token = |action: &str, object: Object| {
        let provenance = Provenance::Reflex {
            trigger: "test".to_owned(),
            raw_input: None,
            ts: start(),
        };
        let token = IntentToken::new(
            Verb::new("box", action),
            object,
            provenance,
            "tests".to_owned(),
        );
        let (gate, session) = (bench.gate.clone(), bench.session.clone());
        async move { gate.submit(&session, token, &Cancel::new()).await }
    };
    let object = |kind: &str, value: Value| Object {
        kind: kind.to_owned(),
        value,
    };
    assert_eq!(
        short(&token("free", object("n", json!(3))).await),
        "completed"
    );
    assert_eq!(bench.tool.seen.lock().unwrap()[0].0, json!({ "n": 3 }));
    assert_eq!(
        short(&token("dance", object("n", json!(3))).await),
        "unroutable"
    );
    assert_eq!(bench.runs(), 1);
}

#[tokio::test]
async fn a_call_that_was_cancelled_before_its_warrant_does_not_run() {
    let bench = Bench::new(Setup::default()).await;
    let cancel = Cancel::new();
    cancel.cancel();
    let outcome = bench.gate.submit(&bench.session, free(1), &cancel).await;
    assert_eq!(
        (short(&outcome).as_str(), bench.runs()),
        ("refused at warrant", 0)
    );
}

#[tokio::test]
async fn constraints_are_checked_last_and_fail_without_a_checker() {
    use tipstaff_schema::{Constraint, IntentToken, Object, Provenance, Verb};
    let bench = Bench::new(Setup::default()).await;
    let provenance = Provenance::Reflex {
        trigger: "test".to_owned(),
        raw_input: None,
        ts: start(),
    };
    let object = Object {
        kind: "n".to_owned(),
        value: json!(3),
    };
    let mut token = IntentToken::new(
        Verb::new("box", "free"),
        object,
        provenance,
        "tests".to_owned(),
    );
    token.constraints.push(Constraint::UserPresent);
    let outcome = bench
        .gate
        .submit(&bench.session, token, &Cancel::new())
        .await;
    assert_eq!(short(&outcome), "refused at constraint");
    assert_eq!(bench.tool.runs.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_token_that_breaks_the_rules_of_its_form_goes_nowhere() {
    use tipstaff_schema::{IntentToken, MAX_TOKEN_BYTES, Object, Provenance, Verb};
    let bench = Bench::new(Setup::default()).await;
    let provenance = Provenance::Reflex {
        trigger: "test".to_owned(),
        raw_input: None,
        ts: start(),
    };
    let value = |value: Value| Object {
        kind: "n".to_owned(),
        value,
    };
    let token = |object| {
        let verb = Verb::new("box", "free");
        IntentToken::new(verb, object, provenance.clone(), "tests".to_owned())
    };
    let mut future = token(value(json!(3)));
    future.schema = "intent-token/2".to_owned();
    let deep = (0..70).fold(json!(3), |inner, _| json!([inner]));
    let large = json!("x".repeat(MAX_TOKEN_BYTES));
    for (token, why) in [
        (
            future,
            "schema mismatch: the token says `intent-token/2`, known is `intent-token/1`",
        ),
        (
            token(value(deep)),
            "schema mismatch: the token is nested deeper than 64 levels",
        ),
        (
            token(value(large)),
            "schema mismatch: the token has more bytes, allowed are 1048576",
        ),
    ] {
        let outcome = bench
            .gate
            .submit(&bench.session, token, &Cancel::new())
            .await;
        assert_eq!(short(&outcome), "refused at route");
        let Outcome::Refused { why: told, .. } = outcome else {
            panic!("{outcome:?}")
        };
        assert_eq!(told, why);
    }
    assert_eq!(bench.runs(), 0);
}

#[tokio::test]
async fn dropping_the_caller_at_any_await_leaves_a_journal_that_accounts_for_every_run() {
    for polls in 0..12 {
        let bench = Bench::new(Setup::default()).await;
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
        let kinds = bench.kinds().await;
        let count = |kind: &str| kinds.iter().filter(|there| *there == kind).count();
        assert_eq!(
            count("warrant.issued"),
            bench.runs(),
            "after {polls} polls: {kinds:?}"
        );
        assert_eq!(
            count("execution.succeeded"),
            bench.runs(),
            "after {polls} polls: {kinds:?}"
        );
    }
}
