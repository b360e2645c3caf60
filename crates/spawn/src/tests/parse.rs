//! Every form of the prefix, and what each error teaches.

use proptest::prelude::*;
use serde_json::json;
use tipstaff_schema::Placement;

use crate::{Mode, ParseSpawnError, ParsedSpawn, is_target_name, parse_spawn};

fn parsed(input: &str) -> Result<ParsedSpawn, ParseSpawnError> {
    parse_spawn(&json!({ "input": input }))
}

#[track_caller]
fn task(input: &str, body: &str) {
    assert_eq!(
        parsed(input),
        Ok(ParsedSpawn {
            mode: Mode::Agent,
            target: None,
            body: body.to_owned()
        }),
        "{input:?}"
    );
}

#[track_caller]
fn command(input: &str, target: Option<&str>, body: &str) {
    let target = target.map(|name| Placement::new(name).unwrap());
    assert_eq!(
        parsed(input),
        Ok(ParsedSpawn {
            mode: Mode::Command,
            target,
            body: body.to_owned()
        }),
        "{input:?}"
    );
}

#[track_caller]
fn refused(input: &str, error: &ParseSpawnError, teaches: &str) {
    assert_eq!(parsed(input).as_ref(), Err(error), "{input:?}");
    assert!(error.to_string().contains(teaches), "{error}");
}

#[test]
fn c043_each_form_around_the_bare_prefix_has_one_meaning() {
    refused("!", &ParseSpawnError::EmptyCommand, "`!git status`");
    refused("! ", &ParseSpawnError::EmptyCommand, "`!git status`");
    command(" !ls", None, "ls");
    command("! ls", None, "ls");
    task("!!", "!");
    task("!!!", "!!");
    refused("!@", &ParseSpawnError::NoTarget, "`!@lab make`");
    refused(
        "!@lab",
        &ParseSpawnError::TargetWithoutCommand {
            target: "lab".to_owned(),
        },
        "`!@lab make`",
    );
    command("!@lab ls", Some("lab"), "ls");
    refused("!@ ls", &ParseSpawnError::NoTarget, "`!@lab make`");
    task("!!ls", "!ls");
}

#[test]
fn c041_a_prefix_counts_only_at_the_very_beginning() {
    command("!login -p 'pa!!ss'", None, "login -p 'pa!!ss'");
    command("!echo wow!", None, "echo wow!");
    command(
        "!@lab echo \"hi !! there\"",
        Some("lab"),
        "echo \"hi !! there\"",
    );
    task("please !ls", "please !ls");
    task("@lab ls", "@lab ls");
    task("!!@lab ls", "!@lab ls");
    command("! @lab ls", None, "@lab ls");
}

#[test]
fn unicode_blanks_around_the_text_are_no_part_of_it() {
    command("\u{3000}!\u{a0}ls -l\u{2003}", None, "ls -l");
    task("\n\t do it \n", "do it");
    command("!@lab\u{3000}ls", Some("lab"), "ls");
    command("!@lab\nls", Some("lab"), "ls");
}

#[test]
fn what_is_no_object_with_a_text_is_told_the_field() {
    for (arguments, error) in [
        (json!("!ls"), ParseSpawnError::NotAnObject),
        (json!(["!ls"]), ParseSpawnError::NotAnObject),
        (json!({}), ParseSpawnError::NoInput),
        (json!({ "command": "ls" }), ParseSpawnError::NoInput),
        (json!({ "input": 1 }), ParseSpawnError::NoInput),
        (json!({ "input": null }), ParseSpawnError::NoInput),
    ] {
        assert_eq!(parse_spawn(&arguments).as_ref(), Err(&error));
        assert!(
            error.to_string().contains("{\"input\": \"!git status\"}"),
            "{error}"
        );
    }
}

#[test]
fn each_error_teaches_the_form() {
    refused(
        "",
        &ParseSpawnError::EmptyTask,
        "write what the subagent is to do",
    );
    refused(" \n ", &ParseSpawnError::EmptyTask, "or `!` and a command");
    refused("!@local ls", &ParseSpawnError::Local, "leave `@local` out");
    refused(
        "!@a.b ls",
        &ParseSpawnError::TargetName {
            escaped: "a.b".to_owned(),
        },
        "letters, digits, `_` and `-`",
    );
    refused(
        "!@läb ls",
        &ParseSpawnError::TargetName {
            escaped: "l\\u{e4}b".to_owned(),
        },
        "`l\\u{e4}b`",
    );
    refused(
        "!ls\0",
        &ParseSpawnError::Control {
            escaped: "\\u{0}".to_owned(),
        },
        "only newline and tab",
    );
    refused(
        "!ls\u{1b}[2J",
        &ParseSpawnError::Control {
            escaped: "\\u{1b}".to_owned(),
        },
        "\\u{1b}",
    );
    refused(
        "!ls\r\n",
        &ParseSpawnError::Control {
            escaped: "\\r".to_owned(),
        },
        "\\r",
    );
    refused(
        "!ls\u{85}",
        &ParseSpawnError::Control {
            escaped: "\\u{85}".to_owned(),
        },
        "\\u{85}",
    );
}

#[test]
fn up_to_64_kib_are_read() {
    let most = format!("!{}", "x".repeat(64 * 1024 - 1));
    command(&most, None, most.get(1..).unwrap());
    refused(
        &format!("{most}x"),
        &ParseSpawnError::TooLong {
            bytes: 64 * 1024 + 1,
        },
        "at most 65536",
    );
}

#[test]
fn names_of_placements_are_ascii_letters_digits_underscore_and_hyphen() {
    for name in ["lab", "L4b_-", "0", "local"] {
        assert!(is_target_name(name), "{name}");
    }
    for name in ["", "a.b", "a b", "ä", "a/b", "@"] {
        assert!(!is_target_name(name), "{name}");
    }
}

proptest! {
    #[test]
    fn what_parses_has_a_trimmed_body_and_the_mode_of_its_prefix(
        input in "[ \t\n\u{3000}]{0,2}(!|!!|!@|!@[a-z.]{0,4}|@)?[ !@a-z\u{0}-\u{20}é]{0,12}",
    ) {
        if let Ok(parsed) = parsed(&input) {
            prop_assert!(!parsed.body.is_empty());
            prop_assert_eq!(parsed.body.trim(), parsed.body.as_str());
            let text = input.trim();
            let is_command = text.starts_with('!') && !text.starts_with("!!");
            prop_assert_eq!(parsed.mode == Mode::Command, is_command);
            prop_assert_eq!(parsed.target.is_some(), is_command && text.starts_with("!@"));
        }
    }
}
