//! Claude Code's lists.

use tipstaff_schema::Effect::{Allow, Ask, Deny};

use super::{command, edits, fetches, imported, left, policy, reads, tool};
use crate::import::{CommandEffects, ImportOptions, Origin, import};

const SETTINGS: &str = r#"{
  // Comments are common in these files.
  "model": "x",
  "permissions": {
    "allow": ["Bash(npm run test:*)", "Bash(git log *)", "Bash(ls)", "Read(./src/**)", "Read(~/notes/*.md)",
      "Edit(/docs/**)", "WebFetch(domain:docs.example.com)", "mcp__github__get_issue", "mcp__linear"],
    "ask": ["Bash(git push:*)", "mcp__linear__delete_issue"],
    "deny": ["Bash(rm -rf:*)", "Read(./.env)", "Read(//etc/**)", "WebFetch(domain:evil.example)"],
    "defaultMode": "acceptEdits",
  },
}"#;

#[test]
fn a_settings_file_is_carried_over_whole() {
    let imported = imported(Origin::Claude, SETTINGS);
    assert_eq!(
        left(&imported),
        [(
            "/permissions/defaultMode",
            "only `allow`, `ask` and `deny` are rules; what this key says is not carried over"
        )]
    );
    assert!(!imported.lost_a_deny_or_ask());
    let set = policy(&imported);
    for (words, want) in [
        (&["npm", "run", "test"][..], Allow),
        (&["npm", "run", "test", "--watch"], Allow),
        (&["npm", "run", "tests"], Ask),
        (&["git", "log", "-p"], Allow),
        (&["ls"], Allow),
        (&["ls", "-l"], Ask),
        (&["git", "push", "origin"], Ask),
        (&["rm", "-rf", "/"], Deny),
        (&["rm", "-v", "-fr", "/"], Deny),
        (&["cat", "x"], Ask),
    ] {
        assert_eq!(command(&set, words), want, "{words:?}");
    }
}

#[test]
fn files_the_web_and_tools_are_carried_over_with_the_commands() {
    let set = policy(&imported(Origin::Claude, SETTINGS));
    assert_eq!(
        [
            reads(&set, "/w/src/a.rs"),
            reads(&set, "/w/src"),
            reads(&set, "/w/a.rs")
        ],
        [Allow, Ask, Ask]
    );
    assert_eq!(
        [
            reads(&set, "/home/me/notes/a.md"),
            reads(&set, "/home/me/notes/b/a.md")
        ],
        [Allow, Ask]
    );
    assert_eq!(
        [
            reads(&set, "/w/.env"),
            reads(&set, "/w/a/.env"),
            reads(&set, "/etc/passwd")
        ],
        [Deny, Deny, Deny]
    );
    assert_eq!(
        [edits(&set, "/w/docs/a/b.md"), edits(&set, "/w/src/a.rs")],
        [Allow, Ask]
    );
    assert_eq!(
        [
            fetches(&set, "https://docs.example.com/a"),
            fetches(&set, "https://a.docs.example.com/a"),
            fetches(&set, "https://x.evil.example/")
        ],
        [Allow, Ask, Deny]
    );
    assert_eq!(
        [
            tool(&set, "github:get_issue"),
            tool(&set, "linear:list"),
            tool(&set, "linear:delete_issue"),
            tool(&set, "github:x")
        ],
        [Allow, Allow, Ask, Ask]
    );
}

#[test]
fn every_rule_names_its_place() {
    let imported = imported(Origin::Claude, SETTINGS);
    let places: Vec<&str> = imported
        .carried
        .iter()
        .map(|carried| carried.at.as_str())
        .collect();
    assert_eq!(places.len(), 15);
    assert_eq!(places.first(), Some(&"/permissions/deny/0"));
    assert_eq!(places.last(), Some(&"/permissions/allow/8"));
    assert!(imported.yaml.contains("  # /permissions/allow/0\n  - id: \"claude-7\"\n    command: [\"npm\",\"run\",\"test\",\"**flags\"]\n"), "{}", imported.yaml);
}

#[track_caller]
fn left_out(lists: &str, want: &[(&str, &str)]) {
    let text = format!("{{\"permissions\": {lists}}}");
    assert_eq!(left(&imported(Origin::Claude, &text)), want);
}

#[test]
fn what_cannot_be_said_is_left_out_with_its_reason() {
    left_out(
        r#"{"allow": ["Task(x)"]}"#,
        &[(
            "/permissions/allow/0",
            "no tool of ours does what this tool of the source does",
        )],
    );
    left_out(
        r#"{"allow": ["Bash(echo \"$HOME\":*)"]}"#,
        &[(
            "/permissions/allow/0",
            "ours reads quotes, variables, globs and operators as the shell does, not as text",
        )],
    );
    left_out(
        r#"{"deny": ["mcp__My_Server"]}"#,
        &[(
            "/permissions/deny/0",
            "`My_Server` is no server name: 1 to 32 of `a-z`, `0-9` and `-`",
        )],
    );
}

#[test]
fn an_allow_behind_a_deny_that_is_lost_is_lost_too() {
    let text = r#"{"permissions": {"allow": ["Read(./src/**)", "Bash(ls)"], "deny": ["Read(!./src/secret)"]}}"#;
    let imported = imported(Origin::Claude, text);
    assert!(imported.lost_a_deny_or_ask());
    let places: Vec<&str> = left(&imported).iter().map(|(at, _)| *at).collect();
    assert_eq!(places, ["/permissions/deny/0", "/permissions/allow/0"]);
    assert_eq!(reads(&policy(&imported), "/w/src/a.rs"), Ask);
    assert_eq!(command(&policy(&imported), &["ls"]), Allow);
}

#[test]
fn a_bare_tool_means_all_of_it_and_hides_what_stands_behind() {
    let text = r#"{"permissions": {"allow": ["Bash(ls)"], "ask": ["Bash"]}}"#;
    let imported = imported(Origin::Claude, text);
    assert_eq!(
        left(&imported),
        [(
            "/permissions/allow/0",
            "it never decides in the source: ask at /permissions/ask/0 comes before it and means all of it"
        )]
    );
    assert_eq!(command(&policy(&imported), &["ls"]), Ask);
}

#[test]
fn files_and_the_web_are_allowed_only_to_named_tools_and_denied_to_all() {
    let text = r#"{"permissions": {"allow": ["Read(./a)"], "deny": ["Read(./b)"]}}"#;
    let imported = import(text, Origin::Claude, &ImportOptions::default()).unwrap();
    assert_eq!(
        left(&imported),
        [(
            "/permissions/allow/0",
            "no tool is named that reads files: `--read SERVER:TOOL` names one"
        )]
    );
    let set = policy(&imported);
    assert_eq!(
        [
            reads(&set, "/w/a"),
            reads(&set, "/w/b"),
            edits(&set, "/w/b")
        ],
        [Ask, Deny, Deny]
    );
}

#[test]
fn commands_may_only_read_unless_it_is_said() {
    let text = r#"{"permissions": {"allow": ["Bash(make:*)"]}}"#;
    let mut options = ImportOptions::default();
    assert!(
        !import(text, Origin::Claude, &options)
            .unwrap()
            .yaml
            .contains("effects")
    );
    options.effects = CommandEffects::Any;
    assert!(
        import(text, Origin::Claude, &options)
            .unwrap()
            .yaml
            .contains("    effects: \"any\"\n")
    );
}

#[test]
fn the_texts_of_the_source_cannot_leave_their_place() {
    let text = "{\"permissions\": {\"allow\": [\"Bash(ls \\u0085 x)\", \"mcp__a__b\\nevil: true\"], \"deny\": [\"Bash(echo: # \\ud83d\\ude00)\"]}}";
    let imported = imported(Origin::Claude, text);
    let set = policy(&imported);
    assert!(
        set.rules().iter().all(|rule| rule.effect() != Allow),
        "{}",
        imported.yaml
    );
    assert!(imported.yaml.is_ascii());
}

#[test]
fn a_star_in_the_middle_of_an_allow_is_a_word_at_least() {
    let text = r#"{"permissions": {"allow": ["Bash(git * main)", "Bash(npm *)"]}}"#;
    let set = policy(&imported(Origin::Claude, text));
    assert_eq!(command(&set, &["git", "main"]), Ask);
    assert_eq!(command(&set, &["git", "merge", "main"]), Allow);
    assert_eq!(command(&set, &["npm"]), Allow);
}
