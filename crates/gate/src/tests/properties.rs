//! Properties of the whole: no order of calls, answers and restarts runs a thing twice or unasked.

use proptest::prelude::*;
use serde_json::json;
use tipstaff_approval::{Answer, ApprovalRequest};
use tipstaff_schema::Effect;

use super::bench::*;
use crate::*;

/// What can happen, in any order.
#[derive(Debug, Clone, Copy)]
enum Step {
    Call(u8),
    Approve(u8),
    Refuse(u8),
    Minutes(u8),
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..3_u8).prop_map(Step::Call),
        3 => (0..3_u8).prop_map(Step::Approve),
        1 => (0..3_u8).prop_map(Step::Refuse),
        1 => (1..8_u8).prop_map(Step::Minutes),
        1 => Just(Step::Restart),
    ];
    prop::collection::vec(step, 1..24)
}

async fn answer(bench: &Bench, question: &ApprovalRequest, approve: bool) {
    let answer = if approve {
        Answer::Approve
    } else {
        Answer::Deny {
            reason: String::new(),
        }
    };
    bench
        .gate
        .answer(question.id, question.digest, answer, &person("ana"))
        .await
        .unwrap();
}

async fn play(steps: &[Step]) {
    let setup = || Setup {
        approver: Some(Scripted(None)),
        ..Setup::default()
    };
    let mut bench = Bench::new(setup()).await;
    let (mut runs, mut yes) = (0, 0);
    for (round, step) in steps.iter().enumerate() {
        match *step {
            Step::Call(n) => {
                bench
                    .gate
                    .start(&bench.session, write(&format!("/x{n}")), &Cancel::new())
                    .await;
            }
            Step::Approve(n) | Step::Refuse(n) => {
                let pending = bench.gate.pending_approvals();
                let Some(question) = pending.get(usize::from(n)) else {
                    continue;
                };
                let approve = matches!(step, Step::Approve(_));
                answer(&bench, question, approve).await;
                yes += usize::from(approve);
            }
            Step::Minutes(n) => bench
                .clock
                .forward(chrono::TimeDelta::minutes(i64::from(n))),
            Step::Restart => {
                runs += bench.runs();
                let now = bench.clock.now();
                let ids_from = (round + 1) * 100_000;
                bench = Bench::new(Setup {
                    journal: Some(bench.journal.clone()),
                    ids_from,
                    ..setup()
                })
                .await;
                bench.clock.forward(now - bench.clock.now());
            }
        }
    }
    runs += bench.runs();
    assert!(runs <= yes, "{runs} runs on {yes} approvals: {steps:?}");
    let kinds = bench.kinds().await;
    let count = |kind: &str| kinds.iter().filter(|there| *there == kind).count();
    assert_eq!(
        (count("approval.used"), count("warrant.issued")),
        (runs, runs),
        "{steps:?}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn i2_no_order_of_events_runs_a_call_more_often_than_it_was_approved(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(play(&steps));
    }

    #[test]
    fn i3_no_wish_of_the_caller_turns_a_deny_into_anything_else(
        path in "/(srv|no|own)/[a-c]{1,2}",
        require_approval: bool,
        approval_id in prop::option::of(0..4_u128),
        observe: bool,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let rules = json!([
                { "id": "all", "target": "/srv/**", "effect": "allow" },
                { "id": "no", "target": "/no/**", "effect": "deny" },
            ]);
            let mode = if observe { Mode::Observe } else { Mode::Enforce };
            let approver = Some(Scripted(Some(Answer::Approve)));
            let bench = Bench::new(Setup { rules, mode, approver, own: vec!["/own"], ..Setup::default() }).await;
            let plain = bench.gate.decide(&bench.session, &write(&path), Lookup::Lenient);
            let mut call = write(&path);
            call.require_approval = require_approval;
            call.approval_id = approval_id.map(uuid::Uuid::from_u128);
            let outcome = bench.submit(call).await;
            if plain.effect == Effect::Deny {
                assert_eq!((short(&outcome).as_str(), bench.runs()), ("denied", 0));
            }
        });
    }
}
