//! Bounds on foreign JSON, checked before anything recursive touches it.
//!
//! Not a parser's limits: a value may also come from code, or from a journal.

use serde_json::Value;

/// How much of a value is too much.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// Levels of lists and objects.
    pub(crate) nesting: usize,
    /// Values, members counted one by one.
    pub(crate) values: usize,
    /// Bytes of texts and keys together.
    pub(crate) text: usize,
}

/// How large a value is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    /// Values, members counted one by one.
    pub(crate) values: usize,
    /// Bytes of texts and keys together.
    pub(crate) text: usize,
}

/// What one call may send. The nesting is that of the strict reader.
pub(crate) const PARAMS: Bounds = Bounds {
    nesting: 64,
    values: 100_000,
    text: 4 << 20,
};

/// What one definition of a tool may hold. Source: the largest of 335 captured ones has 8.3 KiB; any
/// text within this fits an event of the journal, and the nesting leaves room for what wraps it there.
pub(crate) const DEFINITION: Bounds = Bounds {
    nesting: 60,
    values: 20_000,
    text: 128 << 10,
};

impl Bounds {
    /// How large it is, itself included. Takes no stack of its own.
    ///
    /// # Errors
    /// The first bound that the value breaks, with its limit.
    pub(crate) fn count(self, value: &Value) -> Result<Size, (&'static str, usize)> {
        let (mut values, mut text) = (0_usize, 0_usize);
        let mut open = vec![(value, 1_usize)];
        while let Some((value, level)) = open.pop() {
            values += 1;
            match value {
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
                Value::String(s) => text += s.len(),
                Value::Array(items) => open.extend(items.iter().map(|item| (item, level + 1))),
                Value::Object(members) => {
                    text += members.keys().map(String::len).sum::<usize>();
                    open.extend(members.values().map(|member| (member, level + 1)));
                }
            }
            if level > self.nesting && (value.is_array() || value.is_object()) {
                return Err(("nesting", self.nesting));
            }
            if values + open.len() > self.values {
                return Err(("the number of values", self.values));
            }
            if text > self.text {
                return Err(("the text in bytes", self.text));
            }
        }
        Ok(Size { values, text })
    }
}
