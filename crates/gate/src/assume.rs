//! A tool of which only the operator's profile is known, so that calls of it can be judged before
//! its server was ever started.
//!
//! Such an entry is never run: only judging makes one.

use std::sync::Arc;

use serde_json::{Value, json};
use tipstaff_registry::{Standing, ToolEntry};
use tipstaff_schema::{
    Digest, Domain, HintsAsSaid, ServerName, ToolAnnotations, ToolDescriptor, ToolSource,
    ToolUsage, Verb,
};

use crate::gate::Gate;
use crate::{Refusal, Stage};

impl Gate {
    /// The entry that profile and name alone give, for a tool of a known server.
    pub(crate) fn assumed(&self, name: &str) -> Result<Arc<ToolEntry>, Refusal> {
        let plain = name.strip_prefix("mcp:").unwrap_or(name);
        let (server, tool) = plain
            .split_once(':')
            .ok_or_else(|| self.no_such_tool(name))?;
        let server = ServerName::new(server)
            .map_err(|error| Refusal::new(Stage::Lookup, error.to_string()))?;
        if !self.0.servers.contains(&server) {
            return Err(Refusal::new(
                Stage::Lookup,
                format!("there is no server `{server}`"),
            ));
        }
        // Whose listing is known has no other tools.
        let listed = self
            .0
            .catalog
            .snapshot()
            .of_server(&server)
            .next()
            .is_some();
        if listed || tool.is_empty() || tool.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(self.no_such_tool(name));
        }
        let verb = Verb::new("mcp", tool);
        let profile = self
            .0
            .profiles
            .resolve(plain, &verb.dotted(), &HintsAsSaid::default());
        let pin = Digest::of(Domain::Tool, &json!({ "assumed": plain }))
            .map_err(|error| Refusal::new(Stage::Lookup, error.to_string()))?;
        let descriptor = ToolDescriptor {
            tool_id: format!("mcp:{plain}"),
            source: ToolSource::McpServer {
                server: server.to_string(),
            },
            verb,
            description: String::new(),
            input_schema: json!({}),
            output_schema: None,
            capabilities: Vec::new(),
            annotations: ToolAnnotations::default(),
            usage: ToolUsage::default(),
            embedding: None,
            title: None,
            mcp_name: None,
        };
        Ok(Arc::new(ToolEntry {
            descriptor: Arc::new(descriptor),
            name: plain.to_owned(),
            raw: Arc::new(Value::Null),
            profile,
            accepted: None,
            pin,
            server_digest: None,
            standing: Standing::Unreviewed,
            validator: Err("its definition is not known".to_owned()),
            output: None,
            hints: HintsAsSaid::default(),
            server: Some(server),
        }))
    }
}
