//! JSON with comments and trailing commas, members in the order of the file: order decides in opencode.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

/// A value; of numbers nothing is kept, since none of the formats has a rule in one.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Json {
    Other,
    Bool(bool),
    Text(String),
    List(Vec<Json>),
    Map(Vec<(String, Json)>),
}

impl Json {
    /// The member of this name: the last, where it is written twice.
    pub(super) fn member(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Map(members) => members
                .iter()
                .rev()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value),
            Self::Other | Self::Bool(_) | Self::Text(_) | Self::List(_) => None,
        }
    }
}

/// A name as one step of a JSON pointer.
pub(super) fn step(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

pub(super) fn read(text: &str) -> Result<Json, serde_json::Error> {
    serde_json::from_str(&plain(text.strip_prefix('\u{feff}').unwrap_or(text)))
}

/// The same text with blanks for comments and for commas before a closing bracket.
fn plain(text: &str) -> String {
    let mut out: Vec<char> = Vec::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut comma = None;
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('"', _) => {
                comma = None;
                out.push(c);
                while let Some(c) = chars.next() {
                    out.push(c);
                    match c {
                        '\\' => out.extend(chars.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            ('/', Some('/')) => {
                while chars.next_if(|c| *c != '\n').is_some() {
                    out.push(' ');
                }
            }
            ('/', Some('*')) => {
                chars.next();
                let mut before = ' ';
                for c in chars.by_ref() {
                    out.push(if c == '\n' { c } else { ' ' });
                    if before == '*' && c == '/' {
                        break;
                    }
                    before = c;
                }
            }
            (']' | '}', _) => {
                if let Some(place) = comma.take().and_then(|at: usize| out.get_mut(at)) {
                    *place = ' ';
                }
                out.push(c);
            }
            (',', _) => {
                comma = Some(out.len());
                out.push(c);
            }
            (c, _) => {
                if !c.is_whitespace() {
                    comma = None;
                }
                out.push(c);
            }
        }
    }
    out.into_iter().collect()
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Other)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Json, E> {
        Ok(Json::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Json, E> {
        Ok(Json::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Json, E> {
        Ok(Json::Other)
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json, A::Error> {
        let mut map = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            map.push(entry);
        }
        Ok(Json::Map(map))
    }
}
