//! Real programs: by their words or through bash, in a clean environment, with all that they print.

use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::json;
use tipstaff_gate::{Cancel, Outcome};

use super::bench::{Bench, bench, ruled};
use crate::{SpawnSettings, SpawnTool};

fn settings(path: &[&Path]) -> SpawnSettings {
    let mut settings = SpawnSettings::default();
    settings.path = path
        .iter()
        .map(|folder| folder.display().to_string())
        .collect();
    settings
}

#[tokio::test]
async fn one_plain_command_that_a_rule_allows_runs_by_its_words() {
    let tool = SpawnTool::new(SpawnSettings::default()).unwrap();
    let rule = json!({ "id": "echo", "capability": "spawn", "target": { "command": ["echo", "**flags"] }, "effects": "any", "effect": "allow" });
    let bench = ruled(tool, &json!([rule])).await;
    let answer = bench.runs("!echo 'a  b' \"c\"").await;
    assert_eq!(answer.output.as_deref(), Some("a  b c\n"));
    assert_eq!(
        (answer.summary.as_str(), answer.is_error, answer.truncated),
        ("exit status 0", false, false)
    );
    let data = json!({ "exit_code": 0, "signal": null, "stdout": "a  b c\n", "stderr": "", "cut_bytes": 0 });
    assert_eq!(answer.data, Some(data));
    assert!(matches!(
        bench.submit("!printf x").await,
        Outcome::NoApprover { .. }
    ));
}

#[cfg(target_os = "linux")] // Only there a process sees its words in `/proc`.
#[tokio::test]
async fn words_are_started_as_they_are_and_anything_else_by_a_bare_bash() {
    let bench = bench(SpawnSettings::default()).await;
    let me = "cat /proc/self/cmdline";
    let answer = bench.runs(&format!("!{me}")).await.output.unwrap();
    assert!(answer.ends_with("/cat\0/proc/self/cmdline\0"), "{answer:?}");
    let script = "cat /proc/$$/cmdline | cat";
    let answer = bench.runs(&format!("!{script}")).await.output.unwrap();
    let words: Vec<&str> = answer.split_terminator('\0').collect();
    assert_eq!(words[1..], ["--noprofile", "--norc", "-c", script]);
    assert!(words[0].ends_with("/bash"), "{words:?}");
}

#[tokio::test]
async fn without_bash_a_plain_command_still_runs_and_a_pipe_is_refused() {
    let programs = tempfile::tempdir().unwrap();
    symlink("/bin/echo", programs.path().join("say")).unwrap();
    let bench = bench(settings(&[programs.path()])).await;
    assert_eq!(bench.runs("!say hi").await.output.as_deref(), Some("hi\n"));
    let why = bench.refused("!say hi | say").await;
    assert!(why.starts_with("prepare: shell syntax needs bash"), "{why}");
}

#[tokio::test]
async fn programs_are_found_in_the_fixed_path_only() {
    let programs = tempfile::tempdir().unwrap();
    let bench = bench(settings(&[programs.path()])).await;
    let why = bench.refused("!echo hi").await;
    assert!(
        why.starts_with("prepare: there is no program `echo` (looked in /"),
        "{why}"
    );
    std::fs::write(programs.path().join("data"), "no program").unwrap();
    let why = bench.refused("!data").await;
    assert!(why.contains("there is no program `data`"), "{why}");
}

#[tokio::test]
async fn shell_syntax_runs_through_bash() {
    let bench = bench(SpawnSettings::default()).await;
    assert_eq!(
        bench
            .runs("!printf 'b\\na\\n' | sort")
            .await
            .output
            .as_deref(),
        Some("a\nb\n")
    );
    assert_eq!(
        bench.runs("!X=1; echo \"$X$X\"").await.output.as_deref(),
        Some("11\n")
    );
    assert_eq!(
        bench
            .runs("!echo c041; echo \"wow!!\"")
            .await
            .output
            .as_deref(),
        Some("c041\nwow!!\n")
    );
}

#[tokio::test]
async fn a_status_other_than_zero_is_an_error_that_ran() {
    let bench = bench(SpawnSettings::default()).await;
    let answer = bench.runs("!echo before; exit 3").await;
    assert_eq!(
        (answer.summary.as_str(), answer.is_error),
        ("exit status 3", true)
    );
    assert_eq!(answer.output.as_deref(), Some("before\n"));
    let answer = bench.runs("!kill -SEGV $$").await;
    assert_eq!(
        (answer.summary.as_str(), answer.is_error),
        ("ended by signal 11", true)
    );
    assert_eq!(answer.data.unwrap()["signal"], json!(11));
}

#[tokio::test]
async fn both_streams_come_in_order_and_apart() {
    let bench = bench(SpawnSettings::default()).await;
    let answer = bench
        .runs("!echo one; sleep 0.2; echo two >&2; sleep 0.2; echo three")
        .await;
    assert_eq!(answer.output.as_deref(), Some("one\ntwo\nthree\n"));
    let data = answer.data.unwrap();
    assert_eq!(
        (&data["stdout"], &data["stderr"]),
        (&json!("one\nthree\n"), &json!("two\n"))
    );
}

#[tokio::test]
async fn of_long_output_head_and_tail_are_kept_with_a_note() {
    let bench = bench(SpawnSettings::default()).await;
    let answer = bench.runs("!seq 1 300000").await;
    let all: usize = (1..=300_000).map(|n: u32| n.to_string().len() + 1).sum();
    let text = answer.output.unwrap();
    assert!(text.starts_with("1\n2\n3\n") && text.ends_with("\n299999\n300000\n"));
    assert!(text.contains(&format!("\n[… {} bytes cut …]\n", all - 1024 * 1024)));
    assert!(answer.truncated && !answer.is_error);
}

#[tokio::test]
async fn the_environment_is_clean_and_the_path_is_the_fixed_one() {
    assert!(
        std::env::var_os("CARGO_MANIFEST_DIR").is_some(),
        "run by cargo"
    );
    let bench = bench(SpawnSettings::default()).await;
    let mut call = Bench::call("!env");
    call.env.insert("NO_COLOR".to_owned(), "1".to_owned());
    let Outcome::Completed { result, .. } = bench
        .gate
        .submit(&bench.session, call, &Cancel::new())
        .await
    else {
        panic!("it runs")
    };
    let text = result.output.unwrap();
    let settings = SpawnSettings::default();
    for line in text.lines() {
        let name = line.split_once('=').unwrap().0;
        assert!(
            settings.environment.iter().any(|known| known == name)
                || ["PATH", "NO_COLOR"].contains(&name),
            "{line}"
        );
    }
    assert!(
        text.lines()
            .any(|line| line == format!("PATH={}", settings.path.join(":"))),
        "{text}"
    );
    assert!(text.lines().any(|line| line == "NO_COLOR=1"), "{text}");
}

#[tokio::test]
async fn a_call_that_moves_the_program_path_is_refused() {
    let bench = bench(SpawnSettings::default()).await;
    let mut call = Bench::call("!env");
    call.env.insert("PATH".to_owned(), "/tmp".to_owned());
    match bench
        .gate
        .submit(&bench.session, call, &Cancel::new())
        .await
    {
        Outcome::Refused { why, .. } => assert!(why.contains("`PATH`"), "{why}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn it_runs_in_the_folder_of_the_call_or_the_root() {
    let bench = bench(SpawnSettings::default()).await;
    let root = bench.folder().canonicalize().unwrap();
    std::fs::create_dir(root.join("sub")).unwrap();
    let at_root = format!("{}\n", root.display());
    assert_eq!(bench.runs("!/bin/pwd").await.output, Some(at_root));
    let mut call = Bench::call("!/bin/pwd");
    call.cwd = Some("sub".to_owned());
    let Outcome::Completed { result, .. } = bench
        .gate
        .submit(&bench.session, call, &Cancel::new())
        .await
    else {
        panic!("it runs")
    };
    assert_eq!(result.output, Some(format!("{}/sub\n", root.display())));
    let mut call = Bench::call("!/bin/pwd");
    call.cwd = Some("gone".to_owned());
    match bench
        .gate
        .submit(&bench.session, call, &Cancel::new())
        .await
    {
        Outcome::Failed {
            why,
            never_ran: true,
        } => assert!(why.contains("there is no folder"), "{why}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn there_is_nothing_to_read_from() {
    let bench = bench(SpawnSettings::default()).await;
    assert_eq!(bench.runs("!cat").await.output.as_deref(), Some(""));
}

#[tokio::test]
async fn output_is_heard_while_the_command_runs() {
    let bench = bench(SpawnSettings::default()).await;
    let pipe = bench.folder().join("go");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let (heard, go) = (bench.heard.clone(), pipe.clone());
    // The command goes on only once its first line was heard.
    let listener = tokio::task::spawn_blocking(move || {
        while !heard.0.lock().unwrap().contains("first") {
            std::thread::yield_now();
        }
        std::fs::write(go, "on\n").unwrap();
    });
    let answer = bench
        .runs("!echo first; read x < go; echo second >&2")
        .await;
    listener.await.unwrap();
    assert_eq!(answer.output.as_deref(), Some("first\nsecond\n"));
    assert_eq!(*bench.heard.0.lock().unwrap(), "first\nsecond\n");
}
