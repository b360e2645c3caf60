//! `tipstaff check`, `decide` and `explain`: what a policy does, why, and what is wrong with it.

use serde_json::{Value, json};

use crate::support::tipstaff::{Ran, Tipstaff};

const GUIDE: &str = include_str!("../../../docs/guides/policy.md");

/// The fenced blocks of the guide, as language and text.
fn blocks() -> Vec<(&'static str, &'static str)> {
    let fences = GUIDE.split("```").skip(1).step_by(2);
    fences
        .map(|block| block.split_once('\n').unwrap())
        .collect()
}

/// A home with every file of the guide.
fn home() -> Tipstaff {
    let tipstaff = Tipstaff::new();
    for (language, text) in blocks() {
        match language {
            "json" => drop(tipstaff.write("files.json", text)),
            "yaml" => {
                let name = text.lines().next().unwrap().trim_start_matches("# ");
                tipstaff.write(name, text);
            }
            _ => {}
        }
    }
    tipstaff
}

/// The words of a command line, with single quotes.
fn words(line: &str) -> Vec<String> {
    let pieces = line.split('\'').enumerate();
    pieces
        .flat_map(|(n, piece)| match n % 2 {
            1 => vec![piece.to_owned()],
            _ => piece.split_whitespace().map(str::to_owned).collect(),
        })
        .collect()
}

fn run(tipstaff: &Tipstaff, line: &str) -> Ran {
    let words = words(line);
    let words: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
    tipstaff.run(&words)
}

/// Output without what differs from run to run: the home folder and the present time.
fn steady(tipstaff: &Tipstaff, text: &str) -> String {
    let home = tipstaff.path("").display().to_string();
    let text = text.replace(&home, "");
    let mut pieces = text.split("\"at\":\"");
    let first = pieces.next().unwrap().to_owned();
    pieces.fold(first, |done, piece| {
        let (_, rest) = piece.split_once('"').unwrap();
        format!("{done}\"at\":\"…\"{rest}")
    })
}

/// What a console block shows, with the output as it is now.
fn replayed(tipstaff: &Tipstaff, block: &str) -> String {
    let commands = block.lines().filter_map(|line| line.strip_prefix("$ "));
    commands
        .map(|line| {
            let ran = run(tipstaff, line);
            format!("$ {line}\n{}{}", ran.stdout, ran.stderr)
        })
        .map(|shown| steady(tipstaff, &shown))
        .collect()
}

#[test]
fn every_command_of_the_guide_says_what_the_guide_says() {
    let tipstaff = home();
    for (_, block) in blocks()
        .into_iter()
        .filter(|(language, _)| *language == "console")
    {
        let now = replayed(&tipstaff, block);
        if let Some(file) = std::env::var_os("TIPSTAFF_WRITE_GUIDE") {
            // The guide is written anew, block by block; what is here is compared next time.
            let text = std::fs::read_to_string(&file).unwrap();
            std::fs::write(&file, text.replace(block, &now)).unwrap();
            continue;
        }
        assert_eq!(now, block);
    }
}

#[test]
fn the_codes_of_the_guide_s_commands_tell_what_is_wrong() {
    let tipstaff = home();
    let code = |line: &str| run(&tipstaff, line).code;
    assert_eq!(code("tipstaff check -c tipstaff.yaml"), Some(0));
    // Warnings fail nothing.
    assert_eq!(code("tipstaff check -c dead.yaml"), Some(0));
    assert_eq!(
        code("tipstaff check -c wider.yaml --against tipstaff.yaml"),
        Some(0)
    );
    let gate = "tipstaff check -c wider.yaml --against tipstaff.yaml --deny-widening";
    assert_eq!(code(gate), Some(1));
    assert_eq!(
        code("tipstaff check -c tipstaff.yaml --against tipstaff.yaml --deny-widening"),
        Some(0)
    );
    assert_eq!(
        code("tipstaff check -c tipstaff.yaml --deny-widening"),
        Some(2)
    );
    assert_eq!(code("tipstaff check -c nothing.yaml"), Some(2));
}

/// Every call that `check` shows, judged again by `explain`.
#[test]
fn a_call_of_a_finding_shows_what_the_finding_says() {
    let tipstaff = home();
    let report = &run(&tipstaff, "tipstaff check -c dead.yaml --json").json_lines()[0];
    let found: Vec<&Value> = report["findings"].as_array().unwrap().iter().collect();
    let of = |word: &str| {
        let said = |problem: &&&Value| problem["message"].as_str().unwrap().contains(word);
        found
            .iter()
            .find(said)
            .copied()
            .unwrap_or_else(|| panic!("{word}: {report}"))
    };
    let shadowed = of("`my-env` never decides");
    assert_eq!(
        (&shadowed["severity"], &shadowed["line"]),
        (&json!("warning"), &json!(12))
    );
    assert_eq!(shadowed["related"][0]["line"], json!(11));
    let call = shadowed["witness"].to_string();
    let explained = tipstaff.run_on(
        &["explain", "-c", "dead.yaml", "--json", "--calls", "-"],
        call.as_bytes(),
    );
    let explained = &explained.json_lines()[0];
    assert_eq!(explained["verdict"]["policy_id"], json!("no-secrets"));
    let matched = explained["policy"][0]["matched"].as_array().unwrap();
    let ids: Vec<&str> = matched
        .iter()
        .map(|rule| rule["id"].as_str().unwrap())
        .collect();
    assert!(
        ids.contains(&"my-env") && ids[0] == "no-secrets",
        "{explained}"
    );
    assert_eq!(report["ok"], json!(true));
    let redundant = of("`read-some` changes no decision");
    assert_eq!(redundant["severity"], json!("note"));
}

#[test]
fn a_widening_is_listed_with_both_rules_and_a_call() {
    let tipstaff = home();
    let line = "tipstaff check -c wider.yaml --against tipstaff.yaml --deny-widening --json";
    let ran = run(&tipstaff, line);
    let report = &ran.json_lines()[0];
    assert_eq!((ran.code, &report["ok"]), (Some(1), &json!(false)));
    let diff = &report["diff"];
    assert_eq!(
        (&diff["widens"], &diff["edited"], &diff["not_decided"]),
        (&json!(true), &json!(["read-repo"]), &json!(0))
    );
    let changes = diff["changes"].as_array().unwrap();
    let widening = &changes[0];
    assert_eq!(
        (&widening["kind"], &widening["direction"]),
        (&json!("newly-allowed"), &json!("widening"))
    );
    assert_eq!(widening["new"]["policy_id"], json!("read-repo"));
    for (file, side) in [("tipstaff.yaml", "old"), ("wider.yaml", "new")] {
        for change in changes {
            let call = change["witness"].to_string();
            let ran = tipstaff.run_on(&["decide", "-c", file, "--calls", "-"], call.as_bytes());
            let decision = &ran.json_lines()[0];
            assert_eq!(
                (&decision["effect"], &decision["policy_id"]),
                (&change[side]["effect"], &change[side]["policy_id"]),
                "{change}"
            );
        }
    }
    let narrowed = changes
        .iter()
        .find(|change| change["direction"] == "narrowing")
        .unwrap();
    assert_eq!(
        (&narrowed["old"]["policy_id"], &narrowed["kind"]),
        (&json!("write-by-day"), &json!("newly-asked"))
    );
}

#[test]
fn an_outranked_deny_stops_the_load_and_shows_both_rules() {
    let tipstaff = home();
    let text = GUIDE
        .split("```yaml\n# dead.yaml\n")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    tipstaff.write("lifted.yaml", &text.replace(", guard: true", ""));
    let ran = tipstaff.run(&["check", "-c", "lifted.yaml"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    for part in [
        "lifted.yaml:10:",
        "lifted.yaml:11:",
        "`guard: true`",
        "`overridable: true`",
        "for example the call",
        "/srv/repo/.env",
        "^",
    ] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    let report = &tipstaff
        .run(&["check", "-c", "lifted.yaml", "--json"])
        .json_lines()[0];
    let problem = &report["problems"][0];
    assert_eq!(
        (&problem["line"], &problem["related"][0]["line"]),
        (&json!(10), &json!(11))
    );
    assert_eq!(
        problem["witness"]["params"]["path"],
        json!("/srv/repo/.env")
    );
}

#[test]
fn a_test_that_does_not_hold_is_shown_at_its_place() {
    let tipstaff = home();
    let text = std::fs::read_to_string(tipstaff.path("tipstaff.yaml")).unwrap();
    tipstaff.write(
        "broken.yaml",
        &text
            .replace("expect: deny, by: secrets", "expect: deny, by: read-repo")
            .replace("expect: ask", "expect: allow"),
    );
    let ran = tipstaff.run(&["check", "-c", "broken.yaml"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        ran.stdout.contains("broken.yaml:21:5") && ran.stdout.contains("broken.yaml:22:5"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains(
            "expects deny by `read-repo`, but the call is decided deny by `secrets` at guard"
        ),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("1 of 3 tests hold"), "{}", ran.stdout);
}

#[test]
fn a_command_is_explained_part_by_part() {
    let tipstaff = home();
    let text = std::fs::read_to_string(tipstaff.path("tipstaff.yaml")).unwrap();
    let commands = "commands:\n  - { id: status, command: [git, status], effect: allow }\n  - { id: no-push, command: [git, push, \"**flags\"], effect: deny }\nspawn: {}\n";
    tipstaff.write("spawn.yaml", &format!("{text}{commands}"));
    let params = json!({"input": "!git status && git push --force"}).to_string();
    let ran = tipstaff.run(&[
        "explain",
        "-c",
        "spawn.yaml",
        "--tool",
        "spawn",
        "--params",
        &params,
    ]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for part in [
        "deny at policy for `git push --force`",
        "command: git status",
        "policy on command git push --force, action `command`:",
        "decides: deny no-push",
        "not used: allow status",
        "`push` is not `status`",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    let ran = tipstaff.run(&[
        "explain",
        "-c",
        "spawn.yaml",
        "--tool",
        "spawn",
        "--params",
        &params,
        "--json",
    ]);
    let said = &ran.json_lines()[0];
    assert_eq!(said["commands"], json!(["git status", "git push --force"]));
    let parts: Vec<&Value> = said["parts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| &part["effect"])
        .collect();
    assert!(
        parts.contains(&&json!("allow")) && parts.contains(&&json!("deny")),
        "{said}"
    );
}

#[test]
fn a_bad_line_is_answered_and_the_others_go_on() {
    let tipstaff = home();
    let good = json!({"agent": "coder", "tool": "files:read_file", "params": {"path": "/srv/repo/a"}, "id": 7});
    let input = format!("{good}\nnonsense\n{good}\n");
    for command in ["decide", "explain"] {
        let ran = tipstaff.run_on(
            &[command, "-c", "tipstaff.yaml", "--calls", "-", "--json"],
            input.as_bytes(),
        );
        assert_eq!(ran.code, Some(1), "{ran:?}");
        let lines = ran.json_lines();
        assert_eq!(
            (lines.len(), &lines[0]["id"], &lines[1]["line"]),
            (3, &json!(7), &json!(2)),
            "{ran:?}"
        );
    }
    let ran = tipstaff.run(&[
        "decide",
        "-c",
        "tipstaff.yaml",
        "--tool",
        "files:read_file",
        "--params",
        "{\"a\":1,\"a\":2}",
    ]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("--params"), "{ran:?}");
}

#[test]
fn a_started_agent_is_judged_with_those_that_started_it() {
    let tipstaff = home();
    let call = json!({"agent": "sub", "parents": ["coder"], "tool": "files:read_file", "params": {"path": "/srv/repo/a"}});
    let ran = tipstaff.run_on(
        &["decide", "-c", "tipstaff.yaml", "--calls", "-"],
        call.to_string().as_bytes(),
    );
    assert_eq!(
        ran.json_lines()[0]["policy_id"],
        json!("read-repo"),
        "{ran:?}"
    );
}
