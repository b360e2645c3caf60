//! What the fold finds, what it refuses, and that it can be built again.

use super::*;

#[test]
fn an_approval_is_found_by_its_own_session_and_exact_request_only() {
    let mut desk = Desk::default();
    let id = desk.asked("R");
    assert_eq!(desk.find("R", 1), "pending");
    assert_eq!(desk.find_in("s2", "R", 1), "nothing");
    desk.answer(id, "R", &Answer::Approve, "bob", 1).unwrap();
    assert_eq!(desk.find("R", 2), "usable");
    assert_eq!(desk.find_in("s2", "R", 2), "nothing");
    assert_eq!(desk.find("R'", 2), "nothing");
    let other = AgentId::new("other").unwrap();
    assert_eq!(
        desk.approvals.find("s1", &other, &digest("R"), at(2)),
        Found::Nothing
    );
}

#[test]
fn an_approval_is_used_once() {
    let mut desk = Desk::default();
    let id = desk.asked("R");
    assert!(desk.used(id, "R", "s1", 1).is_err());
    desk.answer(id, "R", &Answer::Approve, "bob", 1).unwrap();
    assert!(desk.used(id, "R'", "s1", 2).is_err());
    assert!(desk.used(id, "R", "s2", 2).is_err());
    desk.used(id, "R", "s1", 2).unwrap();
    assert!(desk.used(id, "R", "s1", 3).is_err());
    assert_eq!(desk.find("R", 3), "nothing");
    assert_eq!(
        desk.approvals.get(id).unwrap().used_by,
        Some(Uuid::from_u128(7))
    );
}

#[test]
fn an_approval_not_used_in_time_is_expired() {
    let mut desk = Desk::default();
    let id = desk.asked("R");
    desk.answer(id, "R", &Answer::Approve, "bob", 60).unwrap();
    assert_eq!(desk.state(id, 60 + 5 * MINUTE - 1), "approved");
    assert_eq!(desk.state(id, 60 + 5 * MINUTE), "expired");
    assert_eq!(desk.find("R", 60 + 5 * MINUTE), "nothing");
    assert!(desk.used(id, "R", "s1", 60 + 5 * MINUTE).is_err());
}

#[track_caller]
fn cannot_use(desk: &Desk, id: Uuid, session: &str, of: &str, want: &UseRefusal) {
    assert_eq!(
        desk.approvals
            .usable(id, session, &agent(), &digest(of), at(2))
            .unwrap_err(),
        *want
    );
}

#[test]
fn a_call_that_names_an_approval_needs_that_very_one() {
    let mut desk = Desk::default();
    let id = desk.asked("R");
    let pending = desk.approvals.get(id).unwrap().state;
    cannot_use(
        &desk,
        id,
        "s1",
        "R",
        &UseRefusal::NotApproved { state: pending },
    );
    desk.answer(id, "R", &Answer::Approve, "bob", 1).unwrap();
    assert!(
        desk.approvals
            .usable(id, "s1", &agent(), &digest("R"), at(2))
            .is_ok()
    );
    cannot_use(&desk, id, "s2", "R", &UseRefusal::NotFound);
    cannot_use(&desk, Uuid::from_u128(99), "s1", "R", &UseRefusal::NotFound);
    cannot_use(
        &desk,
        id,
        "s1",
        "X",
        &UseRefusal::OtherDigest {
            approved: digest("R"),
            asked: digest("X"),
        },
    );
}

#[test]
fn c076_what_was_voided_after_the_answer_cannot_be_used() {
    let mut desk = Desk::default();
    let id = desk.asked("R");
    desk.answer(id, "R", &Answer::Approve, "bob", 1).unwrap();
    desk.voided(id, 2).unwrap();
    assert_eq!(desk.find("R", 3), "nothing");
    assert!(desk.used(id, "R", "s1", 3).is_err());
    assert_eq!(
        desk.approvals.get(id).unwrap().ended_because.as_deref(),
        Some("the pin changed")
    );
}

#[test]
fn c082_without_an_answer_it_stays_pending_until_it_expires_and_nobody_said_no() {
    let mut desk = Desk::default();
    let id = desk.asked("R");
    assert_eq!(desk.find("R", 10 * MINUTE - 1), "pending");
    assert_eq!(desk.state(id, 10 * MINUTE), "expired");
    assert_eq!(desk.approvals.due(at(10 * MINUTE)).len(), 1);
    desk.write(id, &ApprovalEvent::Expired(Expired {}), 11 * MINUTE)
        .unwrap();
    assert!(desk.approvals.due(at(11 * MINUTE)).is_empty());
    let request = desk.approvals.get(id).unwrap();
    assert_eq!(
        (
            &request.answered,
            request.denied_because(),
            request.votes.len()
        ),
        (&None, None, 0)
    );
    // Silence cools nothing down.
    assert_eq!(desk.find("R", 11 * MINUTE), "nothing");
}

#[test]
fn c083_the_same_request_joins_its_question_and_another_does_not() {
    let mut desk = Desk::default();
    let id = desk.asked("R");
    for _ in 0..3 {
        let Found::Pending(joined) = desk.approvals.find("s1", &agent(), &digest("R"), at(1))
        else {
            panic!("not joined")
        };
        assert_eq!(joined.id, id);
    }
    assert_eq!(desk.find("R'", 1), "nothing");
    // The id of a question cannot be taken again.
    let again = desk
        .approvals
        .open(ask("R'"), &Terms::default(), Limits::default(), at(1))
        .unwrap();
    assert!(
        desk.write(id, &ApprovalEvent::Requested(Box::new(again)), 1)
            .is_err()
    );
    assert_eq!(desk.approvals.get(id).unwrap().digest, digest("R"));
}

#[test]
fn a_refused_request_is_not_asked_again_for_ten_minutes_in_any_session() {
    let mut desk = Desk::default();
    let id = desk.asked("R");
    desk.answer(id, "R", &deny(), "bob", 60).unwrap();
    assert_eq!(desk.find_in("s2", "R", 61), "refused");
    assert_eq!(desk.find("R'", 61), "nothing");
    let again = |s| {
        desk.approvals
            .open(ask("R"), &Terms::default(), Limits::default(), at(s))
            .map(|_| ())
    };
    assert!(matches!(
        again(60 + 10 * MINUTE - 1),
        Err(AskRefusal::CoolingDown { .. })
    ));
    assert!(again(60 + 10 * MINUTE).is_ok());
    assert_eq!(desk.find("R", 60 + 10 * MINUTE), "nothing");
}

#[test]
fn of_an_approval_and_a_refusal_the_later_counts() {
    let mut desk = Desk::default();
    let mine = desk.asked("R");
    let theirs = desk.asks(
        Ask {
            session: "s2".into(),
            ..ask("R")
        },
        &Terms::default(),
        0,
    );
    desk.answer(theirs, "R", &deny(), "bob", 1).unwrap();
    assert_eq!(desk.find("R", 2), "pending");
    desk.answer(mine, "R", &Answer::Approve, "cem", 2).unwrap();
    assert_eq!(desk.find("R", 3), "usable");
    let mut desk = Desk::default();
    let mine = desk.asked("R");
    let theirs = desk.asks(
        Ask {
            session: "s2".into(),
            ..ask("R")
        },
        &Terms::default(),
        0,
    );
    desk.answer(mine, "R", &Answer::Approve, "cem", 1).unwrap();
    desk.answer(theirs, "R", &deny(), "bob", 2).unwrap();
    assert_eq!(desk.find("R", 3), "refused");
}

#[test]
fn an_agent_has_at_most_fifty_open_questions() {
    let mut desk = Desk::default();
    for n in 0..50 {
        desk.asks(ask(&format!("R{n}")), &Terms::default(), n);
    }
    let more = |ask, s| {
        desk.approvals
            .open(ask, &Terms::default(), Limits::default(), at(s))
            .map(|_| ())
    };
    assert!(matches!(
        more(ask("X"), 60),
        Err(AskRefusal::TooManyPending { limit: 50, .. })
    ));
    let other = Ask {
        agent: AgentId::new("other").unwrap(),
        ..ask("X")
    };
    assert!(more(other, 60).is_ok());
    assert!(more(ask("X"), 10 * MINUTE).is_ok());
}

#[test]
fn an_agent_asks_at_most_sixty_questions_in_an_hour() {
    let mut desk = Desk::default();
    for n in 0..60 {
        let id = desk.asks(ask(&format!("R{n}")), &Terms::default(), n);
        desk.withdrawn(id, n).unwrap();
    }
    let more = |s| {
        desk.approvals
            .open(ask("X"), &Terms::default(), Limits::default(), at(s))
            .map(|_| ())
    };
    assert!(matches!(
        more(61),
        Err(AskRefusal::TooManyAsked { limit: 60, .. })
    ));
    assert!(matches!(
        more(60 * MINUTE - 1),
        Err(AskRefusal::TooManyAsked { .. })
    ));
    assert!(more(60 * MINUTE).is_ok());
}

#[test]
fn pending_questions_are_listed_in_the_order_in_which_they_expire() {
    let mut desk = Desk::default();
    let slow = desk.asks(
        ask("slow"),
        &Terms {
            expire: Duration::from_secs(900),
            ..Terms::default()
        },
        0,
    );
    let quick = desk.asks(ask("quick"), &Terms::default(), 1);
    let done = desk.asks(ask("done"), &Terms::default(), 2);
    desk.answer(done, "done", &deny(), "bob", 3).unwrap();
    let listed = |s| {
        desk.approvals
            .pending(at(s))
            .iter()
            .map(|request| request.id)
            .collect::<Vec<_>>()
    };
    assert_eq!(listed(3), [quick, slow]);
    assert_eq!(listed(601), [slow]);
}

#[test]
fn an_event_whose_predecessor_is_missing_changes_nothing() {
    let mut desk = Desk::default();
    let id = desk.asked("R");
    let mut event = desk.event(id, &ApprovalEvent::Voided(Voided { reason: "x".into() }), 1);
    event.version = 3;
    let before = desk.approvals.clone();
    assert!(matches!(
        desk.approvals.apply(&event),
        Err(ApplyError::Gap {
            expected: 2,
            version: 3,
            ..
        })
    ));
    assert_eq!(desk.approvals, before);
}

#[test]
fn a_decision_that_the_votes_do_not_bear_out_is_refused() {
    let mut desk = Desk::default();
    let id = desk.asks(ask("R"), &terms(2, &[]), 0);
    desk.answer(id, "R", &Answer::Approve, "bob", 1).unwrap();
    let decided = |answer: Answer, by: &[&str], use_by: Option<i64>| {
        let by = by.iter().map(|name| person(name)).collect();
        ApprovalEvent::Answered(Answered {
            answer,
            by,
            use_by: use_by.map(at),
        })
    };
    let mut refused = |event| assert!(desk.write(id, &event, 2).is_err());
    refused(decided(Answer::Approve, &["bob"], Some(60)));
    refused(decided(Answer::Approve, &["bob", "bob"], Some(60)));
    refused(decided(Answer::Approve, &["bob", "eve"], Some(60)));
    refused(decided(deny(), &["bob"], None));
    refused(decided(deny(), &[], None));
    assert_eq!(desk.state(id, 2), "pending");
}

#[test]
fn an_approval_without_a_time_of_use_or_with_a_vote_for_another_digest_is_refused() {
    let mut desk = Desk::default();
    let id = desk.asked("R");
    let bob = events::Voted {
        person: person("bob"),
        digest: digest("R"),
        answer: Answer::Approve,
    };
    desk.write(id, &ApprovalEvent::Voted(bob), 1).unwrap();
    let endless = Answered {
        answer: Answer::Approve,
        by: vec![person("bob")],
        use_by: None,
    };
    assert!(
        desk.write(id, &ApprovalEvent::Answered(endless), 1)
            .is_err()
    );
    let stray = events::Voted {
        person: person("cem"),
        digest: digest("X"),
        answer: Answer::Approve,
    };
    assert!(desk.write(id, &ApprovalEvent::Voted(stray), 1).is_err());
    assert_eq!(desk.state(id, 1), "pending");
}
