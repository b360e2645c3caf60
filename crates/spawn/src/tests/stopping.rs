//! Nothing of a command outlives its call: time-outs, cancelling, background children.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use chrono::{TimeDelta, Utc};
use tipstaff_gate::{Cancel, ExecError, Outcome};

use super::bench::{Bench, bench};
use crate::program::Program;
use crate::{SpawnSettings, run};

fn within(seconds: u64) -> SpawnSettings {
    let mut settings = SpawnSettings::default();
    settings.timeout = Duration::from_secs(seconds);
    settings
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
        let settings = SpawnSettings::default();
        let program = Program::find(&settings.path, &path, None, TWO).unwrap();
        let deadline = Utc::now() + TimeDelta::minutes(5);
        run::run(
            &program,
            &settings,
            &path,
            &[].into(),
            deadline,
            &Cancel::new(),
        )
        .await
    });
    let pids = told(folder.path()).await;
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
    gone(&pids);
}

#[tokio::test]
async fn what_is_over_before_it_starts_never_runs() {
    let settings = SpawnSettings::default();
    let program =
        Program::find(&settings.path, "/", Some(vec!["true".to_owned()]), "true").unwrap();
    let cancelled = Cancel::new();
    cancelled.cancel();
    let soon = Utc::now() + TimeDelta::minutes(5);
    for (deadline, cancel) in [(Utc::now(), Cancel::new()), (soon, cancelled)] {
        let ran = run::run(&program, &settings, "/", &[].into(), deadline, &cancel).await;
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
