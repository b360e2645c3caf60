//! The YAML that is read, and what of YAML is refused.

use super::bench::{load, problems, refused};

const QUOTE: &str = "quote the text";

#[test]
fn c146_an_unquoted_exclamation_mark_is_refused_and_never_dropped() {
    for value in ["!git push*", "!@lab ls", "!", "!!", "!<x> y"] {
        let text = format!("version: 1\npolicies:\n  - id: {value}\n    effect: deny\n");
        let found = problems(&text);
        assert!(
            found.iter().any(|problem| problem.starts_with("3:")),
            "{value}: {found:?}"
        );
    }
    refused(
        "version: 1\npolicies:\n  - id: !git push*\n    effect: deny\n",
        "3:9",
        &["tag", QUOTE],
    );
}

#[test]
fn c146_a_lone_exclamation_mark_is_not_dropped() {
    for value in ["! git push", "[! a]", "{ a: ! b }", "!", "!\n    - a"] {
        let text = format!("version: 1\nservers: {{ s: {{ command: x }} }}\ntimezone: {value}\n");
        let found = problems(&text);
        assert!(
            found.len() == 1 && found[0].contains("a lone `!`"),
            "{value}: {found:?}"
        );
    }
    load("version: 1\n# hello !\ntimezone: UTC\n");
    load("version: 1\nservers: { s: { command: \"a !\", args: [b, \"!\", c] } }\n");
}

#[test]
fn c148_equal_keys_are_refused_at_the_second() {
    refused(
        "version: 1\npolicies:\n  - id: a\n    effect: deny\n    effect: allow\n",
        "5:5",
        &["`effect`", "twice"],
    );
    refused(
        "version: 1\nservers:\n  a: { command: x }\n  \"a\": { command: y }\n",
        "4:3",
        &["`a`", "twice"],
    );
    refused("version: 1\nversion: 1\n", "2:1", &["`version`", "twice"]);
    refused(
        "{\"version\": 1, \"tools\": {\"a:b\": {}, \"a:b\": {}}}",
        "1:37",
        &["`a:b`", "twice"],
    );
}

#[test]
fn c148_equal_rule_ids_are_refused_wherever_they_stand() {
    let text = "version: 1\npolicies:\n  - { id: a, capability: x:y, effect: deny }\nspawn: {}\ncommands:\n  - { id: a, command: [ls], effect: allow }\n";
    let found = problems(text);
    assert!(
        found.iter().any(|problem| problem.contains("`a`")),
        "{found:?}"
    );
}

#[test]
fn c149_aliases_are_bounded() {
    let mut text = "version: 1\nx0: &x0 [a, a, a, a, a, a, a, a, a]\n".to_owned();
    for level in 1..8 {
        let below = format!("*x{}", level - 1);
        text.push_str(&format!(
            "x{level}: &x{level} [{}]\n",
            vec![below; 9].join(", ")
        ));
    }
    let found = problems(&text);
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn c149_merge_keys_second_documents_and_bare_stars_are_refused() {
    refused(
        "version: 1\nservers:\n  a: &x { command: x }\n  b: { <<: *x }\n",
        "4:8",
        &["merge", "write the fields out"],
    );
    refused("version: 1\n---\nversion: 1\n", "2:1", &["document"]);
    refused(
        "version: 1\npolicies:\n  - { id: a, target: *.env, effect: deny }\n",
        "3:22",
        &[QUOTE],
    );
}

#[test]
fn c128_broken_yaml_is_refused_with_its_place() {
    let found = problems("version: 1\npolicies:\n  - { id: a, effect: deny\nspawn: {}\n");
    assert_eq!(found.len(), 1, "{found:?}");
    let found = problems("version: 1\n\tagents: {}\n");
    assert!(found[0].contains("indent with blanks"), "{found:?}");
}

#[test]
fn scalars_are_those_of_yaml_1_2() {
    let manifest =
        load("version: 1\nservers:\n  s: { command: no, args: [yes, \"1\", 'off', 0o7x] }\n");
    let server = manifest.servers.values().next().unwrap();
    assert_eq!(server.command.as_deref(), Some("no"));
    assert_eq!(server.args, ["yes", "1", "off", "0o7x"]);
}

#[test]
fn json_is_read_as_it_is() {
    let manifest = load("{\"version\": 1, \"agents\": {\"a\": {\"root\": \"/srv\"}}}");
    assert!(manifest.agents.only().is_some());
}

#[test]
fn an_empty_text_or_another_shape_is_told_how_to_begin() {
    for text in ["", "# nothing\n", "[1]", "just text", "null"] {
        let found = problems(text);
        assert!(
            found.iter().any(|problem| problem.contains("`version: 1`")),
            "{text:?}: {found:?}"
        );
    }
}
