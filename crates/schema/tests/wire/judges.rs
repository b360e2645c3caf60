//! Reads a text as each wire type and writes it again.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tipstaff_schema::verbs::Tier;
use tipstaff_schema::{
    Access, AgentId, BackendId, CallAccess, Constraint, Digest, Effect, Estimate, IntentToken,
    NamePattern, Object, OutputTrust, Person, Placement, Provenance, Reach, ResourceKind,
    ResourcePlace, ResourceRule, Risk, Role, ScoredTool, ServerName, ToolAnnotations,
    ToolDescriptor, ToolRoute, ToolSource, ToolUsage, Verb, parse_strict,
};

/// Reads a text as the type and writes it again.
pub(crate) type Judge = fn(&[u8]) -> Result<Value, String>;

fn by_type<T: DeserializeOwned + Serialize>(text: &[u8]) -> Result<Value, String> {
    let value = parse_strict(text).map_err(|error| error.to_string())?;
    let it: T = serde_json::from_value(value).map_err(|error| error.to_string())?;
    serde_json::to_value(it).map_err(|error| error.to_string())
}

fn as_token(text: &[u8]) -> Result<Value, String> {
    let token = IntentToken::from_json(text).map_err(|error| error.to_string())?;
    serde_json::to_value(token).map_err(|error| error.to_string())
}

pub(crate) fn judge_of(name: &str) -> Judge {
    match name {
        "access" => by_type::<Access>,
        "agent_id" => by_type::<AgentId>,
        "backend_id" => by_type::<BackendId>,
        "call_access" => by_type::<CallAccess>,
        "constraint" => by_type::<Constraint>,
        "digest" => by_type::<Digest>,
        "effect" => by_type::<Effect>,
        "estimate" => by_type::<Estimate>,
        "intent_token" => as_token,
        "name_pattern" => by_type::<NamePattern>,
        "object" => by_type::<Object>,
        "output_trust" => by_type::<OutputTrust>,
        "person" => by_type::<Person>,
        "placement" => by_type::<Placement>,
        "provenance" => by_type::<Provenance>,
        "reach" => by_type::<Reach>,
        "resource_kind" => by_type::<ResourceKind>,
        "resource_place" => by_type::<ResourcePlace>,
        "resource_rule" => by_type::<ResourceRule>,
        "risk" => by_type::<Risk>,
        "role" => by_type::<Role>,
        "scored_tool" => by_type::<ScoredTool>,
        "server_name" => by_type::<ServerName>,
        "tier" => by_type::<Tier>,
        "tool_annotations" => by_type::<ToolAnnotations>,
        "tool_descriptor" => by_type::<ToolDescriptor>,
        "tool_route" => by_type::<ToolRoute>,
        "tool_source" => by_type::<ToolSource>,
        "tool_usage" => by_type::<ToolUsage>,
        "verb" => by_type::<Verb>,
        other => panic!("the schema `{other}` has no judge"),
    }
}
