//! The JSON Schema of every document that this crate reads or writes.
//!
//! Generated from the types; `cargo xtask wire` keeps the copies in the docs current, and the vectors
//! in `tests/wire` judge type and schema together.

use schemars::{JsonSchema, Schema, schema_for};
use serde_json::{Value, json};

use crate::events::{Accepted, Pinned, PinnedBy, Quarantined, Registered, Removed};
use crate::{
    Canonical, ParamKind, ParamSpec, ParamTable, ProfilePatch, ServerIdentity, UnknownParams,
};

/// Each document's name in `snake_case` with its schema, by name.
#[must_use]
pub fn wire_schemas() -> Vec<(&'static str, Value)> {
    fn schema<T: JsonSchema>() -> Value {
        schema_for!(T).to_value()
    }
    vec![
        ("canonical", schema::<Canonical>()),
        ("param_kind", schema::<ParamKind>()),
        ("param_spec", schema::<ParamSpec>()),
        ("param_table", schema::<ParamTable>()),
        ("pinned_by", schema::<PinnedBy>()),
        ("profile_patch", schema::<ProfilePatch>()),
        ("server_identity", schema::<ServerIdentity>()),
        ("tool_accepted", schema::<Accepted>()),
        ("tool_pinned", schema::<Pinned>()),
        ("tool_quarantined", schema::<Quarantined>()),
        ("tool_registered", schema::<Registered>()),
        ("tool_removed", schema::<Removed>()),
        ("unknown_params", schema::<UnknownParams>()),
    ]
}

/// `resource` is another name of `resources`; both together are refused.
pub(crate) fn one_resource(schema: &mut Schema) {
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut)
        && let Some(rules) = properties.get("resources").cloned()
    {
        properties.insert("resource".to_owned(), rules);
    }
    let both = json!({ "required": ["resource", "resources"] });
    schema.insert("not".to_owned(), both);
}
