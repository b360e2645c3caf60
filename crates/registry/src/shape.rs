//! Which keys a schema declares, at each place of the values that it describes.
//!
//! JSON Schema lets pass what a schema forgets to close; callers then smuggle keys past policy that
//! the server may read. The declared keys are worked out once, without regard to which alternative
//! of a schema a value takes: whether it fits any is the compiled schema's question, not ours.
//! A place that describes no keys at all (a bare `type: object`) is free, except at the root.

use std::collections::HashMap;

use serde_json::Value;

use crate::declared::declared_by;
use crate::error::SchemaError;
use crate::param_error::ParamError;
use crate::show;

/// The declared keys of a whole schema.
// INVARIANT: every number held is an index into `all`, and the root is the first.
#[derive(Debug)]
pub(crate) struct Shapes {
    all: Vec<Shape>,
}

/// The keys of one place.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    /// Whether keys other than the declared ones pass.
    pub(crate) open: bool,
    /// Declared keys, with the shape of their values.
    pub(crate) keys: HashMap<String, usize>,
    /// What keys that are not listed may look like.
    pub(crate) patterns: Vec<jsonschema::Validator>,
    /// The shape of values under keys that are not listed.
    pub(crate) rest: Option<usize>,
    /// The shape of the items of a list.
    pub(crate) items: Option<usize>,
}

impl Shapes {
    /// Works out the declared keys.
    ///
    /// # Errors
    /// [`SchemaError`] when a reference leads nowhere, a pattern is none, or there are too many places.
    pub(crate) fn of(schema: &Value) -> Result<Self, SchemaError> {
        Ok(Self {
            all: declared_by(schema)?,
        })
    }

    /// Reports keys that are not declared, at most `max` of them.
    pub(crate) fn check(&self, value: &Value, max: usize, errors: &mut Vec<ParamError>) {
        self.walk(0, value, &mut String::new(), max, errors);
    }

    fn walk(
        &self,
        index: usize,
        value: &Value,
        at: &mut String,
        max: usize,
        errors: &mut Vec<ParamError>,
    ) {
        let Some(shape) = self.all.get(index) else {
            return;
        };
        let here = at.len();
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            Value::Array(items) => {
                let Some(inner) = shape.items else { return };
                for (number, item) in items
                    .iter()
                    .enumerate()
                    .filter(|(_, item)| item.is_array() || item.is_object())
                {
                    at.push_str(&format!("/{number}"));
                    self.walk(inner, item, at, max, errors);
                    at.truncate(here);
                }
            }
            Value::Object(members) => {
                for (key, member) in members {
                    if errors.len() >= max {
                        return;
                    }
                    match shape.inner(key) {
                        Err(Undeclared) => errors.push(shape.undeclared(at, key, member)),
                        Ok(Some(inner)) if member.is_array() || member.is_object() => {
                            at.push('/');
                            at.push_str(&key.replace('~', "~0").replace('/', "~1"));
                            self.walk(inner, member, at, max, errors);
                            at.truncate(here);
                        }
                        Ok(_) => {}
                    }
                }
            }
        }
    }
}

struct Undeclared;

impl Shape {
    /// The shape of the value under a key; `None` where anything goes.
    fn inner(&self, key: &str) -> Result<Option<usize>, Undeclared> {
        if let Some(inner) = self.keys.get(key) {
            return Ok(Some(*inner));
        }
        let name = || Value::String(key.to_owned());
        if self.open
            || self
                .patterns
                .iter()
                .any(|pattern| pattern.is_valid(&name()))
        {
            return Ok(self.rest);
        }
        Err(Undeclared)
    }

    fn undeclared(&self, at: &str, key: &str, member: &Value) -> ParamError {
        let mut declared: Vec<&str> = self.keys.keys().map(String::as_str).collect();
        declared.sort_unstable();
        let known = match declared.len() {
            0 => "no key".to_owned(),
            1..=12 => declared
                .iter()
                .map(|key| format!("`{}`", show::name(key)))
                .collect::<Vec<_>>()
                .join(", "),
            many => format!("{many} others"),
        };
        ParamError {
            pointer: show::pointer(at, key),
            found: show::value(member),
            wanted: format!("no such key: the schema declares {known}"),
        }
    }
}
