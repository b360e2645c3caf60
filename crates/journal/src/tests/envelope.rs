//! Names, drafts, caps and the opening.

use serde_json::{Value, json};
use tipstaff_schema::{Digest, Domain, canonical};
use uuid::Uuid;

use super::{at, draft, new_journal, sample, wait};
use crate::{
    AppendError, CheckedDraft, Draft, DraftError, Event, Journal, Kind, MAX_DATA_BYTES,
    MemoryJournal, OpenedBy, Stream, StreamKind, cap_value, kinds,
};

#[test]
fn every_known_kind_is_found_by_its_text_and_equal_to_its_constant() {
    for kind in kinds::ALL {
        let read = Kind::new(kind.as_str()).unwrap();
        assert_eq!(read, *kind);
        assert!(read.is_known());
    }
    assert_eq!(kinds::ALL.len(), 45);
}

#[test]
fn constants_of_kinds_can_be_matched() {
    let told = match Kind::new("task.opened").unwrap() {
        kinds::TASK_OPENED => "opened",
        _ => "other",
    };
    assert_eq!(told, "opened");
}

#[test]
fn a_kind_is_two_words() {
    for good in ["later.added", "a.b", "a_b.c_d"] {
        assert!(!Kind::new(good).unwrap().is_known(), "{good}");
    }
    for bad in [
        "",
        ".",
        "call",
        "call.",
        ".received",
        "call.received.x",
        "Call.received",
        "call received",
        "call.r\n",
    ] {
        assert!(Kind::new(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_stream_reads_its_own_text() {
    for text in ["call/018f", "tool/mcp:files:a/b", "agent/é", "journal/1"] {
        assert_eq!(text.parse::<Stream>().unwrap().to_string(), text);
    }
    for bad in [
        "",
        "call",
        "call/",
        "calls/1",
        "/1",
        "call/a\nb",
        "call/\u{9b}2J",
    ] {
        assert!(bad.parse::<Stream>().is_err(), "{bad}");
    }
    assert!(Stream::new(StreamKind::Tool, "x".repeat(1025)).is_err());
}

#[test]
fn a_stream_of_a_uuid_is_the_one_that_is_read() {
    let id = Uuid::from_u128(7);
    let stream = Stream::of(StreamKind::Grant, id);
    assert_eq!(stream.to_string().parse::<Stream>().unwrap(), stream);
    assert_eq!(stream.uuid(), Some(id));
}

#[test]
fn the_first_event_is_chained_to_the_journal_that_it_opens() {
    let (events, _) = sample(2);
    let opened = &events[0];
    let data = json!({ "id": "00000000-0000-0000-0000-000000000001", "created_at": "2027-01-15T08:00:00.000000Z" });
    assert_eq!(opened.data, data);
    assert_eq!(opened.prev, Digest::of(Domain::Journal, &data).unwrap());
    assert_eq!(
        opened.stream.to_string(),
        "journal/00000000-0000-0000-0000-000000000001"
    );
    assert_eq!(
        (opened.seq, opened.version, &opened.kind),
        (1, 1, &kinds::JOURNAL_OPENED)
    );
}

#[test]
fn the_hash_is_the_digest_of_everything_else_in_canonical_form() {
    let odd = Stream::new(StreamKind::Tool, "a\"b\\é\u{2028}").unwrap();
    let mut one = Draft::new(
        Uuid::from_u128(9),
        at(0),
        odd,
        kinds::TOOL_PINNED,
        "é\"\n\u{7f}",
        json!({"b": 1.5, "a": "é"}),
    );
    let journal = new_journal();
    for (correlation, causation) in [
        (None, None),
        (Some(1), None),
        (None, Some(2)),
        (Some(3), Some(4)),
    ] {
        one.id = Uuid::from_u128(
            10 + u128::from(correlation.unwrap_or(0) + 10 * causation.unwrap_or(0)),
        );
        one.correlation = correlation.map(|id: u8| Uuid::from_u128(id.into()));
        one.causation = causation.map(|id: u8| Uuid::from_u128(id.into()));
        let event = wait(journal.append(&[], vec![one.clone()]))
            .unwrap()
            .events
            .remove(0);
        let mut value = serde_json::to_value(&event).unwrap();
        let text = crate::seal::render(&event).unwrap().0;
        assert_eq!(text, canonical(&value).unwrap());
        value.as_object_mut().unwrap().remove("hash");
        assert_eq!(event.hash, Digest::of(Domain::Event, &value).unwrap());
    }
}

#[test]
fn an_event_holds_what_its_readers_will_read() {
    let checked = CheckedDraft::new(draft(
        2,
        2,
        kinds::CALL_RECEIVED,
        json!({ "a": 1.0, "b": -0.0, "c": 0.5 }),
    ))
    .unwrap();
    assert_eq!(checked.draft().data, json!({ "a": 1, "b": 0, "c": 0.5 }));
}

#[track_caller]
fn refused(change: impl FnOnce(&mut Draft), want: &DraftError) {
    let mut draft = draft(2, 2, kinds::CALL_RECEIVED, Value::Null);
    change(&mut draft);
    assert_eq!(CheckedDraft::new(draft).unwrap_err(), *want);
}

fn nested(depth: usize) -> Value {
    (0..depth).fold(Value::Null, |inner, _| Value::Array(vec![inner]))
}

#[test]
fn c164_a_draft_that_breaks_a_rule_is_refused() {
    refused(|d| d.kind = kinds::JOURNAL_OPENED, &DraftError::Reserved);
    refused(|d| d.actor.clear(), &DraftError::Actor { bytes: 0 });
    refused(
        |d| d.actor = "x".repeat(257),
        &DraftError::Actor { bytes: 257 },
    );
    refused(
        |d| d.ts = chrono::DateTime::<chrono::Utc>::MAX_UTC,
        &DraftError::Time,
    );
    refused(|d| d.data = nested(101), &DraftError::TooDeep { max: 100 });
    refused(|d| d.data = nested(1000), &DraftError::TooDeep { max: 100 });
    let (bytes, max) = (MAX_DATA_BYTES + 2, MAX_DATA_BYTES);
    refused(
        |d| d.data = Value::from("x".repeat(MAX_DATA_BYTES)),
        &DraftError::TooLarge { bytes, max },
    );
}

#[test]
fn the_deepest_data_can_be_read_back() {
    let journal = new_journal();
    let event = wait(journal.append(&[], vec![draft(2, 2, kinds::CALL_RECEIVED, nested(100))]))
        .unwrap()
        .events
        .remove(0);
    assert_eq!(crate::from_line(&crate::to_line(&event)).unwrap(), event);
}

#[test]
fn a_time_is_cut_to_the_microsecond() {
    let mut one = draft(2, 2, kinds::CALL_RECEIVED, Value::Null);
    one.ts = chrono::DateTime::from_timestamp(0, 123_456_789).unwrap();
    let checked = CheckedDraft::new(one).unwrap();
    assert_eq!(
        checked.draft().ts,
        chrono::DateTime::from_timestamp(0, 123_456_000).unwrap()
    );
}

#[test]
fn a_journal_is_not_opened_by_nobody_or_in_the_year_10000() {
    let by = OpenedBy {
        journal_id: Uuid::nil(),
        at: at(0),
        event_id: Uuid::nil(),
        actor: String::new(),
    };
    assert_eq!(
        MemoryJournal::open(&by).unwrap_err(),
        DraftError::Actor { bytes: 0 }
    );
    let by = OpenedBy {
        at: at(400_000_000_000),
        actor: "x".to_owned(),
        ..by
    };
    assert_eq!(MemoryJournal::open(&by).unwrap_err(), DraftError::Time);
}

#[test]
fn errors_name_the_place_and_are_one_line() {
    let stream = Stream::new(StreamKind::Tool, "a\u{202e}b").unwrap();
    let conflict = AppendError::Conflict {
        stream,
        expected: 1,
        actual: 2,
    };
    assert_eq!(
        conflict.to_string(),
        "stream `tool/a\\u{202e}b` is at version 2, not 1"
    );
}

#[test]
fn what_fits_is_not_capped() {
    let value = json!({ "a": "x".repeat(3000) });
    assert_eq!(cap_value(&value, 4000).unwrap(), value);
}

#[test]
fn c164_long_texts_are_capped_with_hash_and_length_and_the_shape_stays() {
    let long = "é".repeat(1000);
    let value = json!({ "path": "/a", "list": [long, 1] });
    let digest = Digest::of(Domain::Answer, &Value::from(long.as_str())).unwrap();
    let marker = json!({ "$capped": { "bytes": 2002, "digest": digest, "start": format!("\"{}", "é".repeat(255)) } });
    assert_eq!(
        cap_value(&value, 1500).unwrap(),
        json!({ "path": "/a", "list": [marker, 1] })
    );
}

#[test]
fn c164_what_is_still_too_large_or_too_deep_is_capped_as_a_whole() {
    let wide = Value::from(vec![1; 1000]);
    for value in [wide, nested(99)] {
        let capped = cap_value(&value, 1500).unwrap();
        let digest = Digest::of(Domain::Answer, &value).unwrap();
        assert_eq!(capped["$capped"]["digest"], json!(digest));
        assert_eq!(
            capped["$capped"]["bytes"],
            json!(canonical(&value).unwrap().len())
        );
    }
}

#[test]
fn an_event_of_another_crate_goes_through_serde() {
    let (events, _) = sample(3);
    let text = serde_json::to_string(&events).unwrap();
    assert_eq!(serde_json::from_str::<Vec<Event>>(&text).unwrap(), events);
}
