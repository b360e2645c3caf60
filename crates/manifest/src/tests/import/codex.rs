//! Codex' rules files.

use tipstaff_schema::Effect::{Allow, Ask, Deny};

use super::{command, fetches, imported, left, policy};
use crate::import::Origin;

const RULES: &str = r#"
# What may run.
prefix_rule(pattern = ["git", ["status", "log"]])
prefix_rule(
    pattern=["git", "push"],
    decision="prompt",
    justification="It reaches the remote.",  # said to the user
    match=[["git", "push", "origin"], "git push"],
)
prefix_rule(pattern=["git", "push", "--force"], decision="forbidden")
prefix_rule(["cargo", "build"], 'allow')
network_rule(host="evil.example", protocol="https", decision="deny")
host_executable(name = "git", paths = ["/usr/bin/git"])
"#;

#[test]
fn the_strictest_that_matches_decides() {
    let imported = imported(Origin::Codex, RULES);
    assert_eq!(
        left(&imported),
        [(
            "line 13",
            "ours knows a program by its bare name in the standard folders, and by its path elsewhere"
        )]
    );
    assert!(!imported.lost_a_deny_or_ask());
    let set = policy(&imported);
    for (words, want) in [
        (&["git", "status"][..], Allow),
        (&["git", "log", "--all"], Allow),
        (&["git", "push", "x"], Ask),
        (&["git", "push", "--force"], Deny),
        (&["git", "push", "x", "--force"], Deny),
        (&["cargo", "build"], Allow),
        (&["cargo"], Ask),
    ] {
        assert_eq!(command(&set, words), want, "{words:?}");
    }
    assert_eq!(fetches(&set, "https://evil.example/x"), Deny);
    assert_eq!(imported.carried[0].at, "line 10");
}

#[test]
fn what_is_computed_is_not_guessed_and_hides_what_it_may_forbid() {
    let text = "prefix_rule(pattern=[\"ls\"])\nfor word in [\"a\"]:\n    prefix_rule(pattern=[word], decision=\"forbidden\")\nprefix_rule(pattern=[\"rm\"], decision=\"forbidden\")\n";
    let imported = imported(Origin::Codex, text);
    let left = left(&imported);
    assert_eq!(
        left[0],
        (
            "line 2",
            "only calls with literal arguments are read: there may be rules in it"
        )
    );
    assert_eq!(
        left[1],
        (
            "line 1",
            "deny at line 2 may decide some of these calls before it, and is not carried over"
        )
    );
    assert!(imported.lost_a_deny_or_ask());
    let set = policy(&imported);
    assert_eq!(
        [command(&set, &["ls"]), command(&set, &["rm"])],
        [Ask, Deny]
    );
}

#[test]
fn names_lists_and_escapes_are_read_and_nothing_else() {
    let odd = |rule: &str| left(&imported(Origin::Codex, rule)).len();
    assert_eq!(
        odd("prefix_rule(pattern=['a\\'b', \"c\"], justification=None)"),
        0
    );
    assert_eq!(odd("prefix_rule(pattern=[\"a\" + \"b\"])"), 1);
    assert_eq!(odd("prefix_rule(pattern=f\"a\")"), 1);
    assert_eq!(odd("x = prefix_rule(pattern=[\"a\"])"), 1);
    assert_eq!(odd("prefix_rule(pattern=[\"\"\"a\"\"\"])"), 1);
    assert_eq!(odd("prefix_rule(pattern=[\"a\"], other=[\"b\"])"), 1);
}
