//! Lines of an export: what they look like, what is refused, and tears.

use serde_json::{Value, json};
use uuid::Uuid;

use super::{at, draft, export, new_journal, sample, wait};
use crate::{
    Damage, EndProof, Head, Journal, LineError, Report, Stream, StreamKind, Tear, from_line, kinds,
    to_line, verify_export,
};

fn read(export: impl AsRef<[u8]>, trusted: Option<&Head>) -> Report {
    verify_export(export.as_ref(), trusted).unwrap()
}

#[test]
fn a_line_is_printable_ascii_and_reads_back_the_same() {
    let journal = new_journal();
    let mut one = draft(
        2,
        2,
        kinds::CALL_RECEIVED,
        json!({ "\u{0}\n\r\u{1b}[2J\u{7f}\u{9b}\u{2028}\u{202e}": "é😀\u{feff}" }),
    );
    one.stream = Stream::new(StreamKind::Tool, "mcp:f:\u{202e}é").unwrap();
    one.actor = "a\n\u{1b}".to_owned();
    let event = wait(journal.append(&[], vec![one]))
        .unwrap()
        .events
        .remove(0);
    let line = to_line(&event);
    assert!(line.bytes().all(|b| (b' '..=b'~').contains(&b)), "{line}");
    assert_eq!(from_line(&line).unwrap(), event);
}

#[test]
fn the_written_form_stays() {
    let event = &sample(2).0[1];
    let line = r#"{"actor":"coder","data":{"n":2},"hash":"HASH","id":"00000000-0000-0000-0000-000000000002","kind":"call.received","prev":"PREV","seq":2,"stream":"call/00000000-0000-0000-0000-000000000000","ts":"2027-01-15T08:00:02.000000Z","v":1,"version":1}"#;
    let line = line
        .replace("HASH", &event.hash.to_string())
        .replace("PREV", &event.prev.to_string());
    assert_eq!(to_line(event), line);
    // Recomputed by a program that shares nothing with this one; must never change.
    assert_eq!(
        event.hash.to_string(),
        "sha256:ae48dcc09ee9e33a2711014a4e5123ac9a703a400675cebf073a707f6da32e41"
    );
}

#[track_caller]
fn no_event(change: impl FnOnce(&mut Value)) {
    let mut value = serde_json::to_value(&sample(2).0[1]).unwrap();
    change(&mut value);
    let err = from_line(&value.to_string()).unwrap_err();
    assert!(matches!(err, LineError::Event { .. }), "{err:?}");
}

#[test]
fn a_second_spelling_of_a_value_is_refused() {
    no_event(|v| v["ts"] = json!("2027-01-15T08:00:02Z"));
    no_event(|v| v["ts"] = json!("2027-01-15T08:00:02.000000+00:00"));
    no_event(|v| v["ts"] = json!("2027-01-15T08:00:02.0000000Z"));
    no_event(|v| v["ts"] = json!("2027-1-15T08:00:02.000000Z"));
    no_event(|v| v["id"] = json!("{00000000-0000-0000-0000-000000000002}"));
    no_event(|v| v["id"] = json!("0000000000000000000000000000000A"));
    no_event(|v| v["correlation"] = Value::Null);
    no_event(|v| v["causation"] = Value::Null);
    no_event(|v| v["hash"] = json!(v["hash"].as_str().unwrap().to_uppercase()));
}

#[test]
fn an_unknown_or_missing_field_is_refused() {
    no_event(|v| v["note"] = json!("x"));
    for field in [
        "actor", "data", "hash", "id", "kind", "prev", "seq", "stream", "ts", "v", "version",
    ] {
        no_event(|v| {
            v.as_object_mut().unwrap().remove(field);
        });
    }
}

#[test]
fn a_key_twice_is_found() {
    let (events, _) = sample(2);
    let line = to_line(&events[1]);
    let twice = line.replace("\"seq\":2", "\"seq\":2,\"seq\":2");
    assert!(matches!(from_line(&twice), Err(LineError::Event { .. })));
    let twice = line.replace("\"n\":2", "\"n\":1,\"n\":2");
    let report = read(export(&events[..1]) + &twice + "\n", None);
    assert_eq!(report.breaks[0].damage, Damage::Respelled);
}

#[test]
fn a_line_that_means_the_same_but_is_written_otherwise_is_reported_as_just_that() {
    let (events, head) = sample(3);
    let lines: Vec<String> = events.iter().map(to_line).collect();
    for respelled in [
        lines[1].replace(",\"id\"", ", \"id\""),
        lines[1].replace("coder", "cod\\u0065r"),
        lines[1].replace("{\"n\":2}", "{\"n\":2.0}"),
        format!("{}\r", lines[1]),
        format!(" {}", lines[1]),
    ] {
        assert_ne!(respelled, lines[1]);
        let report = read(
            format!("{}\n{respelled}\n{}\n", lines[0], lines[2]),
            Some(&head),
        );
        assert_eq!(report.breaks.len(), 1, "{respelled}");
        assert_eq!(
            (report.breaks[0].seq, &report.breaks[0].damage),
            (2, &Damage::Respelled)
        );
        assert_eq!(report.end, EndProof::Proven);
    }
}

#[test]
fn i7_every_single_flipped_bit_is_found() {
    let (events, head) = sample(2);
    let text = export(&events).into_bytes();
    for at in 0..text.len() {
        for bit in 0..8 {
            let mut flipped = text.clone();
            flipped[at] ^= 1 << bit;
            let report = read(&flipped, Some(&head));
            let torn =
                at == text.len() - 1 && report.tear.is_some() && report.end == EndProof::NotProven;
            assert!(torn || !report.is_intact(), "bit {bit} of byte {at}");
        }
    }
}

#[test]
fn c158_a_torn_last_line_is_a_tear_not_tampering() {
    let (events, head) = sample(3);
    for torn in [
        "{\"seq\":7,\"too",
        "{\"seq\":7,\"too\":1}",
        "\u{0}\u{0}",
        "{\"actor\":\"é",
        "7",
    ] {
        let report = read(export(&events) + torn, Some(&head));
        assert_eq!(report.breaks, vec![], "{torn}");
        assert_eq!(
            report.tear,
            Some(Tear {
                line: 4,
                bytes: torn.len() as u64
            }),
            "{torn}"
        );
        assert_eq!(report.end, EndProof::Proven, "{torn}");
        assert!(report.to_string().contains("line 4"), "{report}");
    }
}

#[test]
fn c158_a_tear_does_not_hide_that_the_end_is_missing() {
    let (events, head) = sample(3);
    let mut text = export(&events);
    text.truncate(text.len() - 10);
    let report = read(&text, Some(&head));
    assert_eq!(
        report
            .breaks
            .iter()
            .map(|b| b.damage.clone())
            .collect::<Vec<_>>(),
        vec![Damage::Truncated { trusted: 3 }]
    );
    assert!(report.tear.is_some());
    assert_eq!(read(&text, None).end, EndProof::NotProven);
}

#[test]
fn c158_a_whole_last_line_without_line_end_counts() {
    let (events, head) = sample(3);
    assert_eq!(
        read(export(&events).trim_end(), Some(&head)).end,
        EndProof::Proven
    );
}

#[test]
fn c158_a_line_glued_to_a_fragment_is_reported_with_what_it_lost() {
    let (events, head) = sample(4);
    let text = export(&events[..2]) + "{\"seq\":3,\"too" + &export(&events[2..]);
    let damage: Vec<Damage> = read(text, Some(&head))
        .breaks
        .into_iter()
        .map(|b| b.damage)
        .collect();
    assert!(
        matches!(damage[0], Damage::Unreadable { line: 3, .. }),
        "{damage:?}"
    );
    assert_eq!(damage[1..], [Damage::Missing { from: 3, to: 3 }]);
}

#[test]
fn what_is_no_event_is_reported_with_its_line() {
    let (events, _) = sample(2);
    for bad in [
        &b"garbage"[..],
        b"\xff\xfe",
        b"{}",
        b"[]",
        b"{\"a\":\"\x1b[2J\n",
    ] {
        let mut text = export(&events[..1]).into_bytes();
        text.extend_from_slice(bad);
        text.extend_from_slice(b"\n");
        text.extend_from_slice(export(&events[1..]).as_bytes());
        let report = read(text, None);
        assert!(
            matches!(report.breaks[0].damage, Damage::Unreadable { line: 2, .. }),
            "{report}"
        );
        assert!(
            report
                .to_string()
                .chars()
                .all(|c| c == '\n' || !c.is_control()),
            "{report}"
        );
        assert_eq!(report.events, 2);
    }
}

#[test]
fn a_line_longer_than_any_event_is_passed_over_without_holding_it() {
    let (events, head) = sample(2);
    let long = "x".repeat((8 << 20) + 5);
    let report = read(
        export(&events[..1]) + &long + "\n" + &export(&events[1..]),
        Some(&head),
    );
    assert!(matches!(
        report.breaks[0].damage,
        Damage::Unreadable { line: 2, .. }
    ));
    assert_eq!((report.events, report.end), (2, EndProof::Proven));
    let report = read(export(&events) + &long, Some(&head));
    assert_eq!(
        report.tear,
        Some(Tear {
            line: 3,
            bytes: long.len() as u64
        })
    );
}

#[test]
fn an_empty_export_proves_nothing() {
    let report = read("", None);
    assert_eq!(
        (report.events, report.head, report.end),
        (0, None, EndProof::NotProven)
    );
}

#[test]
fn the_clock_may_go_back() {
    let journal = new_journal();
    let mut drafts = [2, 3]
        .map(|id| draft(id, 1, kinds::CALL_RECEIVED, Value::Null))
        .to_vec();
    drafts[1].ts = at(-3600);
    drafts[1].correlation = Some(Uuid::from_u128(5));
    let head = wait(journal.append(&[], drafts)).unwrap().head;
    let report = wait(crate::verify_journal(&journal, Some(&head))).unwrap();
    assert_eq!((report.breaks, report.end), (vec![], EndProof::Proven));
}
