//! What a tool's schema says of one place in the parameters, as far as it says it plainly.
//!
//! Local `$ref` and `allOf` are followed. Where another word could say more (`anyOf` beside it,
//! patterns of names, identities inside), nothing is concluded: what is told of a place is so for
//! every document that the schema lets pass.

use serde_json::{Map, Value};

/// A schema, ready to be asked about places.
#[derive(Clone, Copy)]
pub(super) struct Schema<'s> {
    root: &'s Value,
    /// Whether what stands beside `$ref` counts; drafts before 2019-09 ignore it.
    beside_ref: bool,
    /// Whether `#/…` means the same everywhere in it.
    one_identity: bool,
}

/// All schemas that hold for one value.
pub(super) struct Place<'s> {
    of: Schema<'s>,
    parts: Vec<&'s Map<String, Value>>,
    /// What is said only for readers: beside a `$ref` that silences it.
    remarks: Vec<&'s Map<String, Value>>,
    /// Whether all of it was read.
    read: bool,
}

/// So many schemas that hold for one value are read; a circle of references ends here.
const MOST: usize = 200;

/// Words that make more of a value's form depend on what it is.
const BRANCHES: [&str; 12] = [
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "dependentRequired",
    "dependencies",
    "$dynamicRef",
    "$recursiveRef",
    "minProperties",
];

impl<'s> Schema<'s> {
    pub(super) fn new(root: &'s Value) -> Self {
        let draft = root.get("$schema").and_then(Value::as_str);
        let old = |draft: &str| {
            ["draft-03", "draft-04", "draft-06", "draft-07"]
                .iter()
                .any(|name| draft.contains(name))
        };
        Self {
            root,
            beside_ref: !draft.is_some_and(old),
            one_identity: !identity_inside(root),
        }
    }

    /// The whole document.
    pub(super) fn whole(self) -> Place<'s> {
        self.place([self.root])
    }

    fn place(self, schemas: impl IntoIterator<Item = &'s Value>) -> Place<'s> {
        let mut place = Place {
            of: self,
            parts: Vec::new(),
            remarks: Vec::new(),
            read: true,
        };
        for schema in schemas {
            place.take(schema);
        }
        place
    }

    fn resolve(self, reference: &Value) -> Option<&'s Value> {
        let pointer = reference.as_str()?.strip_prefix('#')?;
        let plain = self.one_identity && !pointer.contains('%');
        plain.then(|| self.root.pointer(pointer))?
    }
}

/// Whether a schema inside has an identity of its own, which gives `#/…` another meaning there.
fn identity_inside(schema: &Value) -> bool {
    let named = |value: &Value| {
        ["$id", "id"]
            .iter()
            .any(|key| value.get(key).is_some_and(Value::is_string))
    };
    let inside = |value: &Value| named(value) || identity_inside(value);
    match schema {
        Value::Object(map) => map.values().any(inside),
        Value::Array(items) => items.iter().any(inside),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

impl<'s> Place<'s> {
    fn take(&mut self, schema: &'s Value) {
        let mut left = vec![schema];
        while let Some(schema) = left.pop() {
            let map = match schema {
                Value::Bool(true) => continue,
                Value::Object(map) => map,
                Value::Bool(false)
                | Value::Null
                | Value::Number(_)
                | Value::String(_)
                | Value::Array(_) => {
                    self.read = false;
                    continue;
                }
            };
            if self.parts.len() + self.remarks.len() >= MOST {
                self.read = false;
                return;
            }
            if let Some(reference) = map.get("$ref") {
                let target = self.of.resolve(reference);
                self.read &= target.is_some();
                left.extend(target);
                if !self.of.beside_ref {
                    self.remarks.push(map);
                    continue;
                }
            }
            self.parts.push(map);
            left.extend(
                map.get("allOf")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                    .rev(),
            );
        }
    }

    fn says(&self, words: &[&str]) -> bool {
        words
            .iter()
            .any(|word| self.parts.iter().any(|part| part.contains_key(*word)))
    }

    /// The place of a field; `None` where the schema does not plainly say what it is.
    pub(super) fn field(&self, name: &str) -> Option<Place<'s>> {
        if !self.read || self.says(&["patternProperties"]) {
            return None;
        }
        let mut schemas: Vec<&'s Value> = Vec::new();
        for part in &self.parts {
            let declared = part
                .get("properties")
                .and_then(|properties| properties.get(name));
            schemas.extend(declared.or_else(|| {
                part.get("additionalProperties")
                    .filter(|other| other.is_object())
            }));
        }
        (!schemas.is_empty()).then(|| self.of.place(schemas))
    }

    /// Whether a document can leave the field out.
    pub(super) fn is_optional(&self, name: &str) -> bool {
        let requires = |part: &&Map<String, Value>| {
            let names = part.get("required").and_then(Value::as_array);
            names.is_some_and(|names| names.iter().any(|required| required == name))
        };
        self.read && !self.says(&BRANCHES) && !self.parts.iter().any(requires)
    }

    /// What the server takes where the value is left out.
    pub(super) fn default(&self) -> Option<&'s Value> {
        let all = self.remarks.iter().chain(&self.parts);
        all.into_iter().find_map(|part| part.get("default"))
    }

    /// Whether a value of any type may stand here.
    pub(super) fn is_untyped(&self) -> bool {
        let silent = BRANCHES
            .iter()
            .copied()
            .filter(|word| *word != "anyOf" && *word != "minProperties");
        let silent: Vec<&str> = silent
            .chain(["type", "enum", "const", "extends", "disallow"])
            .collect();
        let free = |part: &&'s Map<String, Value>| match part.get("anyOf") {
            Some(Value::Array(branches)) => branches
                .iter()
                .any(|branch| self.of.place([branch]).is_untyped()),
            Some(_) => false,
            None => true,
        };
        self.read && !self.says(&silent) && self.parts.iter().all(free)
    }

    /// The place of every element, where this is a list to which elements can be added.
    pub(super) fn open_list(&self) -> Option<Place<'s>> {
        let closed = [
            "maxItems",
            "prefixItems",
            "additionalItems",
            "enum",
            "const",
        ];
        if !self.read || self.says(&closed) || self.says(&BRANCHES) || !self.is_list() {
            return None;
        }
        let items: Vec<&'s Value> = self
            .parts
            .iter()
            .filter_map(|part| part.get("items"))
            .collect();
        let open = items
            .iter()
            .all(|items| items.is_object() || **items == Value::Bool(true));
        open.then(|| self.of.place(items))
    }

    /// Whether the schema says that an array stands here, and no object.
    fn is_list(&self) -> bool {
        let named = |part: &&Map<String, Value>, wanted: &str| match part.get("type") {
            Some(Value::String(name)) => Some(name == wanted),
            Some(Value::Array(names)) => Some(names.iter().any(|name| name == wanted)),
            _ => None,
        };
        let all = |wanted| {
            self.parts
                .iter()
                .filter_map(move |part| named(part, wanted))
        };
        all("array").next().is_some()
            && all("array").all(|yes| yes)
            && all("object").any(|yes| !yes)
    }

    /// Values that may stand here, for a call that shows something; the schema may still refuse them.
    pub(super) fn samples(&self) -> Vec<Value> {
        let listed = self
            .parts
            .iter()
            .find_map(|part| part.get("enum")?.as_array().cloned());
        if let Some(listed) = listed {
            return listed;
        }
        let bounds = self
            .parts
            .iter()
            .flat_map(|part| [part.get("minimum"), part.get("maximum")]);
        let bounds: Vec<Value> = bounds.flatten().cloned().collect();
        let numbers = || {
            bounds
                .iter()
                .cloned()
                .chain([0.into(), 1.into(), (-1).into()])
        };
        let kind = self.parts.iter().find_map(|part| part.get("type"));
        let first = match kind {
            Some(Value::Array(names)) => names.first().and_then(Value::as_str),
            _ => kind.and_then(Value::as_str),
        };
        match first {
            Some("integer" | "number") => numbers().collect(),
            Some("boolean") => vec![true.into(), false.into()],
            Some("object") => vec![Value::Object(Map::new())],
            Some("array") => vec![Value::Array(Vec::new())],
            Some("null") => vec![Value::Null],
            Some(_) | None => vec!["other".into(), "another".into()],
        }
    }
}
