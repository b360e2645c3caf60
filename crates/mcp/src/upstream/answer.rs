//! Reads the result of a `tools/call` into what the gate records and judges, beside the result itself.

use serde_json::Value;
use tipstaff_gate::ExecOutput;
use tipstaff_schema::{parse_strict, sanitization::sanitize_for_display};

use super::wire::Answer;

const MAX_SUMMARY_CHARS: usize = 200;

/// The answer as the gate takes it. Structured is what the server says so; else a text that is
/// JSON as a whole; a cut answer is never structured.
pub(super) fn output(answer: Answer) -> ExecOutput {
    let (raw, truncated) = match answer {
        Answer::Whole(raw) => (raw, false),
        Answer::Cut(raw) => (raw, true),
        Answer::Unreadable(why) => (Value::String(why), true),
    };
    let blocks = raw
        .get("content")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    let texts: Vec<&str> = blocks
        .iter()
        .filter_map(|block| block.get("text").and_then(Value::as_str))
        .collect();
    let is_error = raw.get("isError").and_then(Value::as_bool).unwrap_or(false);
    let data = match (raw.get("structuredContent"), texts.as_slice()) {
        _ if truncated => None,
        (Some(Value::Null) | None, [text]) if blocks.len() == 1 => {
            parse_strict(text.as_bytes()).ok()
        }
        (Some(Value::Null) | None, _) => None,
        (Some(structured), _) => Some(structured.clone()),
    };
    let mut output = ExecOutput::default();
    output.summary = summary(&texts, blocks.len(), is_error);
    output.output = (!texts.is_empty()).then(|| texts.join("\n"));
    output.data = data;
    output.is_error = is_error;
    output.truncated = truncated;
    output.raw = Some(raw);
    output
}

fn summary(texts: &[&str], blocks: usize, is_error: bool) -> String {
    let first = texts
        .iter()
        .flat_map(|text| text.lines())
        .find(|line| !line.trim().is_empty());
    let line: String = match first {
        Some(line) => line.chars().take(MAX_SUMMARY_CHARS).collect(),
        None => format!("{blocks} content blocks without text"),
    };
    let line = sanitize_for_display(&line);
    if is_error {
        format!("the tool reports an error: {line}")
    } else {
        line
    }
}
