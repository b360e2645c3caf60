//! What a reviewer should notice in a tool's texts. It flags; the fence protects.
//!
//! Finds what cannot be seen, what sets off roles and markup, encoded text, and phrases that speak
//! to a model rather than of a tool. Knows nothing of what the tool is for, and decides nothing. How
//! much it finds, and how often it cries wolf, is measured (`docs/bench.md`). Linear in the text.

mod encoded;
mod hidden;
mod normal;
mod phrases;
mod table;

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;
use unicode_security::MixedScript as _;

use self::normal::Normal;
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
    /// A request to pass on what is none of the tool's business, or to a place of its own choosing.
    Exfiltration,
    /// A claim over other tools, or on what to do when they are called.
    Priority,
    /// Words for acting unseen.
    Covert,
    /// A long run of encoded data, or one that decodes to text.
    Encoded,
    /// A word that mixes scripts, so that it passes for another.
    MixedScript,
    /// A word of the schema that does nothing and looks like a mistyped one.
    SchemaTypo,
}

/// Most findings told of one text, and of one tool.
const MAX_FINDINGS: usize = 50;

const ROLE_LINES: &[&str] = &["system:", "assistant:", "human:", "[system]"];

/// What to notice in one text, in the order of its places; at most 50.
#[must_use]
pub fn findings(text: &str) -> Vec<TextFinding> {
    let unseen = hidden::runs(text);
    let normal = Normal::of(text, &unseen);
    let mut found: Vec<TextFinding> = unseen
        .into_iter()
        .map(|span| hidden::told(text, span))
        .collect();
    found.extend(phrases::found(&normal));
    found.extend(role_lines(&text.to_ascii_lowercase()));
    found.extend(encoded::found(text));
    found.extend(mixed(text));
    found.sort_by(|a, b| {
        let place = |one: &TextFinding| (one.span.start, std::cmp::Reverse(one.span.end), one.kind);
        place(a).cmp(&place(b))
    });
    told_once(&mut found);
    found.truncate(MAX_FINDINGS);
    found
}

/// Leaves out what stands within a finding of its own kind.
fn told_once(found: &mut Vec<TextFinding>) {
    let mut ends: BTreeMap<FindingKind, usize> = BTreeMap::new();
    found.retain(|one| {
        let end = ends.entry(one.kind).or_default();
        let new = one.span.end > *end;
        *end = one.span.end.max(*end);
        new
    });
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

/// Words that mix scripts and look like plain ASCII ones.
fn mixed(text: &str) -> Vec<TextFinding> {
    let mut found = Vec::new();
    let mut at = 0;
    for word in text.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let body = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        let span = at..at + body.len();
        at += word.len();
        if !body.is_ascii() && !body.is_single_script() && skeleton_of(body).is_ascii() {
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
