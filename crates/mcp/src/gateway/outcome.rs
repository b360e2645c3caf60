//! From what came of a call to the result that a client gets.

use serde_json::{Value, json};
use tipstaff_gate::{ExecOutput, Outcome};

use crate::message::Object;

/// The result of `tools/call`. An answer of a server goes on as it came; everything else is a text
/// for the model, marked as an error so that no client takes it for the tool's answer.
pub(super) fn result(outcome: Outcome) -> Object {
    let text = outcome.for_model();
    match outcome {
        Outcome::Completed {
            result:
                ExecOutput {
                    raw: Some(Value::Object(raw)),
                    ..
                },
            ..
        } => raw,
        Outcome::Completed { result, .. } => ours(result),
        Outcome::Failed { .. }
        | Outcome::Unknown { .. }
        | Outcome::Refused { .. }
        | Outcome::Denied { .. }
        | Outcome::Expired { .. }
        | Outcome::NoApprover { .. }
        | Outcome::Pending { .. }
        | Outcome::Withdrawn { .. }
        | Outcome::Unroutable { .. } => said(&text, true),
        other => said(
            &format!("the outcome `{}` is not known here", other.as_str()),
            true,
        ),
    }
}

/// The answer of a tool of ours.
fn ours(output: ExecOutput) -> Object {
    let text = output.output.unwrap_or(output.summary);
    let mut result = said(&text, output.is_error);
    if let Some(data @ Value::Object(_)) = output.data {
        result.insert("structuredContent".to_owned(), data);
    }
    result
}

fn said(text: &str, is_error: bool) -> Object {
    let mut result = Object::new();
    result.insert(
        "content".to_owned(),
        json!([{ "type": "text", "text": text }]),
    );
    result.insert("isError".to_owned(), Value::Bool(is_error));
    result
}
