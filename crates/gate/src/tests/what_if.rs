//! What-if: the same code on the same facts, nothing run, nothing guessed.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use proptest::prelude::*;
use serde_json::{Value, json};
use tipstaff_journal::{Event, StreamKind, kinds};
use tipstaff_schema::{Effect, IntentToken, Object, Provenance, Verb};

use super::bench::*;
use super::trials::*;
use crate::*;

pub(super) fn candidate(policy: &[Value], name: &str) -> Candidate {
    let (links, tool) = (Arc::new(Links::default()), Arc::new(Counter::default()));
    Candidate::new(parts(set_of(name, policy), &links, &tool)).unwrap()
}

pub(super) fn report(events: &[Event], candidate: &Candidate) -> Report {
    let mut what_if = WhatIf::new(candidate);
    events.iter().for_each(|event| what_if.take(event));
    what_if.finish()
}

/// Effect, rule and stage.
type Decided = (Effect, Option<String>, String);

/// What was decided of each call, in order; none where policy was not reached.
fn decided(events: &[Event]) -> Vec<Option<Decided>> {
    let calls = events
        .iter()
        .filter(|event| event.stream.kind() == StreamKind::Call);
    let mut found: Vec<(String, Option<_>)> = Vec::new();
    for event in calls {
        if event.kind == kinds::CALL_RECEIVED {
            found.push((event.stream.id().to_owned(), None));
        } else if event.kind == kinds::POLICY_DECIDED {
            let data = &event.data;
            let text = |key: &str| data[key].as_str().map(str::to_owned);
            let effect = serde_json::from_value(data["effect"].clone()).unwrap();
            let last = found
                .iter_mut()
                .find(|(id, _)| id == event.stream.id())
                .unwrap();
            last.1 = Some((effect, text("policy_id"), text("stage").unwrap()));
        }
    }
    found.into_iter().map(|(_, decided)| decided).collect()
}

/// The same of a candidate that judges those events again.
fn again(events: &[Event], candidate: &Candidate) -> Vec<Option<Result<Decided, NotJudgeable>>> {
    let verdicts = what_if::verdicts(events, candidate);
    let plain = |verdict: Verdict| {
        (
            verdict.effect,
            verdict.policy_id.clone(),
            verdict.stage.as_str().to_owned(),
        )
    };
    verdicts
        .into_iter()
        .map(|judged| judged.map(|judged| judged.map(plain)))
        .collect()
}

fn block_on<T>(what: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(what)
}

fn rules(by_link: bool) -> impl Strategy<Value = Vec<Value>> {
    prop::collection::vec(rule(by_link), 0..8)
}

fn trials() -> impl Strategy<Value = Vec<Trial>> {
    prop::collection::vec(trial(), 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn of_the_policy_that_decided_it_changes_nothing(rules in rules(true), trials in trials()) {
        block_on(async {
            let ground = Ground::new(set_of("p", &rules)).await;
            ground.play(&trials).await;
            let runs = ground.tool.runs.load(Ordering::SeqCst);
            let trial = Candidate::new(parts(set_of("p", &rules), &ground.links, &ground.tool)).unwrap();
            // Where links lead now is no matter.
            ground.links.0.lock().unwrap().clear();
            let events = ground.events().await;
            let report = report(&events, &trial);
            assert_eq!(report.changes, [], "{:#}", report.to_json());
            assert_eq!((report.by_another_rule, &report.not_judged[..]), (0, &[][..]));
            let judged = decided(&events).iter().flatten().count();
            assert_eq!(report.judged, u64::try_from(judged).unwrap());
            assert_eq!(report.assumed_names.len(), 0);
            // Nothing ran, nothing was written.
            assert_eq!(ground.tool.runs.load(Ordering::SeqCst), runs);
            assert_eq!(ground.events().await.len(), events.len());
        });
    }

    #[test]
    fn of_another_policy_it_says_what_a_gate_with_the_same_facts_decides(
        first in rules(true),
        second in rules(false),
        trials in trials(),
    ) {
        block_on(async {
            let ground = Ground::new(set_of("p", &first)).await;
            ground.play(&trials).await;
            let other = Ground::new(set_of("q", &second)).await;
            other.play(&trials).await;
            let want = decided(&other.events().await);
            let got = again(&ground.events().await, &candidate(&second, "q"));
            assert_eq!(want.len(), got.len());
            for (place, (want, got)) in want.into_iter().zip(got).enumerate() {
                let got = got.transpose().unwrap();
                assert_eq!(got, want, "{:?}", trials[place]);
            }
        });
    }

    #[test]
    fn i4_adding_a_deny_or_a_guard_makes_no_call_less_strict(
        before in rules(true),
        place in 0..9_usize,
        added in rule(true),
        guard: bool,
        trials in trials(),
    ) {
        block_on(async {
            let ground = Ground::new(set_of("p", &before)).await;
            ground.play(&trials).await;
            let mut deny = added;
            deny["effect"] = json!("deny");
            let map = deny.as_object_mut().unwrap();
            for key in ["inherit", "effects", "guard"] {
                map.remove(key);
            }
            if guard {
                map.insert("guard".to_owned(), json!(true));
            }
            let mut after = before;
            after.insert(place.min(after.len()), deny);
            let events = ground.events().await;
            let got = again(&events, &candidate(&after, "p"));
            for (place, (was, now)) in decided(&events).into_iter().zip(got).enumerate() {
                let now = now.transpose().unwrap();
                let effect = |decided: &Option<Decided>| {
                    decided.as_ref().map(|(effect, ..)| *effect)
                };
                assert!(effect(&now) >= effect(&was), "{:?}: {was:?} to {now:?}", trials[place]);
            }
        });
    }
}

/// A bench with these rules, and what its journal holds after these calls.
async fn played(rules: Value, calls: Vec<Call>) -> Vec<Event> {
    let bench = Bench::new(Setup {
        rules,
        ..Setup::default()
    })
    .await;
    for call in calls {
        bench.submit(call).await;
    }
    events_of(&bench).await
}

async fn events_of(bench: &Bench) -> Vec<Event> {
    use tipstaff_journal::{Filter, Journal as _};
    bench.journal.scan(1, 10_000, &Filter::all()).await.unwrap()
}

#[tokio::test]
async fn changes_are_grouped_by_rule_and_tool_with_examples_and_rules_are_counted() {
    let calls = ["/srv/a", "/srv/b", "/srv/c", "/srv/d", "/etc/x"]
        .map(read)
        .to_vec();
    let events = played(json!([]), [calls, vec![write("/srv/a")]].concat()).await;
    let report = report(
        &events,
        &candidate(
            &[
                json!({ "capability": "box_read", "target": "/srv/**", "effect": "allow" }),
                json!({ "target": "/etc/**", "effect": "deny" }),
                json!({ "capability": "box_none", "effect": "deny" }),
            ],
            "q",
        ),
    );
    let groups: Vec<_> = report
        .changes
        .iter()
        .map(|c| {
            (
                c.from,
                c.to,
                c.rule.as_deref(),
                c.tool.as_str(),
                c.calls,
                c.examples.len(),
            )
        })
        .collect();
    assert_eq!(
        groups,
        [
            (Effect::Ask, Effect::Allow, Some("q0"), "box_read", 4, 3),
            (Effect::Ask, Effect::Deny, Some("q1"), "box_read", 1, 1),
        ]
    );
    assert_eq!(report.changes[0].examples[0].what, "/srv/a");
    let tally = |t: &Tally| (t.allow, t.ask, t.deny);
    assert_eq!(
        (tally(&report.then), tally(&report.now)),
        ((0, 6, 0), (4, 1, 1))
    );
    let rules: Vec<_> = report
        .rules
        .iter()
        .map(|r| (r.id.as_str(), r.matched, r.decided))
        .collect();
    assert_eq!(rules, [("q0", 4, 4), ("q1", 1, 1), ("q2", 0, 0)]);
    let never: Vec<_> = report.never_hit().map(|rule| rule.id.as_str()).collect();
    assert_eq!(never, ["q2"]);
}

#[tokio::test]
async fn a_rule_that_matched_but_was_outranked_is_hit_and_decided_nothing() {
    let events = played(json!([]), vec![read("/srv/a")]).await;
    let outranked = [
        json!({ "target": "/srv/**", "effect": "ask" }),
        json!({ "capability": "box_read", "target": "/srv/a", "effect": "allow" }),
    ];
    let report = report(&events, &candidate(&outranked, "q"));
    let rules: Vec<_> = report
        .rules
        .iter()
        .map(|r| (r.matched, r.decided))
        .collect();
    assert_eq!(rules, [(1, 0), (1, 1)]);
}

#[tokio::test]
async fn the_time_is_that_of_the_call() {
    let night = [json!({ "hours": { "from": 22, "to": 6 }, "effect": "deny" })];
    let bench = Bench::new(Setup::default()).await;
    bench.submit(read("/srv/a")).await;
    bench.clock.forward(chrono::TimeDelta::hours(13));
    bench.submit(read("/srv/a")).await;
    let report = report(&events_of(&bench).await, &candidate(&night, "q"));
    assert_eq!((report.now.ask, report.now.deny), (1, 1));
}

#[tokio::test]
async fn a_path_leads_where_it_led() {
    let bench = Bench::new(Setup::default()).await;
    let link = ("/srv/link".to_owned(), "/secret/x".to_owned());
    bench.links.0.lock().unwrap().extend([link]);
    bench.submit(read("/srv/link")).await;
    let deny = json!({ "target": "/secret/**", "effect": "deny" });
    let report = report(&events_of(&bench).await, &candidate(&[deny], "q"));
    assert_eq!((report.judged, report.now.deny), (1, 1));
}

#[tokio::test]
async fn own_ground_stays_denied_and_what_policy_never_saw_is_told_apart() {
    let bench = Bench::new(Setup {
        own: vec!["/own"],
        ..Setup::default()
    })
    .await;
    for call in [
        read("/own/x"),
        Call::new("box_nothing", json!({})),
        read("/srv/a"),
    ] {
        bench.submit(call).await;
    }
    let events = events_of(&bench).await;
    // A candidate whose own ground lies elsewhere.
    let facts = [(agent(), AgentFacts::default())].into_iter().collect();
    let mut builder = Gate::builder()
        .agents(facts)
        .policy(set_of("q", &[json!({ "effect": "allow" })]));
    for native in tools() {
        builder = builder.native(native);
    }
    let report = report(&events, &Candidate::new(builder).unwrap());
    assert_eq!((report.now.allow, report.now.deny), (1, 1));
    let never: Vec<_> = report
        .never_reached
        .iter()
        .map(|(at, n)| (at.as_str(), *n))
        .collect();
    assert_eq!(never, [("lookup", 1)]);
}

#[tokio::test]
async fn a_token_is_judged_by_the_arguments_that_it_was_made_into() {
    let bench = Bench::new(Setup::default()).await;
    let object = Object {
        kind: "path".to_owned(),
        value: json!("/srv/a"),
    };
    let provenance = Provenance::Reflex {
        trigger: "test".to_owned(),
        raw_input: None,
        ts: start(),
    };
    let token = IntentToken::new(Verb::new("box", "read"), object, provenance, "t".to_owned());
    bench
        .gate
        .submit(&bench.session, token, &Cancel::new())
        .await;
    let events = events_of(&bench).await;
    let deny = json!({ "target": "/srv/a", "effect": "deny" });
    let report = report(&events, &candidate(&[deny], "q"));
    assert_eq!(
        (report.judged, report.now.deny),
        (1, 1),
        "{:#}",
        report.to_json()
    );
}

#[tokio::test]
async fn a_name_that_only_the_candidate_uses_is_taken_as_written_and_said() {
    let events = played(json!([]), vec![read("/srv/a")]).await;
    let deny = json!({ "target": "/other/name/**", "effect": "deny" });
    let report = report(&events, &candidate(&[deny], "q"));
    let names: Vec<_> = report.assumed_names.iter().map(String::as_str).collect();
    assert_eq!(names, ["/other/name"]);
    assert_eq!(report.changed(), 0);
}

#[tokio::test]
async fn a_journal_is_read_as_a_whole() {
    let bench = Bench::new(Setup::default()).await;
    bench.submit(read("/srv/a")).await;
    let allow = json!({ "effect": "allow" });
    let report = what_if(&*bench.journal, &candidate(&[allow], "q"))
        .await
        .unwrap();
    assert_eq!(report.changed(), 1);
}
