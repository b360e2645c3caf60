//! Call lines: what is read, and what a bad line says.

use serde_json::json;

use crate::{CallLine, CallLineError};

fn error(line: &str) -> String {
    CallLine::read(line.as_bytes()).unwrap_err().to_string()
}

#[test]
fn a_call_line_is_read_whole() {
    let line = r#"{"agent":"coder","tool":"spawn","params":{"input":"!git status"},"cwd":"/srv/repo","placement":"lab","at":"2026-03-02T10:00:00Z","require_approval":true,"id":7}"#;
    let call = CallLine::read(line.as_bytes()).unwrap();
    assert_eq!(
        (call.tool.as_str(), call.params, call.id),
        ("spawn", json!({ "input": "!git status" }), Some(json!(7)))
    );
    assert!(call.require_approval && call.at.is_some() && call.placement.is_some());
}

#[test]
fn a_bad_line_says_what_does_not_fit_and_keeps_its_id() {
    assert!(error("{").contains("no JSON"), "{}", error("{"));
    assert!(error(r#"{"tool":"t","params":{}}"#).contains("missing field `agent`"));
    assert!(
        error(r#"{"agent":"a","tool":"t","params":{},"param":1}"#)
            .contains("unknown field `param`")
    );
    assert!(error(r#"{"agent":"a","agent":"b","tool":"t","params":{}}"#).contains("agent"));
    match CallLine::read(br#"{"id":"x","tool":1}"#) {
        Err(CallLineError::Call { id, .. }) => assert_eq!(id, Some(json!("x"))),
        other => panic!("{other:?}"),
    }
}

#[test]
fn c136_a_time_without_a_zone_is_refused() {
    let line = r#"{"agent":"a","tool":"t","params":{},"at":"2026-12-01T09:00:00"}"#;
    assert!(CallLine::read(line.as_bytes()).is_err());
}
