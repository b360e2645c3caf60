//! RFC 6901 pointers, read strictly.
//!
//! `serde_json`'s own `pointer` accepts bad escapes, so pointers are checked here and walked here.
//! There is no percent decoding and no `-`: for reading, the element past the end never exists.

use serde_json::Value;

use crate::error::{ConditionError, Shown};

/// No JSON document that we read is deeper.
pub(crate) const MAX_STEPS: usize = 128;

/// A checked pointer.
// INVARIANT: `text` is a valid RFC 6901 pointer with 1 to `MAX_STEPS` steps; `steps` are those, unescaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pointer {
    text: String,
    steps: Vec<String>,
}

impl Pointer {
    pub(crate) fn parse(text: &str) -> Result<Self, ConditionError> {
        let path = || Shown::new(text);
        if text.is_empty() {
            return Err(ConditionError::EmptyPath);
        }
        let Some(rest) = text.strip_prefix('/') else {
            let fix = text.trim_start_matches("$.").replace('.', "/");
            return Err(ConditionError::NoSlash {
                path: path(),
                fix: Shown::new(&format!("/{fix}")),
            });
        };
        let steps: Option<Vec<String>> = rest.split('/').map(unescape).collect();
        let Some(steps) = steps else {
            return Err(ConditionError::BadEscape { path: path() });
        };
        if steps.len() > MAX_STEPS {
            return Err(ConditionError::TooDeep {
                path: path(),
                max: MAX_STEPS,
            });
        }
        let zeros = |step: &&String| {
            step.len() > 1 && step.starts_with('0') && step.bytes().all(|b| b.is_ascii_digit())
        };
        if let Some(index) = steps.iter().find(zeros) {
            return Err(ConditionError::LeadingZero {
                path: path(),
                index: Shown::new(index),
            });
        }
        Ok(Self {
            text: text.to_owned(),
            steps,
        })
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn steps(&self) -> &[String] {
        &self.steps
    }

    pub(crate) fn select<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        walk(value, &self.steps)
    }
}

/// Follows unescaped steps.
pub(crate) fn walk<'a>(value: &'a Value, steps: &[String]) -> Option<&'a Value> {
    steps
        .iter()
        .try_fold(value, |value, step| child(value, step))
}

fn child<'a>(value: &'a Value, step: &str) -> Option<&'a Value> {
    match value {
        Value::Object(map) => map.get(step),
        Value::Array(items) => items.get(array_index(step)?),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// The array index that an unescaped step spells: digits, no sign, no leading zero. `None` for all else.
#[must_use]
pub fn array_index(step: &str) -> Option<usize> {
    let plain = step == "0" || (!step.starts_with('0') && step.bytes().all(|b| b.is_ascii_digit()));
    plain.then(|| step.parse().ok()).flatten()
}

/// `~1` is `/` and `~0` is `~`; anything else after `~` is an error.
fn unescape(step: &str) -> Option<String> {
    let mut out = String::with_capacity(step.len());
    let mut chars = step.chars();
    while let Some(c) = chars.next() {
        match c {
            '~' => out.push(match chars.next()? {
                '0' => '~',
                '1' => '/',
                _ => return None,
            }),
            c => out.push(c),
        }
    }
    Some(out)
}

/// The value that an RFC 6901 pointer selects. `None` where it selects nothing, and where the
/// pointer is not one; unlike in a condition, the empty pointer is the whole document.
#[must_use]
pub fn select<'a>(value: &'a Value, pointer: &str) -> Option<&'a Value> {
    if pointer.is_empty() {
        return Some(value);
    }
    let rest = pointer.strip_prefix('/')?;
    rest.split('/').try_fold(value, |value, step| {
        if step.contains('~') {
            child(value, &unescape(step)?)
        } else {
            child(value, step)
        }
    })
}
