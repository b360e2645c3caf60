//! Exact comparison of JSON numbers, and equality of JSON values in which numbers compare by value.
//!
//! Nothing is rounded through `f64`: 2^53 and 2^53 + 1 differ, and 1 equals 1.0.

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// 2^64 as a float; exact, since it is a power of two.
const TWO_64: f64 = 18_446_744_073_709_551_616.0;

/// Compares by value. `None` only for a float that is not finite, which JSON cannot hold.
pub(crate) fn compare(a: &Number, b: &Number) -> Option<Ordering> {
    match (whole(a), whole(b)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        (Some(a), None) => whole_with_float(a, b.as_f64()?),
        (None, Some(b)) => whole_with_float(b, a.as_f64()?).map(Ordering::reverse),
        (None, None) => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}

fn whole(number: &Number) -> Option<i128> {
    number
        .as_i64()
        .map(i128::from)
        .or_else(|| number.as_u64().map(i128::from))
}

fn whole_with_float(whole: i128, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    if float >= TWO_64 {
        return Some(Ordering::Less);
    }
    if float <= -TWO_64 {
        return Some(Ordering::Greater);
    }
    // Below 2^64 the integer part of a float fits an i128 exactly.
    let integer = float.trunc() as i128;
    let fraction = float.fract();
    Some(whole.cmp(&integer).then(if fraction > 0.0 {
        Ordering::Less
    } else if fraction < 0.0 {
        Ordering::Greater
    } else {
        Ordering::Equal
    }))
}

/// Deep equality; numbers by value, strings byte for byte, objects without order.
pub(crate) fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => compare(a, b) == Some(Ordering::Equal),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        (a, b) => a == b,
    }
}

/// The first number in the value that was read as a float beyond 2^53: what was written is lost.
pub(crate) fn inexact(value: &Value) -> Option<&Number> {
    match value {
        Value::Number(number) => {
            let lost = whole(number).is_none()
                && number
                    .as_f64()
                    .is_some_and(|f| f.abs() >= 9_007_199_254_740_992.0);
            lost.then_some(number)
        }
        Value::Array(items) => items.iter().find_map(inexact),
        Value::Object(map) => map.values().find_map(inexact),
        Value::Null | Value::Bool(_) | Value::String(_) => None,
    }
}
