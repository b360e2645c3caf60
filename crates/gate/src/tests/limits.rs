//! Loops, rates and how many at once, on the way of a call.

use std::num::NonZeroU32;
use std::time::Duration;

use chrono::TimeDelta;
use serde_json::json;
use tipstaff_journal::{Filter, Journal, kinds};
use tipstaff_schema::AgentId;

use super::bench::*;
use crate::*;

pub(super) fn free(n: u64) -> Call {
    Call::new("box_free", json!({ "n": n }))
}

pub(super) fn nz(n: u32) -> NonZeroU32 {
    NonZeroU32::new(n).unwrap()
}

pub(super) fn rate(calls: u32, seconds: u64) -> Option<Rate> {
    Some(Rate {
        calls: nz(calls),
        within: Duration::from_secs(seconds),
        burst: nz(calls),
    })
}

pub(super) async fn with(edit: impl FnOnce(&mut CallLimits)) -> Bench {
    let mut limits = CallLimits::default();
    edit(&mut limits);
    Bench::new(Setup {
        limits,
        ..Setup::default()
    })
    .await
}

pub(super) fn three_times(limits: &mut CallLimits) {
    limits.repeats = Some(RepeatLimit {
        calls: nz(3),
        within: Duration::from_secs(60),
    });
}

#[tokio::test]
async fn the_same_call_again_and_again_is_a_loop() {
    let bench = with(three_times).await;
    for _ in 0..3 {
        assert_eq!(short(&bench.submit(free(1)).await), "completed");
    }
    let refused = bench.submit(free(1)).await;
    assert_eq!(
        (short(&refused).as_str(), bench.runs()),
        ("refused at limit", 3)
    );
    let said = refused.for_model();
    assert!(
        said.contains("made 3 times within 60 s") && said.contains("wait 60 s"),
        "{said}"
    );
    assert_eq!(
        short(&bench.submit(free(2)).await),
        "completed",
        "another call goes"
    );
    bench.clock.forward(TimeDelta::seconds(60));
    assert_eq!(
        short(&bench.submit(free(1)).await),
        "completed",
        "later it is no loop"
    );
}

#[tokio::test]
async fn the_same_call_is_told_by_its_canonical_arguments() {
    let bench = with(three_times).await;
    let gate = |path: &str| Call::new("box_read", json!({ "path": path }));
    let rules = json!([{ "id": "r", "capability": "box_read", "effect": "allow" }]);
    bench.gate.replace_policy(policy(&rules));
    for path in ["/srv/repo/a", "a", "./a"] {
        assert_eq!(short(&bench.submit(gate(path)).await), "completed");
    }
    assert_eq!(
        short(&bench.submit(gate("b/../a")).await),
        "refused at limit"
    );
}

#[tokio::test]
async fn going_to_and_fro_between_calls_is_a_loop_too() {
    let bench = with(three_times).await;
    let mut outcomes = Vec::new();
    for _ in 0..4 {
        outcomes.push(short(&bench.submit(free(1)).await));
        outcomes.push(short(&bench.submit(free(2)).await));
    }
    let (ran, refused) = outcomes.split_at(6);
    assert!(
        ran.iter().all(|outcome| outcome == "completed"),
        "{outcomes:?}"
    );
    assert!(
        refused.iter().all(|outcome| outcome == "refused at limit"),
        "{outcomes:?}"
    );
}

#[tokio::test]
async fn a_tool_that_is_polled_can_be_left_out() {
    let bench = with(|limits| {
        three_times(limits);
        let set = ToolLimits {
            repeats: Some(Setting::Off),
            ..ToolLimits::default()
        };
        limits
            .tools
            .push(("box_free".to_owned().try_into().unwrap(), set));
    })
    .await;
    for _ in 0..20 {
        assert_eq!(short(&bench.submit(free(1)).await), "completed");
    }
}

#[tokio::test]
async fn asking_for_an_answer_that_is_awaited_is_no_loop() {
    let mut limits = CallLimits::default();
    three_times(&mut limits);
    let rules = json!([{ "id": "w", "capability": "box_write", "effect": "ask" }]);
    let approver = Some(Scripted(None));
    let bench = Bench::new(Setup {
        rules,
        limits,
        approver,
        ..Setup::default()
    })
    .await;
    let mut ticket = bench.ticket(write("/x")).await;
    for _ in 0..10 {
        ticket = bench.ticket(write("/x")).await;
    }
    bench.approve(&ticket).await;
    assert_eq!(short(&bench.submit(write("/x")).await), "completed");
}

#[tokio::test]
async fn a_loop_asks_nobody_and_uses_up_no_approval() {
    let mut limits = CallLimits::default();
    three_times(&mut limits);
    let rules = json!([{ "id": "w", "capability": "box_write", "effect": "ask" }]);
    let approver = Some(Scripted(None));
    let bench = Bench::new(Setup {
        rules,
        limits,
        approver,
        ..Setup::default()
    })
    .await;
    for _ in 0..3 {
        let ticket = bench.ticket(write("/x")).await;
        bench.approve(&ticket).await;
        assert_eq!(short(&bench.submit(write("/x")).await), "completed");
    }
    assert_eq!(short(&bench.submit(write("/x")).await), "refused at limit");
    assert_eq!(bench.gate.pending_approvals(), []);
}

#[tokio::test]
async fn a_rate_that_is_used_up_says_when_to_come_back_and_keeps_the_approval() {
    let mut limits = CallLimits::default();
    limits.rates.agent_and_tool = rate(2, 10);
    let rules = json!([{ "id": "w", "capability": "box_write", "effect": "ask" }]);
    let approver = Some(Scripted(None));
    let bench = Bench::new(Setup {
        rules,
        limits,
        approver,
        ..Setup::default()
    })
    .await;
    let ticket = bench.ticket(write("/0")).await;
    bench.approve(&ticket).await;
    for path in ["/1", "/2"] {
        let ticket = bench.ticket(write(path)).await;
        bench.approve(&ticket).await;
        assert_eq!(short(&bench.submit(write(path)).await), "completed");
    }
    let refused = bench.submit(write("/0")).await;
    assert_eq!(short(&refused), "refused at limit");
    let said = refused.for_model();
    assert!(said.contains("2 times in 10 s; try again in 5 s"), "{said}");
    bench.clock.forward(TimeDelta::milliseconds(4_999));
    assert_eq!(short(&bench.submit(write("/0")).await), "refused at limit");
    bench.clock.forward(TimeDelta::milliseconds(1));
    assert_eq!(
        short(&bench.submit(write("/0")).await),
        "completed",
        "its approval was not used"
    );
    let events = bench.journal.scan(2, 10_000, &Filter::all()).await.unwrap();
    let refused = events
        .iter()
        .filter(|event| event.kind == kinds::CALL_REFUSED);
    let stages: Vec<_> = refused
        .filter_map(|event| event.data["stage"].as_str())
        .collect();
    assert_eq!(stages, ["limit", "limit"]);
}

#[tokio::test]
async fn rates_hold_for_the_agent_the_tool_and_both() {
    let other = AgentId::new("other").unwrap();
    let gate = || Call::new("box_gate", json!({ "path": "/x" }));
    type Set = fn(&mut Rates);
    let setups: [(&str, Set, [usize; 3]); 3] = [
        // Runs of: one tool by the agent; another tool by it; the first tool by what it started.
        ("agent", |rates| rates.agent = rate(4, 60), [4, 0, 0]),
        ("tool", |rates| rates.tool = rate(4, 60), [4, 4, 0]),
        (
            "both",
            |rates| rates.agent_and_tool = rate(4, 60),
            [4, 4, 0],
        ),
    ];
    for (what, set, want) in setups {
        let bench = with(|limits| set(&mut limits.rates)).await;
        let child = bench.session.child(other.clone());
        let mut ran = [0, 0, 0];
        for n in 0..6 {
            ran[0] += usize::from(short(&bench.submit(free(n)).await) == "completed");
        }
        for _ in 0..6 {
            ran[1] += usize::from(short(&bench.submit(gate()).await) == "completed");
        }
        for n in 0..6 {
            let outcome = bench.gate.submit(&child, free(n), &Cancel::new()).await;
            ran[2] += usize::from(short(&outcome) == "completed");
        }
        assert_eq!(ran, want, "{what}: what an agent starts counts as its own");
    }
}

#[tokio::test]
async fn a_clock_that_is_set_back_stops_no_rate() {
    let bench = with(|limits| limits.rates.agent = rate(1, 10)).await;
    assert_eq!(short(&bench.submit(free(1)).await), "completed");
    bench.clock.forward(TimeDelta::days(-30));
    assert_eq!(short(&bench.submit(free(2)).await), "refused at limit");
    bench.clock.forward(TimeDelta::seconds(10));
    assert_eq!(short(&bench.submit(free(3)).await), "completed");
}

#[tokio::test]
async fn a_refusal_by_one_limit_draws_on_no_other() {
    let bench = with(|limits| {
        three_times(limits);
        limits.rates.agent = rate(5, 3600);
    })
    .await;
    for _ in 0..10 {
        bench.submit(free(1)).await;
    }
    assert_eq!(bench.runs(), 3);
    for n in 2..4 {
        assert_eq!(
            short(&bench.submit(free(n)).await),
            "completed",
            "two places are left"
        );
    }
    assert_eq!(short(&bench.submit(free(4)).await), "refused at limit");
}

#[tokio::test]
async fn a_deny_stays_a_deny_whatever_the_limits_say() {
    let mut limits = CallLimits::default();
    limits.rates.agent = rate(1, 3600);
    let rules = json!([{ "id": "no", "target": "/no/**", "effect": "deny" }]);
    let bench = Bench::new(Setup {
        rules,
        limits,
        ..Setup::default()
    })
    .await;
    bench.submit(free(1)).await;
    for _ in 0..3 {
        assert_eq!(short(&bench.submit(write("/no/x")).await), "denied");
    }
}
