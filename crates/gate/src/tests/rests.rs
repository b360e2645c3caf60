//! Breakers on the way of a call: what counts as a failure, who tries again, and what is written.

use std::num::NonZeroU32;
use std::sync::Arc;

use chrono::TimeDelta;
use serde_json::json;
use tipstaff_journal::{Filter, Journal, kinds};
use tipstaff_schema::{IntentToken, Object, Provenance, Verb};

use super::bench::*;
use crate::*;

fn free(n: u64) -> Call {
    Call::new("box_free", json!({ "n": n }))
}

fn failing() -> Setup {
    let tool = Counter::default();
    *tool.answer.lock().unwrap() = Some(Err(ExecError::Failed {
        why: "ill".to_owned(),
    }));
    Setup {
        tool,
        ..Setup::default()
    }
}

fn answer(bench: &Bench, answer: Result<ExecOutput, ExecError>) {
    *bench.tool.answer.lock().unwrap() = Some(answer);
}

/// A gate whose `box_free` has just opened its breaker.
async fn resting() -> Bench {
    let bench = Bench::new(failing()).await;
    for n in 0..5 {
        assert_eq!(short(&bench.submit(free(n)).await), "failed");
    }
    bench
}

fn cool_down(bench: &Bench) {
    bench.clock.forward(TimeDelta::milliseconds(37_500)); // With the most jitter that there is.
}

/// What the journal says of breakers, in order.
async fn edges(bench: &Bench) -> Vec<String> {
    let events = bench.journal.scan(2, 10_000, &Filter::all()).await.unwrap();
    let edges = events
        .iter()
        .filter_map(|event| event.data["breaker"].as_str());
    edges.map(str::to_owned).collect()
}

#[tokio::test]
async fn a_tool_that_keeps_failing_rests_and_comes_back_through_one_probe() {
    let bench = resting().await;
    let refused = bench.submit(free(6)).await;
    assert_eq!(
        (short(&refused).as_str(), bench.runs()),
        ("refused at breaker", 5)
    );
    let said = refused.for_model();
    assert!(
        said.contains("tool unavailable: `box_free` failed") && said.contains(" s."),
        "{said}"
    );
    assert!(matches!(
        refused,
        Outcome::Refused {
            can_retry: true,
            ..
        }
    ));
    let other = bench
        .submit(Call::new("box_gate", json!({ "path": "/x" })))
        .await;
    assert_eq!(short(&other), "failed", "another tool is not held back");
    cool_down(&bench);
    assert_eq!(short(&bench.submit(free(7)).await), "failed");
    assert_eq!(short(&bench.submit(free(8)).await), "refused at breaker");
    cool_down(&bench);
    answer(&bench, Ok(ExecOutput::text("done", "done")));
    assert_eq!(short(&bench.submit(free(9)).await), "completed");
    assert_eq!(short(&bench.submit(free(10)).await), "completed");
    assert_eq!(
        edges(&bench).await,
        ["opened", "reopened", "closed"],
        "each change once"
    );
}

#[tokio::test]
async fn what_counts_as_a_failure_of_what_runs_the_tool() {
    let why = || "w".to_owned();
    let says_it_failed = ExecOutput {
        is_error: true,
        ..ExecOutput::default()
    };
    let cases = [
        (Err(ExecError::Unreachable { why: why() }), true),
        (Err(ExecError::Failed { why: why() }), true),
        (Err(ExecError::Uncertain { why: why() }), true),
        (Err(ExecError::NeverSent { why: why() }), false),
        (Ok(says_it_failed), false),
    ];
    for (result, counts) in cases {
        let bench = Bench::new(Setup::default()).await;
        answer(&bench, result.clone());
        for n in 0..8 {
            bench.submit(free(n)).await;
        }
        assert_eq!(bench.runs(), if counts { 5 } else { 8 }, "{result:?}");
    }
}

#[tokio::test]
async fn failures_count_only_in_a_row() {
    let bench = Bench::new(failing()).await;
    for n in 0..12 {
        let ill = Err(ExecError::Failed {
            why: "ill".to_owned(),
        });
        let well = Ok(ExecOutput::text("done", "done"));
        answer(&bench, if n % 5 == 4 { well } else { ill });
        bench.submit(free(n)).await;
    }
    assert_eq!((bench.runs(), edges(&bench).await.len()), (12, 0));
}

#[tokio::test]
async fn what_the_gate_refuses_is_no_failure_of_the_tool() {
    let rules = json!([{ "id": "no", "target": "/no/**", "effect": "deny" }]);
    let bench = Bench::new(Setup { rules, ..failing() }).await;
    for _ in 0..10 {
        bench
            .submit(Call::new("box_gate", json!({ "path": 7 })))
            .await;
        bench.submit(read("/no/x")).await;
    }
    assert_eq!(bench.gate.breakers().kept(), 0);
}

#[tokio::test]
async fn a_call_that_its_caller_cancels_says_nothing_of_the_tool() {
    let hold = Some(Arc::new(tokio::sync::Notify::new()));
    let bench = Bench::new(Setup {
        tool: Counter {
            hold,
            ..Counter::default()
        },
        ..Setup::default()
    })
    .await;
    for n in 0..6 {
        let cancel = Cancel::new();
        let (gate, session, stop) = (bench.gate.clone(), bench.session.clone(), cancel.clone());
        let call = tokio::spawn(async move { gate.submit(&session, free(n), &stop).await });
        while bench.runs() <= usize::try_from(n).unwrap() {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
        assert_eq!(short(&call.await.unwrap()), "unknown");
    }
    assert_eq!((bench.runs(), bench.gate.breakers().kept()), (6, 0));
}

#[tokio::test]
async fn of_64_callers_at_half_open_one_runs() {
    let bench = resting().await;
    cool_down(&bench);
    answer(&bench, Ok(ExecOutput::text("done", "done")));
    let calls = (100..164).map(|n| {
        let (gate, session) = (bench.gate.clone(), bench.session.clone());
        async move { gate.submit(&session, free(n), &Cancel::new()).await }
    });
    // All are begun before any probe can end: each takes its first steps up to its first wait.
    let mut calls: Vec<_> = calls.map(Box::pin).collect();
    let mut refused = 0;
    for call in &mut calls {
        let first = futures_like_poll(call.as_mut()).await;
        refused += usize::from(matches!(first, Some(Outcome::Refused { .. })));
    }
    for call in calls {
        drop(call);
    }
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!((refused, bench.runs()), (63, 6), "63 stay out and one goes");
}

/// Polls once.
async fn futures_like_poll<F: Future<Output = Outcome>>(
    mut call: std::pin::Pin<&mut F>,
) -> Option<Outcome> {
    std::future::poll_fn(|context| match call.as_mut().poll(context) {
        std::task::Poll::Ready(outcome) => std::task::Poll::Ready(Some(outcome)),
        std::task::Poll::Pending => std::task::Poll::Ready(None),
    })
    .await
}

#[tokio::test]
async fn a_probe_has_a_deadline_of_its_own() {
    let bench = resting().await;
    let deadlines = async || -> Vec<String> {
        let filter = Filter::all();
        let events = bench.journal.scan(2, 10_000, &filter).await.unwrap();
        let issued = events
            .iter()
            .filter(|event| event.kind == kinds::WARRANT_ISSUED);
        let deadline = |event: &tipstaff_journal::Event| {
            let deadline: chrono::DateTime<chrono::Utc> =
                serde_json::from_value(event.data["deadline"].clone()).unwrap();
            (deadline - event.ts).num_seconds().to_string()
        };
        issued.map(deadline).collect()
    };
    let usual = deadlines().await.pop().unwrap();
    cool_down(&bench);
    bench.submit(free(9)).await;
    let probe = deadlines().await.pop().unwrap();
    assert_eq!(probe, "30");
    assert_ne!(usual, probe);
}

#[tokio::test]
async fn a_probe_that_its_caller_drops_leaves_its_place_to_the_next() {
    for polls in 0..8 {
        let bench = resting().await;
        cool_down(&bench);
        answer(
            &bench,
            Err(ExecError::NeverSent {
                why: "no such method".to_owned(),
            }),
        );
        let cancel = Cancel::new();
        let mut call = Box::pin(bench.gate.submit(&bench.session, free(50), &cancel));
        for _ in 0..polls {
            if futures_like_poll(call.as_mut()).await.is_some() {
                break;
            }
            tokio::task::yield_now().await;
        }
        drop(call);
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
        let before = bench.runs();
        answer(&bench, Ok(ExecOutput::text("done", "done")));
        assert_eq!(
            short(&bench.submit(free(51)).await),
            "completed",
            "after {polls} polls"
        );
        assert_eq!(bench.runs(), before + 1);
    }
}

#[tokio::test]
async fn a_token_for_a_resting_tool_is_unavailable_and_goes_to_no_other() {
    let bench = resting().await;
    let token = |n: u64| {
        let provenance = Provenance::Reflex {
            trigger: "test".to_owned(),
            raw_input: None,
            ts: start(),
        };
        let object = Object {
            kind: "n".to_owned(),
            value: json!(n),
        };
        IntentToken::new(
            Verb::new("box", "free"),
            object,
            provenance,
            "tests".to_owned(),
        )
    };
    let submit = async |n| {
        bench
            .gate
            .submit(&bench.session, token(n), &Cancel::new())
            .await
    };
    let refused = submit(7).await;
    assert_eq!(short(&refused), "refused at route");
    assert!(
        refused.for_model().contains("tool unavailable"),
        "{refused:?}"
    );
    assert_eq!(bench.runs(), 5);
    cool_down(&bench);
    answer(&bench, Ok(ExecOutput::text("done", "done")));
    assert_eq!(
        short(&submit(8).await),
        "completed",
        "the router lets the probe go"
    );
}

#[tokio::test]
async fn nobody_is_asked_for_a_tool_that_rests_and_no_approval_is_used() {
    let rules = json!([{ "id": "w", "capability": "box_write", "effect": "ask" }]);
    let approver = Some(Scripted(None));
    let bench = Bench::new(Setup {
        rules,
        approver,
        ..failing()
    })
    .await;
    for n in 0..5 {
        let call = || write(&format!("/{n}"));
        let ticket = bench.ticket(call()).await;
        bench.approve(&ticket).await;
        assert_eq!(short(&bench.submit(call()).await), "failed");
    }
    // Not to be waited for: were somebody asked, this would be a ticket.
    let cancel = Cancel::new();
    let outcome = bench.gate.start(&bench.session, write("/x"), &cancel).await;
    assert_eq!(short(&outcome), "refused at breaker");
    assert_eq!(bench.gate.pending_approvals(), []);
    cool_down(&bench);
    let ticket = bench.ticket(write("/y")).await;
    bench.approve(&ticket).await;
    // Another call takes the probe's place while this one has its approval.
    let other = write("/z");
    let second = bench.ticket(other.clone()).await;
    bench.approve(&second).await;
    assert_eq!(short(&bench.submit(other).await), "failed");
    assert_eq!(
        short(&bench.submit(write("/y")).await),
        "refused at breaker"
    );
    cool_down(&bench);
    answer(&bench, Ok(ExecOutput::text("done", "done")));
    assert_eq!(
        short(&bench.submit(write("/y")).await),
        "completed",
        "the approval is still there"
    );
}

#[tokio::test]
async fn a_gate_that_starts_knows_of_no_failure() {
    let bench = resting().await;
    let next = Bench::new(Setup {
        journal: Some(Arc::clone(&bench.journal)),
        ids_from: 10_000,
        ..Setup::default()
    })
    .await;
    assert_eq!(short(&next.submit(free(1)).await), "completed");
}

#[tokio::test]
async fn a_breaker_can_be_off_and_can_be_set_by_pattern() {
    let breaker = BreakerLimit {
        failures: NonZeroU32::MIN,
        ..CallLimits::default().breaker.unwrap()
    };
    let off = ToolLimits {
        breaker: Some(Setting::Off),
        ..ToolLimits::default()
    };
    let once = ToolLimits {
        breaker: Some(Setting::To(breaker)),
        ..ToolLimits::default()
    };
    for (set, runs) in [(off, 9), (once, 1)] {
        let mut limits = CallLimits::default();
        limits
            .tools
            .push(("box_f*".to_owned().try_into().unwrap(), set));
        let bench = Bench::new(Setup {
            limits,
            ..failing()
        })
        .await;
        for n in 0..9 {
            bench.submit(free(n)).await;
        }
        assert_eq!(bench.runs(), runs);
    }
}
