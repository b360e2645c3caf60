//! I7: any one damage to any small journal is found.

use proptest::prelude::*;
use serde_json::{Value, json};
use tipstaff_schema::{Digest, Domain};

use super::{all, draft, export, new_journal, wait};
use crate::seal::render;
use crate::{EndProof, Event, Head, Journal, Report, kinds, verify_export};

/// One damage; numbers are taken modulo what there is.
#[derive(Debug, Clone)]
enum Harm {
    Edit { at: usize, field: usize },
    EditAndRehash { at: usize, field: usize },
    Delete { at: usize, count: usize },
    InsertCopy { of: usize, before: usize },
    InsertForged { before: usize },
    Swap { a: usize, b: usize },
    Truncate { to: usize },
    Rewrite { from: usize },
}

fn harm() -> impl Strategy<Value = Harm> {
    let n = 0..64_usize;
    prop_oneof![
        (n.clone(), n.clone()).prop_map(|(at, field)| Harm::Edit { at, field }),
        (n.clone(), n.clone()).prop_map(|(at, field)| Harm::EditAndRehash { at, field }),
        (n.clone(), n.clone()).prop_map(|(at, count)| Harm::Delete { at, count }),
        (n.clone(), n.clone()).prop_map(|(of, before)| Harm::InsertCopy { of, before }),
        n.clone().prop_map(|before| Harm::InsertForged { before }),
        (n.clone(), n.clone()).prop_map(|(a, b)| Harm::Swap { a, b }),
        n.clone().prop_map(|to| Harm::Truncate { to }),
        n.prop_map(|from| Harm::Rewrite { from }),
    ]
}

const FIELDS: [&str; 13] = [
    "actor",
    "causation",
    "correlation",
    "data",
    "hash",
    "id",
    "kind",
    "prev",
    "seq",
    "stream",
    "ts",
    "v",
    "version",
];

/// Another right value for the field.
fn edit(event: &mut Value, field: &str) {
    let other_digest = json!(Digest::of(Domain::Event, event).unwrap());
    let old = event[field].clone();
    event[field] = match field {
        "actor" => json!("mallory"),
        "causation" | "correlation" | "id" => json!("00000000-0000-0000-0000-0000000000ff"),
        "data" => json!({ "n": [old] }),
        "hash" | "prev" => other_digest,
        "kind" => json!("policy.decided"),
        "stream" => json!("agent/mallory"),
        "ts" => json!("1999-12-31T23:59:59.999999Z"),
        _ => json!(old.as_u64().unwrap() + 1),
    };
}

fn edited(event: &Event, field: usize) -> Event {
    let mut value = serde_json::to_value(event).unwrap();
    edit(&mut value, FIELDS[field % FIELDS.len()]);
    serde_json::from_value(value).unwrap()
}

fn rehash(event: &mut Event) {
    event.hash = render(event).unwrap().1;
}

fn apply(harm: &Harm, events: &mut Vec<Event>) {
    let len = events.len();
    match *harm {
        Harm::Edit { at, field } => events[at % len] = edited(&events[at % len], field),
        Harm::EditAndRehash { at, field } => {
            let mut event = edited(&events[at % len], field);
            rehash(&mut event);
            events[at % len] = event;
        }
        Harm::Delete { at, count } => {
            let from = at % len;
            events.drain(from..(from + 1 + count % 3).min(len));
        }
        Harm::InsertCopy { of, before } => {
            events.insert(before % (len + 1), events[of % len].clone());
        }
        Harm::InsertForged { before } => {
            let before = before % len;
            let mut forged = events[before].clone();
            forged.data = json!({ "forged": true });
            rehash(&mut forged);
            events.insert(before, forged);
        }
        Harm::Swap { a, b } => events.swap(a % len, b % len),
        Harm::Truncate { to } => events.truncate(to % len),
        Harm::Rewrite { from } => {
            let from = from % len;
            events[from].data = json!({ "id": "x", "created_at": "y", "rewritten": true });
            for at in from..len {
                if at > 0 {
                    events[at].prev = events[at - 1].hash;
                }
                rehash(&mut events[at]);
            }
        }
    }
}

/// A journal of some events over three streams, in appends of up to three.
fn journal(sizes: &[(u8, u8)]) -> (Vec<Event>, Head) {
    let journal = new_journal();
    let mut id = 10;
    for (stream, count) in sizes {
        let drafts = (0..*count).map(|n| {
            id += 1;
            draft(
                id,
                (*stream).into(),
                kinds::CALL_RECEIVED,
                json!({ "n": n, "t": "é\u{1b}" }),
            )
        });
        wait(journal.append(&[], drafts.collect())).unwrap();
    }
    all(&journal)
}

fn read(events: &[Event], trusted: Option<&Head>) -> Report {
    verify_export(export(events).as_bytes(), trusted).unwrap()
}

proptest! {
    #[test]
    fn i7_any_damage_is_found(sizes in prop::collection::vec((0..3_u8, 1..4_u8), 1..6), harm in harm()) {
        let (events, head) = journal(&sizes);
        prop_assert_eq!(read(&events, Some(&head)).end, EndProof::Proven);
        let mut harmed = events.clone();
        apply(&harm, &mut harmed);
        let report = read(&harmed, Some(&head));
        prop_assert_eq!(harmed == events, report.is_intact(), "{:?}\n{}", harm, report);
        // Without a head only what leaves a whole chain behind can go unseen, and the end is never proven.
        let report = read(&harmed, None);
        prop_assert_eq!(report.end, EndProof::NotProven);
        if report.is_intact() {
            let whole = harmed.iter().zip(1..).all(|(event, seq)| event.seq == seq);
            prop_assert!(whole && harmed.windows(2).all(|pair| pair[1].prev == pair[0].hash), "{:?}", harm);
        }
    }

    #[test]
    fn i7_one_changed_byte_is_found(at in 0..20_000_usize, byte in any::<u8>()) {
        let (events, head) = journal(&[(0, 3), (1, 2), (0, 1)]);
        let text = export(&events).into_bytes();
        let mut changed = text.clone();
        let at = at % text.len();
        changed[at] = byte;
        let report = verify_export(changed.as_slice(), Some(&head)).unwrap();
        prop_assert_eq!(changed == text, report.is_intact() && report.end == EndProof::Proven, "{}", report);
    }

    #[test]
    fn every_number_reads_back_as_it_was_written(bits in any::<u64>(), signed in any::<i64>(), unsigned in any::<u64>()) {
        let journal = new_journal();
        let data = json!([f64::from_bits(bits), signed, unsigned, signed as f64, f64::from_bits(bits).round()]);
        let head = wait(journal.append(&[], vec![draft(2, 2, kinds::CALL_RECEIVED, data)])).unwrap().head;
        let (events, _) = all(&journal);
        let report = read(&events, Some(&head));
        prop_assert!(report.is_intact(), "{}", report);
        prop_assert_eq!(&crate::from_line(&crate::to_line(&events[1])).unwrap(), &events[1]);
    }

    #[test]
    fn rubbish_never_panics(text in prop::collection::vec(any::<u8>(), 0..200), trusted in any::<bool>()) {
        let (_, head) = journal(&[(0, 1)]);
        let report = verify_export(text.as_slice(), trusted.then_some(&head)).unwrap();
        prop_assert_eq!(report.end, EndProof::NotProven);
    }
}
