//! What people see: every text cleaned, one line each, nothing cut.

use proptest::prelude::*;
use tipstaff_schema::sanitization::is_clean;

use super::*;

fn spawn(body: &str) -> Preview {
    Preview {
        tool_id: "spawn".into(),
        powers: vec![Power::ProcessExec],
        raw_input: json!(format!("!{body}")),
        structured_input: json!({"mode": "command", "body": body, "cwd": "/p", "target": "local"}),
        commands: vec![body.into()],
        ..preview()
    }
}

fn line(preview: &Preview, label: &str) -> String {
    let lines = preview.lines();
    lines
        .iter()
        .find(|line| line.label == label)
        .unwrap_or_else(|| panic!("no {label}"))
        .text
        .clone()
}

#[test]
fn c088_direction_marks_are_spelled_out_in_every_field_and_announced() {
    let marks = "\u{202E}\u{202C}\u{2066}\u{2067}\u{2068}\u{2069}\u{61C}\u{200E}";
    let preview = spawn(&format!("echo \u{202E}fr- mr\u{202C} ; ls {marks}"));
    let shown = preview.show();
    assert!(!shown.contains(|c| marks.contains(c)), "{shown}");
    assert!(line(&preview, "command 1 of 1").starts_with(r"echo \u{202e}fr- mr\u{202c} ; ls"));
    for label in ["command 1 of 1", "parameter", "as sent"] {
        assert!(
            preview.notices().contains(&Notice::HiddenCharacters {
                label: label.into()
            }),
            "{label}"
        );
    }
    let plain = spawn("echo ok");
    assert_eq!(plain.notices(), [Notice::ContentNotBound]);
}

#[test]
fn c089_a_long_command_is_shown_whole() {
    let body = format!("echo {}; rm -r /data", "a".repeat(300));
    assert_eq!(line(&spawn(&body), "command 1 of 1"), body);
}

#[test]
fn c089_every_simple_command_has_its_own_line() {
    let preview = Preview {
        commands: vec!["cd /srv".into(), "rm -r data".into()],
        ..spawn("cd /srv && rm -r data")
    };
    assert_eq!(line(&preview, "command 1 of 2"), "cd /srv");
    assert_eq!(line(&preview, "command 2 of 2"), "rm -r data");
}

#[test]
fn c091_no_field_can_fake_another_line() {
    let mut forged = spawn("ls");
    forged.working_directory = Some("/p\nTarget: local (safe)".into());
    forged.summary = "ok\u{2029}Approved by: admin".into();
    forged.tool_id = "read\u{202E}x".into();
    forged.raw_input = json!({"a\u{1b}[2Jb": "\u{1b}[2Jb"});
    forged.powers = vec![Power::Custom("x\rrisk: Low".into())];
    let plain = Preview {
        raw_input: json!({"a": "b"}),
        powers: vec![Power::Custom("x".into())],
        ..spawn("ls")
    };
    assert_eq!(forged.lines().len(), plain.lines().len());
    assert_eq!(
        forged.show().lines().count(),
        forged.lines().len() + forged.notices().len()
    );
    assert_eq!(line(&forged, "folder"), r"/p\nTarget: local (safe)");
    assert!(
        !forged
            .show()
            .contains(['\u{1b}', '\r', '\u{2029}', '\u{202e}'])
    );
}

#[test]
fn c074_a_preview_of_a_command_says_that_the_content_of_files_is_not_bound() {
    let notices = spawn("sh work/s.sh").notices();
    assert_eq!(notices, [Notice::ContentNotBound]);
    assert!(notices[0].to_string().contains("content of files"));
    let bound = Preview {
        bound: vec!["/p/work/s.sh".into()],
        ..spawn("sh work/s.sh")
    };
    assert_eq!(bound.notices(), [Notice::OtherContentNotBound]);
    assert_eq!(line(&bound, "content bound"), "/p/work/s.sh");
    assert!(preview().notices().is_empty());
}

#[test]
fn long_runs_of_blanks_are_shown_as_their_number() {
    let pushed_away = format!("echo ok{}; rm -r /data", " ".repeat(400));
    let preview = spawn(&pushed_away);
    assert_eq!(
        line(&preview, "command 1 of 1"),
        "echo ok⟦400 blanks⟧; rm -r /data"
    );
    assert_eq!(
        line(&preview, "as sent"),
        "\"!echo ok⟦400 blanks⟧; rm -r /data\""
    );
    let short = "a        b";
    assert_eq!(line(&spawn(short), "command 1 of 1"), short);
    let lines = format!("a{}b", "\n\u{2800}".repeat(200));
    assert_eq!(
        line(&spawn(&lines), "command 1 of 1"),
        "a⟦400 blanks, 200 of them line breaks⟧b"
    );
}

#[test]
fn two_keys_that_look_alike_are_both_shown() {
    let (nine, other) = (" ".repeat(9), "\u{A0}".repeat(9));
    let mut preview = spawn("ls");
    preview.structured_input = json!({"in": {format!("a{nine}b"): 1, format!("a{other}b"): 2}});
    let mark = "\"a⟦9 blanks⟧b\"";
    assert_eq!(
        line(&preview, "parameter"),
        format!("{{\"in\":{{{mark}:1,{mark}:2}}}}")
    );
}

#[test]
fn the_mark_of_a_blank_run_cannot_be_faked() {
    assert_eq!(
        line(&spawn("a⟦9 blanks⟧b"), "command 1 of 1"),
        r"a\u{27e6}9 blanks\u{27e7}b"
    );
}

#[test]
fn a_tool_review_shows_definition_and_findings() {
    let mut desk = Desk::default();
    let id = desk.asks(tool_ask("pin"), &Terms::default(), 0);
    let shown = desk.approvals.get(id).unwrap().show();
    for part in [
        "mcp:files:read",
        r#"{"description":"reads a file"}"#,
        "finding: says *must*",
        "asked because: no rule",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
}

proptest! {
    /// I8: whatever a call holds, its preview is as many lines as it has fields, and nothing in it moves
    /// a cursor or is invisible.
    #[test]
    fn no_text_of_a_call_leaves_its_line(text in "\\PC{0,20}|(?s).{0,20}", key in "(?s).{1,8}") {
        let mut preview = spawn(&text);
        preview.structured_input = json!({key: text.clone()});
        preview.working_directory = Some(text.clone());
        preview.summary = text.clone();
        preview.tool_id = text;
        let shown = preview.show();
        prop_assert_eq!(shown.lines().count(), preview.lines().len() + preview.notices().len());
        prop_assert!(!shown.contains(|c: char| c.is_control() && c != '\n'), "{:?}", shown);
        let lines = shown.lines().all(is_clean);
        prop_assert!(lines, "{:?}", shown);
    }
}
