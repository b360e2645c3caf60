//! What differs between two definitions of a tool, place by place and within texts word by word:
//! what a person reads before accepting a change.
//!
//! Whatever changes the pin shows up here: the raw entry, the server's identity, its instructions.
//! Bounded in number and length, and never cut silently. Displays as lines that are safe to print.

use std::fmt;

use serde_json::{Map, Value};
use similar::{Algorithm, DiffTag, capture_diff_slices};
use tipstaff_schema::sanitization::sanitize_for_display;

use crate::pin::ServerIdentity;
use crate::words::{Piece, pieces};

/// Most changes that are told one by one.
const MAX_CHANGES: usize = 200;
/// Longest lists of which the items are matched; longer ones are compared by place.
const MAX_MATCHED: usize = 500;
/// Longest value that is shown whole, in characters of JSON.
const MAX_VALUE: usize = 2_000;
/// Deepest place that is told; what differs below is told there.
const MAX_DEPTH: usize = 100;

/// Where a change lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// In the tool's own entry of the listing.
    Entry,
    /// In the server: its identity, or its instructions.
    Server,
}

impl Part {
    /// `entry` or `server`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Entry => "entry",
            Self::Server => "server",
        }
    }
}

/// One difference. Its texts are as received: untrusted, not cleaned.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// In what.
    pub part: Part,
    /// The JSON pointer; of an item that is gone its old place, of any other its new one.
    pub pointer: String,
    /// How it differs.
    pub how: How,
}

/// How a place differs.
#[derive(Debug, Clone, PartialEq)]
pub enum How {
    /// It is new: as JSON, cut.
    Added(String),
    /// It is gone: as JSON, cut.
    Removed(String),
    /// It is something else now: both as JSON, cut.
    Replaced {
        /// Before.
        was: String,
        /// Now.
        now: String,
    },
    /// A text in which words changed.
    Text(Vec<Piece>),
}

/// All differences of two definitions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DefinitionDiff {
    /// The differences, those of the server first, then by place.
    pub changes: Vec<Change>,
    /// How many more there are.
    pub left_out: usize,
}

impl DefinitionDiff {
    /// What differs between two entries of a listing.
    #[must_use]
    pub fn of(was: &Value, now: &Value) -> Self {
        let mut diff = Self::default();
        diff.value(Part::Entry, was, now, &mut String::new(), 0);
        diff
    }

    /// What differs between two entries and the servers that listed them.
    #[must_use]
    pub fn with_servers(
        (was, was_of): (&Value, &ServerIdentity),
        (now, now_of): (&Value, &ServerIdentity),
    ) -> Self {
        let mut diff = Self::default();
        let (old, new) = (was_of.shown(), now_of.shown());
        diff.value(Part::Server, &old, &new, &mut String::new(), 0);
        diff.value(Part::Entry, was, now, &mut String::new(), 0);
        diff
    }

    /// Whether nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.left_out == 0
    }

    fn push(&mut self, part: Part, at: &str, how: How) {
        if self.changes.len() >= MAX_CHANGES {
            self.left_out += 1;
            return;
        }
        let pointer = at.to_owned();
        self.changes.push(Change { part, pointer, how });
    }

    fn value(&mut self, part: Part, was: &Value, now: &Value, at: &mut String, depth: usize) {
        match (was, now) {
            _ if was == now => {}
            (Value::Object(old), Value::Object(new)) if depth < MAX_DEPTH => {
                self.object(part, old, new, at, depth);
            }
            (Value::Array(old), Value::Array(new)) if depth < MAX_DEPTH => {
                self.list(part, old, new, at, depth);
            }
            (Value::String(old), Value::String(new)) => {
                self.push(part, at, How::Text(pieces(old, new)));
            }
            (_, _) => {
                let (was, now) = (shown(was), shown(now));
                self.push(part, at, How::Replaced { was, now });
            }
        }
    }

    fn object(
        &mut self,
        part: Part,
        old: &Map<String, Value>,
        new: &Map<String, Value>,
        at: &mut String,
        depth: usize,
    ) {
        let mut keys: Vec<&String> = old.keys().chain(new.keys()).collect();
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            let here = at.len();
            at.push('/');
            at.push_str(&key.replace('~', "~0").replace('/', "~1"));
            match (old.get(key), new.get(key)) {
                (Some(was), Some(now)) => self.value(part, was, now, at, depth + 1),
                (Some(was), None) => self.push(part, at, How::Removed(shown(was))),
                (None, Some(now)) => self.push(part, at, How::Added(shown(now))),
                (None, None) => {}
            }
            at.truncate(here);
        }
    }

    /// Lists of one length by place; others after their equal items are matched, so that an item put
    /// in front does not make all others look changed.
    fn list(&mut self, part: Part, old: &[Value], new: &[Value], at: &mut String, depth: usize) {
        let longest = old.len().max(new.len());
        if old.len() == new.len() || longest > MAX_MATCHED {
            for index in 0..longest {
                self.item((part, depth), (old, index), (new, index), at);
            }
            return;
        }
        let text = |list: &[Value]| list.iter().map(Value::to_string).collect::<Vec<_>>();
        for op in capture_diff_slices(Algorithm::Myers, &text(old), &text(new)) {
            let (tag, was, now) = op.as_tag_tuple();
            if tag == DiffTag::Equal {
                continue;
            }
            let (old, new) = (
                old.get(..was.end).unwrap_or_default(),
                new.get(..now.end).unwrap_or_default(),
            );
            for offset in 0..was.len().max(now.len()) {
                let (was, now) = (was.start + offset, now.start + offset);
                self.item((part, depth), (old, was), (new, now), at);
            }
        }
    }

    /// The items at two places that belong together; beyond the end of its list there is none.
    fn item(
        &mut self,
        (part, depth): (Part, usize),
        (old, was_at): (&[Value], usize),
        (new, now_at): (&[Value], usize),
        at: &mut String,
    ) {
        let (was, now) = (old.get(was_at), new.get(now_at));
        let here = at.len();
        at.push_str(&format!("/{}", if now.is_some() { now_at } else { was_at }));
        match (was, now) {
            (Some(was), Some(now)) => self.value(part, was, now, at, depth + 1),
            (Some(was), None) => self.push(part, at, How::Removed(shown(was))),
            (None, Some(now)) => self.push(part, at, How::Added(shown(now))),
            (None, None) => {}
        }
        at.truncate(here);
    }
}

/// A value as JSON, cut; how much was cut is said.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    let count = text.chars().count();
    if count <= MAX_VALUE {
        return text;
    }
    let head: String = text.chars().take(MAX_VALUE).collect();
    format!("{head}… ({} more characters)", count - MAX_VALUE)
}

/// Foreign text between our marks: cleaned, and what looks like a mark of ours taken apart.
fn fenced(text: &str) -> String {
    let mut clean = sanitize_for_display(text);
    for (mark, apart) in [
        ("[-", "[\\-"),
        ("-]", "-\\]"),
        ("{+", "{\\+"),
        ("+}", "+\\}"),
    ] {
        clean = clean.replace(mark, apart);
    }
    clean
}

/// One line; words that went stand in `[-…-]`, words that came in `{+…+}`.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match &self.how {
            How::Added(_) => '+',
            How::Removed(_) => '-',
            How::Replaced { .. } | How::Text(_) => '~',
        };
        let part = match self.part {
            Part::Entry => "",
            Part::Server => "server ",
        };
        let pointer = if self.pointer.is_empty() {
            "(the whole)".to_owned()
        } else {
            sanitize_for_display(&self.pointer)
        };
        write!(f, "{sign} {part}{pointer}: ")?;
        match &self.how {
            How::Added(value) => write!(f, "{{+{}+}}", fenced(value)),
            How::Removed(value) => write!(f, "[-{}-]", fenced(value)),
            How::Replaced { was, now } => {
                write!(f, "[-{}-]{{+{}+}}", fenced(was), fenced(now))
            }
            How::Text(pieces) => pieces.iter().try_for_each(|piece| match piece {
                Piece::Same(text) => f.write_str(&fenced(text)),
                Piece::Removed(text) => write!(f, "[-{}-]", fenced(text)),
                Piece::Added(text) => write!(f, "{{+{}+}}", fenced(text)),
                Piece::LeftOut(count) => write!(f, " … ({count} characters) … "),
            }),
        }
    }
}

/// A line for each change, in order, and one for those left out.
impl fmt::Display for DefinitionDiff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, change) in self.changes.iter().enumerate() {
            let end = if index == 0 { "" } else { "\n" };
            write!(f, "{end}{change}")?;
        }
        if self.left_out > 0 {
            write!(f, "\n… and {} more changes", self.left_out)?;
        }
        Ok(())
    }
}
