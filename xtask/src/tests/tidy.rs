//! House rules for sources, manifests and the top level.

use toml::Table;

use crate::links::relative_links;
use crate::manifests::{member_faults, root_faults};
use crate::source::{code_lines, judge};
use crate::tidy::{strays, top_level};

#[track_caller]
fn check_source(body: &str, want: Option<&str>) {
    let found = judge("crates/a/src/b.rs", &format!("//! Head.\n{body}\n"));
    match want {
        None => assert!(found.is_empty(), "{found:?}"),
        Some(want) => {
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found.iter().all(|found| found.contains(want)), "{found:?}");
        }
    }
}

#[test]
fn a_file_says_what_it_is_for() {
    let found = judge("a.rs", "// Head.\nfn a() {}\n");
    assert_eq!(
        found,
        ["a.rs:1: a file starts with `//!` and what it is for"]
    );
    assert_eq!(judge("a.rs", "//!\nfn a() {}\n").len(), 1);
}

#[test]
fn exceptions_are_expected_not_allowed() {
    check_source("#[expect(dead_code, reason = \"x\")]\nfn a() {}", None);
    check_source("#[allow(dead_code)]\nfn a() {}", Some("b.rs:2: `allow`"));
    check_source("#![allow(dead_code)]\nfn a() {}", Some("`allow`"));
    check_source(
        "#[cfg_attr(test, allow(dead_code))]\nfn a() {}",
        Some("`allow`"),
    );
}

#[test]
fn forbidden_names_in_text_are_no_fault() {
    check_source(
        "// #[allow(x)] todo!()\nconst A: &str = \"#[ignore] todo!()\";",
        None,
    );
    check_source("fn a(allow: bool) -> bool { rules![allow]; allow }", None);
}

#[test]
fn forbidden_things_inside_a_macro_are_found() {
    check_source(
        "proptest! { #[test] #[ignore] fn a() {} }",
        Some("ignored test"),
    );
    check_source("m! { fn a() { todo!() } }", Some("unfinished code"));
}

#[test]
fn tests_do_not_panic_on_purpose() {
    check_source(
        "#[test]\n#[should_panic(expected = \"x\")]\nfn a() {}",
        Some("should panic"),
    );
}

#[test]
fn examples_are_compiled() {
    check_source("/// ```\n/// a();\n/// ```\nfn a() {}", None);
    check_source(
        "/// ```ignore\n/// a();\n/// ```\nfn a() {}",
        Some("not compiled"),
    );
}

#[test]
fn files_are_named_for_an_idea() {
    assert_eq!(judge("crates/a/src/utils.rs", "//! Head.\n").len(), 1);
    assert_eq!(judge("crates/a/src/helpers/a.rs", "//! Head.\n").len(), 1);
    assert!(judge("crates/a/src/tests/support.rs", "//! Head.\n").is_empty());
}

#[test]
fn comments_and_empty_lines_do_not_count() {
    assert_eq!(code_lines("//! Head.\n\n// x\nfn a() {\n    // y\n}\n"), 2);
    let long = format!("//! Head.\n{}", "const _: () = ();\n".repeat(400));
    assert_eq!(
        judge("a.rs", &long),
        ["a.rs: 400 code lines; the wall is 400"]
    );
}

#[track_caller]
fn table(text: &str) -> Table {
    text.parse().unwrap()
}

#[test]
fn versions_stand_in_the_root_without_default_features() {
    let good = "[dependencies]\na = { version = \"1\", default-features = false }";
    assert!(root_faults(&table(good)).is_empty());
    for bad in [
        "[dependencies]\na = \"1\"",
        "[dependencies]\na = { version = \"1\" }",
        "[dependencies]\na = { version = \"1\", default-features = false, features = [\"x\"] }",
        "[dependencies]\na = { git = \"x\", default-features = false }",
    ] {
        assert_eq!(root_faults(&table(bad)).len(), 1, "{bad}");
    }
}

#[test]
fn members_inherit() {
    let head = "[package]\nname = \"a\"\ndescription = \"x\"\nedition.workspace = true\n[lints]\nworkspace = true\n";
    let with = |more: &str| member_faults(&table(&format!("{head}{more}")), &["edition"]);
    assert!(with("[dependencies]\nb = { workspace = true, features = [\"x\"] }").is_empty());
    assert_eq!(with("[dev-dependencies]\nb = \"1\"").len(), 1);
    assert_eq!(
        with("[target.'cfg(unix)'.dependencies]\nb = { path = \"../b\" }").len(),
        1
    );
    assert_eq!(
        member_faults(
            &table("[package]\nname = \"a\"\nedition = \"2024\""),
            &["edition"]
        )
        .len(),
        3
    );
}

#[test]
fn the_top_level_is_listed() {
    let found = top_level(&[
        "notes.md".to_owned(),
        "README.md".to_owned(),
        "crates/a/x".to_owned(),
    ]);
    assert!(
        found.iter().any(|found| found.contains("`notes.md`")),
        "{found:?}"
    );
    assert!(
        found
            .iter()
            .any(|found| found.contains("`LICENSE-MIT` is missing")),
        "{found:?}"
    );
    assert!(
        !found
            .iter()
            .any(|found| found.contains("README.md") || found.contains("bench"))
    );
}

#[test]
fn no_crate_replaces_the_lints_of_the_root() {
    assert_eq!(
        strays(&["crates/a/clippy.toml".to_owned(), "clippy.toml".to_owned()]).len(),
        1
    );
}

#[test]
fn links_are_found_outside_code() {
    let text = "See [a](docs/a.md#x), [b](https://b.example/c.md), [c](#d), [`E`](crate::E).\n```\n[f](g.md)\n```\n";
    assert_eq!(relative_links(text), ["docs/a.md"]);
}
