//! The own parameter table as JSON Schema, and the checks that JSON Schema has no words for.
//!
//! Lengths in bytes and the canonical forms of paths and URLs are keywords of ours, prefixed so
//! that no other schema means something else by them. Clients may ignore them; we do not.

use serde_json::{Map, Value, json};
use tipstaff_resource::{Base, Resource};
use tipstaff_schema::{Access, ResourceKind};

use crate::wire::{ParamKind, ParamTable};

/// Longest text in bytes.
pub(crate) const MAX_BYTES: &str = "x-tipstaff-max-bytes";
/// `path` or `url`.
pub(crate) const KIND: &str = "x-tipstaff-kind";

impl ParamKind {
    pub(crate) const fn is_text(self) -> bool {
        match self {
            Self::String | Self::Url | Self::Path => true,
            Self::Int | Self::Bool => false,
        }
    }
}

impl ParamTable {
    /// The table as a closed JSON Schema of draft 2020-12.
    #[must_use]
    pub fn to_schema(&self) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for (key, spec) in &self.0 {
            let mut schema = match spec.kind {
                ParamKind::String => json!({ "type": "string" }),
                ParamKind::Int => json!({ "type": "integer" }),
                ParamKind::Bool => json!({ "type": "boolean" }),
                ParamKind::Url => json!({ "type": "string", "format": "uri", KIND: "url" }),
                ParamKind::Path => json!({ "type": "string", KIND: "path" }),
            };
            if let Value::Object(schema) = &mut schema {
                if let Some(max) = spec.max_len {
                    // A text has at most as many characters as bytes, so this never refuses more.
                    schema.insert("maxLength".to_owned(), json!(max));
                    schema.insert(MAX_BYTES.to_owned(), json!(max));
                }
                if !spec.description.is_empty() {
                    schema.insert("description".to_owned(), json!(spec.description));
                }
            }
            if spec.required {
                required.push(key.clone());
            }
            properties.insert(key.clone(), schema);
        }
        json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
    }
}

/// Whether a text has a canonical form of its kind; relative paths have one, given a folder.
pub(crate) fn has_form(kind: ResourceKind, text: &str) -> bool {
    let base = Base {
        cwd: Some("/"),
        root: None,
    };
    Resource::parse(kind, text, Access::Read, &base).is_ok()
}
