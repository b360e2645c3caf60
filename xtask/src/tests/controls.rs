//! A control counts only where its test ran and failed.

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use crate::controls::{Control, holds_test, judge, sample, substitute};
use crate::process::Ended;

fn control(id: &str, file: &str) -> Control {
    let text = |text: &str| text.to_owned();
    Control {
        id: text(id),
        invariant: text("I1"),
        file: text(file),
        old: text("a < b"),
        new: text("a <= b"),
        package: text("tipstaff-a"),
        test: text("tests::late_is_late"),
    }
}

#[track_caller]
fn check(code: Option<i32>, text: &str, want: Result<(), &str>) {
    let status = code.map(|code| ExitStatus::from_raw(code << 8));
    let found = judge(
        &Ended {
            status,
            text: text.to_owned(),
        },
        "tests::late_is_late",
    );
    match want {
        Ok(()) => assert_eq!(found, Ok(())),
        Err(want) => assert!(
            found.as_ref().is_err_and(|why| why.contains(want)),
            "{found:?}"
        ),
    }
}

#[test]
fn a_failed_test_is_a_good_control() {
    check(Some(101), "test tests::late_is_late ... FAILED\n", Ok(()));
    check(
        Some(101),
        "test door::tests::late_is_late ... FAILED\n",
        Ok(()),
    );
    check(None, "test tests::late_is_late ... FAILED\n", Ok(()));
}

#[test]
fn a_test_that_passes_is_no_guard() {
    check(
        Some(0),
        "test tests::late_is_late ... ok\n",
        Err("passes with the fault in"),
    );
}

#[test]
fn another_test_that_fails_does_not_count() {
    let text = "test tests::late_is_late ... ok\ntest tests::other_late_is_late ... FAILED\n";
    check(Some(101), text, Err("passes with the fault in"));
}

#[test]
fn a_test_that_overflows_its_stack_is_a_good_control() {
    let died =
        "\nthread 'tests::late_is_late' (21509) has overflowed its stack\nfatal runtime error\n";
    check(Some(134), died, Ok(()));
    check(
        Some(134),
        "thread 'tests::too_late_is_late' (7) has overflowed its stack\n",
        Err("did not get to run"),
    );
}

#[test]
fn a_fault_that_does_not_compile_is_an_error_of_the_control() {
    check(
        Some(101),
        "error[E0308]: mismatched types\n",
        Err("did not get to run"),
    );
}

#[test]
fn a_missing_test_is_an_error_of_the_control() {
    check(Some(0), "running 0 tests\n", Err("no test is called"));
}

#[test]
fn a_test_that_hangs_is_an_error_of_the_control() {
    check(None, "running 1 test\n", Err("still running"));
}

#[test]
fn the_test_is_written_where_its_name_says() {
    let text = "#[test]\nfn late_is_late() {}\nmod door {\n    fn ajar() {}\n}\n";
    for (file, test, want) in [
        ("crates/a/src/tests/late.rs", "late_is_late", true),
        (
            "crates/a/src/tests/late.rs",
            "tests::late::late_is_late",
            true,
        ),
        ("crates/a/src/late/mod.rs", "late::late_is_late", true),
        ("crates/a/src/tests/late.rs", "door::ajar", true),
        (
            "crates/a/src/tests/late.rs",
            "tests::early::late_is_late",
            false,
        ),
        ("crates/a/src/tests/late.rs", "late_is", false),
    ] {
        assert_eq!(holds_test(file, text, test), want, "{file}: {test}");
    }
}

#[test]
fn the_old_text_stands_there_exactly_once() {
    let control = control("a", "a.rs");
    assert_eq!(
        substitute("if a < b {", &control).as_deref(),
        Ok("if a <= b {")
    );
    assert!(substitute("if a > b {", &control).is_err());
    assert!(substitute("a < b && a < b", &control).is_err());
}

#[test]
fn changed_files_come_first_and_the_rest_takes_turns() {
    let all: Vec<Control> = (0..40)
        .map(|number| control(&format!("{number}"), &format!("{number}.rs")))
        .collect();
    let first = sample(&all, Some("39.rs\n7.rs"), "1");
    let ids = |chosen: &[&Control]| chosen.iter().map(|c| c.id.clone()).collect::<Vec<_>>();
    assert_eq!(first.len(), 24);
    let mut head = ids(&first)[..2].to_vec();
    head.sort();
    assert_eq!(head, ["39", "7"]);
    assert_ne!(
        ids(&first)[2..],
        ids(&sample(&all, Some("39.rs\n7.rs"), "2"))[2..]
    );
    assert_eq!(sample(&all[..3], None, "1").len(), 3);
}
