//! What search promises: the same answer however its tools came, bounds, and no panic on any text.

mod index;
mod learning;
#[cfg(feature = "model2vec")]
mod model;
mod text;

use serde_json::{Value, json};
use tipstaff_schema::ToolDescriptor;

use crate::HybridIndex;

/// A server's tool.
fn tool(id: &str, name: &str, description: &str) -> ToolDescriptor {
    with_schema(id, name, description, &json!({}))
}

fn with_schema(id: &str, name: &str, description: &str, schema: &Value) -> ToolDescriptor {
    serde_json::from_value(json!({
        "tool_id": id, "source": { "kind": "mcp_server", "server": "s" },
        "verb": { "namespace": "mcp", "action": "go" }, "description": description,
        "input_schema": schema, "mcp_name": name,
    }))
    .expect("a descriptor")
}

fn index(tools: &[ToolDescriptor]) -> HybridIndex {
    let index = HybridIndex::new();
    for tool in tools {
        index.put(tool.clone());
    }
    index
}

/// Ids in the order found.
fn ids(index: &HybridIndex, query: &str) -> Vec<String> {
    let found = index.find(query, &[], 10).into_iter();
    found.map(|found| found.tool.tool_id.clone()).collect()
}
