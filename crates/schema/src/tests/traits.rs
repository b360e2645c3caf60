//! What the traits give to those who implement only what they must.

use std::future::Future;
use std::pin::pin;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};

use async_trait::async_trait;
use serde_json::json;

use crate::verbs::Tier;
use crate::{BreakerCheck, CapabilityIndex, IntentError, ScoredTool, ToolDescriptor, ToolRegistry};

/// Runs a future that never waits.
fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the future waits"),
    }
}

#[derive(Default)]
struct Tools(Mutex<Vec<ToolDescriptor>>);

#[async_trait]
impl ToolRegistry for Tools {
    async fn register(&self, tool: ToolDescriptor) -> Result<(), IntentError> {
        self.0.lock().unwrap().push(tool);
        Ok(())
    }
    async fn deregister(&self, tool_id: &str) -> Result<(), IntentError> {
        let mut tools = self.0.lock().unwrap();
        let at = tools.iter().position(|tool| tool.tool_id == tool_id);
        at.map(|at| drop(tools.remove(at)))
            .ok_or(IntentError::UnknownTool(tool_id.to_owned()))
    }
    async fn list(&self) -> Vec<ToolDescriptor> {
        self.0.lock().unwrap().clone()
    }
    async fn get(&self, _: &str) -> Option<ToolDescriptor> {
        None
    }
}

fn tool(description: &str) -> ToolDescriptor {
    serde_json::from_value(json!({
        "tool_id": "wipe", "source": {"kind": "terminal"}, "description": description,
        "verb": {"namespace": "disk", "action": "wipe"}, "input_schema": {},
    }))
    .unwrap()
}

#[test]
fn replace_leaves_one_tool_of_an_id() {
    let tools = Tools::default();
    now(tools.replace(tool("old"))).unwrap();
    now(tools.replace(tool("new"))).unwrap();
    assert_eq!(now(tools.list()), [tool("new")]);
}

#[test]
fn a_snapshot_shows_all_tools_with_the_tier_of_their_verb() {
    let tools = Tools::default();
    now(tools.register(tool(""))).unwrap();
    let snapshot = tools.snapshot();
    assert_eq!(snapshot.version, 0);
    let [entry] = snapshot.entries.as_slice() else {
        panic!("{snapshot:?}")
    };
    assert_eq!((entry.callable, entry.tier), (true, Tier::Destructive));
}

struct Slow;

#[async_trait]
impl ToolRegistry for Slow {
    async fn register(&self, _: ToolDescriptor) -> Result<(), IntentError> {
        Ok(())
    }
    async fn deregister(&self, _: &str) -> Result<(), IntentError> {
        Ok(())
    }
    async fn list(&self) -> Vec<ToolDescriptor> {
        std::future::pending().await
    }
    async fn get(&self, _: &str) -> Option<ToolDescriptor> {
        None
    }
}

#[async_trait]
impl CapabilityIndex for Slow {
    async fn search(&self, _: &str, _: &[String], _: usize) -> Vec<ScoredTool> {
        Vec::new()
    }
    async fn upsert(&self, _: &ToolDescriptor) -> Result<(), IntentError> {
        Ok(())
    }
}

#[async_trait]
impl BreakerCheck for Slow {
    async fn is_open(&self, _: &str) -> bool {
        true
    }
}

#[test]
fn what_cannot_be_known_at_once_is_not_shown() {
    assert!(Slow.snapshot_of_tools().is_empty());
    assert_eq!(BreakerCheck::snapshot(&Slow), None);
    assert!(matches!(
        now(Slow.remove("x")),
        Err(IntentError::Unavailable(_))
    ));
}

impl Slow {
    fn snapshot_of_tools(&self) -> Vec<crate::SnapshotEntry> {
        ToolRegistry::snapshot(self).entries.clone()
    }
}
