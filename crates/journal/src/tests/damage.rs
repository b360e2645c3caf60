//! Every kind of damage, one by one, with the exact report.

use serde_json::json;
use uuid::Uuid;

use super::{all, draft, new_journal, sample, wait};
use crate::seal::render;
use crate::{
    Break, Damage, EndProof, Event, Head, Journal, Report, Verifier, kinds, verify, verify_journal,
};

/// The breaks and what is known of the end, for a journal of six events with this done to it.
fn after(change: impl FnOnce(&mut Vec<Event>)) -> (Vec<(u64, Damage)>, EndProof) {
    let (mut events, head) = sample(6);
    change(&mut events);
    found(verify(&events, Some(&head)))
}

fn found(report: Report) -> (Vec<(u64, Damage)>, EndProof) {
    let breaks = report
        .breaks
        .into_iter()
        .map(|Break { seq, damage }| (seq, damage));
    (breaks.collect(), report.end)
}

#[track_caller]
fn check(change: impl FnOnce(&mut Vec<Event>), want: &[(u64, Damage)], end: EndProof) {
    assert_eq!(after(change), (want.to_vec(), end));
}

fn rehash(event: &mut Event) {
    event.hash = render(event).unwrap().1;
}

/// Chains and hashes all events anew from this place on, as one who knows how would.
fn rewrite(events: &mut [Event], from: usize) {
    for at in from..events.len() {
        if at > 0 {
            events[at].prev = events[at - 1].hash;
        }
        rehash(&mut events[at]);
    }
}

use EndProof::{NotProven, Proven, ProvenUpTo};

#[test]
fn an_untouched_journal_is_intact() {
    check(|_| {}, &[], Proven);
}

#[test]
fn c157_without_a_head_the_end_is_not_proven() {
    let (events, _) = sample(5);
    for count in 0..=5 {
        assert_eq!(
            found(verify(&events[..count], None)),
            (vec![], NotProven),
            "first {count}"
        );
        assert!(
            verify(&events[..count], None)
                .to_string()
                .contains("cannot prove the end")
        );
    }
}

#[test]
fn c157_a_dropped_tail_is_found_against_a_head() {
    check(
        |e| e.truncate(4),
        &[(4, Damage::Truncated { trusted: 6 })],
        NotProven,
    );
    check(
        Vec::clear,
        &[(0, Damage::Truncated { trusted: 6 })],
        NotProven,
    );
}

#[test]
fn c157_an_older_copy_of_a_store_is_rolled_back() {
    let (events, head) = sample(6);
    let mut verifier = Verifier::of_store(Some(head));
    events[..4].iter().for_each(|event| verifier.push(event));
    assert_eq!(
        found(verifier.finish()),
        (vec![(4, Damage::RolledBack { trusted: 6 })], NotProven)
    );
}

#[test]
fn c157_a_dropped_middle_is_missing() {
    check(
        |e| drop(e.remove(2)),
        &[(3, Damage::Missing { from: 3, to: 3 })],
        Proven,
    );
    check(
        |e| drop(e.drain(1..4)),
        &[(2, Damage::Missing { from: 2, to: 4 })],
        Proven,
    );
    check(
        |e| drop(e.remove(0)),
        &[(1, Damage::Missing { from: 1, to: 1 })],
        Proven,
    );
}

#[test]
fn c157_swapped_events_are_reordered() {
    check(|e| e.swap(2, 3), &[(3, Damage::Reordered)], Proven);
    check(|e| e.swap(0, 1), &[(1, Damage::Reordered)], Proven);
    check(|e| e.swap(4, 5), &[(5, Damage::Reordered)], Proven);
    check(
        |e| e.swap(1, 3),
        &[(3, Damage::Reordered), (2, Damage::Reordered)],
        Proven,
    );
}

#[test]
fn c157_an_edited_event_is_found() {
    check(|e| e[2].actor.push('x'), &[(3, Damage::Edited)], Proven);
    check(|e| e[0].actor.push('x'), &[(1, Damage::Edited)], Proven);
    check(|e| e[5].data = json!({}), &[(6, Damage::Edited)], Proven);
}

#[test]
fn an_edited_event_with_a_new_hash_is_found_by_the_one_after_it() {
    let edit = |e: &mut Vec<Event>, at: usize| {
        e[at].actor.push('x');
        rehash(&mut e[at]);
    };
    check(|e| edit(e, 2), &[(3, Damage::Replaced)], Proven);
    check(|e| edit(e, 0), &[(1, Damage::Replaced)], Proven);
    check(|e| edit(e, 5), &[(6, Damage::Forked)], NotProven);
}

#[test]
fn a_reordered_event_is_still_checked_against_its_neighbours() {
    let edit_and_swap = |e: &mut Vec<Event>| {
        e[2].actor.push('x');
        rehash(&mut e[2]);
        e.swap(2, 3);
    };
    check(
        edit_and_swap,
        &[(3, Damage::Reordered), (3, Damage::Replaced)],
        Proven,
    );
    let unchain_and_swap = |e: &mut Vec<Event>| {
        e[2].prev = e[0].hash;
        e.swap(2, 3);
    };
    check(
        unchain_and_swap,
        &[
            (3, Damage::Edited),
            (3, Damage::Reordered),
            (2, Damage::Replaced),
        ],
        Proven,
    );
}

#[test]
fn c157_all_rewritten_with_new_hashes_is_a_fork_against_a_head_and_unseen_without() {
    let rewritten = |from: usize| {
        move |e: &mut Vec<Event>| {
            e[from].actor.push('x');
            rewrite(e, from);
        }
    };
    for from in 0..6 {
        check(rewritten(from), &[(6, Damage::Forked)], NotProven);
    }
    let (mut events, _) = sample(6);
    rewritten(0)(&mut events);
    assert_eq!(found(verify(&events, None)), (vec![], NotProven));
}

#[test]
fn an_inserted_event_is_found_once() {
    check(
        |e| e.insert(3, e[1].clone()),
        &[(2, Damage::Inserted)],
        Proven,
    );
    check(
        |e| e.insert(3, e[2].clone()),
        &[(3, Damage::Inserted)],
        Proven,
    );
    let forged = |e: &mut Vec<Event>| {
        let mut forged = e[3].clone();
        forged.id = Uuid::from_u128(99);
        rehash(&mut forged);
        e.insert(3, forged);
    };
    check(forged, &[(4, Damage::Inserted)], Proven);
}

#[test]
fn what_follows_a_head_is_not_proven() {
    let (events, _) = sample(6);
    let head = Head {
        seq: 4,
        hash: events[3].hash,
    };
    assert_eq!(found(verify(&events, Some(&head))), (vec![], ProvenUpTo(4)));
    let mut restored = events.clone();
    restored[3].data = json!("another");
    rewrite(&mut restored, 3);
    assert_eq!(
        found(verify(&restored, Some(&head))),
        (vec![(4, Damage::Forked)], NotProven)
    );
}

#[test]
fn every_field_that_is_relied_on_is_checked_even_with_right_hashes() {
    let wrong = |change: fn(&mut Event), at: usize| {
        let (mut events, _) = sample(6);
        change(&mut events[at]);
        rewrite(&mut events, at);
        found(verify(&events, None)).0
    };
    assert_eq!(
        wrong(|e| e.v = 2, 2),
        [(3, Damage::UnknownVersion { v: 2 })]
    );
    assert!(matches!(
        wrong(|e| e.version = 7, 3)[..],
        [
            (
                4,
                Damage::Version {
                    expected: 2,
                    found: 7,
                    ..
                }
            ),
            ..
        ]
    ));
    assert!(matches!(
        wrong(|e| e.version = 1, 3)[..],
        [
            (
                4,
                Damage::Version {
                    expected: 2,
                    found: 1,
                    ..
                }
            ),
            ..
        ]
    ));
    assert!(matches!(
        wrong(|e| e.kind = kinds::JOURNAL_OPENED, 3)[..],
        [(4, Damage::Opening { .. })]
    ));
    assert!(matches!(
        wrong(|e| e.kind = kinds::CALL_ROUTED, 0)[..],
        [(1, Damage::Opening { .. })]
    ));
    assert!(matches!(
        wrong(|e| e.prev = e.hash, 0)[..],
        [(1, Damage::Opening { .. })]
    ));
    assert!(matches!(
        wrong(|e| e.data["id"] = json!("x"), 0)[..],
        [(1, Damage::Opening { .. })]
    ));
    assert!(matches!(
        wrong(|e| e.data = json!(null), 0)[..],
        [(1, Damage::Opening { .. })]
    ));
}

#[test]
fn a_seq_of_zero_or_the_greatest_is_damage_and_no_panic() {
    check(
        |e| e[3].seq = 0,
        &[
            (0, Damage::Edited),
            (0, Damage::Inserted),
            (4, Damage::Missing { from: 4, to: 4 }),
        ],
        Proven,
    );
    let report = after(|e| e[3].seq = u64::MAX);
    assert!(report.0.contains(&(u64::MAX, Damage::Edited)), "{report:?}");
    check(
        |e| e[3].version = u64::MAX,
        &[
            (4, Damage::Edited),
            (4, version(&sample(6).0[3], 2, u64::MAX)),
            (6, version(&sample(6).0[5], u64::MAX, 3)),
        ],
        Proven,
    );
}

fn version(event: &Event, expected: u64, found: u64) -> Damage {
    Damage::Version {
        stream: event.stream.clone(),
        expected,
        found,
    }
}

#[test]
fn breaks_are_counted_beyond_the_list() {
    let (mut events, _) = sample(1500);
    events.iter_mut().for_each(|event| event.actor.push('x'));
    let report = verify(&events, None);
    assert_eq!((report.breaks.len(), report.more_breaks), (1000, 500));
    assert!(!report.is_intact());
}

#[test]
fn a_live_journal_is_verified_in_pages() {
    let journal = new_journal();
    let drafts = (2..2502).map(|id| draft(id, id % 7, kinds::CALL_RECEIVED, json!(null)));
    let head = wait(journal.append(&[], drafts.collect())).unwrap().head;
    let report = wait(verify_journal(&journal, Some(&head))).unwrap();
    assert_eq!(
        (report.events, report.head, report.end),
        (2501, Some(all(&journal).1), Proven)
    );
}
