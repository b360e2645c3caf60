//! The router as hosts wire it.

use std::collections::BTreeSet;
use std::future::Future;
use std::task::{Context, Poll, Waker};

use tipstaff_registry::InMemoryToolRegistry;
use tipstaff_schema::sanitization::sanitize_for_display;
use tipstaff_schema::{BreakerCheck, CapabilityIndex, IntentRouter, ScoredTool, ToolRegistry};

use super::*;
use crate::ask::shown;

/// Runs a future that never waits.
fn now<T>(future: impl Future<Output = T>) -> T {
    match std::pin::pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("waits"),
    }
}

struct Breakers(BTreeSet<String>, bool);

#[async_trait::async_trait]
impl BreakerCheck for Breakers {
    async fn is_open(&self, tool_id: &str) -> bool {
        self.0.contains(tool_id)
    }
    fn snapshot(&self) -> Option<BTreeSet<String>> {
        self.1.then(|| self.0.clone())
    }
}

struct Index(Vec<ToolDescriptor>);

#[async_trait::async_trait]
impl CapabilityIndex for Index {
    async fn search(&self, _: &str, _: &[String], k: usize) -> Vec<ScoredTool> {
        self.0
            .iter()
            .take(k)
            .map(|tool| ScoredTool {
                tool: tool.clone(),
                score: 1.0,
            })
            .collect()
    }
    async fn upsert(&self, _: &ToolDescriptor) -> Result<(), IntentError> {
        Ok(())
    }
}

fn registry(list: &[&str]) -> Arc<InMemoryToolRegistry> {
    let registry = Arc::new(InMemoryToolRegistry::new());
    for entry in tools(list).entries {
        now(registry.register(ToolDescriptor::clone(&entry.descriptor))).unwrap();
    }
    registry
}

#[test]
fn the_router_reads_breakers_either_way() {
    for listed in [true, false] {
        let breakers = Arc::new(Breakers(BTreeSet::from(["a".to_owned()]), listed));
        let router = DefaultIntentRouter::new(registry(&["a fs.read", "b fs.write"]))
            .with_breakers(breakers);
        assert_eq!(
            short(now(router.resolve(&token("fs.read")))),
            "!tool unavailable: a"
        );
        assert_eq!(
            now(router.explain(&token("fs.read"))).candidates[0].why,
            Why::Resting
        );
        let classic = router.with_mode(RouteMode::Classic);
        assert_eq!(short(now(classic.resolve(&token("fs.read")))), "b");
    }
}

#[test]
fn the_nearest_tools_come_after_the_sentence() {
    let index = Index(vec![
        tool("gone", "fs.x"),
        tool("a", "fs.write"),
        tool("b", "net.http"),
    ]);
    let router = DefaultIntentRouter::new(registry(&["a fs.write", "b net.http"]))
        .with_index(Arc::new(index));
    assert_eq!(
        short(now(router.resolve(&token("fs.read")))),
        format!("{NOTHING} Nearest tools: `a`, `b`.")
    );
}

#[test]
fn the_hybrid_index_names_the_nearest_tools() {
    let index = tipstaff_search::HybridIndex::new();
    for id in ["a fs.read_file", "b net.http", "c fs.write_file"] {
        let (id, verb) = id.split_once(' ').unwrap();
        index.put(tool(id, verb));
    }
    let router = DefaultIntentRouter::new(registry(&["a fs.read_file", "b net.http"]))
        .with_index(Arc::new(index));
    assert_eq!(
        short(now(router.resolve(&token("fs.read")))),
        format!("{NOTHING} Nearest tools: `a`.")
    );
}

#[test]
fn a_token_that_breaks_its_form_is_refused() {
    let router = DefaultIntentRouter::new(registry(&["a fs.read"]));
    let stale = IntentToken {
        schema: "intent-token/0".to_owned(),
        ..token("fs.read")
    };
    assert!(matches!(
        now(router.resolve(&stale)),
        Err(IntentError::Schema(_))
    ));
}

proptest! {
    #[test]
    fn a_short_plain_name_is_shown_as_cleaning_would_leave_it(name in "[ -~]{0,80}") {
        prop_assert_eq!(shown(&name).into_owned(), sanitize_for_display(&name));
    }

    #[test]
    fn a_shown_name_is_clean_and_short(name in any::<String>(), times in 1_usize..40) {
        let name = name.repeat(times);
        let text = shown(&name);
        prop_assert!(text.chars().count() <= 81);
        let again = sanitize_for_display(&text);
        prop_assert_eq!(text.into_owned(), again);
    }
}
