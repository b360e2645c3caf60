//! What a reviewer should notice in a tool's texts. It flags; the fence protects.
//!
//! First version: what cannot be seen, and plain instructions to a model. Knows nothing of what
//! the tool is for, and decides nothing.

use std::ops::Range;

use serde_json::Value;
use tipstaff_schema::sanitization::sanitize;
use unicode_security::MixedScript as _;

use crate::shadow::skeleton_of;
use crate::show;

/// One thing to notice in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFinding {
    /// What sort of thing.
    pub kind: FindingKind,
    /// Where, in bytes of the text.
    pub span: Range<usize>,
    /// What is wrong with it, for people.
    pub why: String,
}

/// The sorts of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FindingKind {
    /// Characters that are not shown, or that change the order of others.
    Hidden,
    /// Comments and tags that a page would not show but a model reads.
    Markup,
    /// Marks that set off turns or roles in a prompt.
    RoleMark,
    /// A command to the reader, such as to ignore what came before.
    Instruction,
    /// A request to keep something from the user.
    Secrecy,
    /// A long run of encoded data.
    Encoded,
    /// A word that mixes scripts, so that it passes for another.
    MixedScript,
    /// A word of the schema that does nothing and looks like a mistyped one.
    SchemaTypo,
}

/// Most findings told of one text, and of one tool.
const MAX_FINDINGS: usize = 50;
/// Shortest run of letters and digits that counts as encoded data.
const ENCODED_RUN: usize = 64;

/// What the phrases of one kind are, in lower case, and what to say of one.
struct Phrases {
    kind: FindingKind,
    why: &'static str,
    phrases: &'static [&'static str],
}

const PHRASES: &[Phrases] = &[
    Phrases {
        kind: FindingKind::Markup,
        why: "is read by models and not shown by pages",
        phrases: &[
            "<!--",
            "<important",
            "<system",
            "<instruction",
            "<hidden",
            "<secret",
            "<critical",
        ],
    },
    Phrases {
        kind: FindingKind::RoleMark,
        why: "sets off a turn or a role in prompts",
        phrases: &[
            "<|",
            "|>",
            "[inst]",
            "[/inst]",
            "<<sys>>",
            "### system",
            "### instruction",
        ],
    },
    Phrases {
        kind: FindingKind::Instruction,
        why: "speaks to the model that reads it",
        phrases: &[
            "ignore all previous",
            "ignore all prior",
            "ignore any previous",
            "ignore previous",
            "ignore prior",
            "ignore the above",
            "ignore the previous",
            "ignore your",
            "disregard all",
            "disregard previous",
            "disregard the above",
            "disregard your",
            "forget all previous",
            "forget everything",
            "forget your",
            "override your",
            "new instructions",
            "before using this tool",
            "before calling this tool",
            "before using any",
        ],
    },
    Phrases {
        kind: FindingKind::Secrecy,
        why: "asks to keep something from the user",
        phrases: &[
            "do not tell",
            "don't tell",
            "never tell",
            "do not mention",
            "don't mention",
            "never mention",
            "do not inform",
            "do not reveal",
            "do not notify",
            "without telling",
            "without informing",
            "keep this secret",
            "hide this from",
        ],
    },
];
const ROLE_LINES: &[&str] = &["system:", "assistant:", "human:", "[system]"];

/// What to notice in one text, in the order of its places; at most 50.
#[must_use]
pub fn findings(text: &str) -> Vec<TextFinding> {
    let mut found = hidden(text);
    // Lower-cased byte by byte, so that places stay those of the text.
    let lower = text.to_ascii_lowercase();
    found.extend(phrases(&lower));
    found.extend(role_lines(&lower));
    found.extend(words(text));
    found.sort_by_key(|finding| (finding.span.start, finding.kind));
    found.truncate(MAX_FINDINGS);
    found
}

/// Phrases that begin where a word does.
fn phrases(lower: &str) -> Vec<TextFinding> {
    let mut found = Vec::new();
    let mut in_word = false;
    for (at, c) in lower.char_indices() {
        let begins = !(in_word && c.is_alphanumeric());
        in_word = c.is_alphanumeric();
        let Some(rest) = lower.get(at..).filter(|_| begins) else {
            continue;
        };
        for Phrases { kind, why, phrases } in PHRASES {
            if let Some(phrase) = phrases.iter().find(|phrase| rest.starts_with(**phrase)) {
                let why = format!("`{phrase}` {why}");
                found.push(TextFinding {
                    kind: *kind,
                    span: at..at + phrase.len(),
                    why,
                });
            }
        }
    }
    found
}

/// What cleaning would remove, run by run. A carriage return before a newline hides nothing.
fn hidden(text: &str) -> Vec<TextFinding> {
    let clean = sanitize(text);
    let mut kept = clean.chars().peekable();
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let shown = if matches!(c, '\u{2028}' | '\u{2029}') {
            '\n'
        } else {
            c
        };
        if kept.next_if_eq(&shown).is_some()
            || (c == '\r' && chars.peek().is_some_and(|(_, next)| *next == '\n'))
        {
            continue;
        }
        let end = at + c.len_utf8();
        match runs.last_mut() {
            Some(run) if run.end == at => run.end = end,
            Some(_) | None => runs.push(at..end),
        }
    }
    let told = |span: Range<usize>| {
        let first = text
            .get(span.clone())
            .and_then(|run| run.chars().next())
            .map_or(0, u32::from);
        let why = format!("characters that are not shown, from U+{first:04X}");
        TextFinding {
            kind: FindingKind::Hidden,
            span,
            why,
        }
    };
    runs.into_iter().map(told).collect()
}

fn role_lines(lower: &str) -> Vec<TextFinding> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in lower.split_inclusive('\n') {
        let start = at + line.len() - line.trim_start().len();
        if let Some(mark) = ROLE_LINES
            .iter()
            .find(|mark| line.trim_start().starts_with(**mark))
        {
            let why =
                format!("a line that begins with `{mark}` looks like a turn of somebody else");
            found.push(TextFinding {
                kind: FindingKind::RoleMark,
                span: start..start + mark.len(),
                why,
            });
        }
        at += line.len();
    }
    found
}

/// Encoded blobs, and words that mix scripts and look like plain ASCII ones.
fn words(text: &str) -> Vec<TextFinding> {
    let mut found = Vec::new();
    let mut at = 0;
    for word in text.split_inclusive(|c: char| !(c.is_alphanumeric() || c == '+' || c == '=')) {
        let body = word.trim_end_matches(|c: char| !(c.is_alphanumeric() || c == '+' || c == '='));
        let span = at..at + body.len();
        at += word.len();
        let has = |kind: fn(&char) -> bool| body.chars().any(|c| kind(&c));
        if body.len() >= ENCODED_RUN
            && body.is_ascii()
            && has(char::is_ascii_digit)
            && has(char::is_ascii_alphabetic)
        {
            let why = format!("{} letters and digits in a row: encoded data?", body.len());
            found.push(TextFinding {
                kind: FindingKind::Encoded,
                span,
                why,
            });
        } else if !body.is_ascii() && !body.is_single_script() && skeleton_of(body).is_ascii() {
            let why = format!(
                "`{}` mixes scripts: it may pass for another word",
                show::name(body)
            );
            found.push(TextFinding {
                kind: FindingKind::MixedScript,
                span,
                why,
            });
        }
    }
    found
}

/// What to notice in all texts of a tool's entry, keys and values; each says where it stands.
/// The entry is within the bounds of a definition.
pub(crate) fn findings_in(raw: &Value) -> Vec<TextFinding> {
    let mut found = Vec::new();
    let mut open = vec![(raw, String::new())];
    while let Some((node, at)) = open.pop() {
        let mut look = |text: &str, at: &str| {
            let place = show::name(at);
            found.extend(findings(text).into_iter().map(|finding| TextFinding {
                why: format!("`{place}`: {}", finding.why),
                ..finding
            }));
        };
        match node {
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
            Value::String(text) => look(text, &at),
            Value::Array(items) => {
                open.extend(
                    items
                        .iter()
                        .enumerate()
                        .map(|(index, item)| (item, format!("{at}/{index}")))
                        .rev(),
                );
            }
            Value::Object(members) => {
                let mut members: Vec<(&String, &Value)> = members.iter().collect();
                members.sort_by(|a, b| b.0.cmp(a.0));
                for (key, member) in members {
                    look(key, &format!("{at}/{key}"));
                    open.push((member, format!("{at}/{key}")));
                }
            }
        }
        if found.len() > MAX_FINDINGS {
            break;
        }
    }
    found.truncate(MAX_FINDINGS);
    found
}
