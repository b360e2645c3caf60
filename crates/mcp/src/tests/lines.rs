//! Bounded lines, and the outline of those that are too long.

use proptest::prelude::*;
use serde_json::json;

use crate::line::{Line, LineReader};
use crate::skim::{Skim, Skimmer};

async fn read(text: &[u8], limit: usize) -> Vec<Line> {
    let mut reader = LineReader::new(text, limit);
    let mut lines = Vec::new();
    while let Some(line) = reader.next().await.unwrap() {
        lines.push(line);
    }
    lines
}

#[tokio::test]
async fn lines_end_with_lf_or_crlf_and_the_last_may_lack_its_end() {
    let lines = read(b"a\r\n\nbc\nd", 10).await;
    let texts: Vec<_> = lines
        .iter()
        .map(|line| match line {
            Line::Whole(bytes) => std::str::from_utf8(bytes).unwrap(),
            Line::Over { .. } => panic!("none is too long"),
        })
        .collect();
    assert_eq!(texts, ["a", "", "bc", "d"]);
}

#[tokio::test]
async fn c113_a_line_over_the_limit_keeps_its_head_and_its_size() {
    let text = format!("{{\"a\":\"{}\",\"id\":7}}\nb", "x".repeat(100_000));
    let lines = read(text.as_bytes(), 20).await;
    let [Line::Over { head, size, skim }, Line::Whole(next)] = lines.as_slice() else {
        panic!("{lines:?}")
    };
    assert_eq!((head.len(), *size), (20, text.len() as u64 - 2));
    assert_eq!(
        (skim.id.as_deref(), next.as_slice()),
        (Some(&b"7"[..]), &b"b"[..])
    );
}

fn id(text: &str) -> Option<String> {
    Skimmer::read(text.as_bytes())
        .id
        .map(|id| String::from_utf8(id).unwrap())
}

#[test]
fn c110_the_id_is_told_byte_for_byte_also_from_broken_text() {
    let check = |text: &str, want: Option<&str>| assert_eq!(id(text).as_deref(), want, "{text}");
    check(r#"{"jsonrpc":"2.0","id":"1"}"#, Some(r#""1""#));
    check(r#"{"id":9007199254740993}"#, Some("9007199254740993"));
    check(r#"{"id":1.5 }"#, Some("1.5"));
    check(r#"{"id":null}"#, Some("null"));
    check(
        r#"{"jsonrpc":"2.0","id":7,"method":"x","params":   "#,
        Some("7"),
    );
    check(r#"{"jsonrpc":"2.0","method":"x","params":   "#, None);
    check(r#"{"params":{"id":3}}"#, None);
    check(r#"{"text":"\",\"id\":5}","id":6}"#, Some("6"));
    check(r#"{"id":1,"id":2}"#, Some("1"));
    check(r#"{"id":{"a":1}}"#, None);
    check("[]", None);
    check(&"[".repeat(200_000), None);
}

#[test]
fn the_outline_tells_the_kind_of_an_answer() {
    let skim = Skimmer::read(
        br#"{"result":{"content":[{"isError":false}],"isError":true},"jsonrpc":"2.0","id":4}"#,
    );
    let want = Skim {
        complete: true,
        id: Some(b"4".to_vec()),
        has_result: true,
        is_error: true,
        ..Skim::default()
    };
    assert_eq!(skim, want);
    let skim = Skimmer::read(br#"{"error":{"code":-32601,"message":"x"},"id":4}"#);
    let want = Skim {
        complete: true,
        id: Some(b"4".to_vec()),
        has_error: true,
        code: Some(b"-32601".to_vec()),
        ..Skim::default()
    };
    assert_eq!(skim, want);
    assert!(!Skimmer::read(br#"{"id":4} {"id":5}"#).complete);
    assert!(!Skimmer::read(br#"{"id":4"#).complete);
}

/// The head up to `at`, closed where the outline says.
fn cut(text: &[u8], at: usize) -> Option<serde_json::Value> {
    let mut skimmer = Skimmer::new();
    let (head, rest) = text.split_at(at.min(text.len()));
    skimmer.push(head);
    skimmer.mark();
    skimmer.push(rest);
    let cut = skimmer.finish().cut?;
    let whole = [&head[..cut.at], &cut.closing].concat();
    Some(
        serde_json::from_slice(&whole)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&whole))),
    )
}

#[test]
fn a_cut_falls_between_characters_and_values() {
    let text = br#"{"a":[1,22,{"b":"x\u00e9\n"}],"c":true}"#;
    let check = |at: usize, want: serde_json::Value| assert_eq!(cut(text, at), Some(want), "{at}");
    check(8, json!({ "a": [1] }));
    check(10, json!({ "a": [1] }));
    check(11, json!({ "a": [1, 22] }));
    // A character counts once the next one begins.
    check(18, json!({ "a": [1, 22, { "b": "" }] }));
    check(19, json!({ "a": [1, 22, { "b": "x" }] }));
    check(21, json!({ "a": [1, 22, { "b": "x" }] }));
    assert_eq!(cut(text, 3), None);
}

fn value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(|value| json!(value)),
        any::<i64>().prop_map(|value| json!(value)),
        ".{0,12}".prop_map(|value| json!(value)),
        Just(serde_json::Value::Null),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(|items| json!(items)),
            prop::collection::btree_map(".{0,6}", inner, 0..5).prop_map(|members| json!(members)),
        ]
    })
}

proptest! {
    #[test]
    fn every_cut_of_every_message_is_json_again(value in value(), at in 0_usize..400) {
        let text = json!({ "jsonrpc": "2.0", "result": value, "id": 1 }).to_string();
        let _ = cut(text.as_bytes(), at);
        let skim = Skimmer::read(text.as_bytes());
        prop_assert!(skim.complete && skim.has_result);
        prop_assert_eq!(skim.id, Some(b"1".to_vec()));
    }

    #[test]
    fn no_bytes_make_the_outline_stumble(bytes in prop::collection::vec(any::<u8>(), 0..300), at in 0_usize..300) {
        let mut skimmer = Skimmer::new();
        let (head, rest) = bytes.split_at(at.min(bytes.len()));
        skimmer.push(head);
        skimmer.mark();
        skimmer.push(rest);
        let skim = skimmer.finish();
        prop_assert!(skim.cut.is_none_or(|cut| cut.at <= head.len()));
    }
}
