//! Tools of the host's own code, as entries of the catalog.
//!
//! Their definitions are ours, so they need no pin to be callable; their names still may not pass
//! for another's.

use std::sync::Arc;

use tipstaff_schema::{HintsAsSaid, ToolSource};

use crate::capability::Capability;
use crate::entry::{Standing, ToolEntry};
use crate::error::CatalogError;
use crate::show;
use crate::validator::Validator;
use crate::wire::UnknownParams;

/// A tool of the host's own, as [`crate::Catalog::add_native`] takes it.
pub type NativeTool = Capability;

/// The entry of a tool of ours.
///
/// # Errors
/// [`CatalogError`] when the id is a server's, or the schema cannot be used.
pub(crate) fn entry_of(tool: NativeTool) -> Result<ToolEntry, CatalogError> {
    let Capability {
        descriptor,
        profile,
    } = tool;
    let tool_id = show::name(&descriptor.tool_id);
    let of_server = matches!(descriptor.source, ToolSource::McpServer { .. });
    if of_server || descriptor.tool_id.is_empty() || descriptor.tool_id.contains([':', '/']) {
        let why =
            "ids of tools of ours hold no `:` and no `/`; tools of servers come by their listing"
                .to_owned();
        return Err(CatalogError::Refused { tool_id, why });
    }
    let unknown = if profile.allow_unknown_params {
        UnknownParams::Allow
    } else {
        UnknownParams::Refuse
    };
    let schema_error = |source| CatalogError::Schema {
        tool_id: tool_id.clone(),
        source,
    };
    let validator = Validator::compile(&descriptor.input_schema, unknown).map_err(schema_error)?;
    let output = descriptor
        .output_schema
        .as_ref()
        .map(Validator::compile_output)
        .transpose()
        .map_err(schema_error)?;
    let raw = serde_json::to_value(&descriptor).map_err(|source| CatalogError::Refused {
        tool_id: tool_id.clone(),
        why: source.to_string(),
    })?;
    let pin = crate::pin::native_pin(&descriptor.tool_id, &raw).map_err(|source| {
        CatalogError::Canonical {
            tool_id: tool_id.clone(),
            source,
        }
    })?;
    Ok(ToolEntry {
        name: descriptor.tool_id.clone(),
        descriptor: Arc::new(descriptor),
        raw: Arc::new(raw),
        profile,
        accepted: None,
        pin,
        server_digest: None,
        standing: Standing::Callable,
        validator: Ok(Arc::new(validator)),
        output: output.map(Arc::new),
        hints: HintsAsSaid::default(),
        server: None,
    })
}
