//! Golden vectors: enough of them, judged, and never changed.

use crate::wire::{changed_after_release, thin_folders, untested_folders};

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn a_type_has_one_valid_and_two_invalid_vectors() {
    let mut files = names(&[
        "crates/a/tests/wire/v1/token/valid/plain.json",
        "crates/a/tests/wire/v1/token/invalid/empty.json",
    ]);
    let want =
        "crates/a/tests/wire/v1/token has 1 valid and 1 invalid vectors; it needs one and two";
    assert_eq!(thin_folders(&files), [want]);
    files.push("crates/a/tests/wire/v1/token/invalid/long.json".to_owned());
    assert!(thin_folders(&files).is_empty());
    files.push("crates/a/tests/wire/v1/token/other/long.json".to_owned());
    assert_eq!(thin_folders(&files).len(), 1);
}

#[test]
fn vectors_need_a_test() {
    let mut files = names(&["crates/a/tests/wire/v1/token/valid/plain.json"]);
    assert_eq!(
        untested_folders(&files),
        ["crates/a has vectors but no test `wire`"]
    );
    files.push("crates/a/tests/wire.rs".to_owned());
    assert!(untested_folders(&files).is_empty());
    assert_eq!(untested_folders(&[]), ["there are no golden vectors"]);
}

#[test]
fn what_was_released_stays() {
    let changes = "M\tcrates/a/tests/wire/v1/token/valid/plain.json\nA\tcrates/a/tests/wire/v1/token/valid/new.json\nD\tdocs/schema/token.json\nM\tREADME.md";
    let found = changed_after_release(changes, "v1.0.0");
    assert_eq!(
        found,
        [
            "crates/a/tests/wire/v1/token/valid/plain.json was released with v1.0.0 and must not change",
            "docs/schema/token.json was released with v1.0.0 and must not change",
        ]
    );
}
