//! Which answers the triage rules see. All of them are completed alike; of those that no rule saw the
//! outcome's event says why.

use serde_json::{Value, json};
use tipstaff_journal::{Filter, Journal as _};
use tipstaff_registry::{PinMode, ServerIdentity};
use tipstaff_schema::ServerName;

use super::bench::*;
use super::tasks::{breaches, rule};
use crate::*;

/// What became of one answer of a tool with an output schema: whether it is valid, how many tasks it
/// opened, and what its event says.
async fn answered(output: ExecOutput) -> (bool, usize, Value) {
    let rules = json!([{ "id": "all", "capability": "files:*", "effect": "allow" }]);
    let setup = Setup {
        rules,
        ..breaches(json!([rule("breach", |_| {}), rule("again", |_| {})]))
    };
    *setup.tool.answer.lock().unwrap() = Some(Ok(output));
    let bench = Bench::new(setup).await;
    let tool = json!({
        "name": "report", "inputSchema": { "type": "object" },
        "outputSchema": {
            "type": "object", "required": ["status"],
            "properties": { "status": { "type": "string" }, "n": { "type": "integer" } },
        },
    });
    let bare = json!({ "name": "bare", "inputSchema": { "type": "object" } });
    let tools = [tool, bare];
    let (server, identity) = (ServerName::new("files").unwrap(), ServerIdentity::default());
    let offered = bench
        .gate
        .offer_tools(&server, &identity, &tools, PinMode::Captured);
    offered.await.unwrap();
    let structured = bench
        .tool
        .answer
        .lock()
        .unwrap()
        .as_ref()
        .is_some_and(|answer| matches!(answer, Ok(output) if output.data.is_some()));
    let name = if structured {
        "files:report"
    } else {
        "files:bare"
    };
    let outcome = bench.submit(Call::new(name, json!({}))).await;
    let Outcome::Completed {
        answer_valid,
        tasks,
        ..
    } = outcome
    else {
        panic!("not completed: {outcome:?}")
    };
    let events = bench.journal.scan(1, 100, &Filter::all()).await.unwrap();
    let of = |kind: &str| {
        let mut events = events.iter().filter(|event| event.kind.as_str() == kind);
        events.next_back().map(|event| event.data.clone())
    };
    let opened = events
        .iter()
        .filter(|event| event.kind.as_str() == "task.opened");
    assert_eq!(opened.count(), tasks.len());
    let said = of("execution.succeeded").unwrap();
    assert_eq!(said["answer_valid"], json!(answer_valid));
    (answer_valid, tasks.len(), said["not_judged"].clone())
}

fn structured(data: Value) -> ExecOutput {
    ExecOutput {
        data: Some(data),
        ..ExecOutput::default()
    }
}

fn breach() -> ExecOutput {
    structured(json!({ "status": "BREACH", "asset": "T1" }))
}

#[tokio::test]
async fn each_rule_that_matches_opens_a_task_of_its_own() {
    assert_eq!(answered(breach()).await, (true, 2, Value::Null));
    let fine = structured(json!({ "status": "OK" }));
    assert_eq!(answered(fine).await, (true, 0, Value::Null));
}

#[tokio::test]
async fn an_answer_that_breaks_its_schema_is_completed_and_no_rule_sees_it() {
    let broken = structured(json!({ "status": "BREACH", "n": "many" }));
    let why = json!("the answer breaks its output schema");
    assert_eq!(answered(broken).await, (false, 0, why));
}

#[tokio::test]
async fn an_answer_that_was_cut_or_tells_of_a_failure_is_seen_by_no_rule() {
    let cut = ExecOutput {
        truncated: true,
        ..breach()
    };
    assert_eq!(answered(cut).await, (true, 0, json!("the answer was cut")));
    let failed = ExecOutput {
        is_error: true,
        ..breach()
    };
    let why = json!("the tool says that it failed");
    assert_eq!(answered(failed).await, (true, 0, why));
}

#[tokio::test]
async fn a_text_is_judged_where_all_of_it_is_json() {
    let text = |text: &str| ExecOutput::text("", text);
    let json = r#"{"status":"BREACH","asset":"T1"}"#;
    assert_eq!(answered(text(json)).await, (true, 2, Value::Null));
    let plain = json!("the answer is plain text");
    let said = "status: BREACH".to_owned();
    assert_eq!(answered(text(&said)).await, (true, 0, plain));
    let (valid, opened, why) = answered(text(&format!("{json} and more"))).await;
    assert_eq!((valid, opened), (true, 0));
    let why = why.as_str().unwrap();
    assert!(
        why.starts_with("the answer is no JSON as a whole: "),
        "{why}"
    );
}

#[tokio::test]
async fn c143_a_number_beyond_the_finite_ones_is_told_and_the_call_is_completed() {
    for number in ["1e400", "-1e400"] {
        let text = format!(r#"{{"status":"BREACH","n":{number}}}"#);
        let (valid, opened, why) = answered(ExecOutput::text("", text)).await;
        assert_eq!((valid, opened), (true, 0));
        assert!(why.as_str().unwrap().contains("number"), "{why}");
    }
}
