//! How much work it can be to judge a value by a schema, counted before it is done.
//!
//! References let a small schema ask for endless work: alternatives that recur multiply level by
//! level, a reference to itself never ends. Counts visits of (schema, value), each pair once, so
//! that counting is cheap where judging is not. An upper bound: what ends early is counted whole.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::bounds::Size;
use crate::error::SchemaError;
use crate::patterns;
use crate::refs::Refs;

/// Most visits for one value.
const MAX_VISITS: usize = 100_000;
/// Most visits for a value whose faults are told one by one: collecting those of every alternative
/// costs far more than finding that there is one.
const MAX_TOLD: usize = 2_000;
/// Deepest chain of visits, since judging takes stack for each.
const MAX_DEPTH: usize = 500;

/// A schema as a graph of what leads to what.
// INVARIANT: every number held is an index into `nodes`, and the root is the first.
#[derive(Debug)]
pub(crate) struct Work {
    nodes: Vec<Node>,
    /// Visits for one value and each of its parts; `None` where the schema recurs.
    whole: Option<usize>,
    /// The weight of the heaviest pattern.
    heaviest: usize,
}

#[derive(Debug, Default)]
struct Node {
    /// Judge the same value.
    same: Vec<usize>,
    /// Judge the member of a name.
    named: HashMap<String, usize>,
    /// Judge every member.
    members: Vec<usize>,
    /// Judge every item.
    items: Vec<usize>,
    /// Judges what others left, and for that asks them again for each member or item.
    again: bool,
    /// The weight of its pattern on texts.
    weight: usize,
    /// The weights of its patterns on keys, together.
    key_weight: usize,
    /// Judges keys as texts.
    judges_keys: bool,
}

/// The visits that so many bytes of text count for patterns of this weight.
const fn matching(weight: usize, text: usize) -> usize {
    weight.saturating_mul(text).div_ceil(16)
}

/// More visits than can be counted.
struct TooMuch;

impl Work {
    /// Draws the graph.
    ///
    /// # Errors
    /// [`SchemaError`] when a reference leads nowhere or back to itself, or chains are too long.
    pub(crate) fn of(schema: &Value) -> Result<Self, SchemaError> {
        let refs = Refs::of(schema)?;
        let (mut known, mut todo, mut nodes) = (HashMap::new(), vec![schema], Vec::new());
        known.insert(address(schema), 0);
        while let Some(schema) = todo.get(nodes.len()).copied() {
            let mut index = |schema| {
                *known.entry(address(schema)).or_insert_with(|| {
                    todo.push(schema);
                    todo.len() - 1
                })
            };
            let node = schema.as_object().map_or_else(
                || Ok(Node::default()),
                |words| node(words, &refs, &mut index),
            )?;
            nodes.push(node);
        }
        let heaviest = nodes.iter().map(|node| node.weight).max().unwrap_or(0);
        for node in nodes.iter_mut().filter(|node| node.judges_keys) {
            node.key_weight = node.key_weight.saturating_add(heaviest);
        }
        let heaviest = nodes
            .iter()
            .map(|node| node.weight.max(node.key_weight))
            .max();
        let mut work = Self {
            nodes,
            whole: None,
            heaviest: heaviest.unwrap_or(0),
        };
        work.walk(|node| Box::new(node.same.iter()))
            .ok_or(SchemaError::Endless)?;
        work.whole = work.walk(|node| {
            Box::new(
                node.same
                    .iter()
                    .chain(node.named.values())
                    .chain(&node.members)
                    .chain(&node.items),
            )
        });
        Ok(work)
    }

    /// Whether the value, of this size in all, can be judged in bounded work.
    pub(crate) fn is_bounded(&self, value: &Value, size: Size) -> bool {
        let each = size
            .values
            .saturating_add(matching(self.heaviest, size.text));
        let quick = self
            .whole
            .is_some_and(|whole| whole.saturating_mul(each) <= MAX_VISITS);
        quick || self.visits(value).is_ok_and(|visits| visits <= MAX_VISITS)
    }

    /// Whether its faults can be told one by one; a large value may take more visits than a small one.
    pub(crate) fn is_tellable(&self, value: &Value, size: Size) -> bool {
        let matched = matching(self.heaviest, size.text).min(MAX_VISITS / 2);
        self.visits(value)
            .is_ok_and(|visits| visits <= MAX_TOLD.max(8 * size.values).saturating_add(matched))
    }

    fn visits(&self, value: &Value) -> Result<usize, TooMuch> {
        Count {
            nodes: &self.nodes,
            known: HashMap::new(),
        }
        .visits(0, value, 0)
    }

    /// The visits along these edges from the root; `None` where they come back, or chain too long.
    fn walk(
        &self,
        edges: impl for<'n> Fn(&'n Node) -> Box<dyn Iterator<Item = &'n usize> + 'n>,
    ) -> Option<usize> {
        let mut done: Vec<Option<usize>> = vec![None; self.nodes.len()];
        for start in 0..self.nodes.len() {
            self.walk_from(start, 0, &edges, &mut done)?;
        }
        done.first().copied().flatten()
    }

    fn walk_from<F>(
        &self,
        index: usize,
        depth: usize,
        edges: &F,
        done: &mut Vec<Option<usize>>,
    ) -> Option<usize>
    where
        F: for<'n> Fn(&'n Node) -> Box<dyn Iterator<Item = &'n usize> + 'n>,
    {
        if let Some(visits) = done.get(index).copied().flatten() {
            return Some(visits);
        }
        // A way that comes back to itself is longer than any bound.
        if depth > MAX_DEPTH {
            return None;
        }
        let mut visits = 1_usize;
        let node = self.nodes.get(index)?;
        let factor = if node.again { usize::MAX } else { 1 };
        for next in edges(node) {
            visits = visits.saturating_add(
                self.walk_from(*next, depth + 1, edges, done)?
                    .saturating_mul(factor),
            );
        }
        if let Some(slot) = done.get_mut(index) {
            *slot = Some(visits);
        }
        Some(visits)
    }
}

struct Count<'n> {
    nodes: &'n [Node],
    known: HashMap<(usize, usize), usize>,
}

impl Count<'_> {
    fn visits(&mut self, index: usize, value: &Value, depth: usize) -> Result<usize, TooMuch> {
        let pair = (index, address(value));
        if let Some(visits) = self.known.get(&pair) {
            return Ok(*visits);
        }
        let node = self.nodes.get(index).ok_or(TooMuch)?;
        if depth > MAX_DEPTH || self.known.len() > MAX_VISITS {
            return Err(TooMuch);
        }
        let texts = match value {
            Value::String(text) => matching(node.weight, text.len()),
            Value::Object(members) if node.key_weight > 0 => {
                matching(node.key_weight, members.keys().map(String::len).sum())
            }
            Value::Object(_)
            | Value::Array(_)
            | Value::Null
            | Value::Bool(_)
            | Value::Number(_) => 0,
        };
        let mut visits = texts.saturating_add(1);
        let mut add = |this: &mut Self, next: &[usize], value: &Value, times: usize| {
            for next in next {
                let more = this.visits(*next, value, depth + 1)?;
                visits = visits.saturating_add(more.saturating_mul(times));
            }
            Ok(())
        };
        let parts = value
            .as_object()
            .map(Map::len)
            .or_else(|| value.as_array().map(Vec::len))
            .unwrap_or(0);
        add(
            self,
            &node.same,
            value,
            if node.again { 1 + parts } else { 1 },
        )?;
        for (key, member) in value.as_object().into_iter().flatten() {
            add(self, &node.members, member, 1)?;
            if let Some(next) = node.named.get(key) {
                add(self, &[*next], member, 1)?;
            }
        }
        for item in value.as_array().into_iter().flatten() {
            add(self, &node.items, item, 1)?;
        }
        self.known.insert(pair, visits);
        Ok(visits)
    }
}

fn node<'a>(
    words: &'a Map<String, Value>,
    refs: &Refs<'a>,
    index: &mut impl FnMut(&'a Value) -> usize,
) -> Result<Node, SchemaError> {
    let mut node = Node::default();
    for (word, value) in words {
        match word.as_str() {
            "$ref" | "$dynamicRef" | "$recursiveRef" => {
                let target = value
                    .as_str()
                    .map(|reference| refs.target(reference))
                    .transpose()?;
                node.same.extend(target.flatten().map(&mut *index));
            }
            "allOf" | "anyOf" | "oneOf" | "not" | "if" | "then" | "else" => {
                node.same.extend(each(value).map(&mut *index));
            }
            "dependentSchemas" | "dependencies" => node
                .same
                .extend(named(value).map(|(_, schema)| index(schema))),
            "properties" => node
                .named
                .extend(named(value).map(|(key, schema)| (key.clone(), index(schema)))),
            "pattern" => node.weight = value.as_str().map_or(0, patterns::weight),
            "patternProperties" => {
                for (pattern, schema) in named(value) {
                    node.members.push(index(schema));
                    let weight = patterns::weight(pattern);
                    node.key_weight = node.key_weight.saturating_add(weight);
                }
            }
            "additionalProperties" => node.members.push(index(value)),
            "propertyNames" => (node.judges_keys, _) = (true, node.members.push(index(value))),
            "items" | "prefixItems" | "additionalItems" | "contains" => {
                node.items.extend(each(value).map(&mut *index));
            }
            "unevaluatedProperties" => (node.again, _) = (true, node.members.push(index(value))),
            "unevaluatedItems" => (node.again, _) = (true, node.items.push(index(value))),
            _ => {}
        }
    }
    Ok(node)
}

fn each(value: &Value) -> impl Iterator<Item = &Value> {
    let list = value.as_array();
    list.into_iter()
        .flatten()
        .chain(list.is_none().then_some(value))
}

fn named(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}
