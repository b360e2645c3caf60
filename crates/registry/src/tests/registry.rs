//! The wire's registry, in memory and over the catalog; capabilities of code.

use std::future::Future;
use std::task::{Context, Poll, Waker};

use proptest::prelude::*;
use tipstaff_schema::{
    BackendId, IntentError, Profile, ToolDescriptor, ToolRegistry, ToolSource, ToolUsage, Verb,
};

use super::*;
use crate::{
    Capability, CapabilityRegistry, Catalog, CatalogError, InMemoryToolRegistry, NativeTool,
};

/// Runs a future that never waits.
pub(super) fn now<T>(future: impl Future<Output = T>) -> T {
    match std::pin::pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("waits"),
    }
}

pub(super) fn native(id: &str, description: &str) -> ToolDescriptor {
    ToolDescriptor {
        tool_id: id.to_owned(),
        source: ToolSource::NativeBackend {
            backend: BackendId::new("host"),
        },
        verb: Verb::new("fs", "read"),
        description: description.to_owned(),
        input_schema: json!({ "type": "object" }),
        output_schema: None,
        capabilities: Vec::new(),
        annotations: tipstaff_schema::ToolAnnotations::default(),
        usage: ToolUsage::default(),
        embedding: None,
        title: None,
        mcp_name: None,
    }
}

fn capability(id: &str) -> Capability {
    Capability {
        descriptor: native(id, "x"),
        profile: Profile::unknown("fs.read"),
    }
}

fn conformance(registry: &dyn ToolRegistry) {
    for id in ["b", "a", "c"] {
        now(registry.register(native(id, "one"))).unwrap();
    }
    let ids = |registry: &dyn ToolRegistry| {
        now(registry.list())
            .into_iter()
            .map(|tool| tool.tool_id)
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(registry), ["a", "b", "c"]);
    let before = registry.snapshot();
    now(registry.register(native("a", "one"))).unwrap();
    assert_eq!(
        registry.snapshot().version,
        before.version,
        "the same definition is no change"
    );
    let conflict = now(registry.register(native("a", "two"))).unwrap_err();
    assert!(
        matches!(&conflict, IntentError::Conflict(text) if text.contains("`a`")),
        "{conflict}"
    );
    assert_eq!(now(registry.get("a")).unwrap().description, "one");
    now(registry.replace(native("a", "two"))).unwrap();
    assert_eq!(now(registry.get("a")).unwrap().description, "two");
    now(registry.deregister("b")).unwrap();
    assert!(
        matches!(now(registry.deregister("b")), Err(IntentError::UnknownTool(id)) if id == "b")
    );
    assert_eq!(now(registry.get("b")), None);
    assert_eq!(ids(registry), ["a", "c"]);
    assert_eq!(before.entries.len(), 3, "a snapshot never changes");
}

#[test]
fn both_registries_do_as_the_wire_says() {
    conformance(&InMemoryToolRegistry::new());
    conformance(&Catalog::default());
}

#[test]
fn another_source_is_a_conflict_that_names_both() {
    let registry = InMemoryToolRegistry::new();
    assert!(registry.is_empty());
    now(registry.register(native("a", "one"))).unwrap();
    let other = ToolDescriptor {
        source: ToolSource::McpServer {
            server: "evil".to_owned(),
        },
        ..native("a", "one")
    };
    let error = now(registry.register(other)).unwrap_err().to_string();
    assert!(error.contains("evil") && error.contains("host"), "{error}");
    assert_eq!(registry.len(), 1);
}

#[test]
fn a_tool_of_a_server_cannot_be_registered_past_its_pin() {
    let tool = ToolDescriptor {
        source: ToolSource::McpServer {
            server: "files".to_owned(),
        },
        ..native("mcp:files:read", "x")
    };
    assert!(now(Catalog::default().register(tool)).is_err());
}

#[test]
fn frozen_capabilities_go_into_the_catalog() {
    let frozen = CapabilityRegistry::builder()
        .add(capability("spawn"))
        .unwrap()
        .add(capability("spawn"))
        .unwrap()
        .freeze();
    assert_eq!((frozen.len(), frozen.get("spawn").is_some()), (1, true));
    let catalog = Catalog::with_capabilities(ProfileBook::default(), &frozen).unwrap();
    assert!(
        catalog
            .snapshot()
            .by_name("spawn")
            .unwrap()
            .standing
            .is_callable()
    );
    let other = Capability {
        profile: Profile::unknown("other"),
        ..capability("spawn")
    };
    let error = CapabilityRegistry::builder()
        .add(capability("spawn"))
        .unwrap()
        .add(other)
        .unwrap_err();
    assert!(matches!(error, CatalogError::Conflict { .. }));
}

#[track_caller]
fn check_native(id: &str, want: &str) {
    let catalog = Catalog::default();
    catalog.add_native(capability("spawn")).unwrap();
    let error = catalog
        .add_native(NativeTool {
            descriptor: native(id, "other"),
            ..capability(id)
        })
        .unwrap_err();
    assert_eq!(error.to_string(), want);
}

#[test]
fn names_of_our_own_do_not_pass_for_each_other() {
    check_native(
        "spawn",
        "tool `spawn` conflicts with `spawn`: the same id with another definition",
    );
    check_native(
        "Spawn",
        "tool `Spawn` conflicts with `spawn`: one name passes for the other",
    );
    check_native(
        "sp\u{0430}wn",
        "tool `sp\u{0430}wn` conflicts with `spawn`: one name passes for the other",
    );
    check_native(
        "files:read",
        "tool `files:read` cannot be accepted: ids of tools of ours hold no `:` and no `/`; tools of servers come by their listing",
    );
}

#[test]
fn a_native_tool_with_a_bad_schema_is_an_error() {
    let descriptor = ToolDescriptor {
        input_schema: json!({ "type": "intger" }),
        ..native("a", "x")
    };
    let error = Catalog::default()
        .add_native(NativeTool {
            descriptor,
            profile: Profile::unknown("x"),
        })
        .unwrap_err();
    assert!(matches!(error, CatalogError::Schema { .. }));
}

proptest! {
    #[test]
    fn the_registry_is_a_sorted_map(steps in prop::collection::vec((0_u8..3, 0_u8..5, 0_u8..2), 0..40)) {
        let registry = InMemoryToolRegistry::new();
        let mut model = std::collections::BTreeMap::new();
        for (step, id, text) in steps {
            let tool = native(&format!("t{id}"), &format!("d{text}"));
            let there = model.get(&tool.tool_id).cloned();
            match step {
                0 => {
                    let fits = there.as_ref().is_none_or(|there| *there == tool);
                    prop_assert_eq!(now(registry.register(tool.clone())).is_ok(), fits);
                    model.entry(tool.tool_id.clone()).or_insert(tool);
                }
                1 => {
                    prop_assert!(now(registry.replace(tool.clone())).is_ok());
                    model.insert(tool.tool_id.clone(), tool);
                }
                _ => prop_assert_eq!(now(registry.deregister(&tool.tool_id)).is_ok(), model.remove(&tool.tool_id).is_some()),
            }
            prop_assert_eq!(now(registry.list()), model.values().cloned().collect::<Vec<_>>());
        }
    }
}
