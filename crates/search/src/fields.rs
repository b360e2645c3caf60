//! What of a tool is searched, and how much each part weighs.
//!
//! Names say most with fewest words; a schema's prose says least. Everything here is the server's
//! word, so a server can push its own tools: search finds, policy decides.

use serde_json::Value;
use tipstaff_schema::ToolDescriptor;

use crate::bag::{Bags, Gathered};
use crate::words::{Stems, words};

/// Quarters that a word counts in each field.
const NAME: u16 = 8;
const SAID: u16 = 6;
const PARAMETER: u16 = 3;
const ABOUT_PARAMETER: u16 = 3;
const TAG: u16 = 4;
const USAGE: u16 = 3;

/// The most words that a schema adds, the deepest that it is read, and the most bytes of one text.
const MAX_SCHEMA_TEXTS: usize = 512;
const MAX_DEPTH: usize = 8;
const MAX_TEXT: usize = 16 * 1024;

/// The most words of one tool; names come first, so it is prose that is cut.
const MAX_TOOL_WORDS: usize = 4_096;

/// A tool's texts as features.
pub(crate) fn bags(stems: &Stems, tool: &ToolDescriptor) -> Bags {
    let mut gathered = Gathered::default();
    let mut left = MAX_TOOL_WORDS;
    let mut add = |text: &str, quarters| {
        let mut words = words(cut(text));
        words.truncate(left);
        left -= words.len();
        gathered.add(stems, &words, quarters);
    };
    add(&name(tool), NAME);
    if let Some(title) = &tool.title {
        add(title, SAID);
    }
    add(&tool.description, SAID);
    for (kind, text) in schema_texts(&tool.input_schema) {
        match kind {
            Text::Name => add(text, PARAMETER),
            Text::Prose => add(text, ABOUT_PARAMETER),
        }
    }
    for tag in &tool.capabilities {
        add(tag, TAG);
    }
    let usage = &tool.usage;
    for text in [&usage.when_to_use, &usage.example].into_iter().flatten() {
        add(text, USAGE);
    }
    for text in &usage.preconditions {
        add(text, USAGE);
    }
    gathered.bags()
}

/// The name that people know: of a server's tool with the server's, else the verb and the last part of the id.
fn name(tool: &ToolDescriptor) -> String {
    let verb = &tool.verb;
    let by_verb = if verb.namespace == "mcp" {
        String::new()
    } else {
        format!("{} {}", verb.namespace, verb.action)
    };
    let own = tool.mcp_tool_name();
    match &tool.source {
        tipstaff_schema::ToolSource::McpServer { server } => format!("{server} {own} {by_verb}"),
        tipstaff_schema::ToolSource::NativeBackend { .. }
        | tipstaff_schema::ToolSource::Terminal => format!("{} {by_verb}", tool.tool_id),
    }
}

/// What a text of a schema is.
#[derive(Debug, Clone, Copy)]
enum Text {
    Name,
    Prose,
}

/// Names of parameters and what is said of them, in the order of their keys.
fn schema_texts(schema: &Value) -> Vec<(Text, &str)> {
    let mut texts = Vec::new();
    collect(schema, 0, &mut texts);
    texts
}

fn collect<'a>(schema: &'a Value, depth: usize, texts: &mut Vec<(Text, &'a str)>) {
    let Value::Object(schema) = schema else {
        return;
    };
    if depth > MAX_DEPTH {
        return;
    }
    if let Some(Value::String(prose)) = schema.get("description") {
        push(texts, Text::Prose, prose);
    }
    if let Some(Value::Object(properties)) = schema.get("properties") {
        let mut sorted: Vec<_> = properties.iter().collect();
        sorted.sort_unstable_by_key(|(name, _)| *name);
        for (name, inner) in sorted {
            push(texts, Text::Name, name);
            collect(inner, depth + 1, texts);
        }
    }
    for key in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get(key) {
            collect(inner, depth + 1, texts);
        }
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        for inner in schema
            .get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            collect(inner, depth + 1, texts);
        }
    }
}

fn push<'a>(texts: &mut Vec<(Text, &'a str)>, kind: Text, text: &'a str) {
    if texts.len() < MAX_SCHEMA_TEXTS {
        texts.push((kind, text));
    }
}

/// The text up to [`MAX_TEXT`], at a character's border.
pub(crate) fn cut(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_TEXT))
        .unwrap_or(text)
}
