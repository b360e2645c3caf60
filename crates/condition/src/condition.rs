//! One condition: a pointer and one operator. Judging is total: any value gives yes or no.
//!
//! There is no coercion, no nesting and no negation; those would make rules that people misread.

use std::cmp::Ordering;

use serde_json::{Number, Value, json};

use crate::error::{ConditionError, Shown};
use crate::number::{compare, equal, inexact};
use crate::pointer::Pointer;
use crate::wire::ConditionWire;

/// One checked condition.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    pub(crate) pointer: Pointer,
    pub(crate) op: Op,
    pub(crate) each: bool,
}

// INVARIANT: `In` is not empty; no number in it is inexact.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Op {
    Equals(Value),
    In(Vec<Value>),
    AtLeast(Number),
    AtMost(Number),
    Exists,
    Absent,
}

impl Op {
    /// Whether a value that is there satisfies the operator.
    pub(crate) fn holds(&self, value: &Value) -> bool {
        match self {
            Self::Equals(wanted) => equal(wanted, value),
            Self::In(wanted) => wanted.iter().any(|wanted| equal(wanted, value)),
            Self::AtLeast(bound) => ordered(value, bound).is_some_and(Ordering::is_ge),
            Self::AtMost(bound) => ordered(value, bound).is_some_and(Ordering::is_le),
            Self::Exists => true,
            Self::Absent => false,
        }
    }
}

fn ordered(value: &Value, bound: &Number) -> Option<Ordering> {
    match value {
        Value::Number(number) => compare(number, bound),
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            None
        }
    }
}

impl Condition {
    /// The pointer as written.
    #[must_use]
    pub fn pointer(&self) -> &str {
        self.pointer.as_str()
    }

    /// Whether the pointer selects an array of which every element must hold.
    #[must_use]
    pub fn each(&self) -> bool {
        self.each
    }

    /// Whether the condition holds for the document. A pointer that selects nothing is false for
    /// all but `exists: false`; so is a value of the wrong type, and an empty array under `each`.
    #[must_use]
    pub fn holds(&self, document: &Value) -> bool {
        match (self.pointer.select(document), self.each) {
            (None, _) => self.op == Op::Absent,
            (Some(value), false) => self.op.holds(value),
            (Some(Value::Array(items)), true) => {
                !items.is_empty() && items.iter().all(|item| self.op.holds(item))
            }
            (Some(_), true) => false,
        }
    }

    /// The wire form, which reads back as the same condition.
    #[must_use]
    pub fn to_wire(&self) -> Value {
        let (key, value) = match &self.op {
            Op::Equals(value) => ("equals", value.clone()),
            Op::In(values) => ("in", Value::Array(values.clone())),
            Op::AtLeast(bound) => ("at_least", Value::Number(bound.clone())),
            Op::AtMost(bound) => ("at_most", Value::Number(bound.clone())),
            Op::Exists => ("exists", json!(true)),
            Op::Absent => ("exists", json!(false)),
        };
        let mut wire = json!({ "path": self.pointer(), key: value });
        if let (true, Value::Object(map)) = (self.each, &mut wire) {
            map.insert("each".to_owned(), json!(true));
        }
        wire
    }

    /// The condition in words, for reasons and errors: `/size at most 10`.
    #[must_use]
    pub fn describe(&self) -> String {
        let path = Shown::new(self.pointer());
        let each = if self.each { "each of " } else { "" };
        match &self.op {
            Op::Equals(value) => format!("{each}{path} equals {}", shown(value)),
            Op::In(values) => format!("{each}{path} in {}", shown(&Value::Array(values.clone()))),
            Op::AtLeast(bound) => format!("{each}{path} at least {bound}"),
            Op::AtMost(bound) => format!("{each}{path} at most {bound}"),
            Op::Exists => format!("{each}{path} exists"),
            Op::Absent => format!("{path} is absent"),
        }
    }

    /// Why the condition does not hold, for people; `None` where it holds.
    #[must_use]
    pub fn why_not(&self, document: &Value) -> Option<String> {
        if self.holds(document) {
            return None;
        }
        let wanted = self.describe();
        let Some(value) = self.pointer.select(document) else {
            return Some(format!("{wanted}: there is no value"));
        };
        Some(match (&self.op, self.each, value) {
            (_, true, Value::Array(items)) if items.is_empty() => {
                format!("{wanted}: the array is empty")
            }
            (op, true, Value::Array(items)) => match items.iter().find(|item| !op.holds(item)) {
                Some(item) => format!("{wanted}: an element is {}", shown(item)),
                None => wanted,
            },
            (_, true, value) => format!(
                "{wanted}: wrong type, {} where an array is needed",
                kind(value)
            ),
            (Op::AtLeast(_) | Op::AtMost(_), false, value) if !value.is_number() => {
                format!(
                    "{wanted}: wrong type, {} where a number is needed",
                    kind(value)
                )
            }
            (_, false, value) => format!("{wanted}: it is {}", shown(value)),
        })
    }
}

impl TryFrom<ConditionWire> for Condition {
    type Error = ConditionError;

    fn try_from(wire: ConditionWire) -> Result<Self, ConditionError> {
        let pointer = Pointer::parse(&wire.path)?;
        let path = Shown::new(&wire.path);
        let mut ops: Vec<(&str, Op)> = Vec::new();
        ops.extend(wire.equals.map(|value| ("equals", Op::Equals(value))));
        ops.extend(wire.is_in.map(|values| ("in", Op::In(values))));
        for (name, bound, make) in [
            ("at_least", wire.at_least, Op::AtLeast as fn(Number) -> Op),
            ("at_most", wire.at_most, Op::AtMost),
        ] {
            match bound {
                None => {}
                Some(Value::Number(number)) => ops.push((name, make(number))),
                Some(other) => {
                    let found = kind(&other).to_owned();
                    return Err(ConditionError::NotFinite {
                        path,
                        operator: name,
                        found,
                    });
                }
            }
        }
        ops.extend(
            wire.exists
                .map(|exists| ("exists", if exists { Op::Exists } else { Op::Absent })),
        );
        let names = || {
            ops.iter()
                .map(|(name, _)| format!("`{name}`"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let op = match ops.len() {
            1 => ops.remove(0).1,
            0 => return Err(ConditionError::NoOperator { path }),
            count => {
                return Err(ConditionError::SeveralOperators {
                    path,
                    count,
                    names: names(),
                });
            }
        };
        check_op(path, &op, wire.each)?;
        Ok(Self {
            pointer,
            op,
            each: wire.each,
        })
    }
}

fn check_op(path: Shown, op: &Op, each: bool) -> Result<(), ConditionError> {
    let (operator, lost) = match op {
        Op::Equals(value) => ("equals", inexact(value).cloned()),
        Op::In(values) if values.is_empty() => return Err(ConditionError::EmptyIn { path }),
        Op::In(values) => ("in", values.iter().find_map(inexact).cloned()),
        Op::AtLeast(bound) => ("at_least", inexact(&Value::Number(bound.clone())).cloned()),
        Op::AtMost(bound) => ("at_most", inexact(&Value::Number(bound.clone())).cloned()),
        Op::Absent if each => return Err(ConditionError::EachAbsent { path }),
        Op::Exists | Op::Absent => ("exists", None),
    };
    match lost {
        Some(number) => Err(ConditionError::NotExact {
            path,
            operator,
            number: number.to_string(),
        }),
        None => Ok(()),
    }
}

/// What kind of JSON value this is, in words.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null (or a number beyond the finite ones)",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// A value as people are shown it: JSON, escaped, cut.
fn shown(value: &Value) -> String {
    Shown::new(&value.to_string())
        .to_string()
        .replace("\\\"", "\"")
}
