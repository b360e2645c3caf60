//! Finds a document on which all of some conditions hold, or shows that there is none.
//!
//! Exact: the conditions are laid out as a tree by their steps, and each node is filled from what
//! is asked of it. Only an index beyond `MAX_ITEMS` under `each` is left undecided.

use std::collections::BTreeMap;

use serde_json::{Map, Number, Value};

use crate::condition::{Condition, Op};
use crate::pointer::{array_index, walk};

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Solution {
    /// All conditions hold on this document.
    Found(Value),
    /// They hold together on no document.
    Never,
    /// The budget was spent.
    NotDecided,
}

/// The longest array that is written out as a witness.
const MAX_ITEMS: usize = 1000;

/// What is asked of one place in the document.
#[derive(Debug, Clone, Default)]
struct Node<'a> {
    ops: Vec<&'a Op>,
    each: Vec<&'a Op>,
    children: BTreeMap<&'a str, Node<'a>>,
}

/// What stands at one place: a value, or nothing.
type Filled = Option<Value>;

pub(crate) fn solve(conditions: &[&Condition]) -> Solution {
    let mut root = Node::default();
    for condition in conditions {
        let node = condition
            .pointer
            .steps()
            .iter()
            .fold(&mut root, |node, step| {
                node.children.entry(step.as_str()).or_default()
            });
        if condition.each {
            node.each.push(&condition.op);
        } else {
            node.ops.push(&condition.op);
        }
    }
    match root.object() {
        Ok(value) => Solution::Found(value),
        Err(solution) => solution,
    }
}

impl<'a> Node<'a> {
    /// Whether something must stand here.
    fn required(&self) -> bool {
        self.ops.iter().any(|op| **op != Op::Absent)
            || !self.each.is_empty()
            || self.children.values().any(Node::required)
    }

    fn fill(&self) -> Result<Filled, Solution> {
        if !self.required() {
            return Ok(None);
        }
        if self.ops.iter().any(|op| **op == Op::Absent) {
            return Err(Solution::Never);
        }
        if let Some(candidates) = self.candidates() {
            return candidates
                .into_iter()
                .find(|value| self.accepts(value))
                .map(Some)
                .ok_or(Solution::Never);
        }
        if self
            .ops
            .iter()
            .any(|op| matches!(op, Op::AtLeast(_) | Op::AtMost(_)))
        {
            return self.number().map(Some);
        }
        if !self.each.is_empty() {
            return self.array().map(Some);
        }
        if self.children.values().any(Node::required) {
            return self.object().map(Some);
        }
        Ok(Some(Value::String("x".to_owned())))
    }

    /// The only values that can stand here, where an operator names them.
    fn candidates(&self) -> Option<Vec<Value>> {
        self.ops.iter().find_map(|op| match op {
            Op::Equals(value) => Some(vec![value.clone()]),
            Op::In(values) => Some(values.clone()),
            Op::AtLeast(_) | Op::AtMost(_) | Op::Exists | Op::Absent => None,
        })
    }

    /// Whether a whole value satisfies this node and all below it.
    fn accepts(&self, value: &Value) -> bool {
        let each = match value {
            Value::Array(items) => {
                !items.is_empty()
                    && items
                        .iter()
                        .all(|item| self.each.iter().all(|op| op.holds(item)))
            }
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Object(_) => false,
        };
        self.ops.iter().all(|op| op.holds(value))
            && (self.each.is_empty() || each)
            && self
                .children
                .iter()
                .all(|(step, node)| match walk(value, &[(*step).to_owned()]) {
                    Some(child) => node.accepts(child),
                    None => !node.required(),
                })
    }

    fn number(&self) -> Result<Value, Solution> {
        if self.required_below() {
            return Err(Solution::Never);
        }
        let bounds = self.ops.iter().filter_map(|op| match op {
            Op::AtLeast(bound) | Op::AtMost(bound) => Some(bound),
            Op::Equals(_) | Op::In(_) | Op::Exists | Op::Absent => None,
        });
        // If any number satisfies all bounds, then so does the largest lower bound or the smallest upper one.
        let found = bounds
            .map(|bound: &Number| Value::Number(bound.clone()))
            .find(|value| self.accepts(value));
        found.ok_or(Solution::Never)
    }

    fn required_below(&self) -> bool {
        !self.each.is_empty() || self.children.values().any(Node::required)
    }

    fn object(&self) -> Result<Value, Solution> {
        let mut map = Map::new();
        for (step, child) in &self.children {
            if let Some(value) = child.fill()? {
                map.insert((*step).to_owned(), value);
            }
        }
        Ok(Value::Object(map))
    }

    fn array(&self) -> Result<Value, Solution> {
        let (mut least, mut most) = (1, usize::MAX);
        for (step, child) in &self.children {
            match (array_index(step), child.required()) {
                (Some(i), true) => least = least.max(i.saturating_add(1)),
                (None, true) => return Err(Solution::Never),
                (Some(i), false) if child.ops.iter().any(|op| **op == Op::Absent) => {
                    most = most.min(i);
                }
                (_, false) => {}
            }
        }
        if least > most {
            return Err(Solution::Never);
        }
        if least > MAX_ITEMS {
            return Err(Solution::NotDecided);
        }
        let mut items = Vec::new();
        for i in 0..least {
            let mut item = self
                .children
                .get(i.to_string().as_str())
                .cloned()
                .unwrap_or_default();
            item.ops.extend(&self.each);
            items.push(item.fill()?.ok_or(Solution::NotDecided)?);
        }
        Ok(Value::Array(items))
    }
}
