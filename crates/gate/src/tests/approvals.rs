//! Questions and answers: bound to the exact request, used once, never stretched.

use std::sync::atomic::Ordering;

use chrono::TimeDelta;
use serde_json::json;
use tipstaff_approval::Answer;

use super::bench::*;
use crate::*;

pub(super) fn asks() -> Setup {
    Setup {
        approver: Some(Scripted(None)),
        ..Setup::default()
    }
}

#[tokio::test]
async fn an_approved_call_runs_once() {
    let bench = Bench::new(Setup {
        approver: Some(Scripted(Some(Answer::Approve))),
        ..Setup::default()
    })
    .await;
    assert_eq!(short(&bench.submit(write("/x")).await), "completed");
    assert_eq!(bench.runs(), 1);
    let want = [
        "call.received",
        "policy.decided",
        "approval.requested",
        "approval.voted",
        "approval.answered",
        "policy.decided",
        "approval.used",
        "warrant.issued",
        "execution.succeeded",
    ];
    assert_eq!(bench.kinds().await, want);
}

#[tokio::test]
async fn c077_a_stale_answer_grants_nothing() {
    let bench = Bench::new(asks()).await;
    let first = bench.ticket(write("/x")).await;
    bench.clock.forward(TimeDelta::minutes(10));
    let second = bench.ticket(write("/y")).await;
    let answer = |id, digest| bench.gate.answer(id, digest, Answer::Approve, &BOB);
    static BOB: std::sync::LazyLock<tipstaff_schema::Person> =
        std::sync::LazyLock::new(|| person("bob"));
    assert!(
        answer(first.approval_id, first.digest).await.is_err(),
        "it has expired"
    );
    assert!(
        answer(second.approval_id, first.digest).await.is_err(),
        "another digest than was shown"
    );
    assert_eq!(bench.gate.pending_approvals().len(), 1);
    assert_eq!(bench.runs(), 0);
}

#[tokio::test]
async fn an_approval_is_spent_by_its_first_use() {
    let bench = Bench::new(asks()).await;
    let ticket = bench.ticket(write("/x")).await;
    bench.approve(&ticket).await;
    let again = || {
        bench
            .gate
            .resume(&bench.session, &ticket, write("/x"), &CANCEL)
    };
    static CANCEL: std::sync::LazyLock<Cancel> = std::sync::LazyLock::new(Cancel::new);
    assert_eq!(short(&again().await), "completed");
    assert_eq!(short(&again().await), "refused at approval");
    assert_eq!(bench.runs(), 1);
}

#[tokio::test]
async fn c073_another_argument_variable_folder_or_place_is_another_request() {
    let bench = Bench::new(asks()).await;
    let ticket = bench.ticket(write("/x")).await;
    bench.approve(&ticket).await;
    let cancel = Cancel::new();
    let other = Call::new("box_write", json!({ "path": "/x", "n": 1 }));
    assert_eq!(
        short(
            &bench
                .gate
                .resume(&bench.session, &ticket, other, &cancel)
                .await
        ),
        "refused at approval"
    );
    let mut elsewhere = write("/x");
    elsewhere
        .env
        .insert("LD_PRELOAD".to_owned(), "/tmp/x.so".to_owned());
    assert_eq!(
        short(
            &bench
                .gate
                .resume(&bench.session, &ticket, elsewhere, &cancel)
                .await
        ),
        "refused at approval"
    );
    let mut moved = write("/x");
    moved.cwd = Some("/q".to_owned());
    assert_eq!(
        short(
            &bench
                .gate
                .resume(&bench.session, &ticket, moved, &cancel)
                .await
        ),
        "refused at approval"
    );
    let mut away = write("/x");
    away.placement = Some(tipstaff_schema::Placement::new("prod").unwrap());
    assert_eq!(
        short(
            &bench
                .gate
                .resume(&bench.session, &ticket, away, &cancel)
                .await
        ),
        "refused at placement"
    );
    assert_eq!(bench.runs(), 0);
}

#[tokio::test]
async fn an_approval_belongs_to_the_session_that_asked() {
    let bench = Bench::new(asks()).await;
    let ticket = bench.ticket(write("/x")).await;
    bench.approve(&ticket).await;
    let other = Session::by_token(agent(), "another connection");
    let outcome = bench
        .gate
        .resume(&other, &ticket, write("/x"), &Cancel::new())
        .await;
    assert_eq!(short(&outcome), "refused at approval");
    assert_eq!(bench.runs(), 0);
}

#[tokio::test]
async fn c076_a_deny_that_came_meanwhile_wins() {
    let bench = Bench::new(asks()).await;
    let ticket = bench.ticket(write("/x")).await;
    bench.approve(&ticket).await;
    bench.gate.replace_policy(policy(
        &json!([{ "id": "no", "target": "/x", "effect": "deny" }]),
    ));
    assert_eq!(short(&bench.submit(write("/x")).await), "denied");
    assert_eq!(bench.runs(), 0);
}

#[tokio::test]
async fn a_quorum_that_became_stricter_voids_the_approval() {
    let bench = Bench::new(asks()).await;
    let ticket = bench.ticket(write("/x")).await;
    bench.approve(&ticket).await;
    let rules =
        json!([{ "id": "two", "target": "/x", "effect": "ask", "approval": { "quorum": 2 } }]);
    bench.gate.replace_policy(policy(&rules));
    let next = bench.ticket(write("/x")).await;
    assert_ne!(next.approval_id, ticket.approval_id);
    assert_eq!(
        bench
            .gate
            .approval(ticket.approval_id)
            .unwrap()
            .state
            .as_str(),
        "void"
    );
    assert_eq!(bench.runs(), 0);
}

#[tokio::test]
async fn c079_of_fifty_answers_one_counts() {
    let bench = Bench::new(asks()).await;
    let ticket = bench.ticket(write("/x")).await;
    let mut answers = tokio::task::JoinSet::new();
    for i in 0..50 {
        let (gate, ticket) = (bench.gate.clone(), ticket.clone());
        answers.spawn(async move {
            let answer = if i % 2 == 0 {
                Answer::Approve
            } else {
                Answer::Deny {
                    reason: "no".to_owned(),
                }
            };
            gate.answer(
                ticket.approval_id,
                ticket.digest,
                answer,
                &person(if i % 3 == 0 { "ana" } else { "bob" }),
            )
            .await
        });
    }
    let counted = answers
        .join_all()
        .await
        .into_iter()
        .filter(Result::is_ok)
        .count();
    assert_eq!(counted, 1);
    assert_eq!(
        bench
            .kinds()
            .await
            .iter()
            .filter(|kind| *kind == "approval.answered")
            .count(),
        1
    );
}

#[tokio::test]
async fn c082_without_any_way_to_reach_people_it_is_no_approver() {
    let bench = Bench::new(Setup::default()).await;
    assert_eq!(short(&bench.submit(write("/x")).await), "no_approver");
}

#[tokio::test]
async fn an_unanswered_question_expires_and_is_no_refusal() {
    let bench = Bench::new(asks()).await;
    let ticket = bench.ticket(write("/x")).await;
    let waiting = {
        let (gate, session) = (bench.gate.clone(), bench.session.clone());
        tokio::spawn(async move { gate.submit(&session, write("/x"), &Cancel::new()).await })
    };
    tokio::task::yield_now().await;
    bench.clock.forward(TimeDelta::minutes(10));
    assert_eq!(
        waiting.await.unwrap(),
        Outcome::Expired {
            approval_id: ticket.approval_id
        }
    );
    let anew = bench.ticket(write("/x")).await;
    assert_ne!(
        anew.approval_id, ticket.approval_id,
        "it is asked anew, without a cool-down"
    );
}

#[tokio::test]
async fn a_refused_call_is_not_asked_again_for_a_while() {
    let bench = Bench::new(asks()).await;
    let ticket = bench.ticket(write("/x")).await;
    let no = Answer::Deny {
        reason: "use /y".to_owned(),
    };
    bench
        .gate
        .answer(ticket.approval_id, ticket.digest, no, &person("ana"))
        .await
        .unwrap();
    let outcome = bench.submit(write("/x")).await;
    assert!(
        matches!(&outcome, Outcome::Denied { why } if why.contains("use /y")),
        "{outcome:?}"
    );
    bench.clock.forward(TimeDelta::minutes(10));
    bench.ticket(write("/x")).await;
}

#[tokio::test]
async fn c083_identical_questions_are_one() {
    let bench = Bench::new(asks()).await;
    let first = bench.ticket(write("/x")).await;
    assert_eq!(bench.ticket(write("/x")).await, first);
    assert_ne!(
        bench.ticket(write("/y")).await.approval_id,
        first.approval_id
    );
    assert_eq!(bench.gate.pending_approvals().len(), 2);
}

#[tokio::test]
async fn c112_a_cancelled_call_takes_its_question_back() {
    let bench = Bench::new(asks()).await;
    let cancel = Cancel::new();
    let waiting = {
        let (gate, session, cancel) = (bench.gate.clone(), bench.session.clone(), cancel.clone());
        tokio::spawn(async move { gate.submit(&session, write("/x"), &cancel).await })
    };
    while bench.gate.pending_approvals().is_empty() {
        tokio::task::yield_now().await;
    }
    let question = bench.gate.pending_approvals().remove(0);
    cancel.cancel();
    assert_eq!(
        waiting.await.unwrap(),
        Outcome::Withdrawn {
            approval_id: question.id
        }
    );
    let answer = bench
        .gate
        .answer(
            question.id,
            question.digest,
            Answer::Approve,
            &person("ana"),
        )
        .await;
    assert!(answer.is_err(), "nobody can approve it any more");
}

#[tokio::test]
async fn a_person_without_the_role_cannot_answer() {
    let bench = Bench::new(asks()).await;
    let ticket = bench.ticket(write("/x")).await;
    for name in ["eve", "nobody"] {
        assert!(
            bench
                .gate
                .answer(
                    ticket.approval_id,
                    ticket.digest,
                    Answer::Approve,
                    &person(name)
                )
                .await
                .is_err()
        );
    }
}

#[tokio::test]
async fn a_question_survives_a_restart_and_its_answer_is_found_by_the_same_call() {
    let bench = Bench::new(asks()).await;
    let ticket = bench.ticket(write("/x")).await;
    let setup = Setup {
        journal: Some(bench.journal.clone()),
        ids_from: 10_000,
        ..asks()
    };
    let next = Bench::new(setup).await;
    assert_eq!(next.gate.pending_approvals().len(), 1);
    next.approve(&ticket).await;
    assert_eq!(short(&next.submit(write("/x")).await), "completed");
    assert_eq!((bench.runs(), next.runs()), (0, 1));
}

#[tokio::test]
async fn i2_of_two_gates_over_one_journal_one_uses_the_approval() {
    let bench = Bench::new(asks()).await;
    let other = Bench::new(Setup {
        journal: Some(bench.journal.clone()),
        ids_from: 1_000_000,
        ..asks()
    })
    .await;
    for round in 0..20 {
        let call = write(&format!("/x{round}"));
        let ticket = bench.ticket(call.clone()).await;
        bench.approve(&ticket).await;
        let mut contenders = tokio::task::JoinSet::new();
        for i in 0..8 {
            let gate = if i % 2 == 0 {
                bench.gate.clone()
            } else {
                other.gate.clone()
            };
            let (session, ticket, call) = (bench.session.clone(), ticket.clone(), call.clone());
            contenders
                .spawn(async move { gate.resume(&session, &ticket, call, &Cancel::new()).await });
        }
        let outcomes = contenders.join_all().await;
        let completed = outcomes
            .iter()
            .filter(|outcome| matches!(outcome, Outcome::Completed { .. }))
            .count();
        assert!(completed <= 1, "{outcomes:?}");
    }
    let runs = bench.tool.runs.load(Ordering::SeqCst) + other.tool.runs.load(Ordering::SeqCst);
    let used = bench
        .kinds()
        .await
        .iter()
        .filter(|kind| *kind == "approval.used")
        .count();
    assert_eq!(runs, used);
    assert!((1..=20).contains(&runs), "{runs}");
}
