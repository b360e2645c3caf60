//! Whether a JSON Schema provably never yields what a condition needs.
//!
//! Sound, not complete: a condition is refused only where no valid document satisfies it, so
//! keywords that are not understood (`not`, `if`, `$dynamicRef`, formats, hard regular expressions)
//! and whatever is over budget count as possible.

mod draft;
mod values;

use serde_json::{Map, Value};

use draft::Draft;
use values::{
    above_maximum, below_minimum, listed_values, number_needed, permits, plain_match, types, unfit,
};

use crate::condition::{Condition, Op};
use crate::conditions::Conditions;
use crate::error::Shown;
use crate::pointer::array_index;

/// A condition that no document of a schema can satisfy.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaFinding {
    /// Which condition, counted from 0.
    pub index: usize,
    /// Its pointer, as written.
    pub pointer: String,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
}

impl Conditions {
    /// The conditions that can never hold on a document that is valid under the schema. Never names
    /// a condition that some valid object satisfies.
    #[must_use]
    pub fn check_against(&self, schema: &Value) -> Vec<SchemaFinding> {
        let findings = self.iter().enumerate().filter_map(|(index, condition)| {
            let why = never(condition, schema)?;
            let message = format!(
                "the condition `{}` would never fire: {why}",
                condition.describe()
            );
            Some(SchemaFinding {
                index,
                pointer: condition.pointer().to_owned(),
                message,
            })
        });
        findings.collect()
    }
}

/// Why nothing can be selected, or selected with the right value.
type Never = Option<String>;

fn never(condition: &Condition, schema: &Value) -> Never {
    let mut walker = Walker {
        root: schema,
        draft: Draft::of(schema),
        budget: 20_000,
    };
    let steps = condition.pointer.steps();
    if condition.op == Op::Absent {
        return walker
            .always_present(schema, steps)
            .then(|| "the schema requires the field".to_owned());
    }
    let goal = Goal {
        op: &condition.op,
        each: condition.each,
    };
    walker.walk(schema, steps, goal, 0)
}

#[derive(Clone, Copy)]
struct Goal<'a> {
    op: &'a Op,
    each: bool,
}

impl Goal<'_> {
    fn holds(self, value: &Value) -> bool {
        match (self.each, value) {
            (false, value) => self.op.holds(value),
            (true, Value::Array(items)) => {
                !items.is_empty() && items.iter().all(|item| self.op.holds(item))
            }
            (
                true,
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Object(_),
            ) => false,
        }
    }
}

/// Keywords that may evaluate a property or item from beside it, so that `unevaluated…` does not bite.
const IN_PLACE: [&str; 12] = [
    "$ref",
    "$dynamicRef",
    "$recursiveRef",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "contains",
];

struct Walker<'a> {
    root: &'a Value,
    draft: Draft,
    budget: usize,
}

impl<'a> Walker<'a> {
    fn walk(&mut self, schema: &'a Value, steps: &[String], goal: Goal<'_>, depth: usize) -> Never {
        self.budget = self.budget.saturating_sub(1);
        if self.budget == 0 || depth > 64 {
            return None;
        }
        let map = match schema {
            Value::Bool(false) => return Some("the schema allows nothing there".to_owned()),
            Value::Object(map) => map,
            Value::Bool(true)
            | Value::Null
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => return None,
        };
        if let Some(reference) = map.get("$ref") {
            if let Some(why) = self
                .resolve(reference)
                .and_then(|target| self.walk(target, steps, goal, depth + 1))
            {
                return Some(why);
            }
            if !self.draft.reads_beside_ref() {
                // An old draft ignores what stands beside `$ref`.
                return None;
            }
        }
        self.branches(map, steps, goal, depth)
            .or_else(|| listed_values(map, steps, goal, self.draft))
            .or_else(|| match steps {
                [] => self.terminal(map, goal, depth),
                [step, rest @ ..] => self.step(map, step, rest, goal, depth),
            })
    }

    fn branches(
        &mut self,
        map: &'a Map<String, Value>,
        steps: &[String],
        goal: Goal<'_>,
        depth: usize,
    ) -> Never {
        for branch in array(map, "allOf") {
            if let Some(why) = self.walk(branch, steps, goal, depth + 1) {
                return Some(why);
            }
        }
        for key in ["anyOf", "oneOf"] {
            let mut first = None;
            let branches = array(map, key);
            let all =
                branches
                    .iter()
                    .all(|branch| match self.walk(branch, steps, goal, depth + 1) {
                        Some(why) => {
                            first.get_or_insert(why);
                            true
                        }
                        None => false,
                    });
            if let (true, Some(why)) = (all, first) {
                return Some(why);
            }
        }
        None
    }

    /// One step down: into an object, or into an array where the step is an index.
    fn step(
        &mut self,
        map: &'a Map<String, Value>,
        step: &str,
        rest: &[String],
        goal: Goal<'_>,
        depth: usize,
    ) -> Never {
        let into_object = if permits(map, "object") {
            self.property(map, step, rest, goal, depth)
        } else {
            Some(format!(
                "the schema says {}, which has no fields",
                types(map)
            ))
        };
        let why = into_object?;
        match array_index(step) {
            Some(i) if permits(map, "array") => self
                .item(map, i, rest, goal, depth)
                .map(|item| if permits(map, "object") { why } else { item }),
            _ => Some(why),
        }
    }

    fn property(
        &mut self,
        map: &'a Map<String, Value>,
        step: &str,
        rest: &[String],
        goal: Goal<'_>,
        depth: usize,
    ) -> Never {
        let declared = map.get("properties").and_then(|p| p.get(step));
        if let Some(why) = declared.and_then(|schema| self.walk(schema, rest, goal, depth + 1)) {
            return Some(why);
        }
        let mut additional = Some(declared.is_none());
        for (pattern, schema) in map
            .get("patternProperties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            match plain_match(pattern, step) {
                Some(true) => {
                    additional = Some(false);
                    if let Some(why) = self.walk(schema, rest, goal, depth + 1) {
                        return Some(why);
                    }
                }
                Some(false) => {}
                None => additional = additional.filter(|additional| !additional),
            }
        }
        if additional != Some(true) {
            return None;
        }
        let shown = Shown::new(step);
        match map.get("additionalProperties") {
            Some(Value::Bool(false)) => {
                return Some(format!(
                    "the schema declares no `{shown}` and says `additionalProperties: false`"
                ));
            }
            Some(schema) => return self.walk(schema, rest, goal, depth + 1),
            None => {}
        }
        let alone =
            self.draft.has_unevaluated() && !IN_PLACE.iter().any(|key| map.contains_key(*key));
        (alone && map.get("unevaluatedProperties") == Some(&Value::Bool(false))).then(|| {
            format!("the schema declares no `{shown}` and says `unevaluatedProperties: false`")
        })
    }

    fn item(
        &mut self,
        map: &'a Map<String, Value>,
        i: usize,
        rest: &[String],
        goal: Goal<'_>,
        depth: usize,
    ) -> Never {
        let most = map.get("maxItems").and_then(Value::as_u64);
        if most.is_some_and(|most| u64::try_from(i).is_ok_and(|i| i >= most)) {
            return Some(format!("the schema allows no item {i}"));
        }
        let Some((listed, others)) = self.draft.items(map) else {
            return None; // In a form that the draft does not have.
        };
        if let Some(schema) = listed.get(i) {
            return self.walk(schema, rest, goal, depth + 1);
        }
        if let Some(schema) = others {
            return self.walk(schema, rest, goal, depth + 1);
        }
        let alone =
            self.draft.has_unevaluated() && !IN_PLACE.iter().any(|key| map.contains_key(*key));
        (alone && map.get("unevaluatedItems") == Some(&Value::Bool(false)))
            .then(|| format!("the schema allows no item {i}"))
    }

    /// The end of the pointer: can a value here satisfy the operator?
    fn terminal(&mut self, map: &'a Map<String, Value>, goal: Goal<'_>, depth: usize) -> Never {
        if goal.each {
            if !permits(map, "array") {
                return Some(format!(
                    "`each` needs an array, the schema says {}",
                    types(map)
                ));
            }
            return self.item(
                map,
                0,
                &[],
                Goal {
                    op: goal.op,
                    each: false,
                },
                depth,
            );
        }
        match goal.op {
            Op::Equals(value) => unfit(map, value, self.draft),
            Op::In(values) => {
                let reasons: Option<Vec<String>> = values
                    .iter()
                    .map(|value| unfit(map, value, self.draft))
                    .collect();
                reasons.and_then(|reasons| reasons.into_iter().next())
            }
            Op::AtLeast(bound) => {
                number_needed(map).or_else(|| above_maximum(map, bound, self.draft))
            }
            Op::AtMost(bound) => {
                number_needed(map).or_else(|| below_minimum(map, bound, self.draft))
            }
            Op::Exists | Op::Absent => None,
        }
    }

    /// A local `$ref`; anything else is not followed, and none is in a schema with identities inside.
    fn resolve(&self, reference: &Value) -> Option<&'a Value> {
        let pointer = reference.as_str()?.strip_prefix('#')?;
        if pointer.contains('%') || nested_identity(self.root, self.draft.identity()) {
            return None;
        }
        crate::pointer::select(self.root, pointer)
    }

    /// Whether every valid object holds the field: each step is required, and of type object up to it.
    fn always_present(&self, schema: &Value, steps: &[String]) -> bool {
        let Some((step, rest)) = steps.split_first() else {
            return true;
        };
        let required = array_of(schema, "required")
            .iter()
            .any(|key| key.as_str() == Some(step));
        let below = || schema.get("properties").and_then(|p| p.get(step));
        let object = |schema: &Value| schema.get("type").and_then(Value::as_str) == Some("object");
        let refers = |schema: &Value| schema.get("$ref").is_some();
        required
            && !refers(schema)
            && (rest.is_empty()
                || below().is_some_and(|below| object(below) && self.always_present(below, rest)))
    }
}

/// Whether a schema inside has an identity of its own, which gives `#/…` another meaning there.
fn nested_identity(schema: &Value, key: &str) -> bool {
    let inside =
        |value: &Value| value.get(key).is_some_and(Value::is_string) || nested_identity(value, key);
    match schema {
        Value::Object(map) => map.values().any(inside),
        Value::Array(items) => items.iter().any(inside),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn array<'a>(map: &'a Map<String, Value>, key: &str) -> &'a [Value] {
    map.get(key)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

fn array_of<'a>(schema: &'a Value, key: &str) -> &'a [Value] {
    schema
        .get(key)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}
