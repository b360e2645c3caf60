//! Tools and routes on the wire.

use serde_json::json;

use crate::{BackendId, ToolAnnotations, ToolDescriptor, ToolRoute, ToolSource, ToolUsage, Verb};

fn tool() -> ToolDescriptor {
    ToolDescriptor {
        tool_id: "mcp:files:read".into(),
        source: ToolSource::McpServer {
            server: "files".into(),
        },
        verb: Verb::new("mcp", "read"),
        description: String::new(),
        input_schema: json!({}),
        output_schema: None,
        capabilities: Vec::new(),
        annotations: ToolAnnotations::default(),
        usage: ToolUsage::default(),
        embedding: None,
        title: None,
        mcp_name: None,
    }
}

#[test]
fn annotations_are_always_written_and_usage_only_when_there_is_some() {
    let want = json!({
        "tool_id": "mcp:files:read",
        "source": {"kind": "mcp_server", "server": "files"},
        "verb": {"namespace": "mcp", "action": "read"},
        "description": "",
        "input_schema": {},
        "annotations": {
            "read_only_hint": false, "destructive_hint": false, "idempotent_hint": false,
        },
    });
    assert_eq!(json!(tool()), want);
    let usage = ToolUsage {
        cost: Some("free".into()),
        ..ToolUsage::default()
    };
    assert!(!usage.is_empty());
    assert_eq!(
        json!(ToolDescriptor { usage, ..tool() })["usage"],
        json!({"cost": "free"})
    );
}

#[test]
fn routes_have_their_own_tags() {
    let server = || "s".to_owned();
    let route = ToolRoute::Mcp {
        server: server(),
        tool: "t".into(),
        tool_id: None,
    };
    assert_eq!(
        json!(route),
        json!({"kind": "mcp", "server": "s", "tool": "t"})
    );
    let backend = BackendId::new("memory");
    assert_eq!(backend.as_str(), "memory");
    let route = ToolRoute::NativeBackend {
        backend,
        tool_id: Some("m".into()),
    };
    let want = json!({"kind": "native_backend", "backend": "memory", "tool_id": "m"});
    assert_eq!(json!(route), want);
    let route = ToolRoute::Terminal {
        session_hint: None,
        tool_id: None,
    };
    assert_eq!(json!(route), json!({"kind": "terminal"}));
    let route = ToolRoute::HumanConfirm {
        ask: "which?".into(),
    };
    assert_eq!(
        json!(route),
        json!({"kind": "human_confirm", "ask": "which?"})
    );
    assert_eq!(json!(ToolSource::Terminal), json!({"kind": "terminal"}));
}

#[test]
fn the_servers_name_for_a_tool_is_the_one_it_gave() {
    assert_eq!(tool().mcp_tool_name(), "read");
    let renamed = ToolDescriptor {
        mcp_name: Some("Read-File".into()),
        ..tool()
    };
    assert_eq!(renamed.mcp_tool_name(), "Read-File");
}

#[test]
fn an_embedding_that_json_cannot_say_is_not_written() {
    let tool = ToolDescriptor {
        embedding: Some(vec![0.1, f32::NAN]),
        ..tool()
    };
    assert_eq!(json!(tool).get("embedding"), None);
}
