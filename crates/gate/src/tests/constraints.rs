//! A token's constraints: the last thing that is looked at, and never for a call that may not run.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tipstaff_schema::{Constraint, IntentToken, Object, Provenance, Verb};

use super::bench::{Bench, Counter, Setup, short, start};
use crate::*;

/// Notes what it is asked; `fails` is the op that does not hold.
#[derive(Debug, Default)]
struct Noting {
    asked: Mutex<Vec<Constraint>>,
    fails: Option<Constraint>,
}

#[async_trait::async_trait]
impl ConstraintChecker for Noting {
    async fn check(&self, constraint: &Constraint) -> Result<(), String> {
        self.asked.lock().unwrap().push(constraint.clone());
        if self.fails.as_ref() == Some(constraint) {
            return Err("it does not hold".to_owned());
        }
        Ok(())
    }
}

fn all_five() -> Vec<Constraint> {
    let all = json!([
        { "op": "path_exists", "path": "/srv/a" },
        { "op": "net_reachable", "host": "db.test", "port": 5432 },
        { "op": "env_set", "name": "HOME" },
        { "op": "user_present" },
        { "op": "custom", "name": "battery", "args": { "least": 20 } },
    ]);
    serde_json::from_value(all).unwrap()
}

fn token(action: &str, value: Value) -> IntentToken {
    let provenance = Provenance::Reflex {
        trigger: "test".to_owned(),
        raw_input: None,
        ts: start(),
    };
    let object = Object {
        kind: "path".to_owned(),
        value,
    };
    let verb = Verb::new("box", action);
    let mut token = IntentToken::new(verb, object, provenance, "tests".to_owned());
    token.constraints = all_five();
    token
}

async fn bench(checker: &Arc<Noting>, rules: Value) -> Bench {
    let constraints: Arc<dyn ConstraintChecker> = Arc::<Noting>::clone(checker);
    Bench::new(Setup {
        rules,
        constraints: Some(constraints),
        tool: Counter::default(),
        ..Setup::default()
    })
    .await
}

fn asked(checker: &Noting) -> Vec<Constraint> {
    checker.asked.lock().unwrap().clone()
}

#[tokio::test]
async fn all_five_are_checked_in_order_and_then_the_call_runs() {
    let checker = Arc::new(Noting::default());
    let bench = bench(&checker, Value::Null).await;
    let sent = token("free", json!({ "n": 3 }));
    let outcome = bench
        .gate
        .submit(&bench.session, sent, &Cancel::new())
        .await;
    assert_eq!(short(&outcome), "completed");
    assert_eq!(asked(&checker), all_five());
    assert_eq!(bench.tool.runs.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn each_that_fails_stops_the_call_without_a_warrant() {
    for (place, fails) in all_five().into_iter().enumerate() {
        let fails = Some(fails);
        let asked_of = Mutex::default();
        let checker = Arc::new(Noting {
            asked: asked_of,
            fails,
        });
        let bench = bench(&checker, Value::Null).await;
        let sent = token("free", json!({ "n": 3 }));
        let outcome = bench
            .gate
            .submit(&bench.session, sent, &Cancel::new())
            .await;
        let want = Outcome::Refused {
            why: "constraint failed: it does not hold".to_owned(),
            stage: Stage::Constraint,
            can_retry: true,
        };
        assert_eq!(format!("{outcome:?}"), format!("{want:?}"));
        assert_eq!(
            asked(&checker).len(),
            place + 1,
            "the rest is not looked at"
        );
        assert_eq!(bench.runs(), 0);
        assert!(!bench.kinds().await.contains(&"warrant.issued".to_owned()));
    }
}

#[tokio::test]
async fn nothing_is_looked_at_for_a_call_that_may_not_run() {
    let checker = Arc::new(Noting::default());
    let denied = json!([{ "id": "no", "capability": "box_free", "effect": "deny" }]);
    let bench = bench(&checker, denied).await;
    let sent = token("free", json!({ "n": 3 }));
    let outcome = bench
        .gate
        .submit(&bench.session, sent, &Cancel::new())
        .await;
    assert_eq!(short(&outcome), "denied");
    assert_eq!(asked(&checker), []);
}

#[tokio::test]
async fn a_question_to_a_person_comes_before_the_constraints() {
    let checker = Arc::new(Noting::default());
    let bench = bench(&checker, Value::Null).await;
    let sent = token("read", json!({ "path": "/srv/repo/a" }));
    let outcome = bench.gate.start(&bench.session, sent, &Cancel::new()).await;
    assert!(
        !matches!(
            outcome,
            Outcome::Refused {
                stage: Stage::Constraint,
                ..
            }
        ),
        "{outcome:?}"
    );
    assert_eq!(bench.runs(), 0);
    assert_eq!(asked(&checker), []);
}
