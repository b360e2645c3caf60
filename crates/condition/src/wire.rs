//! The wire form of a condition: `{path, <one operator>: value, each?: true}`.
//!
//! Read by hand, so that an unknown key is named together with the key that was probably meant.
//! What the values may be is checked by `Condition::try_from`.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

/// The keys that a condition may have.
const KEYS: [&str; 7] = [
    "path", "equals", "in", "at_least", "at_most", "exists", "each",
];

/// Spellings from elsewhere that are too far from ours to be found by distance.
const SYNONYMS: [(&str, &str); 14] = [
    ("pointer", "path"),
    ("field", "path"),
    ("eq", "equals"),
    ("is", "equals"),
    ("value", "equals"),
    ("one_of", "in"),
    ("any_of", "in"),
    ("gte", "at_least"),
    ("ge", "at_least"),
    ("min", "at_least"),
    ("lte", "at_most"),
    ("le", "at_most"),
    ("max", "at_most"),
    ("present", "exists"),
];

/// A condition as it is written, not yet checked.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ConditionWire {
    /// RFC 6901 pointer.
    pub path: String,
    /// The value there equals this one.
    pub equals: Option<Value>,
    /// The value there equals one of these.
    pub is_in: Option<Vec<Value>>,
    /// The value there is a number and not less; kept as a value, so that the check can name what it is.
    pub at_least: Option<Value>,
    /// The value there is a number and not more.
    pub at_most: Option<Value>,
    /// Whether there is a value.
    pub exists: Option<bool>,
    /// Whether the pointer selects an array of which every element must hold.
    pub each: bool,
}

impl<'de> Deserialize<'de> for ConditionWire {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = ConditionWire;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a condition such as `{path: /size, at_most: 10}`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ConditionWire, A::Error> {
        let mut path = None;
        let mut wire = ConditionWire::default();
        let mut each = None;
        let mut unknown: Vec<String> = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "path" => once(&mut path, "path", map.next_value()?)?,
                "equals" => once(&mut wire.equals, "equals", map.next_value()?)?,
                "in" => once(&mut wire.is_in, "in", map.next_value()?)?,
                "at_least" => once(&mut wire.at_least, "at_least", map.next_value()?)?,
                "at_most" => once(&mut wire.at_most, "at_most", map.next_value()?)?,
                "exists" => once(&mut wire.exists, "exists", map.next_value()?)?,
                "each" => once(&mut each, "each", map.next_value()?)?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    unknown.push(describe_unknown(&key));
                }
            }
        }
        if !unknown.is_empty() {
            return Err(A::Error::custom(unknown.join("; ")));
        }
        wire.path = path.ok_or_else(|| {
            A::Error::custom("the condition has no `path`: add one, such as `path: /size`")
        })?;
        wire.each = each.unwrap_or(false);
        Ok(wire)
    }
}

fn once<T, E: serde::de::Error>(
    slot: &mut Option<T>,
    key: &'static str,
    value: T,
) -> Result<(), E> {
    if slot.replace(value).is_some() {
        Err(E::custom(format_args!("`{key}` is written twice")))
    } else {
        Ok(())
    }
}

fn describe_unknown(key: &str) -> String {
    let shown = crate::error::Shown::new(key);
    match near_miss(key) {
        Some(near) => format!("unknown key `{shown}` in a condition: did you mean `{near}`?"),
        None => format!(
            "unknown key `{shown}` in a condition: it has `path`, one of `equals`, `in`, `at_least`, `at_most`, `exists`, and `each`"
        ),
    }
}

/// The key that was probably meant.
pub(crate) fn near_miss(key: &str) -> Option<&'static str> {
    let key = key.to_lowercase().replace(['-', ' '], "_");
    let key = key.trim_start_matches('$');
    let synonym = SYNONYMS
        .iter()
        .find(|(other, _)| *other == key)
        .map(|(_, ours)| *ours);
    synonym.or_else(|| nearest(key, &KEYS))
}

/// The candidate with the smallest edit distance, where that is at most a third of the word.
#[must_use]
pub fn nearest<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let scored = candidates.iter().map(|c| (distance(word, c), *c));
    scored
        .min()
        .filter(|(d, c)| *d <= 2.min(c.chars().count() / 2))
        .map(|(_, c)| c)
}

/// Edits (insert, delete, replace) between two short words; words over 64 characters are infinitely far.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    if a.chars().count() > 64 || b.len() > 64 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut next = vec![i + 1];
        for (pair, cb) in row.windows(2).zip(&b) {
            let (diagonal, above) = match pair {
                [d, u] => (*d, *u),
                _ => continue,
            };
            let left = next.last().copied().unwrap_or(0);
            next.push(
                (diagonal + usize::from(ca != *cb))
                    .min(above + 1)
                    .min(left + 1),
            );
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}
