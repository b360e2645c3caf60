//! Which words a schema's draft has: the same word means more, or nothing, in another one.

use serde_json::{Map, Value};

/// A draft of JSON Schema, as far as the words that are read here differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Draft {
    /// Draft 4 and older.
    Four,
    /// Drafts 6 and 7.
    Six,
    /// Draft 2019-09.
    Nineteen,
    /// Draft 2020-12, and whatever names none.
    Twenty,
}

impl Draft {
    pub(super) fn of(root: &Value) -> Self {
        let named = root.get("$schema").and_then(Value::as_str);
        let says = |word: &&str| named.is_some_and(|named| named.contains(*word));
        if ["draft-03", "draft-04"].iter().any(&says) {
            Self::Four
        } else if ["draft-06", "draft-07"].iter().any(&says) {
            Self::Six
        } else if says(&"2019-09") {
            Self::Nineteen
        } else {
            Self::Twenty
        }
    }

    /// Whether what stands beside `$ref` counts.
    pub(super) fn reads_beside_ref(self) -> bool {
        self >= Self::Nineteen
    }

    pub(super) fn has_unevaluated(self) -> bool {
        self >= Self::Nineteen
    }

    pub(super) fn has_const(self) -> bool {
        self >= Self::Six
    }

    /// Whether `exclusiveMinimum` and `exclusiveMaximum` are numbers.
    pub(super) fn has_exclusive_numbers(self) -> bool {
        self >= Self::Six
    }

    /// The word that gives a schema an identity of its own.
    pub(super) fn identity(self) -> &'static str {
        match self {
            Self::Four => "id",
            Self::Six | Self::Nineteen | Self::Twenty => "$id",
        }
    }

    /// The schemas of the first items, and that of all others; none where they are written in a form
    /// that this draft does not have.
    pub(super) fn items(self, map: &Map<String, Value>) -> Option<(&[Value], Option<&Value>)> {
        let items = map.get("items");
        match (items, self) {
            (Some(Value::Array(_)), Self::Twenty) => None,
            (Some(Value::Array(listed)), _) => Some((listed, map.get("additionalItems"))),
            (_, Self::Twenty) => {
                let listed = map.get("prefixItems").and_then(Value::as_array);
                Some((listed.map_or(&[], Vec::as_slice), items))
            }
            (_, _) => Some((&[], items)),
        }
    }
}
