//! Words of a schema that do nothing and look like mistyped ones: legal JSON Schema, and an open
//! door where the author believed it shut. Told to reviewers; decides nothing.

use serde_json::Value;

use crate::findings::{FindingKind, TextFinding};
use crate::show;

/// The words of drafts 4 to 2020-12.
const WORDS: &[&str] = &[
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$recursiveAnchor",
    "$recursiveRef",
    "$ref",
    "$schema",
    "$vocabulary",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "definitions",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "deprecated",
    "description",
    "else",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "id",
    "if",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "readOnly",
    "required",
    "then",
    "title",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
    "writeOnly",
];
/// Words that hold a schema, or a list of them.
const SCHEMAS: &[&str] = &[
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Words that hold schemas by name.
const NAMED: &[&str] = &[
    "$defs",
    "definitions",
    "dependentSchemas",
    "patternProperties",
    "properties",
];

/// The mistyped words of a schema. The schema is within the bounds of a definition.
pub(crate) fn lint(schema: &Value) -> Vec<TextFinding> {
    let mut findings = Vec::new();
    let mut open = vec![(schema, String::from("/inputSchema"))];
    while let Some((node, at)) = open.pop() {
        if let Value::Array(items) = node {
            open.extend(
                items
                    .iter()
                    .enumerate()
                    .map(|(index, item)| (item, format!("{at}/{index}"))),
            );
        }
        for (key, value) in node.as_object().into_iter().flatten() {
            let below = || format!("{at}/{key}");
            if SCHEMAS.contains(&key.as_str()) {
                open.push((value, below()));
            } else if NAMED.contains(&key.as_str()) {
                let named = value.as_object().into_iter().flatten();
                open.extend(named.map(|(name, schema)| (schema, format!("{at}/{key}/{name}"))));
            } else if !WORDS.contains(&key.as_str())
                && let Some(meant) = WORDS.iter().find(|word| is_near(key, word))
            {
                let why = format!(
                    "`{}`: no word of JSON Schema and so without effect; `{meant}` was meant?",
                    show::name(&below())
                );
                findings.push(TextFinding {
                    kind: FindingKind::SchemaTypo,
                    span: 0..0,
                    why,
                });
            }
        }
    }
    findings.sort_by(|a, b| a.why.cmp(&b.why));
    findings
}

/// Whether one letter more, less, changed or swapped, or the case, makes one word of the other.
fn is_near(written: &str, word: &str) -> bool {
    let (a, b) = (written.to_ascii_lowercase(), word.to_ascii_lowercase());
    let prefix = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let (mut a, mut b) = (
        a.into_bytes().split_off(prefix),
        b.into_bytes().split_off(prefix),
    );
    while a.last().is_some() && a.last() == b.last() {
        a.pop();
        b.pop();
    }
    let swapped = a.len() == 2 && b.len() == 2 && a.iter().rev().eq(b.iter());
    written.len() > 3 && ((a.len() <= 1 && b.len() <= 1) || swapped)
}
