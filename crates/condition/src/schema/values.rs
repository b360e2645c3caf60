//! What a schema says of one value: its type, its limits, its listed values.
//!
//! Only what is plain is looked at; everything else counts as possible.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

use super::draft::Draft;
use super::{Goal, Never};
use crate::error::Shown;
use crate::number::compare;
use crate::pointer::walk;

/// Whether `type`, where it is given, names the type. A number that is whole counts as both kinds.
pub(super) fn permits(map: &Map<String, Value>, wanted: &str) -> bool {
    match map.get("type") {
        Some(Value::String(name)) => name == wanted,
        Some(Value::Array(names)) => names.iter().any(|name| name == wanted),
        _ => true,
    }
}

pub(super) fn types(map: &Map<String, Value>) -> String {
    Shown::new(&map.get("type").map(ToString::to_string).unwrap_or_default())
        .to_string()
        .replace("\\\"", "")
}

/// `enum` and `const`: some listed value must reach the goal.
pub(super) fn listed_values(
    map: &Map<String, Value>,
    steps: &[String],
    goal: Goal<'_>,
    draft: Draft,
) -> Never {
    let reaches = |value: &Value| walk(value, steps).is_some_and(|value| goal.holds(value));
    let by_enum = map
        .get("enum")
        .and_then(Value::as_array)
        .is_some_and(|values| !values.iter().any(reaches));
    let by_const = draft.has_const() && map.get("const").is_some_and(|value| !reaches(value));
    (by_enum || by_const).then(|| "none of the values that the schema lists fits".to_owned())
}

/// Why a value is not valid at the end of the pointer. Only what is plain is looked at.
pub(super) fn unfit(map: &Map<String, Value>, value: &Value, draft: Draft) -> Never {
    let permitted = match value {
        Value::Null => permits(map, "null"),
        Value::Bool(_) => permits(map, "boolean"),
        Value::String(_) => permits(map, "string"),
        Value::Array(_) => permits(map, "array"),
        Value::Object(_) => permits(map, "object"),
        Value::Number(number) => {
            permits(map, "number") || (permits(map, "integer") && is_whole(number))
        }
    };
    if !permitted {
        return Some(format!("the schema says {}", types(map)));
    }
    match value {
        Value::Number(number) => {
            above_maximum(map, number, draft).or_else(|| below_minimum(map, number, draft))
        }
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            None
        }
    }
}

fn is_whole(number: &Number) -> bool {
    number.as_f64().is_none_or(|float| float.fract() == 0.0)
}

pub(super) fn number_needed(map: &Map<String, Value>) -> Never {
    (!permits(map, "number") && !permits(map, "integer"))
        .then(|| format!("a number is needed, the schema says {}", types(map)))
}

pub(super) fn above_maximum(map: &Map<String, Value>, bound: &Number, draft: Draft) -> Never {
    let beyond = |key: &str, refuse: fn(Ordering) -> bool| {
        let Some(Value::Number(limit)) = map.get(key) else {
            return None;
        };
        compare(bound, limit)
            .is_some_and(refuse)
            .then(|| format!("the schema says `{key}: {limit}`"))
    };
    beyond("maximum", Ordering::is_gt).or_else(|| {
        let numeric = draft.has_exclusive_numbers();
        numeric.then(|| beyond("exclusiveMaximum", Ordering::is_ge))?
    })
}

pub(super) fn below_minimum(map: &Map<String, Value>, bound: &Number, draft: Draft) -> Never {
    let beyond = |key: &str, refuse: fn(Ordering) -> bool| {
        let Some(Value::Number(limit)) = map.get(key) else {
            return None;
        };
        compare(bound, limit)
            .is_some_and(refuse)
            .then(|| format!("the schema says `{key}: {limit}`"))
    };
    beyond("minimum", Ordering::is_lt).or_else(|| {
        let numeric = draft.has_exclusive_numbers();
        numeric.then(|| beyond("exclusiveMinimum", Ordering::is_le))?
    })
}

/// Whether a regular expression made of plain characters and anchors matches; `None` for any other.
pub(super) fn plain_match(pattern: &str, step: &str) -> Option<bool> {
    let (start, body) = match pattern.strip_prefix('^') {
        Some(body) => (true, body),
        None => (false, pattern),
    };
    let (end, body) = match body.strip_suffix('$') {
        Some(body) => (true, body),
        None => (false, body),
    };
    if !body
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "_-/ ".contains(c))
    {
        return None;
    }
    Some(match (start, end) {
        (true, true) => step == body,
        (true, false) => step.starts_with(body),
        (false, true) => step.ends_with(body),
        (false, false) => step.contains(body),
    })
}
