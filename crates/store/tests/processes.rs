//! Several processes on one file: killed at any moment, and racing for the same versions.
//!
//! The children are this very test program, told by a variable what to do.

#![cfg(feature = "sqlite")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "test binary")]
#![expect(
    clippy::disallowed_methods,
    reason = "children are started here, in a test"
)]

use std::collections::{BTreeMap, HashSet};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use chrono::DateTime;
use serde_json::json;
use tipstaff_journal::{
    AppendError, Draft, EndProof, Filter, Head, Journal, Stream, StreamKind, kinds, verify_journal,
};
use tipstaff_store::{OpenedBy, SqliteJournal};
use uuid::Uuid;

const TASK: &str = "TIPSTAFF_STORE_TEST_TASK";
const PATH: &str = "TIPSTAFF_STORE_TEST_PATH";
const NUMBER: &str = "TIPSTAFF_STORE_TEST_NUMBER";

fn open(path: &Path, number: u128) -> SqliteJournal {
    let (journal_id, event_id) = (Uuid::from_u128(number), Uuid::from_u128(number));
    let by = OpenedBy {
        journal_id,
        at: DateTime::UNIX_EPOCH,
        event_id,
        actor: "tester".to_owned(),
    };
    SqliteJournal::open(path, &by).unwrap()
}

fn draft(id: u128, stream: &Stream) -> Draft {
    let data = json!({ "text": "x".repeat((id % 3000) as usize) });
    Draft::new(
        Uuid::from_u128(id),
        DateTime::UNIX_EPOCH,
        stream.clone(),
        kinds::CALL_RECEIVED,
        "tester",
        data,
    )
}

fn stream(number: u128) -> Stream {
    Stream::of(StreamKind::Call, Uuid::from_u128(number))
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").unwrap();
    out.flush().unwrap();
}

fn start(task: &str, path: &Path, number: u128) -> (Child, impl Iterator<Item = String>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture"])
        .envs([
            (TASK, task),
            (PATH, path.to_str().unwrap()),
            (NUMBER, &number.to_string()),
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    (child, out.lines().map(Result::unwrap))
}

/// What a child does; as a test of its own it does nothing.
#[test]
fn child() {
    let Ok(task) = std::env::var(TASK) else {
        return;
    };
    let path = PathBuf::from(std::env::var(PATH).unwrap());
    let number: u128 = std::env::var(NUMBER).unwrap().parse().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    match task.as_str() {
        "append" => runtime.block_on(append_until_killed(&path, number)),
        "race" => runtime.block_on(race(&path, number)),
        other => panic!("no task {other}"),
    }
}

/// Four writers, each with a stream of its own, one to three events at a time.
async fn append_until_killed(path: &Path, round: u128) {
    let journal = open(path, 1);
    let writer = |writer: u128| {
        let (journal, stream) = (&journal, stream(writer));
        async move {
            let mut version = journal.read(&stream).await.unwrap().len() as u64;
            for turn in 0.. {
                let id = (round << 64) + (writer << 48) + (turn << 8);
                let drafts: Vec<_> = (0..=turn % 3).map(|n| draft(id + n, &stream)).collect();
                let appended = journal
                    .append(&[(stream.clone(), version)], drafts)
                    .await
                    .unwrap();
                version += appended.events.len() as u64;
                for event in appended.events {
                    say(&format!("ack {} {}", event.seq, event.hash));
                }
            }
        }
    };
    tokio::join!(writer(1), writer(2), writer(3), writer(4));
}

#[tokio::test]
async fn i6_what_was_acknowledged_before_a_kill_is_there_and_the_chain_holds() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state/journal.db");
    let mut acknowledged: BTreeMap<u64, String> = BTreeMap::new();
    for (round, acks) in [0, 1, 3, 17, 40, 101].into_iter().enumerate() {
        let (mut child, mut lines) = start("append", &path, round as u128);
        let mut note = |line: String| {
            // The test harness of the child writes on the same line.
            let Some((_, ack)) = line.split_once("ack ") else {
                return 0;
            };
            // A last line may be cut off by the kill: then nobody was told.
            let Some((seq, hash)) = ack
                .split_once(' ')
                .filter(|(_, hash)| hash.len() == "sha256:".len() + 64)
            else {
                return 0;
            };
            acknowledged.insert(seq.parse().unwrap(), hash.to_owned());
            1
        };
        let mut seen = 0;
        while seen < acks {
            seen += note(lines.next().unwrap());
        }
        child.kill().unwrap();
        let _ = lines.map(note).count();
        child.wait().unwrap();
        check_acknowledged(&path, &acknowledged).await;
    }
    assert!(acknowledged.len() > 150);
}

async fn check_acknowledged(path: &Path, acknowledged: &BTreeMap<u64, String>) {
    let journal = open(path, 1);
    let head = journal.head().await.unwrap();
    let events = journal.scan(1, usize::MAX, &Filter::all()).await.unwrap();
    let there: HashSet<_> = events
        .iter()
        .map(|event| (event.seq, event.hash.to_string()))
        .collect();
    for (seq, hash) in acknowledged {
        assert!(
            there.contains(&(*seq, hash.clone())),
            "event {seq} was acknowledged and is lost"
        );
    }
    let report = verify_journal(&journal, Some(&head)).await.unwrap();
    assert!(
        report.is_intact() && report.end == EndProof::Proven,
        "{report}"
    );
    let trusted = acknowledged.last_key_value().map(|(seq, hash)| Head {
        seq: *seq,
        hash: hash.parse().unwrap(),
    });
    let report = verify_journal(&journal, trusted.as_ref()).await.unwrap();
    assert!(report.is_intact(), "{report}");
    // Appends are whole: a writer's turn has one event, then two, then three, and again.
    for writer in 1..=4 {
        let ids = journal
            .read(&stream(writer))
            .await
            .unwrap()
            .into_iter()
            .map(|event| event.id.as_u128());
        let mut turns: BTreeMap<u128, u128> = BTreeMap::new();
        ids.for_each(|id| *turns.entry(id >> 8).or_default() += 1);
        for (turn, count) in turns {
            assert_eq!(
                count,
                (turn & 0xff_ffff_ffff) % 3 + 1,
                "writer {writer}, turn {turn:x}"
            );
        }
    }
}

const VERSIONS: u64 = 60;

async fn race(path: &Path, number: u128) {
    say("ready");
    std::io::stdin().read_line(&mut String::new()).unwrap();
    let (journal, shared) = (open(path, number), stream(9));
    for version in 0..VERSIONS {
        let id = (number << 64) + u128::from(version);
        match journal
            .append(&[(shared.clone(), version)], vec![draft(id, &shared)])
            .await
        {
            Ok(appended) => say(&format!("won {version} {}", appended.head.seq)),
            Err(AppendError::Conflict {
                expected, actual, ..
            }) => assert!(expected == version && actual > version),
            Err(err) => panic!("{err:?}"),
        }
    }
}

#[tokio::test]
async fn of_two_processes_exactly_one_wins_each_version_of_a_stream() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state/journal.db");
    let mut children: Vec<_> = [101, 102].map(|number| start("race", &path, number)).into();
    for (_, lines) in &mut children {
        lines.find(|line| line.ends_with("ready")).unwrap();
    }
    for (child, _) in &mut children {
        child.stdin.as_mut().unwrap().write_all(b"go\n").unwrap();
    }
    let mut winners: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for (mut child, lines) in children {
        for line in lines.filter(|line| line.starts_with("won ")) {
            let numbers: Vec<u64> = line
                .split(' ')
                .skip(1)
                .map(|word| word.parse().unwrap())
                .collect();
            winners.entry(numbers[0]).or_default().push(numbers[1]);
        }
        assert!(child.wait().unwrap().success());
    }
    let wanted: BTreeMap<u64, Vec<u64>> = (0..VERSIONS)
        .map(|version| (version, vec![version + 2]))
        .collect();
    assert_eq!(winners, wanted);
    let journal = open(&path, 1);
    let head = journal.head().await.unwrap();
    assert_eq!(
        verify_journal(&journal, Some(&head)).await.unwrap().end,
        EndProof::Proven
    );
}
