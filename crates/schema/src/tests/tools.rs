//! Tools and routes on the wire.

use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::{json, text};
use crate::{
    BackendId, ScoredTool, ToolAnnotations, ToolDescriptor, ToolRoute, ToolSource, ToolUsage, Verb,
    canonical, parse_strict,
};

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

fn source() -> impl Strategy<Value = ToolSource> {
    (0..3, text()).prop_map(|(which, name)| match which {
        0 => ToolSource::McpServer { server: name },
        1 => ToolSource::NativeBackend {
            backend: BackendId::new(name),
        },
        _ => ToolSource::Terminal,
    })
}

fn route() -> impl Strategy<Value = ToolRoute> {
    let maybe = || prop::option::of(text());
    (0..4, text(), text(), maybe(), maybe()).prop_map(|(which, one, other, hint, tool_id)| {
        match which {
            0 => ToolRoute::Mcp {
                server: one,
                tool: other,
                tool_id,
            },
            1 => ToolRoute::NativeBackend {
                backend: BackendId::new(one),
                tool_id,
            },
            2 => ToolRoute::Terminal {
                session_hint: hint,
                tool_id,
            },
            _ => ToolRoute::HumanConfirm { ask: one },
        }
    })
}

prop_compose! {
    fn usage()(
        (when_to_use, when_not_to) in (prop::option::of(text()), prop::option::of(text())),
        preconditions in prop::collection::vec(text(), 0..3),
        (cost, example) in (prop::option::of(text()), prop::option::of(text())),
        tier in prop::option::of(text()),
    ) -> ToolUsage {
        ToolUsage { when_to_use, when_not_to, preconditions, cost, example, tier }
    }
}

prop_compose! {
    fn tools()(
        (tool_id, source, action, description) in (text(), source(), "\\PC{1,3}", text()),
        (input_schema, output_schema) in (json(), json()),
        capabilities in prop::collection::vec(text(), 0..3),
        hints in any::<[bool; 3]>(),
        usage in usage(),
        embedding in prop::option::of(prop::collection::vec(-1e3f32..1e3, 0..4)),
        (title, mcp_name) in (prop::option::of(text()), prop::option::of(text())),
    ) -> ToolDescriptor {
        let [read_only_hint, destructive_hint, idempotent_hint] = hints;
        ToolDescriptor {
            tool_id,
            source,
            verb: Verb::new("mcp", action),
            description,
            input_schema,
            output_schema: Some(output_schema).filter(|schema| !schema.is_null()),
            capabilities,
            annotations: ToolAnnotations { read_only_hint, destructive_hint, idempotent_hint },
            usage,
            embedding,
            title,
            mcp_name,
        }
    }
}

/// What was written, as text and as canonical text, reads back as the same.
fn survives<T: Serialize + DeserializeOwned + PartialEq>(it: &T) -> bool {
    let text = serde_json::to_vec(it).unwrap();
    let strict = parse_strict(&text).unwrap();
    let canonical = canonical(&json!(it)).unwrap();
    serde_json::from_slice::<T>(&text).unwrap() == *it
        && serde_json::from_value::<T>(strict).unwrap() == *it
        && serde_json::from_str::<T>(&canonical).unwrap() == *it
}

proptest! {
    #[test]
    fn tools_and_routes_survive_the_wire(
        tool in tools(), route in route(), source in source(), usage in usage(), score in -1e3f32..1e3,
    ) {
        prop_assert!(survives(&route) && survives(&source) && survives(&usage));
        prop_assert!(survives(&tool) && survives(&tool.verb) && survives(&tool.annotations));
        let scored = ScoredTool { tool, score };
        prop_assert!(survives(&scored));
    }
}
