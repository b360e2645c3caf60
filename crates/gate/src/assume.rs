//! A tool of which only the operator's profile is known, so that calls of it can be judged before
//! its server was ever started.
//!
//! Such an entry is never run: only judging makes one.

use std::sync::Arc;

use serde_json::{Value, json};
use tipstaff_registry::{ProfilePatch, Standing, ToolEntry};
use tipstaff_schema::{
    Digest, Domain, HintsAsSaid, ServerName, ToolAnnotations, ToolDescriptor, ToolSource,
    ToolUsage, Verb,
};

use crate::gate::Gate;
use crate::{Refusal, Stage};

/// What is known of a definition beside the operator's profiles; nothing, unless it was journaled.
#[derive(Debug, Default)]
pub(crate) struct Said<'a> {
    pub(crate) hints: HintsAsSaid,
    /// What was decided when it was accepted.
    pub(crate) accepted: Option<&'a ProfilePatch>,
}

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
        let said = Said::default();
        self.entry_by_profile(server, plain, Verb::new("mcp", tool), &said)
    }

    /// The entry of a tool of a known server, by its profiles and by what was journaled of its
    /// definition; none where the server is not known.
    pub(crate) fn recorded(
        &self,
        tool_id: &str,
        verb: &str,
        said: &Said<'_>,
    ) -> Option<Arc<ToolEntry>> {
        let plain = tool_id.strip_prefix("mcp:")?;
        let (server, tool) = plain.split_once(':')?;
        let server = ServerName::new(server).ok()?;
        let known = self.0.servers.contains(&server) && !tool.is_empty();
        let (namespace, action) = verb.split_once('.').unwrap_or(("mcp", verb));
        let verb = Verb::new(namespace, action);
        known
            .then(|| self.entry_by_profile(server, plain, verb, said).ok())
            .flatten()
    }

    fn entry_by_profile(
        &self,
        server: ServerName,
        plain: &str,
        verb: Verb,
        said: &Said<'_>,
    ) -> Result<Arc<ToolEntry>, Refusal> {
        let patch = self.0.profiles.patch(plain, said.accepted);
        let profile = patch.finish(&verb.dotted(), &said.hints);
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
            accepted: said.accepted.cloned(),
            pin,
            server_digest: None,
            standing: Standing::Unreviewed,
            validator: Err("its definition is not known".to_owned()),
            output: None,
            hints: said.hints,
            server: Some(server),
        }))
    }
}
