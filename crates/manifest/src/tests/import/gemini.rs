//! Gemini CLI's policy files.

use tipstaff_schema::Effect::{Allow, Ask, Deny};

use super::{command, edits, imported, left, policy, reads, tool};
use crate::import::Origin;

#[test]
fn the_highest_priority_decides_and_what_means_all_is_last() {
    let text = r#"
[[rule]]
toolName = "run_shell_command"
decision = "deny"
priority = 10

[[rule]]
toolName = "run_shell_command"
commandPrefix = ["git status", "git log"]
decision = "allow"
priority = 100

[[rule]]
toolName = "run_shell_command"
commandPrefix = "npm"
decision = "allow"
priority = 5

[[rule]]
mcpName = "my-server"
toolName = ["get", "list"]
decision = "allow"
priority = 1

[[rule]]
toolName = ["write_file", "replace"]
decision = "ask_user"
priority = 1

[[rule]]
toolName = "read_file"
decision = "allow"
priority = 1
"#;
    let imported = imported(Origin::Gemini, text);
    assert_eq!(
        left(&imported),
        [(
            "line 13",
            "it never decides in the source: deny at line 2 comes before it and means all of it"
        ),]
    );
    let set = policy(&imported);
    assert_eq!(command(&set, &["git", "status", "-s"]), Allow);
    assert_eq!(command(&set, &["git", "statusx"]), Deny);
    assert_eq!(command(&set, &["npm", "x"]), Deny);
    assert_eq!(
        [tool(&set, "my-server:get"), tool(&set, "my-server:put")],
        [Allow, Ask]
    );
    assert_eq!(
        [edits(&set, "/w/a"), reads(&set, "/w/a"), reads(&set, "/x")],
        [Ask, Allow, Ask]
    );
}

#[test]
fn conditions_that_ours_does_not_know_narrow_nothing_that_is_strict() {
    let text = r#"
[[rule]]
toolName = "run_shell_command"
commandPrefix = "git"
decision = "allow"
priority = 9
modes = ["yolo"]
[[rule]]
toolName = "run_shell_command"
commandPrefix = "rm"
decision = "deny"
priority = 8
interactive = true
[[rule]]
toolName = "run_shell_command"
commandRegex = "curl .*evil"
decision = "deny"
priority = 7
[[rule]]
toolName = "run_shell_command"
commandPrefix = "ls"
decision = "allow"
priority = 6
[[rule]]
toolName = "run_shell_command"
commandPrefix = "pwd"
decision = "allow"
priority = 8
modes = ["default", "autoEdit", "plan", "yolo"]
"#;
    let imported = imported(Origin::Gemini, text);
    assert_eq!(
        left(&imported),
        [
            (
                "line 2",
                "it holds only under `modes`, which ours does not know"
            ),
            (
                "line 14",
                "`commandRegex` is a regular expression over the arguments as JSON"
            ),
            (
                "line 19",
                "deny at line 14 may decide some of these calls before it, and is not carried over"
            ),
        ]
    );
    assert!(imported.lost_a_deny_or_ask());
    assert_eq!(
        imported.carried[0].notes,
        ["wider: it holds whatever `interactive` says"]
    );
    let set = policy(&imported);
    assert_eq!(
        [&["git"], &["rm"], &["ls"], &["pwd"]].map(|words| command(&set, words)),
        [Ask, Deny, Ask, Allow]
    );
}

#[test]
fn what_is_no_policy_file_is_refused() {
    let refused = |text: &str| {
        crate::import::import(text, Origin::Gemini, &super::named())
            .unwrap_err()
            .to_string()
    };
    assert!(refused("[[rule").starts_with("it is no TOML: "));
    assert_eq!(
        refused("a = 1"),
        "there are no rules in it: `[[rule]]` would stand there"
    );
}

#[test]
fn an_ask_before_an_allow_and_a_deny_of_the_rest_is_not_lifted_by_the_allow() {
    let text = r#"
[[rule]]
toolName = "run_shell_command"
commandPrefix = "git"
decision = "ask_user"
priority = 2

[[rule]]
toolName = "run_shell_command"
decision = "allow"
priority = 1

[[rule]]
toolName = "run_shell_command"
decision = "deny"
priority = 0
"#;
    let set = policy(&imported(Origin::Gemini, text));
    assert_eq!(command(&set, &["git", "push"]), Deny);
    assert_eq!(command(&set, &["ls"]), Allow);
}
