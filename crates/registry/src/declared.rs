//! Works out what [`Shapes`](crate::shape::Shapes) hold: for each place of a value, the schemas that speak of it, and
//! the keys that they declare between them.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::error::SchemaError;
use crate::refs::Refs;
use crate::shape::Shape;

/// Most distinct places; a schema that needs more is refused.
const MAX_SHAPES: usize = 5_000;

/// The shapes of a schema by number, the root's first.
///
/// # Errors
/// [`SchemaError`] when a reference leads nowhere, a pattern is none, or there are too many places.
pub(crate) fn declared_by(schema: &Value) -> Result<Vec<Shape>, SchemaError> {
    let mut builder = Builder {
        refs: Refs::of(schema)?,
        pattern_bytes: crate::patterns::share(schema),
        known: HashMap::new(),
        todo: Vec::new(),
    };
    builder.index(vec![schema])?;
    let mut all = Vec::new();
    while let Some(nodes) = builder.todo.get(all.len()).cloned() {
        let shape = builder.shape(&nodes, all.is_empty())?;
        all.push(shape);
    }
    Ok(all)
}

struct Builder<'a> {
    refs: Refs<'a>,
    pattern_bytes: usize,
    /// The number of each set of schema nodes, by their addresses.
    known: HashMap<Vec<usize>, usize>,
    /// The sets by number.
    todo: Vec<Vec<&'a Value>>,
}

/// What the schemas of one place say of keys, alternatives and references followed.
#[derive(Default)]
struct Group<'a> {
    members: Vec<&'a Map<String, Value>>,
    open: bool,
}

const KEY_WORDS: [&str; 4] = [
    "properties",
    "patternProperties",
    "additionalProperties",
    "unevaluatedProperties",
];

impl<'a> Builder<'a> {
    fn index(&mut self, mut nodes: Vec<&'a Value>) -> Result<usize, SchemaError> {
        nodes.sort_unstable_by_key(|node| address(node));
        nodes.dedup_by_key(|node| address(node));
        let key = nodes.iter().map(|node| address(node)).collect();
        let next = self.todo.len();
        let index = *self.known.entry(key).or_insert(next);
        if index == next {
            if next >= MAX_SHAPES {
                return Err(SchemaError::TooLarge {
                    what: "the number of places",
                    limit: MAX_SHAPES,
                });
            }
            self.todo.push(nodes);
        }
        Ok(index)
    }

    fn shape(&mut self, nodes: &[&'a Value], root: bool) -> Result<Shape, SchemaError> {
        let mut group = Group::default();
        for node in nodes {
            self.gather(node, &mut group)?;
        }
        let declares = group
            .members
            .iter()
            .any(|member| KEY_WORDS.iter().any(|word| member.contains_key(*word)));
        let mut shape = Shape {
            open: group.open || !(declares || root),
            ..Shape::default()
        };
        let mut rest = Vec::new();
        let mut patterns = Vec::new();
        for member in &group.members {
            for (pattern, schema) in members_of(member, "patternProperties") {
                let pattern = crate::validator::key_pattern(pattern, self.pattern_bytes)?;
                patterns.push((pattern, schema, *member));
                rest.push(schema);
            }
            if let Some(others) = others(member) {
                shape.open = true;
                rest.push(others);
            }
        }
        for member in &group.members {
            for key in members_of(member, "properties").map(|(key, _)| key) {
                if !shape.keys.contains_key(key) {
                    let inner = self.index(values_under(key, &group.members, &patterns))?;
                    shape.keys.insert(key.clone(), inner);
                }
            }
        }
        if !rest.is_empty() {
            shape.rest = Some(self.index(rest)?);
        }
        let items: Vec<&Value> = group
            .members
            .iter()
            .flat_map(|member| items_of(member))
            .collect();
        if !items.is_empty() {
            shape.items = Some(self.index(items)?);
        }
        shape.patterns = patterns
            .into_iter()
            .map(|(pattern, _, _)| pattern)
            .collect();
        Ok(shape)
    }

    /// Collects the schemas that apply to the same value. Each is visited once, so cycles end.
    fn gather(&self, node: &'a Value, group: &mut Group<'a>) -> Result<(), SchemaError> {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let Value::Object(members) = node else {
                continue;
            };
            if group
                .members
                .iter()
                .any(|seen| std::ptr::eq(*seen, members))
            {
                continue;
            }
            group.members.push(members);
            for word in ["$ref", "$dynamicRef", "$recursiveRef"] {
                if let Some(reference) = members.get(word).and_then(Value::as_str) {
                    match self.refs.target(reference)? {
                        Some(target) => open.push(target),
                        None => group.open = true, // A meta-schema: it describes schemas, which are free.
                    }
                }
            }
            open.extend(["allOf"].iter().flat_map(|word| list_of(members, word)));
            open.extend(
                ["if", "then", "else"]
                    .iter()
                    .filter_map(|word| members.get(*word)),
            );
            for word in ["dependentSchemas", "dependencies"] {
                open.extend(members_of(members, word).map(|(_, schema)| schema));
            }
            let declares = KEY_WORDS.iter().any(|word| members.contains_key(*word));
            for branch in ["anyOf", "oneOf"]
                .iter()
                .flat_map(|word| list_of(members, word))
            {
                group.open |= !declares && is_free(branch);
                open.push(branch);
            }
        }
        Ok(())
    }
}

/// Whether an alternative says outright that any object will do.
fn is_free(branch: &Value) -> bool {
    let Value::Object(members) = branch else {
        return *branch == Value::Bool(true);
    };
    const MORE: [&str; 6] = [
        "$ref",
        "$dynamicRef",
        "$recursiveRef",
        "allOf",
        "anyOf",
        "oneOf",
    ];
    let says_more = KEY_WORDS
        .iter()
        .chain(&MORE)
        .any(|word| members.contains_key(*word));
    let object = match members.get("type") {
        Some(Value::String(kind)) => kind == "object",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        Some(_) => false,
        None => members.is_empty(),
    };
    object && !says_more
}

/// The schema of keys that are not listed, unless there may be none.
fn others(member: &Map<String, Value>) -> Option<&Value> {
    let words = ["additionalProperties", "unevaluatedProperties"];
    words
        .iter()
        .filter_map(|word| member.get(*word))
        .find(|schema| **schema != Value::Bool(false))
}

type KeyPattern<'a> = (jsonschema::Validator, &'a Value, &'a Map<String, Value>);

/// The schemas of the value under one listed key, from every member that speaks of it.
fn values_under<'a>(
    key: &str,
    members: &[&'a Map<String, Value>],
    patterns: &[KeyPattern<'a>],
) -> Vec<&'a Value> {
    let name = Value::String(key.to_owned());
    let mut schemas = Vec::new();
    for member in members {
        let mut spoken: Vec<&Value> = member
            .get("properties")
            .and_then(|listed| listed.get(key))
            .into_iter()
            .collect();
        let matching = patterns
            .iter()
            .filter(|(pattern, _, of)| std::ptr::eq(*of, *member) && pattern.is_valid(&name));
        spoken.extend(matching.map(|(_, schema, _)| *schema));
        if spoken.is_empty() {
            spoken.extend(others(member));
        }
        schemas.append(&mut spoken);
    }
    schemas
}

fn items_of(member: &Map<String, Value>) -> Vec<&Value> {
    let words = [
        "items",
        "additionalItems",
        "unevaluatedItems",
        "prefixItems",
    ];
    let found = words.iter().filter_map(|word| member.get(*word));
    found
        .flat_map(|found| {
            found
                .as_array()
                .map_or_else(|| vec![found], |list| list.iter().collect())
        })
        .collect()
}

fn list_of<'a>(member: &'a Map<String, Value>, word: &str) -> impl Iterator<Item = &'a Value> {
    member
        .get(word)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

fn members_of<'a>(
    member: &'a Map<String, Value>,
    word: &str,
) -> impl Iterator<Item = (&'a String, &'a Value)> {
    member
        .get(word)
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
}

fn address(node: &Value) -> usize {
    std::ptr::from_ref(node).addr()
}
