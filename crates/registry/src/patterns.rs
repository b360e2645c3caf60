//! What patterns of foreign schemas may cost: memory when they are compiled, time when they match.
//!
//! No engine is linear in everything. Ours never runs for ever, but a large pattern works its size
//! for each byte, and one that looks around may read the text anew for each byte. So each is
//! weighed, and `work` counts text times weight before anything is matched.

use jsonschema::PatternOptions;
use serde_json::{Value, json};

use crate::validator::options;

/// Memory that all compiled patterns of a schema may take together.
const ALL_BYTES: usize = 32 << 20;
/// Memory that one may take.
const ONE_BYTES: usize = 256 << 10;
/// Up to here, and without looking around, a pattern is light.
const LIGHT_BYTES: usize = 8 << 10;

/// What 16 bytes of text count for a light pattern, in visits; see `work`.
const LIGHT: usize = 1;
/// The same for any other: 100,000 visits are then 16 KiB of text, of which each byte may read all.
const HEAVY: usize = 96;

/// The share of one pattern, when a schema has these.
pub(crate) fn share(schema: &Value) -> usize {
    let (mut pieces, mut open) = (0_usize, vec![schema]);
    while let Some(node) = open.pop() {
        match node {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                if let Some(Value::String(pattern)) = members.get("pattern") {
                    pieces += parts(pattern);
                }
                if let Some(Value::Object(by_pattern)) = members.get("patternProperties") {
                    // Compiled twice: to match values, and to tell which keys are declared.
                    pieces += by_pattern.keys().map(|key| 2 * parts(key)).sum::<usize>();
                }
                open.extend(members.values());
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    (ALL_BYTES / pieces.max(1)).min(ONE_BYTES)
}

/// An upper bound on the parts that are compiled by themselves: what stands between look-arounds,
/// back references and possessive repetitions.
fn parts(pattern: &str) -> usize {
    let bytes = pattern.as_bytes();
    let pairs = bytes.iter().zip(bytes.iter().skip(1));
    let special = pairs.filter(|pair| {
        matches!(
            pair,
            (b'(', b'?') | (b'+' | b'*' | b'?' | b'}', b'+') | (b'\\', b'0'..=b'9' | b'k' | b'g')
        )
    });
    1 + 2 * special.count()
}

/// How much 16 bytes of text count for a pattern.
pub(crate) fn weight(pattern: &str) -> usize {
    let light = PatternOptions::regex().size_limit(LIGHT_BYTES);
    let compiled = options(ONE_BYTES)
        .with_pattern_options(light)
        .build(&json!({ "pattern": pattern }));
    if compiled.is_ok() { LIGHT } else { HEAVY }
}
