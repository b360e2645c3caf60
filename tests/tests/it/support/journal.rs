//! Reads a journal as an auditor would: what became of every call that was received.

use serde_json::Value;

/// `tool end` of each call, in the order in which they came in.
///
/// Panics where the books do not balance: an execution without a warrant or the other way round,
/// two ends of one call, or none.
#[track_caller]
pub(crate) fn accounts(events: &[Value]) -> Vec<String> {
    let received = events
        .iter()
        .filter(|event| event["kind"] == "call.received");
    received
        .map(|call| format!("{} {}", tool(call), end(events, &call["stream"])))
        .collect()
}

fn tool(call: &Value) -> &str {
    call["data"]["tool"]
        .as_str()
        .unwrap_or_else(|| panic!("a call without a tool: {call}"))
}

#[track_caller]
fn end<'a>(events: &'a [Value], stream: &Value) -> &'a str {
    let kinds = || {
        let of_call = events.iter().filter(|event| event["stream"] == *stream);
        of_call.map(|event| event["kind"].as_str().unwrap())
    };
    let count = |wanted: &str| kinds().filter(|kind| *kind == wanted).count();
    let executions: Vec<&str> = kinds()
        .filter_map(|kind| kind.strip_prefix("execution."))
        .collect();
    assert_eq!(
        executions.len(),
        count("warrant.issued"),
        "{stream}: {:?}",
        kinds().collect::<Vec<_>>()
    );
    match executions.as_slice() {
        [end] => end,
        [] => {
            let refusal = events
                .iter()
                .find(|event| event["stream"] == *stream && event["kind"] == "call.refused");
            let refusal = refusal.unwrap_or_else(|| panic!("{stream} has no end"));
            refusal["data"]["outcome"]
                .as_str()
                .unwrap_or_else(|| panic!("{refusal}"))
        }
        more => panic!("{stream} ended {more:?}"),
    }
}
