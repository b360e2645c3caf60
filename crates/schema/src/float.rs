//! Writes an `f32` with its own shortest digits, so that 0.9 stays 0.9 in text and in a value.
//!
//! Left to itself serde widens it to an `f64` on the way to a value: 0.8999999761581421, and the
//! digest of the value is then not that of the text.

use serde::ser::{Serialize, SerializeSeq, Serializer};

fn widen(number: f32) -> f64 {
    number
        .to_string()
        .parse()
        .unwrap_or_else(|_| f64::from(number))
}

pub(crate) fn one<S: Serializer>(number: &f32, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_f64(widen(*number))
}

pub(crate) fn option<S: Serializer>(number: &Option<f32>, out: S) -> Result<S::Ok, S::Error> {
    number.map(widen).serialize(out)
}

pub(crate) fn list<S: Serializer>(numbers: &Option<Vec<f32>>, out: S) -> Result<S::Ok, S::Error> {
    let Some(numbers) = numbers else {
        return out.serialize_none();
    };
    let mut list = out.serialize_seq(Some(numbers.len()))?;
    for number in numbers {
        list.serialize_element(&widen(*number))?;
    }
    list.end()
}

/// Whether there is nothing that JSON could say.
pub(crate) fn is_unset(number: &Option<f32>) -> bool {
    !number.is_some_and(f32::is_finite)
}

/// Whether there is nothing that JSON could say.
pub(crate) fn is_unset_list(numbers: &Option<Vec<f32>>) -> bool {
    !numbers
        .as_ref()
        .is_some_and(|numbers| numbers.iter().all(|number| number.is_finite()))
}
