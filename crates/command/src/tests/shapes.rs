//! Forms of the grammar, quotes, plain commands, programs that the table does not know.

use super::plans::{finds, judge, plan};
use crate::{EffectKind, ProgramTable};

#[test]
fn compound_commands_are_searched() {
    finds(
        "if true; then rm a; elif false; then rm b; else rm c; fi",
        &["true", "rm a", "false", "rm b", "rm c"],
    );
    finds(
        "while true; do rm a; done; until false; do rm b; done",
        &["true", "rm a", "false", "rm b"],
    );
    finds("case x in a) rm a;; (b|c) rm b;; esac", &["rm a", "rm b"]);
    finds("for i in $(ls); do rm a; done", &["ls", "rm a"]);
    finds("f() { rm a; }; f", &["rm a", "f"]);
    finds("{ rm a; (rm b); } > out", &["rm a", "rm b"]);
    finds("! time rm a", &["rm a"]);
    finds("[[ -f $(rm a) ]] && rm b", &["rm a", "rm b"]);
    finds(
        "echo \"$(echo a # )\nrm x)\"",
        &["echo a", "rm x", "echo $(echo a \nrm x)"],
    );
    finds(
        "echo $((rm a); (rm b))",
        &["rm a", "rm b", "echo $((rm a); (rm b))"],
    );
    finds("watch -n 1 'ls; rm a'", &["ls", "rm a"]);
}

#[test]
fn quotes_are_taken_off() {
    finds("r'm' \"a b\" c\\ d $'e\\tf' ''", &["rm a b c d e\tf "]);
    finds("ech\"o\" \"\\$x \\a\"", &["echo $x \\a"]);
}

#[test]
fn a_plain_command_runs_without_a_shell() {
    let argv = |text: &str| plan(text).single_argv().map(|words| words.join("|"));
    assert_eq!(
        argv("git commit -m 'a b'").as_deref(),
        Some("git|commit|-m|a b")
    );
    assert_eq!(
        argv("/usr/bin/nohup git status").as_deref(),
        Some("/usr/bin/nohup|git|status")
    );
    for text in [
        "a | b", "a; b", "a > b", "x=1 a", "cd x", "cat ./*", "cat $x", "! a", "a &", "(a)", "",
    ] {
        assert_eq!(argv(text), None, "{text}");
    }
}

#[test]
fn unknown_programs_make_suspects_of_their_arguments() {
    judge(
        "frobnicate git push",
        &["frobnicate **"],
        &[],
        &["git push **"],
        "ask",
    );
    judge(
        "frobnicate git pull",
        &["frobnicate **"],
        &[],
        &["git push **"],
        "allow",
    );
    judge(
        "echo git push",
        &["echo **"],
        &[],
        &["git push **"],
        "allow",
    );
    judge(
        "ssh host git push",
        &["ssh **"],
        &[],
        &["git push **"],
        "deny",
    );
}

#[test]
fn a_table_of_ones_own_adds_programs() {
    let own = ProgramTable::from_json(
        r#"{"programs": {"frob": {"operands": "read"}}, "wrappers": {}, "foreign": {}}"#,
    )
    .expect("a table");
    let table = ProgramTable::builtin().clone().with(own);
    let plan = crate::plan("frob a", Some("/w"), &table);
    assert_eq!(plan.effects[0].kind, EffectKind::Reads);
    assert!(ProgramTable::from_json(r#"{"program": {}}"#).is_err());
}

#[test]
fn the_builtin_table_is_read() {
    assert!(ProgramTable::from_json(include_str!("../../data/programs.json")).is_ok());
}
