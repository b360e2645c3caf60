//! The tools that two rules both mean.

use serde_json::{Value, json};
use tipstaff_resource::Pattern;
use tipstaff_schema::{Profile, ResourceKind, ResourceRule};

use crate::names::{Meet, meet};
use crate::rule::{Capability, Rule};
use crate::world::World;

/// A tool of the world, or one that may exist.
#[derive(Debug, Clone)]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(super) tool_id: String,
    pub(crate) profile: Profile,
    pub(super) schema: Option<Value>,
    /// Whether the world lists it.
    pub(super) real: bool,
}

/// The tools that both rules mean.
pub(super) struct CommonTools {
    pub(super) found: Vec<Tool>,
    /// Whether there may be others.
    pub(super) incomplete: bool,
}

/// The tools of the world that both rules mean and that are not locked; and one that may exist
/// beside them, where a server's tools are not all listed or nothing is known of the world.
pub(super) fn common_tools(a: &Rule, b: &Rule, world: &World) -> CommonTools {
    let known = world.capabilities.iter().filter(|tool| {
        !tool.profile.locked
            && a.capability.matches(&tool.name, &tool.tool_id)
            && b.capability.matches(&tool.name, &tool.tool_id)
    });
    let mut found: Vec<Tool> = known
        .map(|tool| Tool {
            name: tool.name.clone(),
            tool_id: tool.tool_id.clone(),
            profile: tool.profile.clone(),
            schema: tool.input_schema.clone(),
            real: true,
        })
        .collect();
    let mut incomplete = false;
    let (a, b) = (name_of(&a.capability), name_of(&b.capability));
    for form in open_forms(world) {
        match meet(&[a, b, &form]) {
            Meet::At(name)
                if !found.iter().any(|tool| tool.name == name)
                    && !world.capabilities.iter().any(|tool| tool.name == name) =>
            {
                let tool_id = if name == "spawn" {
                    name.clone()
                } else {
                    format!("mcp:{name}")
                };
                found.push(Tool {
                    name,
                    tool_id,
                    profile: Profile::unknown(""),
                    schema: None,
                    real: false,
                });
            }
            Meet::At(_) | Meet::Nowhere => {}
            Meet::NotDecided => incomplete = true,
        }
    }
    CommonTools { found, incomplete }
}

/// A tool id means the name behind its `mcp:`.
pub(super) fn name_of(capability: &Capability) -> &str {
    let text = capability.as_str();
    text.strip_prefix("mcp:")
        .filter(|rest| rest.contains(':'))
        .unwrap_or(text)
}

/// Patterns over the names of tools that may exist although the world does not list them.
pub(super) fn open_forms(world: &World) -> Vec<String> {
    if world.servers.is_empty() && world.capabilities.is_empty() {
        return vec!["spawn".to_owned(), "a*:?*".to_owned(), "?*".to_owned()];
    }
    world
        .servers
        .iter()
        .filter(|server| !server.listed)
        .map(|server| format!("{}:?*", server.name))
        .collect()
}

impl Tool {
    pub(super) fn is_spawn(&self) -> bool {
        self.name == "spawn"
    }

    /// The resource rules whose resources all these patterns judge. A tool that is not known may
    /// have any; a known tool without a fitting one derives no such resource.
    pub(super) fn resource_rules(&self, patterns: &[Pattern]) -> Vec<ResourceRule> {
        let fits = |kind: ResourceKind| patterns.iter().all(|pattern| pattern.judges(kind));
        if self.real && !self.is_spawn() {
            return self
                .profile
                .resources
                .iter()
                .filter(|rule| fits(rule.kind))
                .cloned()
                .collect();
        }
        let kinds = patterns
            .iter()
            .map(Pattern::kind)
            .chain([ResourceKind::Url]);
        let rule = |kind| ResourceRule {
            kind,
            from: "/target".to_owned(),
            access: None,
            optional: false,
            on: None,
        };
        kinds.filter(|kind| fits(*kind)).take(1).map(rule).collect()
    }

    /// Adds plain values for required fields, so that the call passes validation where that is easy.
    pub(super) fn fill_required(&self, params: &mut Value) {
        let (Some(schema), Value::Object(map)) = (&self.schema, params) else {
            return;
        };
        for key in schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
        {
            if !map.contains_key(key) {
                let wanted = schema
                    .get("properties")
                    .and_then(|properties| properties.get(key));
                map.insert(key.to_owned(), wanted.map_or(Value::Null, sample));
            }
        }
    }
}

fn sample(schema: &Value) -> Value {
    let listed = schema.get("enum").and_then(|values| values.get(0));
    if let Some(value) = schema
        .get("const")
        .or_else(|| schema.get("default"))
        .or(listed)
    {
        return value.clone();
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        Some("boolean") => json!(false),
        Some("array") => json!([]),
        Some("object") => json!({}),
        Some("null") => Value::Null,
        _ => json!("x"),
    }
}
