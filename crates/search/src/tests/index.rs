//! What is found, in which order, and that history leaves no trace.

use proptest::prelude::*;
use serde_json::json;
use tipstaff_schema::{CapabilityIndex as _, ToolDescriptor};

use super::{ids, index, tool, with_schema};
use crate::{Embedder, HybridIndex};

#[test]
fn names_descriptions_and_parameters_are_searched() {
    let schema = json!({"properties": {"cityName": {"description": "where to look"}}});
    let index = index(&[
        tool("a", "readTextFile", "Gives back contents."),
        tool("b", "run", "Sends a mail."),
        with_schema("c", "lookup", "Looks.", &schema),
    ]);
    assert_eq!(ids(&index, "reading text files")[0], "a");
    assert_eq!(ids(&index, "mailing")[0], "b");
    assert_eq!(ids(&index, "name of the city")[0], "c");
}

#[test]
fn equal_scores_stand_in_the_order_of_their_ids() {
    let tools = ["d", "b", "e", "a", "c"].map(|id| tool(id, "ping", "Sends a ping."));
    assert_eq!(ids(&index(&tools), "ping"), ["a", "b", "c", "d", "e"]);
    let found = index(&tools).find("ping", &[], 2);
    let first: Vec<&str> = found.iter().map(|f| f.tool.tool_id.as_str()).collect();
    assert_eq!(first, ["a", "b"]);
}

#[test]
fn a_tool_that_is_not_allowed_is_not_found_and_changes_no_score() {
    let (loud, quiet) = (
        tool("a", "mail", "mail"),
        tool("b", "send", "Can mail too."),
    );
    let index = index(&[loud, quiet]);
    let found = index.find_where("mail", &[], 5, |tool| tool.tool_id != "a");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].tool.tool_id, "b");
    assert!(
        found[0].score > 0.9,
        "the best of what may be seen: {}",
        found[0].score
    );
}

#[test]
fn every_wish_of_several_is_served() {
    let index = index(&[
        tool("weather", "forecast", "The weather of a city."),
        tool(
            "flights",
            "book_flight",
            "Books a flight between two airports for a passenger.",
        ),
        tool(
            "airport",
            "find_airport",
            "Finds an airport of a city for a flight.",
        ),
        tool("noise", "noop", "Does nothing."),
    ]);
    let query = "Book a flight from the airport of Oslo to the airport of Rome for one passenger. What is the weather?";
    let found = ids(&index, query);
    assert!(found[..2].contains(&"weather".to_owned()), "{found:?}");
}

#[test]
fn tags_add_and_exclude_nothing() {
    let mut tagged = tool("b", "send", "Sends mail.");
    tagged.capabilities = vec!["net".to_owned()];
    let index = index(&[tool("a", "send", "Sends mail."), tagged]);
    assert_eq!(ids(&index, "send mail"), ["a", "b"]);
    let found = index.find("send mail", &["net".to_owned()], 5);
    assert_eq!(found[0].tool.tool_id, "b");
    assert_eq!(found.len(), 2);
    assert_eq!(index.find("", &["net".to_owned()], 5).len(), 1);
    assert_eq!(index.find("", &[], 5), []);
}

#[test]
fn a_word_that_no_tool_holds_is_read_as_its_relatives() {
    let index = index(&[tool("a", "get_forecast", "x"), tool("b", "noop", "y")]);
    assert_eq!(ids(&index, "weather"), ["a"]);
}

#[test]
fn what_is_removed_or_replaced_is_found_no_more() {
    let index = index(&[tool("a", "ping", "pong"), tool("b", "pong", "pong")]);
    assert!(index.take("a"));
    assert!(!index.take("a"));
    assert_eq!(ids(&index, "ping pong"), ["b"]);
    index.put(tool("b", "other", "stuff"));
    assert_eq!(ids(&index, "ping pong"), Vec::<String>::new());
    assert_eq!(
        (index.len(), ids(&index, "stuff")),
        (1, vec!["b".to_owned()])
    );
}

#[test]
fn nothing_is_held_once_all_is_removed() {
    let index = index(&[tool("a", "ping", "pong"), tool("b", "pong", "pong")]);
    assert!(index.holds().0 > 0);
    assert!(index.take("a") && index.take("b"));
    assert_eq!(index.holds(), (0, 0));
}

/// Finds by the length of a text.
#[derive(Debug)]
struct Length;

impl Embedder for Length {
    fn dimensions(&self) -> usize {
        2
    }

    fn embed(&self, text: &str) -> Vec<f32> {
        match text {
            "zz" => vec![0.0, 1.0],
            "broken" => vec![f32::NAN, 1.0],
            _ => vec![1.0, 0.0],
        }
    }
}

#[test]
fn vectors_find_what_words_do_not_and_broken_ones_count_as_none() {
    let index = HybridIndex::with_embedder(std::sync::Arc::new(Length));
    let mut near = tool("near", "alpha", "one");
    near.embedding = Some(vec![0.0, 3.0]);
    let mut broken = tool("broken", "beta", "two");
    broken.embedding = Some(vec![f32::INFINITY, 0.0]);
    index.put(near);
    index.put(broken);
    assert_eq!(ids(&index, "zz"), ["near"]);
    assert_eq!(ids(&index, "broken"), Vec::<String>::new());
}

fn some_tool() -> impl Strategy<Value = ToolDescriptor> {
    let word = prop::sample::select(vec![
        "read", "write", "file", "mail", "sendMail", "天気", "x1",
    ]);
    let text = prop::collection::vec(word, 0..5).prop_map(|words| words.join(" "));
    ("[a-e]", text.clone(), text).prop_map(|(id, name, about)| tool(&id, &name, &about))
}

proptest! {
    #[test]
    fn history_leaves_no_trace(
        steps in prop::collection::vec((some_tool(), any::<bool>(), any::<bool>()), 1..24),
        query in "(read |write |file |mail |send |天気 |rain |\\. ){0,6}",
    ) {
        let (grown, mut kept) = (HybridIndex::new(), std::collections::BTreeMap::new());
        for (tool, put, search) in steps {
            if put {
                kept.insert(tool.tool_id.clone(), tool.clone());
                grown.put(tool);
            } else {
                prop_assert_eq!(grown.take(&tool.tool_id), kept.remove(&tool.tool_id).is_some());
            }
            if search {
                let _ = grown.find(&query, &[], 3);
            }
        }
        let built = index(&kept.into_values().rev().collect::<Vec<_>>());
        prop_assert_eq!(grown.find(&query, &[], 9), built.find(&query, &[], 9));
        prop_assert_eq!(grown.holds(), built.holds());
    }

    #[test]
    fn no_query_and_no_tool_is_too_strange(name in any::<String>(), about in any::<String>(), query in any::<String>()) {
        let schema = json!({"properties": {about.as_str(): {"description": name, "items": [1]}}, "anyOf": {}});
        let index = index(&[with_schema("a", &name, &about, &schema)]);
        index.observe(&query, "a");
        for found in index.find(&query, std::slice::from_ref(&name), usize::MAX) {
            prop_assert!(found.score.is_finite());
        }
        prop_assert!(index.find(&query, &[], 0).is_empty());
    }
}

#[test]
fn the_trait_gives_what_the_methods_give() {
    let index = HybridIndex::new();
    let done = |future: std::pin::Pin<Box<dyn Future<Output = _> + Send>>| {
        let mut future = future;
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(future.as_mut().poll(&mut context).is_ready());
    };
    done(Box::pin(async {
        let ping = tool("a", "ping", "Pings.");
        index.upsert(&ping).await.expect("taken");
        let found = index.search("ping", &[], 1).await;
        assert_eq!(found[0].tool, ping);
        index.remove("a").await.expect("no error");
        index.remove("a").await.expect("not there is no error");
        assert!(index.is_empty());
    }));
}
