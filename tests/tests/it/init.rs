//! `tipstaff init` and the guide to rules for commands, as an operator meets them.

use serde_json::{Value, json};

use crate::support::tipstaff::Tipstaff;

const GUIDE: &str = include_str!("../../../docs/guides/commands.md");

/// What is decided of each command.
fn decided(tipstaff: &Tipstaff, manifest: &str, commands: &[&str]) -> Vec<Value> {
    let lines = commands.iter().map(|command| {
        json!({ "agent": "coder", "tool": "spawn", "params": { "input": format!("!{command}") } })
            .to_string()
    });
    let calls = tipstaff.write("calls.jsonl", &lines.collect::<Vec<_>>().join("\n"));
    let calls = calls.to_str().unwrap();
    let ran = tipstaff.run(&["decide", "-c", manifest, "--calls", calls]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let lines = ran.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn init_writes_a_policy_once_and_check_takes_it() {
    let tipstaff = Tipstaff::new();
    let path = tipstaff.path("tipstaff.yaml");
    let file = path.to_str().unwrap();
    let ran = tipstaff.run(&["init", "--starter", "commands", "--out", file]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    assert!(
        ran.stdout.contains("agent `coder` works in /srv/repo"),
        "{ran:?}"
    );

    let ran = tipstaff.run(&["check", "-c", file]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("; 0 warnings"), "{ran:?}");

    let mine = std::fs::read_to_string(&path).unwrap() + "# mine\n";
    std::fs::write(&path, &mine).unwrap();
    let ran = tipstaff.run(&["init", "--out", file]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(
        ran.stderr
            .contains("it is not overwritten: name another file"),
        "{ran:?}"
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), mine);

    let other = tipstaff.path("other.yaml");
    let ran = tipstaff.run(&["init", "--out", other.to_str().unwrap(), "--json"]);
    let said: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(said["starter"], "commands");
    assert_eq!(
        said["agents"],
        json!([{ "agent": "coder", "root": "/srv/repo" }])
    );

    let ran = tipstaff.run(&["init", "--starter", "nothing", "--out", file]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("there are: commands"), "{ran:?}");
}

#[test]
fn c127_a_generated_policy_lets_the_everyday_pass_and_denies_none_of_it() {
    let tipstaff = Tipstaff::new();
    let path = tipstaff.path("tipstaff.yaml");
    let file = path.to_str().unwrap();
    tipstaff.run(&["init", "--out", file]);
    let everyday = [
        "cat README.md",
        "ls -la",
        "git status",
        "git diff HEAD~1",
        "git log --oneline -5",
        "head -50 src/main.rs",
        "grep -n TODO src/main.rs",
        "find . -name '*.rs'",
        "wc -l src/main.rs",
        "ps aux | grep cargo",
        "which cargo",
        "pwd && ls",
        "diff a.txt b.txt",
        "date +%F",
        "cargo test",
        "cargo build --release",
        "npm install",
        "git commit -m x",
        "mkdir -p out",
        "curl https://example.com",
    ];
    let verdicts = decided(&tipstaff, file, &everyday);
    let effects: Vec<_> = verdicts
        .iter()
        .map(|verdict| verdict["effect"].as_str().unwrap())
        .collect();
    assert_eq!(effects[..14], ["allow"; 14]);
    assert_eq!(effects[14..], ["ask"; 6]);

    let ran = tipstaff.run(&["check", "-c", file]);
    let warnings = ran
        .stdout
        .lines()
        .filter(|line| line.starts_with("warning"))
        .count();
    assert_eq!(warnings, 0, "{ran:?}");
}

#[test]
fn a_check_is_let_pass_by_taking_one_sign_away() {
    let tipstaff = Tipstaff::new();
    let path = tipstaff.path("tipstaff.yaml");
    let file = path.to_str().unwrap();
    tipstaff.run(&["init", "--out", file]);
    let text = std::fs::read_to_string(&path).unwrap();
    let mine = text.replace("# - { id: cargo-check", "  - { id: cargo-check");
    assert_ne!(text, mine);
    // Its own promise about `cargo test` changes with it.
    let mine = mine.replace(
        "input: \"!cargo test\" } }, expect: ask",
        "input: \"!cargo test\" } }, expect: allow",
    );
    std::fs::write(&path, mine).unwrap();
    let ran = tipstaff.run(&["check", "-c", file]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let verdicts = decided(
        &tipstaff,
        file,
        &["cargo test --workspace", "cargo publish"],
    );
    assert_eq!(verdicts[0]["effect"], "allow");
    assert_eq!(verdicts[1]["effect"], "ask");
}

#[test]
fn the_guide_to_commands_says_what_is_so() {
    let tipstaff = Tipstaff::new();
    let manifest = GUIDE
        .split("```")
        .find_map(|block| block.strip_prefix("yaml\n"))
        .unwrap();
    let file = tipstaff.write("tipstaff.yaml", manifest);
    let ran = tipstaff.run(&["check", "-c", file.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("6 of 6 tests hold"), "{ran:?}");

    let line = GUIDE
        .split("```")
        .find_map(|block| block.strip_prefix("sh\n"))
        .unwrap();
    let first = line.lines().next().unwrap();
    let words: Vec<&str> = first.split_whitespace().skip(1).take(4).collect();
    let out = tipstaff.path("new.yaml");
    let ran = tipstaff.run(&[
        words[0],
        words[1],
        words[2],
        words[3],
        out.to_str().unwrap(),
    ]);
    assert_eq!(ran.code, Some(0), "{ran:?}");

    // What it says is never allowed unasked, under a rule that allows everything.
    let all = "version: 1\nagents: { coder: { root: /srv/repo } }\nspawn: {}\n\
        commands:\n  - { id: all, command: [\"**flags\"], effects: any, effect: allow }\n";
    let all = tipstaff.write("all.yaml", all);
    let asked = [
        "echo 'a",
        "$SHELL -c ls",
        "/bin/r?? x",
        "cat $x",
        "rm *",
        "python3 -c 'print(1)'",
        "ssh h ls",
        "docker run x",
        "eval ls",
        "awk '{print > \"f\"}' x",
        "LD_PRELOAD=./x.so ls",
        "ls | xargs cat",
    ];
    for (verdict, command) in decided(&tipstaff, all.to_str().unwrap(), &asked)
        .iter()
        .zip(asked)
    {
        assert_eq!(verdict["effect"], "ask", "{command}: {verdict}");
    }
}
