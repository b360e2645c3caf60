//! What a task costs an answer: nothing. Tasks that cannot be made or written, and outcomes that cannot
//! be, are recorded and made good.

use std::sync::Arc;

use chrono::TimeDelta;
use serde_json::json;
use tipstaff_journal::{Filter, Journal as _, Stream, StreamKind};
use tipstaff_triage::{TaskQuery, TaskStatus};

use super::bench::*;
use super::faults::Faults;
use super::tasks::{breaches, free, rule, settle};
use crate::*;

#[tokio::test]
async fn a_deadline_that_cannot_be_computed_is_recorded_and_its_task_opened_once_it_can() {
    let rules = json!([
        rule("minutes", |rule| {
            rule["deadline"] = json!({ "name": "m", "kind": "minutes", "params": { "n": 5 } });
        }),
        rule("breach", |_| {})
    ]);
    let closed = Bench::new(Setup {
        closed: true,
        ..breaches(rules.clone())
    })
    .await;
    let Outcome::Completed { result, tasks, .. } = closed.submit(free(1)).await else {
        panic!("not completed")
    };
    assert_eq!(
        (result.data.unwrap()["asset"].as_str(), tasks.len()),
        (Some("T1"), 1)
    );
    let events = closed.journal.scan(1, 100, &Filter::all()).await.unwrap();
    let failed = events
        .iter()
        .find(|event| event.kind.as_str() == "triage.failed")
        .unwrap();
    let why = failed.data["rules"][0]["why"].as_str().unwrap();
    assert!(why.contains("no working day within 366 days"), "{why}");
    // The same journal under a calendar that has working days.
    let next = Bench::new(Setup {
        journal: Some(Arc::clone(&closed.journal)),
        ids_from: 100_000,
        ..breaches(rules)
    })
    .await;
    settle().await;
    let tasks = next.gate.tasks(&TaskQuery::default());
    let task = tasks
        .iter()
        .find(|task| task.kind.ends_with("/breach"))
        .unwrap();
    assert_eq!(task.summary, "late: T1");
    assert_eq!(
        task.due_at.to_rfc3339(),
        "2026-03-04T17:00:00+00:00",
        "from when the answer came"
    );
    assert_eq!((tasks.len(), next.runs()), (2, 0));
    drop(next);
    let opened = |kinds: Vec<String>| kinds.iter().filter(|kind| *kind == "task.opened").count();
    assert_eq!(opened(closed.kinds().await), 2, "and never again");
}

#[tokio::test]
async fn tasks_that_the_journal_refuses_leave_the_answer_alone_and_are_opened_later() {
    let faults = Faults::refusing_tasks();
    let bench = Bench::new(Setup {
        faults: Some(Arc::clone(&faults)),
        ..breaches(json!([rule("breach", |_| {})]))
    })
    .await;
    let Outcome::Completed {
        result,
        answer_valid,
        tasks,
    } = bench.submit(free(1)).await
    else {
        panic!("not completed")
    };
    assert_eq!(
        (result.data.unwrap()["asset"].as_str(), answer_valid),
        (Some("T1"), true)
    );
    assert!(tasks.is_empty(), "none is open, and none is said to be");
    let kinds = bench.kinds().await;
    assert_eq!(
        kinds[kinds.len() - 2..],
        ["execution.succeeded", "triage.failed"]
    );
    assert!(bench.gate.tasks(&TaskQuery::default()).is_empty());
    settle().await;
    faults.mend();
    bench.clock.forward(TimeDelta::seconds(60));
    settle().await;
    let tasks = bench.gate.tasks(&TaskQuery::default());
    assert_eq!((tasks.len(), tasks[0].summary.as_str()), (1, "late: T1"));
    assert_eq!(tasks[0].due_at.to_rfc3339(), "2026-03-04T17:00:00+00:00");
}

#[tokio::test]
async fn an_outcome_and_its_tasks_that_could_not_be_written_are_written_when_the_journal_can() {
    let faults = Faults::after(1);
    let bench = Bench::new(Setup {
        faults: Some(Arc::clone(&faults)),
        ..breaches(json!([rule("breach", |_| {})]))
    })
    .await;
    let Outcome::Completed { result, tasks, .. } = bench.submit(free(1)).await else {
        panic!("not completed")
    };
    assert_eq!(
        (result.data.unwrap()["asset"].as_str(), tasks.len()),
        (Some("T1"), 0)
    );
    settle().await;
    assert_eq!(bench.kinds().await.last().unwrap(), "warrant.issued");
    faults.mend();
    bench.clock.forward(TimeDelta::seconds(60));
    settle().await;
    let kinds = bench.kinds().await;
    assert_eq!(
        kinds[kinds.len() - 2..],
        ["execution.succeeded", "task.opened"]
    );
    assert_eq!(
        (bench.gate.tasks(&TaskQuery::default()).len(), bench.runs()),
        (1, 1)
    );
    bench.clock.forward(TimeDelta::seconds(600));
    settle().await;
    assert_eq!(bench.kinds().await.len(), kinds.len(), "once");
}

#[tokio::test]
async fn a_task_of_a_gate_that_only_observes_is_a_task_and_says_so() {
    let bench = Bench::new(Setup {
        mode: Mode::Observe,
        ..breaches(json!([rule("breach", |_| {})]))
    })
    .await;
    bench.submit(free(1)).await;
    assert_eq!(bench.gate.tasks(&TaskQuery::default()).len(), 1);
    let events = bench.journal.scan(2, 100, &Filter::all()).await.unwrap();
    assert!(
        events
            .iter()
            .all(|event| event.data["observed"] == json!(true))
    );
}

#[tokio::test]
async fn a_deep_answer_opens_its_task_all_the_same() {
    let mut deep = json!(1);
    for _ in 0..99 {
        deep = json!([deep]);
    }
    let setup = breaches(json!([rule("breach", |_| {})]));
    let answer = ExecOutput {
        data: Some(json!({ "status": "BREACH", "asset": "T1", "deep": deep })),
        ..ExecOutput::default()
    };
    *setup.tool.answer.lock().unwrap() = Some(Ok(answer));
    let bench = Bench::new(setup).await;
    bench.submit(free(1)).await;
    assert_eq!(bench.gate.tasks(&TaskQuery::default()).len(), 1);
    assert_eq!(bench.runs(), 1);
}

#[tokio::test]
async fn a_task_that_cannot_be_marked_keeps_no_newer_one_from_its_turn() {
    let faults = Faults::after(usize::MAX);
    let bench = Bench::new(Setup {
        faults: Some(Arc::clone(&faults)),
        ..breaches(json!([rule("breach", |_| {})]))
    })
    .await;
    for n in 0..3 {
        bench.submit(free(n)).await;
        bench.clock.forward(TimeDelta::days(1));
    }
    let tasks = || {
        bench.gate.tasks(&TaskQuery {
            statuses: TaskStatus::ALL.to_vec(),
            ..TaskQuery::default()
        })
    };
    let oldest = tasks().iter().min_by_key(|task| task.due_at).unwrap().id;
    faults.shut(Stream::new(StreamKind::Task, oldest.to_string()).unwrap());
    for _ in 0..2 {
        bench.clock.forward(TimeDelta::days(7));
        settle().await;
        for task in tasks() {
            let wanted = if task.id == oldest {
                TaskStatus::Ready
            } else {
                TaskStatus::Expired
            };
            assert_eq!(task.status(), wanted, "{}", task.due_at);
        }
        // One that falls due later has its turn too.
        bench.submit(free(9)).await;
        bench.clock.forward(TimeDelta::days(7));
        settle().await;
    }
}
