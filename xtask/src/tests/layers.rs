//! The layer table and the umbrella.

use std::collections::BTreeMap;

use crate::layers::{Arrows, Table, judge};
use crate::suite::{libtest_line, nextest_line};
use crate::umbrella::{feature_faults, foreign_items};

#[track_caller]
fn check(arrows: &[(&str, &[&str])], want: &[&str]) {
    let names = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>()
    };
    let table = Table {
        rows: vec![
            names(&["schema"]),
            names(&["policy", "triage"]),
            names(&["gate"]),
        ],
        core: 2,
        outside: names(&["xtask"]),
    };
    let mut all: Arrows = ["schema", "policy", "triage", "gate", "xtask"]
        .iter()
        .map(|name| ((*name).to_owned(), std::collections::BTreeSet::new()))
        .collect();
    for (from, to) in arrows {
        let to = to
            .iter()
            .map(|name| ((*name).to_owned(), "dev-dependency"))
            .collect();
        all.insert((*from).to_owned(), to);
    }
    let found = judge(&table, &all);
    assert_eq!(found.len(), want.len(), "{found:?}");
    for (found, want) in found.iter().zip(want) {
        assert!(found.contains(want), "{found}");
    }
}

#[test]
fn an_arrow_may_point_to_any_earlier_row() {
    check(
        &[
            ("gate", &["schema", "policy"]),
            ("policy", &["schema"]),
            ("xtask", &["gate"]),
        ],
        &[],
    );
}

#[test]
fn an_arrow_up_is_refused_even_for_tests() {
    check(
        &[("schema", &["policy"])],
        &["`schema` (row 0) names `policy` (row 1) as dev-dependency"],
    );
}

#[test]
fn an_arrow_sideways_is_refused() {
    check(
        &[("policy", &["triage"])],
        &["an arrow points to an earlier row only"],
    );
}

#[test]
fn nothing_uses_what_stands_outside() {
    check(&[("gate", &["xtask"])], &["stands outside the table"]);
}

#[test]
fn a_crate_without_a_row_is_refused() {
    check(&[("new", &[])], &["`new` stands in no row"]);
}

#[test]
fn a_crate_in_two_rows_or_gone_is_refused() {
    let names = vec!["a".to_owned()];
    let table = Table {
        rows: vec![names.clone(), names],
        core: 1,
        outside: vec!["b".to_owned()],
    };
    let arrows: Arrows = BTreeMap::from([("a".to_owned(), std::collections::BTreeSet::new())]);
    let found = judge(&table, &arrows);
    assert_eq!(
        found,
        [
            "`a` stands in the layer table twice",
            "`b` outside the layer table is no crate of the workspace"
        ]
    );
}

#[test]
fn an_umbrella_may_only_re_export_our_crates() {
    let good = "//! Head.\n#![cfg_attr(docsrs, feature(doc_cfg))]\n#[cfg(feature = \"a\")]\npub use tipstaff_a as a;\n";
    assert!(foreign_items(good).is_empty());
    for bad in [
        "use tipstaff_a as a;",
        "pub use std::fmt;",
        "pub fn f() {}",
        "pub mod a {}",
        "m!();",
    ] {
        assert_eq!(foreign_items(bad).len(), 1, "{bad}");
    }
}

#[test]
fn an_umbrella_has_one_feature_a_crate_and_none_by_default() {
    let names = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>()
    };
    let mut features = BTreeMap::from([
        ("default".to_owned(), Vec::new()),
        ("full".to_owned(), names(&["a"])),
        ("a".to_owned(), names(&["dep:tipstaff-a"])),
    ]);
    assert!(feature_faults(&features, &["tipstaff-a"]).is_empty());
    assert_eq!(
        feature_faults(&features, &["tipstaff-a", "tipstaff-b"]).len(),
        2
    );
    features.insert("default".to_owned(), names(&["a"]));
    assert_eq!(feature_faults(&features, &["tipstaff-a"]).len(), 1);
}

#[test]
fn the_count_is_read_from_the_runner() {
    let nextest =
        "     Summary [   0.006s] 6 tests run: 3 passed (1 slow), 1 failed, 2 timed out, 9 skipped";
    assert_eq!(nextest_line(nextest), Some((3, 3)));
    assert_eq!(nextest_line("        PASS [   0.006s] a b"), None);
    let libtest = "test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";
    assert_eq!(libtest_line(libtest), Some((3, 1)));
    assert_eq!(libtest_line("test a ... ok"), None);
}

#[test]
fn a_runtime_a_server_or_a_database_below_the_core_is_seen() {
    let tree = "tipstaff-policy v0.1.0 (path)\nserde v1.0.229\n\ntokio v1.54.0 (*)\ntokio-util v0.7.1\nlibsqlite3-sys v0.36.0\ntokio v1.54.0";
    let found = crate::pure::judge(tree);
    assert_eq!(found.len(), 3, "{found:?}");
    for (found, name) in found.iter().zip(["libsqlite3-sys", "tokio", "tokio-util"]) {
        assert!(found.contains(&format!("`{name}`")), "{found}");
    }
    let fine = "serde v1.0.229\nasync-trait v0.1.92 (proc-macro)\ntracing-core v0.1.36";
    assert_eq!(crate::pure::judge(fine), Vec::<String>::new());
}
