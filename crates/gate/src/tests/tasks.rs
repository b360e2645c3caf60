//! Tasks as the gate keeps them: people's work, races, time, and one list with approvals.

use std::sync::Arc;

use chrono::TimeDelta;
use serde_json::{Value, json};
use tipstaff_journal::{Filter, Journal as _};
use tipstaff_schema::Digest;
use tipstaff_triage::{Priority, StepRefusal, Task, TaskQuery, TaskRefusal, TaskStatus};

use super::bench::*;
use crate::*;

pub(super) fn rule(name: &str, change: impl Fn(&mut Value)) -> Value {
    let mut rule = json!({
        "name": name, "when": [{ "path": "/status", "equals": "BREACH" }], "summary": "late: {/asset}",
        "audience": ["approver"], "deadline": { "name": "d", "kind": "working-days", "params": { "n": 2 } },
    });
    change(&mut rule);
    rule
}

pub(super) fn breaches(rules: Value) -> Setup {
    let answer = ExecOutput {
        data: Some(json!({ "status": "BREACH", "asset": "T1" })),
        ..ExecOutput::default()
    };
    let tool = Counter {
        answer: std::sync::Mutex::new(Some(Ok(answer))),
        ..Counter::default()
    };
    Setup {
        triage: rules,
        tool,
        approver: Some(Scripted(None)),
        ..Setup::default()
    }
}

pub(super) fn free(n: u32) -> Call {
    Call::new("box_free", json!({ "n": n }))
}

/// A gate with so many tasks of one rule.
async fn with_tasks(count: u32, rules: Value) -> (Bench, Vec<Digest>) {
    let bench = Bench::new(breaches(rules)).await;
    for n in 0..count {
        assert_eq!(short(&bench.submit(free(n)).await), "completed");
    }
    let ids = bench
        .gate
        .tasks(&all())
        .iter()
        .map(|task| task.id)
        .collect();
    (bench, ids)
}

fn all() -> TaskQuery {
    let statuses = vec![
        TaskStatus::Ready,
        TaskStatus::Claimed,
        TaskStatus::Completed,
        TaskStatus::Skipped,
        TaskStatus::Expired,
    ];
    TaskQuery {
        statuses,
        limit: usize::MAX,
        ..TaskQuery::default()
    }
}

async fn work(bench: &Bench, id: &Digest, who: &str, work: Work) -> Result<Task, WorkError> {
    bench.gate.work(id, &work, &person(who)).await
}

/// Lets the gate's own loop do what is due.
pub(super) async fn settle() {
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn of_sixty_four_claims_one_wins_also_over_two_gates() {
    let (bench, ids) = with_tasks(1, json!([rule("breach", |_| {})])).await;
    let setup = breaches(json!([rule("breach", |_| {})]));
    let other = Bench::new(Setup {
        journal: Some(Arc::clone(&bench.journal)),
        ids_from: 100_000,
        ..setup
    })
    .await;
    let mut contenders = tokio::task::JoinSet::new();
    for n in 0..64 {
        let gate = if n % 2 == 0 { &bench.gate } else { &other.gate };
        let (gate, id) = (gate.clone(), ids[0]);
        let who = person(if n % 3 == 0 { "ana" } else { "bob" });
        // Ana and Bob each claim many times: once the task is one's own, claiming it again is fine.
        contenders.spawn(async move { (gate.work(&id, &Work::Claim {}, &who).await, who) });
    }
    let ended = contenders.join_all().await;
    let holder = bench.gate.task(&ids[0]).unwrap().holder().cloned().unwrap();
    for (result, who) in ended {
        match result {
            Ok(task) => assert_eq!((task.holder(), &who), (Some(&holder), &holder)),
            Err(WorkError::Refused(TaskRefusal::State(StepRefusal::AlreadyClaimed {
                holder: held,
            }))) => {
                assert_eq!((&held, who == holder), (&holder, false));
            }
            Err(error) => panic!("{error}"),
        }
    }
    let claims = bench.kinds().await;
    let claims = claims.iter().filter(|kind| *kind == "task.claimed");
    assert_eq!(claims.count(), 1);
}

#[tokio::test]
async fn of_two_who_take_over_from_the_same_holder_one_wins() {
    let (bench, ids) = with_tasks(
        1,
        json!([rule("breach", |rule| rule["audience"] = json!([]))]),
    )
    .await;
    work(&bench, &ids[0], "ana", Work::Claim {}).await.unwrap();
    let take = |who: &'static str| {
        let (gate, id) = (bench.gate.clone(), ids[0]);
        let take = Work::TakeOver {
            from: person("ana"),
        };
        async move { gate.work(&id, &take, &person(who)).await.is_ok() }
    };
    let (bob, eve) = tokio::join!(take("bob"), take("eve"));
    assert!(bob ^ eve, "{bob} {eve}");
}

#[tokio::test]
async fn a_task_goes_through_peoples_hands_and_each_step_is_theirs() {
    let (bench, ids) = with_tasks(1, json!([rule("breach", |_| {})])).await;
    let id = &ids[0];
    let refused = work(&bench, id, "eve", Work::Claim {}).await.unwrap_err();
    assert!(matches!(
        refused,
        WorkError::Refused(TaskRefusal::WrongRole { .. })
    ));
    work(&bench, id, "ana", Work::Claim {}).await.unwrap();
    let stranger = Work::Delegate { to: person("eve") };
    assert!(work(&bench, id, "ana", stranger).await.is_err());
    work(&bench, id, "ana", Work::Delegate { to: person("bob") })
        .await
        .unwrap();
    let done = || Work::Complete {
        result: json!({ "sent": true }),
        note: "reported".to_owned(),
    };
    assert!(
        work(&bench, id, "ana", done()).await.is_err(),
        "it is not hers any more"
    );
    let task = work(&bench, id, "bob", done()).await.unwrap();
    assert_eq!(task.status(), TaskStatus::Completed);
    let again = work(&bench, id, "bob", done()).await.unwrap_err();
    assert!(matches!(
        again,
        WorkError::Refused(TaskRefusal::State(StepRefusal::Duplicate))
    ));
    let actors: Vec<String> = bench
        .journal
        .scan(
            1,
            1000,
            &Filter::streams([tipstaff_journal::StreamKind::Task]),
        )
        .await
        .unwrap()
        .into_iter()
        .map(|event| event.actor)
        .collect();
    assert_eq!(actors[1..], ["person:ana", "person:ana", "person:bob"]);
    assert_eq!(bench.gate.task_counts(None).completed, 1);
}

#[tokio::test]
async fn several_are_worked_on_at_once_when_one_rule_opened_them() {
    let other = rule("other", |rule| {
        rule["when"] = json!([{ "path": "/asset", "equals": "T1" }]);
    });
    let (bench, ids) = with_tasks(3, json!([rule("breach", |_| {}), other])).await;
    assert_eq!(ids.len(), 6);
    let kind = bench.gate.task(&ids[0]).unwrap().kind;
    work(&bench, &ids[1], "bob", Work::Claim {}).await.unwrap();
    let results = bench
        .gate
        .work_on_all(&ids, &Work::Claim {}, &person("ana"))
        .await;
    for (id, result) in results {
        let task = bench.gate.task(&id).unwrap();
        let same = task.kind == kind;
        let by_bob = id == ids[1];
        match result {
            Ok(task) => assert!(same && !by_bob && task.holder() == Some(&person("ana"))),
            Err(WorkError::OtherRule { .. }) => assert!(!same),
            Err(WorkError::Refused(_)) => assert!(same && by_bob),
            Err(error) => panic!("{error}"),
        }
    }
}

/// One that expires, one that escalates, one that has time.
fn that_fall_due() -> Value {
    json!([
        rule("breach", |_| {}),
        rule("up", |rule| {
            rule["on_expiry"] = json!("escalate");
            rule["escalate_to"] = json!(["operator"]);
            rule["deadline"] = json!({ "name": "d", "kind": "hours", "params": { "n": 1 } });
        }),
        rule("later", |rule| rule["deadline"]["params"]["n"] = json!(300)),
    ])
}

#[tokio::test]
async fn what_fell_due_in_days_of_downtime_is_seen_to_at_the_start_the_oldest_first() {
    let rules = that_fall_due();
    let (bench, _) = with_tasks(130, rules.clone()).await;
    drop(bench.gate);
    let journal = Arc::clone(&bench.journal);
    let next = Bench::after(
        TimeDelta::days(5),
        Setup {
            journal: Some(journal),
            ids_from: 100_000,
            ..breaches(rules)
        },
    )
    .await;
    settle().await;
    let tasks = next.gate.tasks(&all());
    let by = |name: &'static str| tasks.iter().filter(move |task| task.kind.ends_with(name));
    assert_eq!(
        by("/breach")
            .filter(|task| task.status() == TaskStatus::Expired)
            .count(),
        130
    );
    assert_eq!(
        by("/later")
            .filter(|task| task.status() == TaskStatus::Ready)
            .count(),
        130
    );
    for task in by("/up") {
        let audience: Vec<&str> = task
            .audience
            .iter()
            .map(tipstaff_schema::Role::as_str)
            .collect();
        assert_eq!(audience, ["approver", "operator"]);
        assert_eq!(
            (task.standing.escalated, task.priority),
            (true, Priority::High)
        );
    }
    let kinds = next.kinds().await;
    let first = |kind: &str| kinds.iter().position(|known| known == kind).unwrap();
    assert!(
        first("task.escalated") < first("task.expired"),
        "an hour is older than two days"
    );
    next.clock.forward(TimeDelta::days(30));
    settle().await;
    let again = next
        .kinds()
        .await
        .iter()
        .filter(|kind| *kind == "task.escalated")
        .count();
    assert_eq!(again, 130, "once each");
}

#[tokio::test]
async fn a_task_expires_when_its_time_comes_while_the_gate_runs() {
    let (bench, ids) = with_tasks(1, json!([rule("breach", |_| {})])).await;
    bench.clock.forward(TimeDelta::days(1));
    settle().await;
    assert_eq!(
        bench.gate.task(&ids[0]).unwrap().status(),
        TaskStatus::Ready
    );
    bench.clock.forward(TimeDelta::days(2));
    settle().await;
    assert_eq!(
        bench.gate.task(&ids[0]).unwrap().status(),
        TaskStatus::Expired
    );
}

#[tokio::test]
async fn approvals_stand_in_the_list_and_are_no_tasks() {
    let urgent = rule("breach", |rule| {
        rule["priority"] = json!("urgent");
        rule["deadline"] = json!({ "name": "d", "kind": "minutes", "params": { "n": 1 } });
    });
    let (bench, _) = with_tasks(2, json!([urgent, rule("slow", |_| {})])).await;
    let ticket = bench.ticket(write("/x")).await;
    let kinds = |rows: &[Row]| {
        rows.iter()
            .map(|row| row.kind().to_owned())
            .collect::<Vec<_>>()
    };
    let rows = bench.gate.worklist(&TaskQuery::default(), None);
    let (urgent, slow) = ("agent.triage/breach", "agent.triage/slow");
    assert_eq!(kinds(&rows), [urgent, urgent, APPROVAL_KIND, slow, slow]);
    assert_eq!(rows[2].id(), RowId::Approval(ticket.approval_id));
    // One row after the other gives the same list.
    let one = |after: Option<&RowId>| {
        let query = TaskQuery {
            limit: 1,
            ..TaskQuery::default()
        };
        bench.gate.worklist(&query, after).into_iter().next()
    };
    let mut paged = vec![one(None).unwrap()];
    while let Some(next) = one(Some(&paged.last().unwrap().id())) {
        paged.push(next);
    }
    assert_eq!(paged, rows);
    let only = |change: &dyn Fn(&mut TaskQuery)| {
        let mut query = TaskQuery::default();
        change(&mut query);
        kinds(&bench.gate.worklist(&query, None))
    };
    assert_eq!(
        only(&|q| q.kind = Some(APPROVAL_KIND.to_owned())),
        [APPROVAL_KIND]
    );
    assert_eq!(
        only(&|q| q.text = Some("BOX_WRITE".to_owned())),
        [APPROVAL_KIND]
    );
    assert_eq!(only(&|q| q.statuses = vec![TaskStatus::Claimed]), [""; 0]);
    assert_eq!(only(&|q| q.roles = Some(Vec::new())), [""; 0]);
    let digest = Digest::of(tipstaff_schema::Domain::Task, &json!(ticket.approval_id)).unwrap();
    let refused = work(&bench, &digest, "ana", Work::Claim {})
        .await
        .unwrap_err();
    assert!(matches!(refused, WorkError::Refused(TaskRefusal::NotFound)));
    bench.approve(&ticket).await;
    let rows = bench.gate.worklist(&TaskQuery::default(), None);
    assert_eq!(kinds(&rows), [urgent, urgent, slow, slow]);
}
