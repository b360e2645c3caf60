//! Rules of other agents, brought along by `import` and then read by `check` and `decide`.

use serde_json::{Value, json};

use crate::support::tipstaff::Tipstaff;

const SETTINGS: &str = r#"{
    "permissions": {
        "allow": ["Bash(git log:*)", "Bash(ls *)", "Read(./src/**)"],
        "ask": ["Bash(git push:*)"],
        "deny": ["Bash(rm -rf:*)", "Read(**/.env)"]
    }
}"#;

const AGENTS: &str = "agents: { coder: { root: /w } }\nspawn: {}\n";

#[test]
fn what_import_writes_is_what_check_takes_and_decide_follows() {
    let tipstaff = Tipstaff::new();
    let settings = tipstaff.write("settings.json", SETTINGS);
    let rules = tipstaff.path("rules.yaml");
    let args = [
        "import",
        "--rules",
        settings.to_str().unwrap(),
        "--out",
        rules.to_str().unwrap(),
    ];
    let ran = tipstaff.run(&args);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    assert!(
        ran.stdout
            .contains("read as claude: 5 of 6 rules carried over, as 5 of ours"),
        "{ran:?}"
    );
    assert!(
        ran.stdout.contains(
            "  /permissions/allow/2 allow `Read(./src/**)`\n      no tool is named that reads files"
        ),
        "{ran:?}"
    );

    let ran = tipstaff.run(&["check", "-c", rules.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains(" 5 rules, "), "{ran:?}");

    let text = std::fs::read_to_string(&rules).unwrap() + AGENTS;
    let manifest = tipstaff.write("tipstaff.yaml", &text);
    let lines = [
        "git log --oneline",
        "ls src",
        "git push",
        "cd src && timeout 5 rm -fr x",
        "cat src/.env",
        "make",
    ]
    .map(|command| {
        json!({ "agent": "coder", "tool": "spawn", "params": { "input": format!("!{command}") } })
            .to_string()
    })
    .join("\n");
    let calls = tipstaff.write("calls", &lines);
    let ran = tipstaff.run(&[
        "decide",
        "-c",
        manifest.to_str().unwrap(),
        "--calls",
        calls.to_str().unwrap(),
    ]);
    let effects: Vec<Value> = ran
        .json_lines()
        .iter()
        .map(|line| line["effect"].clone())
        .collect();
    assert_eq!(
        effects,
        ["allow", "allow", "ask", "deny", "deny", "ask"],
        "{ran:?}"
    );
}

#[test]
fn a_deny_that_is_lost_is_told_by_the_exit_code() {
    let tipstaff = Tipstaff::new();
    let rules = "[[rule]]\ntoolName = \"run_shell_command\"\ncommandRegex = \"curl\\u001b[2J\"\ndecision = \"deny\"\npriority = 1\n";
    let file = tipstaff.write("policy.toml", rules);
    let ran = tipstaff.run(&["import", "--rules", file.to_str().unwrap()]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!(ran.stdout, "version: 1\n");
    assert!(
        ran.stderr.contains("  line 1 deny `") && !ran.stderr.contains('\u{1b}'),
        "{ran:?}"
    );
    assert!(
        ran.stderr
            .contains("a deny or an ask is not among the rules"),
        "{ran:?}"
    );
}

#[test]
fn json_holds_the_rules_and_the_report() {
    let tipstaff = Tipstaff::new();
    let rules =
        "prefix_rule(pattern = [\"git\", \"push\"], decision = \"prompt\")\nload(\"x\", \"y\")\n";
    let file = tipstaff.write("default.rules", rules);
    let ran = tipstaff.run(&[
        "--json",
        "import",
        "--rules",
        file.to_str().unwrap(),
        "--agent",
        "coder",
    ]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let lines = ran.json_lines();
    let said = &lines[0];
    assert_eq!(
        (&said["from"], &said["rules"]),
        (&json!("codex"), &json!(1))
    );
    assert_eq!(said["carried"][0]["at"], json!("line 1"));
    assert_eq!(said["left_out"][0]["at"], json!("line 2"));
    let yaml = said["yaml"].as_str().unwrap();
    assert!(
        yaml.contains(
            "agent: \"coder\"\n    command: [\"git\",\"push\",\"**\"]\n    effect: \"ask\"\n"
        ),
        "{yaml}"
    );
}

#[test]
fn what_cannot_be_told_is_asked_for() {
    let tipstaff = Tipstaff::new();
    let file = tipstaff.write("rules.txt", "x");
    let ran = tipstaff.run(&["import", "--rules", file.to_str().unwrap()]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(
        ran.stderr
            .contains("`--from claude`, `gemini`, `opencode` or `codex`"),
        "{ran:?}"
    );
    let ran = tipstaff.run(&[
        "import",
        "--rules",
        file.to_str().unwrap(),
        "--from",
        "claude",
    ]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(
        ran.stderr.contains("read as claude: it is no JSON: "),
        "{ran:?}"
    );
}
