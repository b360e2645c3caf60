//! The rules of this crate, one file for each idea. What holds on the wire is in `tests/wire.rs`.

mod canonical;
mod digest;
mod hints;
mod hostile;
mod intent;
#[cfg(feature = "compat")]
mod legacy;
mod names;
mod number;
mod sanitization;
mod strict;
mod tools;
mod traits;
mod verbs;

use proptest::prelude::*;
use serde_json::{Number, Value};

/// Any value as the strict reader would give it: a whole number is an integer, never a float.
fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        fraction().prop_map(|float| Number::from_f64(float).map_or(Value::Null, Value::Number)),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Floats that are not whole, of every size.
fn fraction() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("whole", |float| float.is_finite() && float.fract() != 0.0)
}

/// Short text, often with characters that need care.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c]{0,3}",
        "[\\x00-\\x7f]{0,6}",
        "\\PC{0,4}",
        "[\u{d7ff}\u{e000}\u{fb33}😀é]{0,3}"
    ]
}
