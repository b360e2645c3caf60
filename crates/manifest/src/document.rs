//! The YAML text as a tree in which every key and value knows its place.
//!
//! The strictest reading there is: YAML 1.2 scalars, no duplicate keys, no unknown tags, no merge
//! keys, no second document, aliases and size bounded. JSON is read as the YAML that it is.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::Spanned;
use serde_saphyr::options::{DuplicateKeyPolicy, MergeKeyPolicy};

use crate::problem::{Place, Problem};
use crate::syntax;

/// The most bytes of one file.
pub(crate) const MAX_BYTES: usize = 8 * 1024 * 1024;

/// One value and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) place: Place,
    /// The byte at which it begins.
    offset: Option<usize>,
    pub(crate) data: Data,
}

#[derive(Debug, Clone)]
pub(crate) enum Data {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(Key, Node)>),
}

/// A key and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    pub(crate) text: String,
    pub(crate) place: Place,
}

/// Reads a file's text.
pub(crate) fn read(file: &str, text: &str) -> Result<Node, Problem> {
    if text.len() > MAX_BYTES {
        let message = format!(
            "the file has {} bytes; at most {MAX_BYTES} are read",
            text.len()
        );
        return Err(Problem::new(file, Place::START, message));
    }
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_documents: 1,
            max_depth: 64,
            max_aliases: 1_000,
            max_nodes: 2_000_000,
            max_events: 6_000_000,
        },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: 100_000, max_replay_stack_depth: 16 },
        duplicate_keys: DuplicateKeyPolicy::Error,
        merge_keys: MergeKeyPolicy::Error,
        strict_booleans: true,
        reject_unsupported_tags: true,
        reject_tagged_field_names: true,
        with_snippet: false,
    };
    let read = serde_saphyr::from_str_with_options(text, options);
    let root: Node = read.map_err(|error| syntax::problem(file, text, &error))?;
    match root.bare_tag(text) {
        Some(place) => Err(syntax::bare_tag(file, place)),
        None => Ok(root),
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Spanned {
            value, referenced, ..
        } = Spanned::<Data>::deserialize(deserializer)?;
        let offset = referenced
            .span()
            .byte_offset()
            .and_then(|at| usize::try_from(at).ok());
        Ok(Self {
            place: Place::new(referenced.line(), referenced.column()),
            offset,
            data: value,
        })
    }
}

impl<'de> Deserialize<'de> for Data {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Data;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Data, E> {
        Ok(Data::Null)
    }

    fn visit_none<E>(self) -> Result<Data, E> {
        Ok(Data::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Data, D::Error> {
        Data::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Data, E> {
        Ok(Data::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Data, E> {
        Ok(Data::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Data, E> {
        Ok(Data::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Data, E> {
        Number::from_f64(value)
            .map(Data::Number)
            .ok_or_else(|| E::custom("the number is not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Data, E> {
        Ok(Data::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Data, E> {
        Ok(Data::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Data, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Data::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Data, A::Error> {
        let mut map = Vec::new();
        while let Some((key, value)) = entries.next_entry::<Spanned<String>, Node>()? {
            let place = Place::new(key.referenced.line(), key.referenced.column());
            map.push((
                Key {
                    text: key.value,
                    place,
                },
                value,
            ));
        }
        Ok(Data::Map(map))
    }
}

impl Node {
    /// A map that stands in no file as such.
    pub(crate) fn map(place: Place, entries: Vec<(Key, Self)>) -> Self {
        let (offset, data) = (None, Data::Map(entries));
        Self {
            place,
            offset,
            data,
        }
    }

    /// The same as JSON.
    pub(crate) fn to_json(&self) -> Value {
        match &self.data {
            Data::Null => Value::Null,
            Data::Bool(value) => Value::Bool(*value),
            Data::Number(value) => Value::Number(value.clone()),
            Data::Text(text) => Value::String(text.clone()),
            Data::List(items) => Value::Array(items.iter().map(Self::to_json).collect()),
            Data::Map(entries) => {
                let members: Map<_, _> = entries
                    .iter()
                    .map(|(key, value)| (key.text.clone(), value.to_json()))
                    .collect();
                Value::Object(members)
            }
        }
    }

    /// A value behind a lone `!`, which the reader takes for a tag that says nothing and drops.
    fn bare_tag(&self, text: &str) -> Option<Place> {
        let before = self
            .offset
            .and_then(|at| text.get(..at))
            .unwrap_or_default();
        let before = before.trim_end();
        // Looked at further only behind a `!`: a file may be one long line.
        if before.ends_with('!') {
            let line = before.rsplit('\n').next().unwrap_or_default();
            let token = line.rsplit([' ', '\t', '[', '{', ',']).next();
            if token == Some("!") && !line.contains('#') {
                return Some(self.place);
            }
        }
        let below = self
            .entries()
            .iter()
            .map(|(_, value)| value)
            .chain(self.items());
        below.filter_map(|node| node.bare_tag(text)).next()
    }

    /// The entries of a map, in the order of the file; none where it is something else.
    pub(crate) fn entries(&self) -> &[(Key, Self)] {
        match &self.data {
            Data::Map(entries) => entries,
            Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) | Data::List(_) => &[],
        }
    }

    /// The items of a list; none where it is something else.
    pub(crate) fn items(&self) -> &[Self] {
        match &self.data {
            Data::List(items) => items,
            Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) | Data::Map(_) => &[],
        }
    }

    /// The member or item of this name.
    pub(crate) fn child(&self, name: &str) -> Option<&Self> {
        match &self.data {
            Data::Map(entries) => entries
                .iter()
                .find(|(key, _)| key.text == name)
                .map(|(_, value)| value),
            Data::List(items) => items.get(name.parse::<usize>().ok()?),
            Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) => None,
        }
    }

    /// The place of a path of names, as far down as it exists.
    pub(crate) fn place_of<'a>(&self, path: impl IntoIterator<Item = &'a str>) -> Place {
        let mut node = self;
        for name in path {
            match node.child(name) {
                Some(child) => node = child,
                None => break,
            }
        }
        node.place
    }

    /// The place of a key below this node.
    pub(crate) fn key_place(&self, name: &str) -> Option<Place> {
        self.entries()
            .iter()
            .find(|(key, _)| key.text == name)
            .map(|(key, _)| key.place)
    }
}
