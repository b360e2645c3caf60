//! Reads a set of wishes and tools, and puts its tools into the wire's form.

use std::path::Path;

use anyhow::Result;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tipstaff_schema::{ToolAnnotations, ToolDescriptor, ToolSource, ToolUsage, Verb};
use tipstaff_search::HybridIndex;

use tipstaff_bench::data;

/// A wish, and the tools that serve it.
#[derive(Debug, Deserialize)]
pub(crate) struct Wish {
    pub(crate) text: String,
    pub(crate) relevant: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Listed {
    id: String,
    name: String,
    description: String,
    #[serde(default)]
    parameters: Value,
    #[serde(default)]
    server: String,
    server_description: Option<String>,
}

/// A set.
pub(crate) struct Set {
    pub(crate) tools: Vec<ToolDescriptor>,
    pub(crate) queries: Vec<Wish>,
}

impl Set {
    pub(crate) fn read(data: &Path, name: &str) -> Result<Self> {
        let listed: Vec<Listed> = data::lines(data, &format!("retrieval/{name}/tools.jsonl"))?;
        Ok(Self {
            tools: listed.into_iter().map(descriptor).collect::<Result<_>>()?,
            queries: data::lines(data, &format!("retrieval/{name}/queries.jsonl"))?,
        })
    }

    /// Our index over the tools.
    pub(crate) fn index(&self) -> HybridIndex {
        let index = HybridIndex::new();
        for tool in &self.tools {
            index.put(tool.clone());
        }
        let _ = index.find("warm", &[], 1);
        index
    }

    /// All that is said of a tool, for a search that knows no fields.
    pub(crate) fn text(tool: &ToolDescriptor) -> String {
        let ToolSource::McpServer { server } = &tool.source else {
            return tool.description.clone();
        };
        let mut text = format!("{server} {} {}", tool.mcp_tool_name(), tool.description);
        if let Some(about) = &tool.usage.when_to_use {
            text.push(' ');
            text += about;
        }
        add_schema(&tool.input_schema, &mut text);
        text
    }
}

fn add_schema(schema: &Value, text: &mut String) {
    if let Some(prose) = schema.get("description").and_then(Value::as_str) {
        text.push(' ');
        text.push_str(prose);
    }
    for (name, inner) in schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        text.push(' ');
        text.push_str(name);
        add_schema(inner, text);
    }
    if let Some(items) = schema.get("items") {
        add_schema(items, text);
    }
}

fn descriptor(listed: Listed) -> Result<ToolDescriptor> {
    Ok(ToolDescriptor {
        verb: Verb {
            namespace: "mcp".to_owned(),
            action: listed.name.clone(),
        },
        tool_id: listed.id,
        source: ToolSource::McpServer {
            server: listed.server,
        },
        description: listed.description,
        input_schema: schema(listed.parameters),
        output_schema: None,
        capabilities: Vec::new(),
        annotations: ToolAnnotations::default(),
        usage: ToolUsage {
            when_to_use: listed.server_description,
            ..ToolUsage::default()
        },
        embedding: None,
        title: None,
        mcp_name: Some(listed.name),
    })
}

/// The sets write parameters in four ways; a JSON Schema says the same as each.
fn schema(parameters: Value) -> Value {
    match parameters {
        Value::Object(all) if all.get("properties").is_some_and(Value::is_object) => {
            Value::Object(all)
        }
        Value::Object(all) => {
            let named = all.into_iter().map(|(name, about)| match about {
                Value::String(prose) => (name, json!({ "description": prose })),
                other => (name, other),
            });
            json!({ "type": "object", "properties": named.collect::<Map<_, _>>() })
        }
        Value::Array(list) => {
            let named = list.into_iter().filter_map(|about| {
                let name = about.get("name")?.as_str()?.to_owned();
                Some((name, about))
            });
            json!({ "type": "object", "properties": named.collect::<Map<_, _>>() })
        }
        Value::String(prose) => json!({ "type": "object", "description": prose }),
        other => other,
    }
}
