//! Many people claim one task at once, over two gates on one journal in a file: one gets it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use chrono::TimeDelta;
use serde_json::json;
use tipstaff_gate::{Clock as _, Gate, Ids as _, Work, WorkError};
use tipstaff_host::{Directory, PersonFacts, RandomIds, SystemClock};
use tipstaff_journal::{Draft, Filter, Journal, OpenedBy, Stream, StreamKind};
use tipstaff_schema::{AgentId, Digest, Person, Role};
use tipstaff_store::SqliteJournal;
use tipstaff_triage::events::{KeptAnswer, Opened};
use tipstaff_triage::{
    BusinessCalendar, Calendar as _, DeadlineSpec, OnExpiry, Priority, StepRefusal, TaskEvent,
    TaskRefusal, TaskStatus, task_id,
};
use uuid::Uuid;

const CONTENDERS: usize = 64;
const ROUNDS: u128 = 6;

fn name(n: usize) -> Person {
    Person::new(format!("person-{n}")).unwrap()
}

fn people() -> Directory {
    let facts = PersonFacts {
        roles: vec![Role::new("grid").unwrap()],
        password_hash: None,
    };
    let people: BTreeMap<Person, PersonFacts> =
        (0..CONTENDERS).map(|n| (name(n), facts.clone())).collect();
    Directory::new(people)
}

fn open(file: &Path) -> Arc<dyn Journal> {
    let at = SystemClock.now();
    let by = OpenedBy {
        journal_id: RandomIds.fresh(at),
        at,
        event_id: RandomIds.fresh(at),
        actor: "test".to_owned(),
    };
    Arc::new(SqliteJournal::open(file, &by).unwrap())
}

async fn gate(journal: &Arc<dyn Journal>) -> Gate {
    let builder = Gate::builder()
        .journal(Arc::clone(journal))
        .clock(Arc::new(SystemClock))
        .ids(Arc::new(RandomIds))
        .people(Arc::new(people()));
    builder.open().await.unwrap()
}

/// Opens a task as a gate does.
async fn task(journal: &Arc<dyn Journal>, n: u128) -> Digest {
    let (call, now) = (Uuid::from_u128(n), SystemClock.now());
    let task = task_id(call, "breach");
    let calendar = BusinessCalendar::usual();
    let opened = TaskEvent::Opened(Box::new(Opened {
        task,
        kind: "agent.triage/breach".to_owned(),
        call,
        tool: "grid:report".to_owned(),
        agent: AgentId::new("grid-agent").unwrap(),
        summary: "late".to_owned(),
        answer: KeptAnswer::of(&json!({ "late": true })).unwrap(),
        audience: vec![Role::new("grid").unwrap()],
        excluded: Vec::new(),
        priority: Priority::Normal,
        deadline: DeadlineSpec::of("d", "days", 9),
        due_at: now + TimeDelta::days(9),
        calendar: calendar.digest(),
        on_expiry: OnExpiry::Deny,
        escalate_to: Vec::new(),
        note_required: false,
        observed: false,
    }));
    let stream = Stream::new(StreamKind::Task, task.to_string()).unwrap();
    let (id, data) = (RandomIds.fresh(now), opened.data().unwrap());
    let draft = Draft::new(id, now, stream.clone(), opened.kind(), "gate", data);
    journal.append(&[(stream, 0)], vec![draft]).await.unwrap();
    task
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_sixty_four_people_over_two_gates_on_one_file_one_gets_the_task() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state/journal.db");
    // Two gates as in two processes: each has its own connection to the file.
    let journals = [open(&file), open(&file)];
    let mut ids = Vec::new();
    for n in 0..ROUNDS {
        ids.push(task(&journals[0], n).await);
    }
    let gates = [gate(&journals[0]).await, gate(&journals[1]).await];
    for id in ids {
        let mut contenders = tokio::task::JoinSet::new();
        for n in 0..CONTENDERS {
            let gate = gates[n % gates.len()].clone();
            contenders.spawn(async move { (gate.work(&id, &Work::Claim {}, &name(n)).await, n) });
        }
        let (mut winners, mut told) = (Vec::new(), Vec::new());
        for (result, n) in contenders.join_all().await {
            match result {
                Ok(task) => winners.push((name(n), task.holder().cloned())),
                Err(WorkError::Refused(TaskRefusal::State(StepRefusal::AlreadyClaimed {
                    holder,
                }))) => told.push(holder),
                Err(error) => panic!("person {n}: {error:?}"),
            }
        }
        let [(winner, holder)] = winners.as_slice() else {
            panic!("{winners:?}")
        };
        assert_eq!(Some(winner), holder.as_ref());
        assert_eq!(
            told,
            vec![winner.clone(); CONTENDERS - 1],
            "each is told who"
        );
        // The gate of the loser learns it too.
        for gate in &gates {
            let again = gate.work(&id, &Work::Claim {}, winner).await.unwrap();
            assert_eq!((again.status(), again.version), (TaskStatus::Claimed, 2));
        }
    }
    let all = Filter::streams([StreamKind::Task]);
    let events = journals[1].scan(1, 1_000, &all).await.unwrap();
    let claims = events
        .iter()
        .filter(|event| event.kind.as_str() == "task.claimed");
    assert_eq!(claims.count() as u128, ROUNDS);
}
