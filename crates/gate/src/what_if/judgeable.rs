//! Why a recorded call cannot be judged again.

use serde_json::Value;

/// Why a recorded call cannot be judged again. Nothing is guessed in its place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[non_exhaustive]
pub enum NotJudgeable {
    /// The gate that recorded it did not yet keep what judging rests on.
    #[error("it was recorded by a version that did not keep what judging rests on")]
    Old,
    /// What judging rests on was too large to be kept, or is in a form that this version does not know.
    #[error("what judging rests on was not kept, or not in a form that is known here: {what}")]
    Unreadable {
        /// Which part.
        what: &'static str,
    },
    /// A value that decides was redacted.
    #[error("`{pointer}` was redacted before it was recorded")]
    Redacted {
        /// Where.
        pointer: String,
    },
    /// A value that decides was too large to be kept.
    #[error("`{pointer}` was too large to be recorded")]
    TooLarge {
        /// Where.
        pointer: String,
    },
    /// The candidate has no such tool, or not the server that it is of.
    #[error("the candidate does not know the tool")]
    UnknownTool,
    /// The candidate derives a path from the arguments at which nobody looked then.
    #[error("it was not recorded where `{path}` led")]
    UnknownFile {
        /// The path.
        path: String,
    },
}

/// The marks that stand for what was not recorded, as pointers into the value.
pub(super) fn marks(value: &Value) -> Vec<NotJudgeable> {
    let mut found = Vec::new();
    look(value, "", &mut found);
    found
}

fn look(value: &Value, pointer: &str, found: &mut Vec<NotJudgeable>) {
    match value {
        Value::Object(map) => {
            let pointer_here = || pointer.to_owned();
            if map.contains_key("$redacted") {
                found.push(NotJudgeable::Redacted {
                    pointer: pointer_here(),
                });
            } else if map.contains_key("$capped") {
                found.push(NotJudgeable::TooLarge {
                    pointer: pointer_here(),
                });
            } else {
                for (key, inner) in map {
                    let key = key.replace('~', "~0").replace('/', "~1");
                    look(inner, &format!("{pointer}/{key}"), found);
                }
            }
        }
        Value::Array(items) => {
            for (index, inner) in items.iter().enumerate() {
                look(inner, &format!("{pointer}/{index}"), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

impl NotJudgeable {
    /// Whether the mark stands in the place of something at the pointer, above it or below it.
    pub(super) fn hides(&self, judged: &str) -> bool {
        let (Self::Redacted { pointer } | Self::TooLarge { pointer }) = self else {
            return true;
        };
        let within = |inner: &str, outer: &str| {
            inner
                .strip_prefix(outer)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        within(judged, pointer) || within(pointer, judged)
    }
}
