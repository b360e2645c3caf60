//! One entry of a `tools/list` answer, read as far as it is needed and kept whole beside that.

use std::sync::Arc;

use serde_json::Value;
use tipstaff_schema::{HintsAsSaid, ServerName, ToolDescriptor, ToolSource, ToolUsage, Verb};

use crate::bounds;
use crate::entry::{Standing, ToolEntry};
use crate::error::SchemaError;
use crate::findings::{FindingKind, TextFinding, findings_in};
use crate::pin::{ServerIdentity, pin};
use crate::pins::Pins;
use crate::schema_lint::lint;
use crate::show;
use crate::snapshot::CatalogSnapshot;
use crate::validator::Validator;
use crate::wire::{ParamTable, ProfilePatch};

/// Longest name of a tool on its server, in bytes; the protocol suggests 128.
const MAX_NAME: usize = 192;

/// The tool's name, if rules and people can use it.
pub(crate) fn name(raw: &Value) -> Result<&str, String> {
    match raw.get("name").and_then(Value::as_str) {
        None | Some("") => Err("it has no name".to_owned()),
        Some(name) if name.len() > MAX_NAME => {
            Err(format!("its name is longer than {MAX_NAME} bytes"))
        }
        Some(name) if name.contains(|c: char| c.is_control() || c.is_whitespace()) => Err(format!(
            "its name `{}` holds a blank or a control character, which no rule can name",
            show::name(name)
        )),
        Some(name) => Ok(name),
    }
}

/// The whole entry, callable unless something stands against it later.
///
/// # Errors
/// Why there can be no entry, for people: its definition has no canonical form.
pub(crate) fn entry_of(
    server: &ServerName,
    tool: &str,
    raw: &Value,
    identity: &ServerIdentity,
    now: &CatalogSnapshot,
    pins: &Pins,
) -> Result<ToolEntry, String> {
    let tool_id = format!("mcp:{server}:{tool}");
    let pin = pin(&tool_id, raw, identity).map_err(|error| error.to_string())?;
    let name = format!("{server}:{tool}");
    let accepted = pins.get(&tool_id).and_then(|state| state.profile.clone());
    if let Some(before) = now.by_id(&tool_id)
        && before.pin == pin
        && before.accepted == accepted
    {
        // The same definition under the same book: nothing to compile again.
        return Ok(ToolEntry {
            standing: Standing::Callable,
            ..ToolEntry::clone(before)
        });
    }
    let patch = now.book.patch(&name, accepted.as_ref());
    let hints = HintsAsSaid::from_mcp(raw.get("annotations").unwrap_or(&Value::Null));
    let descriptor = descriptor_of(server, tool, tool_id, raw, hints);
    Ok(ToolEntry {
        validator: validator_of(raw, &patch),
        profile: patch.finish(&descriptor.verb.dotted(), &hints),
        descriptor: Arc::new(descriptor),
        name,
        raw: Arc::new(raw.clone()),
        accepted,
        pin,
        server_digest: identity.whole_digest().ok(),
        standing: Standing::Callable,
        output: output_validator(raw).and_then(Result::ok).map(Arc::new),
        hints,
        server: Some(server.clone()),
    })
}

/// What a reviewer should see in a `tools/list` entry: in its texts, and in its schemas.
#[must_use]
pub fn findings_of(raw: &Value) -> Vec<TextFinding> {
    if bounds::DEFINITION.count(raw).is_err() {
        return Vec::new(); // Such an entry is refused as a whole.
    }
    let mut findings = findings_in(raw);
    if let Some(Err(error)) = output_validator(raw) {
        let why = format!("`/outputSchema`: not used, since it does not compile: {error}");
        findings.push(TextFinding {
            kind: FindingKind::SchemaTypo,
            span: 0..0,
            why,
        });
    }
    findings.extend(raw.get("inputSchema").into_iter().flat_map(lint));
    findings
}

fn output_validator(raw: &Value) -> Option<Result<Validator, SchemaError>> {
    raw.get("outputSchema").map(Validator::compile_output)
}

/// The validator of a raw entry under what the operator says of it.
pub(crate) fn validator_of(raw: &Value, patch: &ProfilePatch) -> Result<Arc<Validator>, String> {
    let unknown = patch.unknown_params.unwrap_or_default();
    let own = patch.params.as_ref().map(ParamTable::to_schema);
    let schema = own
        .as_ref()
        .or_else(|| raw.get("inputSchema"))
        .ok_or("it has no `inputSchema`")?;
    Validator::compile(schema, unknown)
        .map(Arc::new)
        .map_err(|error| error.to_string())
}

fn descriptor_of(
    server: &ServerName,
    tool: &str,
    tool_id: String,
    raw: &Value,
    hints: HintsAsSaid,
) -> ToolDescriptor {
    let text = |key: &str| raw.get(key).and_then(Value::as_str).map(str::to_owned);
    let annotated = || {
        raw.pointer("/annotations/title")
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    ToolDescriptor {
        tool_id,
        source: ToolSource::McpServer {
            server: server.to_string(),
        },
        verb: Verb::new("mcp", tool),
        description: text("description").unwrap_or_default(),
        input_schema: raw.get("inputSchema").cloned().unwrap_or(Value::Null),
        output_schema: raw.get("outputSchema").cloned(),
        capabilities: Vec::new(),
        annotations: hints.into(),
        usage: ToolUsage::default(),
        embedding: None,
        title: text("title").or_else(annotated),
        mcp_name: None,
    }
}
