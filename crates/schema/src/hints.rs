//! The hints of an MCP server, read for exactly what was said.
//!
//! Only a JSON boolean under MCP's own camelCase key counts; `"true"`, `1` and `read_only_hint`
//! say nothing. A hint may make things stricter, never milder.

use serde_json::Value;

use crate::ToolAnnotations;

/// What a server said of its tool: yes, no, or (`None`) nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct HintsAsSaid {
    /// `readOnlyHint`.
    pub read_only: Option<bool>,
    /// `destructiveHint`.
    pub destructive: Option<bool>,
    /// `idempotentHint`.
    pub idempotent: Option<bool>,
    /// `openWorldHint`.
    pub open_world: Option<bool>,
}

impl HintsAsSaid {
    /// Reads MCP's `annotations` object. Anything else says nothing.
    #[must_use]
    pub fn from_mcp(annotations: &Value) -> Self {
        let said = |key| annotations.get(key).and_then(Value::as_bool);
        Self {
            read_only: said("readOnlyHint"),
            destructive: said("destructiveHint"),
            idempotent: said("idempotentHint"),
            open_world: said("openWorldHint"),
        }
    }
}

/// MCP's own defaults stand in for what was not said: it writes, destroys, and is not idempotent.
impl From<HintsAsSaid> for ToolAnnotations {
    fn from(said: HintsAsSaid) -> Self {
        Self {
            read_only_hint: said.read_only.unwrap_or(false),
            destructive_hint: said.destructive.unwrap_or(true),
            idempotent_hint: said.idempotent.unwrap_or(false),
        }
    }
}
