//! What-if does not guess: what was not recorded whole is not judged, and the reason is said.

use serde_json::{Value, json};
use tipstaff_journal::{Event, kinds};
use tipstaff_registry::ProfileBook;
use tipstaff_schema::NamePattern;

use super::bench::*;
use super::trials::*;
use super::what_if::{candidate, report};
use crate::*;

/// The events with one value of the calls' arguments replaced.
fn with_value(events: &[Event], pointer: &str, value: &Value) -> Vec<Event> {
    let mut events = events.to_vec();
    for event in events
        .iter_mut()
        .filter(|event| event.kind == kinds::CALL_RECEIVED)
    {
        *event.data["params"].pointer_mut(pointer).unwrap() = value.clone();
    }
    events
}

fn why(report: &Report) -> Vec<String> {
    report
        .not_judged
        .iter()
        .map(|group| group.why.to_string())
        .collect()
}

#[tokio::test]
async fn a_redacted_value_is_guessed_only_where_nothing_is_judged_by_it() {
    let ground = Ground::new(set_of("p", &[])).await;
    let call = Call::new("files:read", json!({ "path": "/srv/a", "n": "secret" }));
    let session = Session::launched(agent());
    ground.gate.start(&session, call, &Cancel::new()).await;
    let events = ground.events().await;
    let redacted = json!({ "$redacted": "hmac-sha256:00" });
    let allow = json!({ "capability": "files:read", "target": "/srv/**", "effect": "allow" });
    let plain = candidate(std::slice::from_ref(&allow), "q");
    // The path is judged; what else is in the call is not.
    let path = report(&with_value(&events, "/path", &redacted), &plain);
    assert_eq!(why(&path), ["`/path` was redacted before it was recorded"]);
    assert_eq!((path.judged, path.changed()), (0, 0));
    let other = report(&with_value(&events, "/n", &redacted), &plain);
    assert_eq!((why(&other).len(), other.changed()), (0, 1));
    // Until a rule asks for it.
    let mut when = allow;
    when["when"] = json!([{ "path": "/n/x", "exists": false }]);
    let asked = report(
        &with_value(&events, "/n", &redacted),
        &candidate(&[when], "q"),
    );
    assert_eq!(why(&asked), ["`/n` was redacted before it was recorded"]);
    let capped = json!({ "$capped": { "bytes": 1, "digest": "sha256:00", "start": "" } });
    let large = report(&with_value(&events, "/path", &capped), &plain);
    assert_eq!(why(&large), ["`/path` was too large to be recorded"]);
}

#[tokio::test]
async fn what_the_journal_lacks_is_not_judgeable_and_said_so() {
    let ground = Ground::new(set_of("p", &[])).await;
    let session = Session::launched(agent());
    for call in [
        Call::new("files:drop", json!({ "path": "/srv/a" })),
        read("/srv/a"),
    ] {
        ground.gate.start(&session, call, &Cancel::new()).await;
    }
    let events = ground.events().await;
    let nothing = candidate(&[], "q");
    let without = |edit: &dyn Fn(&mut Value)| {
        let mut events = events.clone();
        for event in events
            .iter_mut()
            .filter(|e| e.kind == kinds::POLICY_DECIDED)
        {
            edit(&mut event.data);
        }
        report(&events, &nothing)
    };
    let old = without(&|data| {
        data.as_object_mut().unwrap().remove("facts");
    });
    assert_eq!((old.judged, old.not_judgeable()), (0, 2));
    let newer = without(&|data| data["facts"]["more"] = json!(1));
    assert_eq!((newer.judged, newer.not_judgeable()), (0, 2));
    let as_list = without(&|data| {
        let facts = &data["facts"];
        let or = |key: &str, none: Value| facts.get(key).cloned().unwrap_or(none);
        let mut list = ["at", "policy", "tool", "tool_id", "verb"]
            .map(|key| facts[key].clone())
            .to_vec();
        list.extend([
            or("hints", json!({})),
            or("accepted", Value::Null),
            or("place", Value::Null),
        ]);
        list.extend([
            or("root", Value::Null),
            or("parents", json!([])),
            or("files", json!({})),
        ]);
        data["facts"] = Value::Array(list);
    });
    assert_eq!((as_list.judged, as_list.not_judgeable()), (0, 2));
    // A file at which nobody looked, since the profile named none then.
    let book = vec![(
        NamePattern::new("files:drop").unwrap(),
        serde_json::from_value(json!({ "resource": { "kind": "path", "from": "/path" } })).unwrap(),
    )];
    let builder = parts(set_of("q", &[]), &ground.links, &ground.tool);
    let other = Candidate::new(builder.profiles(ProfileBook::new(book).unwrap())).unwrap();
    assert_eq!(
        why(&report(&events, &other)),
        ["it was not recorded where `/srv/a` led"]
    );
    // A tool that the candidate does not have.
    let facts = [(agent(), AgentFacts::default())].into_iter().collect();
    let bare = Candidate::new(Gate::builder().agents(facts)).unwrap();
    let unknown = report(&events, &bare);
    assert_eq!((unknown.judged, unknown.not_judgeable()), (0, 2));
    assert_eq!(why(&unknown)[0], "the candidate does not know the tool");
}
