//! Nothing of a command outlives its call: time-outs, cancelling, background children.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use tipstaff_gate::{Cancel, ExecError, Outcome};

use super::bench::{Bench, bench};
use crate::{SpawnSettings, run};

fn within(seconds: u64) -> SpawnSettings {
    let mut settings = SpawnSettings::default();
    settings.timeout = Duration::from_secs(seconds);
    settings
}

/// Starts a script without a gate.
fn bash(script: &str, folder: &str) -> run::Start {
    run::Start {
        program: "/bin/bash".into(),
        name: "bash".to_owned(),
        arguments: vec!["-c".to_owned(), script.to_owned()],
        folder: folder.into(),
    }
}

fn call<'a>(
    settings: &'a SpawnSettings,
    env: &'a BTreeMap<String, String>,
    deadline: DateTime<Utc>,
    cancel: &'a Cancel,
) -> run::Call<'a> {
    run::Call {
        settings,
        env,
        deadline,
        cancel,
        tell: &|_| {},
    }
}

/// Leaves one process in the background and one in front, and tells the number of each.
const TWO: &str = "sleep 300 & echo $! $$ > pids; sleep 300";

fn pids(folder: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join("pids")).unwrap();
    text.split_whitespace().map(str::to_owned).collect()
}

fn lives(pid: &str) -> bool {
    let shown = Command::new("ps")
        .args(["-o", "stat=", "-p", pid])
        .output()
        .unwrap();
    let state = String::from_utf8(shown.stdout).unwrap();
    !state.trim().is_empty() && !state.trim().starts_with('Z')
}

/// Processes that were killed are gone within a moment.
#[track_caller]
fn gone(pids: &[String]) {
    assert!(!pids.is_empty());
    for pid in pids {
        assert!((0..500).any(|_| !lives(pid)), "{pid} lives on");
    }
}

/// A pipe in the folder; the command tells on it that it is running.
fn pipe(folder: &Path) {
    assert!(
        Command::new("mkfifo")
            .arg(folder.join("pids"))
            .status()
            .unwrap()
            .success()
    );
}

async fn told(folder: &Path) -> Vec<String> {
    let folder = folder.to_owned();
    tokio::task::spawn_blocking(move || pids(&folder))
        .await
        .unwrap()
}

#[tokio::test]
async fn a_time_out_ends_the_whole_group() {
    let bench = bench(within(1)).await;
    match bench.submit(&format!("!{TWO}")).await {
        Outcome::Unknown { why } => assert_eq!(why, "it did not end in time and was stopped"),
        other => panic!("{other:?}"),
    }
    gone(&pids(bench.folder()));
}

#[tokio::test]
async fn what_a_command_leaves_in_the_background_ends_with_it() {
    let bench = bench(SpawnSettings::default()).await;
    let answer = bench.runs("!sleep 300 & echo $! > pids; echo done").await;
    assert_eq!(
        (answer.output.as_deref(), answer.truncated),
        (Some("done\n"), false)
    );
    gone(&pids(bench.folder()));
}

#[tokio::test]
async fn cancelling_ends_the_whole_group() {
    let bench = bench(SpawnSettings::default()).await;
    pipe(bench.folder());
    let (gate, session, cancel) = (bench.gate.clone(), bench.session.clone(), Cancel::new());
    let stop = cancel.clone();
    let running = tokio::spawn(async move {
        gate.submit(&session, Bench::call(&format!("!{TWO}")), &stop)
            .await
    });
    let pids = told(bench.folder()).await;
    cancel.cancel();
    assert!(matches!(running.await.unwrap(), Outcome::Unknown { .. }));
    gone(&pids);
}

#[tokio::test]
async fn a_group_that_ignores_term_is_killed() {
    let bench = bench(SpawnSettings::default()).await;
    pipe(bench.folder());
    let (gate, session, cancel) = (bench.gate.clone(), bench.session.clone(), Cancel::new());
    let stop = cancel.clone();
    let call = Bench::call(&format!("!trap '' TERM; {TWO}"));
    let running = tokio::spawn(async move { gate.submit(&session, call, &stop).await });
    let pids = told(bench.folder()).await;
    cancel.cancel();
    assert!(matches!(running.await.unwrap(), Outcome::Unknown { .. }));
    gone(&pids);
}

#[tokio::test]
async fn a_caller_that_goes_away_ends_the_whole_group() {
    let folder = tempfile::tempdir().unwrap();
    pipe(folder.path());
    let path = folder.path().display().to_string();
    let running = tokio::spawn(async move {
        let (settings, start) = (SpawnSettings::default(), bash(TWO, &path));
        let (env, cancel) = (BTreeMap::new(), Cancel::new());
        let deadline = Utc::now() + TimeDelta::minutes(5);
        run::run(start, None, &call(&settings, &env, deadline, &cancel)).await
    });
    let pids = told(folder.path()).await;
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
    gone(&pids);
}

#[tokio::test]
async fn what_is_over_before_it_starts_never_runs() {
    let (settings, env) = (SpawnSettings::default(), BTreeMap::new());
    let cancelled = Cancel::new();
    cancelled.cancel();
    let soon = Utc::now() + TimeDelta::minutes(5);
    for (deadline, cancel) in [(Utc::now(), Cancel::new()), (soon, cancelled)] {
        let start = bash("true", "/");
        let ran = run::run(start, None, &call(&settings, &env, deadline, &cancel)).await;
        assert!(matches!(ran, Err(ExecError::NeverSent { .. })), "{ran:?}");
    }
}

/// Starts a process that leaves the group, and ends once it has left.
#[cfg(target_os = "linux")]
const LEAVES: &str = "!mkfifo left; setsid bash -c 'echo $$ > left; exec sleep 30' & read pid < left; echo $pid > pids; echo done";

#[cfg(target_os = "linux")] // Only there `setsid` is a program.
#[tokio::test]
async fn a_process_that_left_the_group_holds_nobody_up() {
    let bench = bench(SpawnSettings::default()).await;
    let begun = std::time::Instant::now();
    let answer = bench.runs(LEAVES).await;
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert_eq!(answer.output.as_deref(), Some("done\n"));
    assert!(
        answer.summary.contains("left its group") && answer.truncated,
        "{}",
        answer.summary
    );
    // It leads a group of its own now, which the test ends.
    for pid in pids(bench.folder()) {
        assert!(
            Command::new("kill")
                .args(["-KILL", &pid])
                .status()
                .unwrap()
                .success()
        );
    }
}

/// So many rounds of the usual test; `TIPSTAFF_SPAWN_ROUNDS=100` is the long form.
const ROUNDS: usize = 12;

fn rounds() -> usize {
    let set = std::env::var("TIPSTAFF_SPAWN_ROUNDS").ok();
    set.map_or(ROUNDS, |text| text.parse().expect("a number of rounds"))
}

/// How many children of this process are dead and not reaped.
#[cfg(target_os = "linux")]
fn zombies() -> usize {
    let me = std::process::id().to_string();
    let shown = Command::new("ps")
        .args(["-o", "stat=", "--ppid", &me])
        .output()
        .unwrap();
    let states = String::from_utf8(shown.stdout).unwrap();
    states
        .lines()
        .filter(|state| state.trim().starts_with('Z'))
        .count()
}

/// Groups of every shape: they leave children, ignore TERM, fork on, write much.
const LOADS: [&str; 4] = [
    "sleep 300 & echo $! $$ > pids; sleep 300",
    "trap '' TERM; (sleep 300 & echo $! > pids; sleep 300)",
    "(sleep 300; echo no) | cat & echo $! $$ > pids; yes",
    "f() { sleep 300; }; f & echo $! $$ > pids; cat /dev/zero & wait",
];

#[cfg(target_os = "linux")] // `ps --ppid` is of procps.
#[tokio::test]
async fn under_load_a_cancelled_command_leaves_no_orphan_and_no_zombie() {
    for round in 0..rounds() {
        let mut running = Vec::new();
        for (at, load) in LOADS.iter().enumerate() {
            // What ignores TERM takes two seconds.
            if load.starts_with("trap") && round % 8 != 1 {
                continue;
            }
            let bench = bench(SpawnSettings::default()).await;
            pipe(bench.folder());
            let (gate, session) = (bench.gate.clone(), bench.session.clone());
            let cancel = Cancel::new();
            let (input, signal) = (Bench::call(&format!("!{load}")), cancel.clone());
            let goes_away = (round + at) % 3 == 0;
            let task = tokio::spawn(async move { gate.submit(&session, input, &signal).await });
            running.push((bench, cancel, goes_away, task));
        }
        let mut all = Vec::new();
        for (bench, cancel, goes_away, task) in running {
            all.extend(told(bench.folder()).await);
            if goes_away {
                task.abort(); // The caller is gone; what it started is stopped by the signal alone.
                cancel.cancel();
            } else {
                cancel.cancel();
                let ended = task.await.unwrap();
                assert!(matches!(ended, Outcome::Unknown { .. }), "{ended:?}");
            }
        }
        let pids = all;
        let check = tokio::task::spawn_blocking(move || gone(&pids));
        check.await.unwrap();
    }
    let reaped = (0..500).any(|_| zombies() == 0);
    assert!(reaped, "{} zombies are left", zombies());
}
