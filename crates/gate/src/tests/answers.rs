//! When an approval that was given does not count: another answer came first, the rules became
//! stricter, or the call is not quite the one that was shown.

use serde_json::json;
use tipstaff_approval::Answer;

use super::approvals::asks;
use super::bench::*;
use crate::*;

#[tokio::test]
async fn what_the_caller_adds_to_the_environment_is_asked_and_shown() {
    let bench = Bench::new(asks()).await;
    let mut call = Call::new("box_free", json!({}));
    call.env
        .insert("LD_PRELOAD".to_owned(), "/tmp/x.so".to_owned());
    bench.ticket(call).await;
    let tipstaff_approval::Subject::Call { preview } =
        bench.gate.pending_approvals().remove(0).subject
    else {
        panic!("no call")
    };
    assert_eq!(preview.summary, "environment: LD_PRELOAD=/tmp/x.so");
}

#[tokio::test]
async fn c080_the_first_answer_stands() {
    let bench = Bench::new(asks()).await;
    let no = || Answer::Deny {
        reason: String::new(),
    };
    for (first, second, runs) in [(no(), Answer::Approve, 0), (Answer::Approve, no(), 1)] {
        let call = write(&format!("/x{runs}"));
        let ticket = bench.ticket(call.clone()).await;
        let answer = |answer, name| {
            let (id, digest, person) = (ticket.approval_id, ticket.digest, person(name));
            let gate = bench.gate.clone();
            async move { gate.answer(id, digest, answer, &person).await }
        };
        answer(first, "ana").await.unwrap();
        bench
            .gate
            .resume(&bench.session, &ticket, call, &Cancel::new())
            .await;
        assert_eq!(bench.runs(), runs);
        let before = bench.kinds().await;
        assert!(answer(second, "bob").await.is_err());
        assert_eq!((bench.kinds().await, bench.runs()), (before, runs));
    }
}

#[tokio::test]
async fn what_must_be_asked_anew_is_not_answered_by_an_older_approval() {
    let wish = |mut call: Call| {
        call.require_approval = true;
        call
    };
    let allow = json!([{ "id": "x", "target": "/x", "effect": "allow" }]);
    let fresh = json!([{ "id": "x", "target": "/x", "effect": "ask", "fresh": true }]);
    for (rules, call) in [(allow, wish(write("/x"))), (fresh, write("/x"))] {
        let bench = Bench::new(asks()).await;
        let old = bench.ticket(write("/x")).await;
        bench.approve(&old).await;
        bench.gate.replace_policy(policy(&rules));
        let new = bench.ticket(call.clone()).await;
        assert_ne!(new.approval_id, old.approval_id);
        let state = bench.gate.approval(old.approval_id).unwrap().state;
        assert_eq!(state.as_str(), "void");
        bench.approve(&new).await;
        assert_eq!(short(&bench.submit(call).await), "completed");
        assert_eq!(bench.runs(), 1);
    }
}

#[tokio::test]
async fn a_stricter_rule_also_voids_an_approval_that_is_called_by_its_name() {
    let bench = Bench::new(asks()).await;
    let ticket = bench.ticket(write("/x")).await;
    bench.approve(&ticket).await;
    let rules =
        json!([{ "id": "two", "target": "/x", "effect": "ask", "approval": { "quorum": 2 } }]);
    bench.gate.replace_policy(policy(&rules));
    let outcome = bench
        .gate
        .resume(&bench.session, &ticket, write("/x"), &Cancel::new())
        .await;
    assert_eq!(short(&outcome), "refused at approval");
    let state = bench.gate.approval(ticket.approval_id).unwrap().state;
    assert_eq!((state.as_str(), bench.runs()), ("void", 0));
}

#[tokio::test]
async fn a_call_that_names_an_approval_is_allowed_only_on_it() {
    let rules = json!([{ "id": "x", "target": "/x", "effect": "allow" }]);
    let bench = Bench::new(Setup { rules, ..asks() }).await;
    let mut call = write("/x");
    call.approval_id = Some(uuid::Uuid::from_u128(9));
    assert_eq!(short(&bench.submit(call).await), "refused at approval");
    assert_eq!(bench.runs(), 0);
}

#[tokio::test]
async fn one_callers_cancel_leaves_a_question_that_another_holds_a_ticket_for() {
    let bench = Bench::new(asks()).await;
    let ticket = bench.ticket(write("/x")).await;
    let cancel = Cancel::new();
    cancel.cancel();
    let outcome = bench
        .gate
        .submit(&bench.session, write("/x"), &cancel)
        .await;
    assert_eq!(short(&outcome), "withdrawn");
    bench.approve(&ticket).await;
    assert_eq!(short(&bench.submit(write("/x")).await), "completed");
}

#[tokio::test]
async fn an_agent_that_another_started_is_under_its_rules_and_its_owner() {
    let rules = json!([
        { "id": "no", "agent": "coder", "target": "/no", "effect": "deny" },
        { "id": "yes", "agent": "coder", "target": "/yes", "effect": "allow" },
        { "id": "all", "agent": "coder", "target": "/all", "effect": "allow", "inherit": true },
        { "id": "eyes", "target": "/eyes", "effect": "ask", "approval": { "four_eyes": true } },
    ]);
    let bench = Bench::new(Setup { rules, ..asks() }).await;
    let child = bench
        .session
        .child(tipstaff_schema::AgentId::new("child").unwrap());
    let decide = |path| {
        bench
            .gate
            .decide(&child, &write(path), Lookup::Lenient)
            .effect
    };
    use tipstaff_schema::Effect::{Allow, Ask, Deny};
    assert_eq!(
        [decide("/no"), decide("/yes"), decide("/all")],
        [Deny, Ask, Allow]
    );
    bench
        .gate
        .start(&child, write("/eyes"), &Cancel::new())
        .await;
    let asked = bench.gate.pending_approvals().remove(0);
    assert_eq!(asked.excluded, [person("ana")], "the owner of its starter");
}
