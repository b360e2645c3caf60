//! The JSON Schema of every wire type of this crate.
//!
//! Generated from the types; `cargo xtask wire` keeps the copies in the docs current, and the
//! vectors in `tests/wire` judge type and schema together.

use schemars::{JsonSchema, schema_for};
use serde_json::Value;

use crate::*;

/// Each wire type's name in `snake_case` with its schema, by name.
#[must_use]
pub fn wire_schemas() -> Vec<(&'static str, Value)> {
    fn schema<T: JsonSchema>() -> Value {
        schema_for!(T).to_value()
    }
    vec![
        ("access", schema::<Access>()),
        ("agent_id", schema::<AgentId>()),
        ("backend_id", schema::<BackendId>()),
        ("call_access", schema::<CallAccess>()),
        ("constraint", schema::<Constraint>()),
        ("digest", schema::<Digest>()),
        ("effect", schema::<Effect>()),
        ("estimate", schema::<Estimate>()),
        ("intent_token", schema::<IntentToken>()),
        ("name_pattern", schema::<NamePattern>()),
        ("object", schema::<Object>()),
        ("output_trust", schema::<OutputTrust>()),
        ("person", schema::<Person>()),
        ("placement", schema::<Placement>()),
        ("provenance", schema::<Provenance>()),
        ("reach", schema::<Reach>()),
        ("resource_kind", schema::<ResourceKind>()),
        ("resource_place", schema::<ResourcePlace>()),
        ("resource_rule", schema::<ResourceRule>()),
        ("risk", schema::<Risk>()),
        ("role", schema::<Role>()),
        ("scored_tool", schema::<ScoredTool>()),
        ("server_name", schema::<ServerName>()),
        ("tier", schema::<verbs::Tier>()),
        ("tool_annotations", schema::<ToolAnnotations>()),
        ("tool_descriptor", schema::<ToolDescriptor>()),
        ("tool_route", schema::<ToolRoute>()),
        ("tool_source", schema::<ToolSource>()),
        ("tool_usage", schema::<ToolUsage>()),
        ("verb", schema::<Verb>()),
    ]
}
