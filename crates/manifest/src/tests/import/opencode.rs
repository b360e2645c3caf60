//! opencode's kinds and patterns.

use tipstaff_schema::Effect::{Allow, Ask, Deny};

use super::{command, edits, fetches, imported, left, policy, reads, tool};
use crate::import::Origin;

#[test]
fn the_last_that_matches_decides() {
    let text = r#"{"permission": {
      "bash": {"*": "ask", "git *": "allow", "git push *": "deny", "git push origin *": "allow", "ls": "allow"},
      "edit": {"*": "deny", "docs/*.md": "allow"},
      "read": {"*": "allow", "*.env": "deny"},
      "webfetch": {"https://docs.example.com/*": "allow"},
      "github_*": "allow", "github_delete_repo": "ask",
      "external_directory": "deny",
      "doom_loop": "ask"
    }}"#;
    let imported = imported(Origin::Opencode, text);
    let places: Vec<&str> = left(&imported).iter().map(|(at, _)| *at).collect();
    assert_eq!(
        places,
        ["/permission/external_directory", "/permission/doom_loop"]
    );
    let set = policy(&imported);
    for (words, want) in [
        (&["git"][..], Allow),
        (&["git", "log"], Allow),
        (&["git", "push", "x"], Deny),
        // The exception is lost, to the strict side.
        (&["git", "push", "origin", "x"], Deny),
        (&["ls"], Allow),
        (&["ls", "-l"], Ask),
    ] {
        assert_eq!(command(&set, words), want, "{words:?}");
    }
    let noted = imported
        .carried
        .iter()
        .find(|carried| carried.text == "bash git push *: deny")
        .unwrap();
    assert_eq!(
        noted.notes,
        [
            "stricter: the source excepts what /permission/bash/git push origin * means; here the deny holds there too"
        ]
    );
    assert_eq!(
        [
            edits(&set, "/w/docs/a.md"),
            edits(&set, "/w/docs/a/b.md"),
            edits(&set, "/w/x")
        ],
        [Allow, Deny, Deny]
    );
    assert_eq!(
        [
            reads(&set, "/w/x"),
            reads(&set, "/w/a/.env"),
            reads(&set, "/w/prod.env"),
            reads(&set, "/x")
        ],
        [Allow, Deny, Deny, Ask]
    );
    assert_eq!(
        [
            fetches(&set, "https://docs.example.com/a/b?c"),
            fetches(&set, "https://example.com/")
        ],
        [Allow, Ask]
    );
    assert_eq!(
        [tool(&set, "github:get"), tool(&set, "github:delete_repo")],
        [Allow, Ask]
    );
}

#[test]
fn an_action_for_everything_means_every_kind() {
    let all = policy(&imported(Origin::Opencode, r#"{"permission": "allow"}"#));
    assert_eq!(
        [
            command(&all, &["x"]),
            reads(&all, "/w/a"),
            edits(&all, "/w/a"),
            tool(&all, "s:t")
        ],
        [Allow; 4]
    );
    let none = policy(&imported(
        Origin::Opencode,
        r#"{"permission": {"*": "deny", "bash": {"ls": "allow"}, "s_t": "allow"}}"#,
    ));
    assert_eq!(
        [
            command(&none, &["ls"]),
            command(&none, &["x"]),
            tool(&none, "s:t"),
            tool(&none, "s:u"),
            reads(&none, "/w/a")
        ],
        [Allow, Deny, Allow, Deny, Deny]
    );
    let late = imported(
        Origin::Opencode,
        r#"{"permission": {"bash": {"ls": "allow"}, "*": "deny"}}"#,
    );
    assert_eq!(
        left(&late),
        [(
            "/permission/bash/ls",
            "it never decides in the source: deny at /permission/* comes before it and means all of it"
        )]
    );
}

#[test]
fn rules_of_single_agents_and_the_older_tools_are_named() {
    let text = r#"{"permission": {"bash": "ask"}, "agent": {"plan": {"permission": {"edit": "deny"}}}, "tools": {"write": false, "bash": true}}"#;
    let imported = imported(Origin::Opencode, text);
    let left: Vec<_> = imported
        .left_out
        .iter()
        .map(|left| (left.at.as_str(), left.effect))
        .collect();
    assert_eq!(
        left,
        [
            ("/agent/plan/permission", Some(Deny)),
            ("/tools/write", Some(Deny)),
            ("/tools/bash", None)
        ]
    );
}

#[test]
fn a_list_of_rules_means_what_the_map_means() {
    let text = r#"{"permissions": [
      {"action": "shell", "resource": "*", "effect": "ask"},
      {"action": "shell", "resource": "git status *", "effect": "allow"},
      {"action": "shell", "resource": "git push *", "effect": "deny"},
      {"action": "read", "resource": "*", "effect": "allow"},
      {"action": "read", "resource": "*.env", "effect": "deny"},
      {"action": "github_*", "resource": "*", "effect": "allow"},
      {"action": "subagent", "resource": "*", "effect": "allow"},
      {"action": "shell", "effect": "deny"}
    ], "permission": {"bash": "deny"}, "agents": {"plan": {"permissions": [{"action": "edit", "resource": "*", "effect": "deny"}]}}}"#;
    assert_eq!(Origin::guess("opencode.json", text), Some(Origin::Opencode));
    let imported = imported(Origin::Opencode, text);
    let lost: Vec<_> = imported
        .left_out
        .iter()
        .map(|left| (left.at.as_str(), left.effect))
        .collect();
    assert_eq!(
        lost,
        [
            ("/permissions/6", Some(Allow)),
            ("/permissions/7", Some(Deny)),
            ("/permission", Some(Deny)),
            ("/agents/plan/permissions", Some(Deny)),
        ]
    );
    let set = policy(&imported);
    assert_eq!(
        [
            command(&set, &["git", "push", "x"]),
            command(&set, &["git", "commit"]),
            reads(&set, "/w/prod.env"),
        ],
        [Deny, Ask, Deny]
    );
    let whole = r#"{"permissions": [{"action": "*", "resource": "*", "effect": "ask"}, {"action": "shell", "resource": "git status *", "effect": "allow"}, {"action": "github_get", "resource": "*", "effect": "allow"}]}"#;
    let set = policy(&super::imported(Origin::Opencode, whole));
    assert_eq!(
        [
            command(&set, &["git", "status", "-s"]),
            command(&set, &["ls"]),
            tool(&set, "github:get"),
            tool(&set, "github:put"),
        ],
        [Allow, Ask, Allow, Ask]
    );
}

#[test]
fn a_deny_for_a_server_with_an_underscore_in_its_name_is_not_lost() {
    let text = r#"{"permission": {"*": "allow", "session_search_*": "deny", "a_b_c_d": "ask"}}"#;
    let set = policy(&imported(Origin::Opencode, text));
    for (name, want) in [
        ("session:search_x", Deny),
        ("session-search:x", Deny),
        ("session-search:x_y", Deny),
        ("session:other", Allow),
        ("a:b_c_d", Ask),
        ("a-b:c_d", Ask),
        ("a-b-c:d", Ask),
        ("a-b:c", Allow),
    ] {
        assert_eq!(tool(&set, name), want, "{name}");
    }
}
