//! References inside one schema document: pointers, anchors and embedded ids.
//!
//! For declared keys and the work bound; the compiled schema resolves its own. Where the two could
//! differ (an id inside the document that is more than a word, a `#` reference below one, two equal
//! ids) the schema is refused: what is counted must be what is done.

use std::collections::HashMap;

use serde_json::Value;

use crate::error::SchemaError;
use crate::show;

/// The targets that a document offers.
pub(crate) struct Refs<'a> {
    root: &'a Value,
    /// By `$id` and by `#anchor`; `None` where two have the same.
    named: HashMap<String, Option<&'a Value>>,
}

impl<'a> Refs<'a> {
    /// Collects the targets.
    ///
    /// # Errors
    /// [`SchemaError::Scope`] where an id inside the document changes what references mean.
    pub(crate) fn of(root: &'a Value) -> Result<Self, SchemaError> {
        let mut refs = Self {
            root,
            named: HashMap::new(),
        };
        let draft = root
            .get("$schema")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let id_word = if draft.contains("draft-04") {
            "id"
        } else {
            "$id"
        };
        let mut open = vec![(root, false)];
        while let Some((node, mut scoped)) = open.pop() {
            open.extend(
                node.as_array()
                    .into_iter()
                    .flatten()
                    .map(|item| (item, scoped)),
            );
            let Some(members) = node.as_object() else {
                continue;
            };
            let text = |word: &str| members.get(word).and_then(Value::as_str);
            if let Some(id) = text(id_word) {
                if !std::ptr::eq(node, root) && !id.starts_with('#') {
                    let plain = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
                    if id.is_empty() || !id.chars().all(plain) {
                        return Err(SchemaError::Scope {
                            reference: show::name(id),
                        });
                    }
                    scoped = true;
                }
                refs.offer(id.trim_end_matches('#').to_owned(), node);
            }
            for word in ["$anchor", "$dynamicAnchor"] {
                if let Some(anchor) = text(word) {
                    refs.offer(format!("#{anchor}"), node);
                }
            }
            let references = ["$ref", "$dynamicRef", "$recursiveRef"]
                .into_iter()
                .filter_map(text);
            if let Some(reference) = references
                .into_iter()
                .find(|reference| scoped && reference.starts_with('#'))
            {
                return Err(SchemaError::Scope {
                    reference: show::name(reference),
                });
            }
            open.extend(members.values().map(|member| (member, scoped)));
        }
        Ok(refs)
    }

    fn offer(&mut self, name: String, node: &'a Value) {
        self.named
            .entry(name)
            .and_modify(|known| *known = None)
            .or_insert(Some(node));
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
            self.named.get(base).copied().flatten()
        };
        let found = match fragment {
            "" => resource,
            _ if fragment.starts_with('/') => {
                resource.and_then(|root| root.pointer(&percent_decoded(fragment)?))
            }
            _ => resource.and_then(|_| self.named.get(&format!("#{fragment}")).copied().flatten()),
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
