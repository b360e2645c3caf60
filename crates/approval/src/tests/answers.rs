//! Who may answer, in which order refusals are found, and when votes decide.

use super::*;

#[track_caller]
fn refused(result: Result<(), AnswerRefusal>, want: &str) {
    assert_eq!(result.unwrap_err().to_string(), want);
}

#[test]
fn refusals_are_found_in_the_order_of_the_page() {
    let mut desk = Desk::default();
    let four_eyes = Terms {
        four_eyes: true,
        ..terms(2, &["grid"])
    };
    let id = desk.asks(ask("R"), &four_eyes, 0);
    let (yes, grid) = (Answer::Approve, [role("grid")]);
    let unknown = Uuid::from_u128(99);
    let late = 10 * MINUTE;
    // Each line would also meet the refusals of the lines below it.
    refused(
        desk.answer_as(unknown, "other", &yes, "ana", &[], late),
        "there is no such approval request",
    );
    refused(
        desk.answer_as(id, "other", &yes, "ana", &[], late),
        "`ana` may not answer this request: four eyes are needed",
    );
    desk.answer_as(id, "R", &yes, "bob", &grid, 1).unwrap();
    refused(
        desk.answer_as(id, "other", &yes, "bob", &[role("approver")], late),
        "`bob` may not answer this request: it needs the role `grid`",
    );
    refused(
        desk.answer_as(id, "other", &yes, "bob", &grid, late),
        "this request is no longer pending: it is expired; nothing changed",
    );
    refused(
        desk.answer_as(id, "other", &yes, "bob", &grid, 2),
        "`bob` has already answered this request; nothing changed",
    );
    let other = desk
        .answer_as(id, "other", &yes, "cem", &grid, 2)
        .unwrap_err();
    assert_eq!(
        other,
        AnswerRefusal::OtherDigest {
            given: digest("other"),
            asked: digest("R")
        }
    );
    let kind = desk
        .answer_as(id, "R", &review(ReviewAnswer::Read), "cem", &grid, 2)
        .unwrap_err();
    assert_eq!(kind, AnswerRefusal::WrongKind);
}

#[test]
fn without_an_audience_the_role_approver_answers_and_no_other() {
    let mut desk = Desk::default();
    let id = desk.asked("R");
    refused(
        desk.answer_as(id, "R", &Answer::Approve, "bob", &[role("operator")], 1),
        "`bob` may not answer this request: it needs the role `approver`",
    );
    desk.answer(id, "R", &Answer::Approve, "bob", 1).unwrap();
    assert_eq!(desk.state(id, 1), "approved");
}

#[test]
fn a_quorum_needs_different_people() {
    let mut desk = Desk::default();
    let id = desk.asks(ask("R"), &terms(2, &[]), 0);
    desk.answer(id, "R", &Answer::Approve, "bob", 1).unwrap();
    assert_eq!(desk.state(id, 1), "pending");
    assert!(desk.answer(id, "R", &Answer::Approve, "bob", 2).is_err());
    desk.answer(id, "R", &Answer::Approve, "cem", 3).unwrap();
    assert_eq!(desk.state(id, 3), "approved");
    let answered = desk.approvals.get(id).unwrap().answered.clone().unwrap();
    assert_eq!(answered.by, [person("bob"), person("cem")]);
}

#[test]
fn one_denial_denies_whatever_the_quorum() {
    let mut desk = Desk::default();
    let id = desk.asks(ask("R"), &terms(3, &[]), 0);
    desk.answer(id, "R", &Answer::Approve, "bob", 1).unwrap();
    desk.answer(id, "R", &deny(), "cem", 2).unwrap();
    assert_eq!(desk.state(id, 2), "denied");
    assert_eq!(
        desk.approvals.get(id).unwrap().denied_because(),
        Some("not today")
    );
}

#[test]
fn a_quorum_of_zero_counts_as_one() {
    let mut desk = Desk::default();
    let id = desk.asks(ask("R"), &terms(0, &[]), 0);
    assert_eq!(desk.state(id, 1), "pending");
    desk.answer(id, "R", &Answer::Approve, "bob", 1).unwrap();
    assert_eq!(desk.state(id, 1), "approved");
}

#[test]
fn four_eyes_without_a_known_owner_asks_nobody() {
    let four_eyes = Terms {
        four_eyes: true,
        ..Terms::default()
    };
    let orphan = Ask {
        owner: None,
        ..ask("R")
    };
    let refusal = Approvals::new()
        .open(orphan, &four_eyes, Limits::default(), at(0))
        .unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "four eyes are needed, but `coder` has no owner; give it one"
    );
}

#[test]
fn a_tool_is_reviewed_and_the_strictest_review_counts() {
    let mut desk = Desk::default();
    let id = desk.asks(tool_ask("pin"), &terms(2, &[]), 0);
    assert_eq!(
        desk.answer(id, "pin", &Answer::Approve, "bob", 1)
            .unwrap_err(),
        AnswerRefusal::WrongKind
    );
    desk.answer(id, "pin", &review(ReviewAnswer::Ask), "bob", 1)
        .unwrap();
    desk.answer(id, "pin", &review(ReviewAnswer::Read), "cem", 2)
        .unwrap();
    let request = desk.approvals.get(id).unwrap();
    assert_eq!(
        request.answered.clone().unwrap().answer,
        review(ReviewAnswer::Ask)
    );
    assert_eq!(desk.state(id, 2), "approved");
}

#[test]
fn never_is_a_review_and_to_deny_one_leaves_the_tool_unreviewed() {
    let mut desk = Desk::default();
    let locked = desk.asks(tool_ask("pin"), &Terms::default(), 0);
    let never = review(ReviewAnswer::Never);
    desk.answer(locked, "pin", &never, "bob", 1).unwrap();
    assert_eq!(desk.state(locked, 1), "approved");
    let left = desk.asks(tool_ask("other"), &Terms::default(), 0);
    desk.answer(left, "other", &deny(), "bob", 1).unwrap();
    assert_eq!(desk.state(left, 1), "denied");
}

#[test]
fn c077_an_answer_to_what_timed_out_or_was_not_seen_grants_nothing() {
    let mut desk = Desk::default();
    let first = desk.asked("R1");
    let second = desk.asks(ask("R2"), &Terms::default(), 11 * MINUTE);
    refused(
        desk.answer(first, "R1", &Answer::Approve, "bob", 12 * MINUTE),
        "this request is no longer pending: it is expired; nothing changed",
    );
    // The id of the second with what the person saw of the first.
    let unseen = desk
        .answer(second, "R1", &Answer::Approve, "bob", 12 * MINUTE)
        .unwrap_err();
    assert_eq!(
        unseen,
        AnswerRefusal::OtherDigest {
            given: digest("R1"),
            asked: digest("R2")
        }
    );
    assert_eq!(desk.state(second, 12 * MINUTE), "pending");
}

#[test]
fn c079_of_many_answers_at_once_exactly_one_decides() {
    let mut desk = Desk::default();
    let id = desk.asked("R");
    // All fifty judge the same state; what they would write expects the same version.
    let voters: Vec<Person> = (0..50).map(|n| person(&format!("p{n}"))).collect();
    let roles = [role("approver")];
    let drafts: Vec<Vec<ApprovalEvent>> = voters
        .iter()
        .enumerate()
        .map(|(n, who)| {
            let answer = if n % 2 == 0 { Answer::Approve } else { deny() };
            let voter = Voter {
                person: who,
                roles: &roles,
            };
            desk.approvals
                .answer(id, &digest("R"), &answer, &voter, at(1))
                .unwrap()
        })
        .collect();
    let expected = desk.approvals.get(id).unwrap().version;
    let mut stored = 0;
    for draft in drafts {
        if desk.approvals.get(id).unwrap().version == expected {
            draft
                .into_iter()
                .for_each(|event| desk.write(id, &event, 1).unwrap());
            stored += 1;
        }
    }
    assert_eq!(stored, 1);
    assert_eq!(
        desk.approvals.get(id).unwrap().answered.clone().unwrap().by,
        [person("p0")]
    );
    refused(
        desk.answer(id, "R", &deny(), "p1", 2),
        "this request is no longer pending: it is approved; nothing changed",
    );
}

#[test]
fn c080_the_first_answer_stands() {
    let mut desk = Desk::default();
    let denied = desk.asked("R");
    desk.answer(denied, "R", &deny(), "alice", 1).unwrap();
    refused(
        desk.answer(denied, "R", &Answer::Approve, "bob", 2),
        "this request is no longer pending: it is denied; nothing changed",
    );
    let ran = desk.asked("S");
    desk.answer(ran, "S", &Answer::Approve, "alice", 1).unwrap();
    desk.used(ran, "S", "s1", 2).unwrap();
    let before = desk.approvals.clone();
    refused(
        desk.answer(ran, "S", &deny(), "bob", 3),
        "this request is no longer pending: it is used; nothing changed",
    );
    assert_eq!(desk.approvals, before);
}
