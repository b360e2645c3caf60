//! References inside one schema document: pointers, anchors and embedded ids.
//!
//! Only for working out declared keys; the compiled schema resolves its own. Where the two could
//! differ (a relative id inside an embedded resource) this side finds nothing, and the schema is refused.

use std::collections::HashMap;

use serde_json::Value;

use crate::error::SchemaError;
use crate::show;

/// The targets that a document offers.
pub(crate) struct Refs<'a> {
    root: &'a Value,
    /// By `$id`, by `#anchor`.
    named: HashMap<String, &'a Value>,
}

impl<'a> Refs<'a> {
    pub(crate) fn of(root: &'a Value) -> Self {
        let mut named = HashMap::new();
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            match node {
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
                Value::Array(items) => open.extend(items),
                Value::Object(members) => {
                    for word in ["$id", "id"] {
                        if let Some(Value::String(id)) = members.get(word) {
                            named.insert(id.trim_end_matches('#').to_owned(), node);
                        }
                    }
                    for word in ["$anchor", "$dynamicAnchor"] {
                        if let Some(Value::String(anchor)) = members.get(word) {
                            named.insert(format!("#{anchor}"), node);
                        }
                    }
                    open.extend(members.values());
                }
            }
        }
        Self { root, named }
    }

    /// Where a reference leads; `None` for a meta-schema, which is answered from memory.
    ///
    /// # Errors
    /// [`SchemaError::Outside`] when it leads nowhere in the document.
    pub(crate) fn target(&self, reference: &str) -> Result<Option<&'a Value>, SchemaError> {
        let (base, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        if ["http://json-schema.org/", "https://json-schema.org/"]
            .iter()
            .any(|home| base.starts_with(home))
        {
            return Ok(None);
        }
        let resource = if base.is_empty() {
            Some(self.root)
        } else {
            self.named.get(base).copied()
        };
        let found = match fragment {
            "" => resource,
            _ if fragment.starts_with('/') => {
                resource.and_then(|root| root.pointer(&percent_decoded(fragment)?))
            }
            _ => resource.and_then(|_| self.named.get(&format!("#{fragment}")).copied()),
        };
        found.map(Some).ok_or_else(|| SchemaError::Outside {
            reference: show::name(reference),
        })
    }
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let (hex, rest) = part.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(hex, 16).ok()?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(bytes).ok()
}
