//! Makes an answer that was too long into one that can be passed on: its head, and a note that says
//! how long it was. Never passes on half an image, or half of what claims to be structured.

use serde_json::{Value, json};

use crate::message::Object;
use crate::skim::Skim;

/// The part of a text that can be read as one whole object; empty where there is none.
fn readable(head: &[u8], skim: &Skim) -> Object {
    let Some(cut) = &skim.cut else {
        return Object::new();
    };
    let mut text = head.get(..cut.at).unwrap_or_default().to_vec();
    text.extend_from_slice(&cut.closing);
    match tipstaff_schema::parse_strict(&text) {
        Ok(Value::Object(object)) => object,
        Ok(_) | Err(_) => Object::new(),
    }
}

/// The result of a `tools/call` whose frame had `size` bytes, of which `head` was kept.
pub(crate) fn result(head: &[u8], size: u64, skim: &Skim) -> Value {
    let mut result = match readable(head, skim).remove("result") {
        Some(Value::Object(result)) => result,
        Some(_) | None => Object::new(),
    };
    if skim.cut.as_ref().is_none_or(|cut| cut.in_structured) {
        result.remove("structuredContent");
    }
    let mut content = match result.remove("content") {
        Some(Value::Array(content)) => content,
        Some(_) | None => Vec::new(),
    };
    if content.last().is_some_and(|last| !is_text(last)) {
        content.pop();
    }
    let kept = head.len();
    let note = format!(
        "[cut by tipstaff: the answer had {size} bytes, of which the first {kept} were read]"
    );
    content.push(json!({ "type": "text", "text": note }));
    result.insert("content".to_owned(), Value::Array(content));
    if skim.is_error {
        result.insert("isError".to_owned(), Value::Bool(true));
    }
    Value::Object(result)
}

/// Code and message of an error whose frame was too long.
pub(crate) fn error(head: &[u8], size: u64, skim: &Skim) -> (i64, String) {
    let code = skim
        .code
        .as_ref()
        .and_then(|code| std::str::from_utf8(code).ok())
        .and_then(|code| code.parse().ok());
    let object = readable(head, skim);
    let message = object
        .get("error")
        .and_then(|error| error.get("message"))
        .and_then(Value::as_str)
        .unwrap_or("");
    let message: String = message.chars().take(super::MAX_WHY_CHARS).collect();
    (
        code.unwrap_or(-32603),
        format!("{message} [cut by tipstaff: the error had {size} bytes]"),
    )
}

fn is_text(block: &Value) -> bool {
    block.get("type").and_then(Value::as_str) == Some("text")
        && block.get("text").is_some_and(Value::is_string)
}
