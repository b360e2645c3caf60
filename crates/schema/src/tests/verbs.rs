//! The table of verbs, and the tier of a verb that is not in it.

use crate::verbs::{Tier, VERBS, lookup, namespaces, tier_of};

#[test]
fn twenty_eight_verbs_ship_each_once() {
    assert_eq!(VERBS.len(), 28);
    let mut names: Vec<_> = VERBS.iter().map(|verb| (verb.ns, verb.action)).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 28);
}

#[test]
fn tiers_count_as_the_spec_says() {
    let count = |tier| VERBS.iter().filter(|verb| verb.tier_hint == tier).count();
    let tiers = [
        Tier::Read,
        Tier::Write,
        Tier::Execute,
        Tier::External,
        Tier::Destructive,
    ];
    assert_eq!(tiers.map(count), [4, 10, 4, 7, 3]);
    assert!(tiers.is_sorted());
}

#[test]
fn namespaces_are_sorted_and_unique() {
    let want = [
        "agent",
        "approval",
        "audit",
        "configure",
        "fs",
        "mcp",
        "memory",
        "net",
        "notify",
        "schedule",
        "security",
        "shell",
        "task",
        "terminal",
    ];
    assert_eq!(namespaces(), want);
}

#[test]
fn a_known_verb_has_its_tier() {
    assert_eq!(
        lookup("fs", "read").map(|verb| verb.tier_hint),
        Some(Tier::Read)
    );
    assert_eq!(lookup("fs", "READ"), None);
    assert_eq!(tier_of("schedule", "cancel"), Tier::Write);
}

#[test]
fn an_unknown_verb_is_never_milder_than_external() {
    for (ns, action) in [
        ("mcp", "read_file"),
        ("fs", "list"),
        ("", ""),
        ("Fs", "read"),
    ] {
        assert_eq!(tier_of(ns, action), Tier::External, "{ns}.{action}");
    }
}

#[test]
fn an_unknown_verb_is_as_strict_as_its_worst_word() {
    for action in [
        "delete",
        "delete_file",
        "dropTable",
        "DROP_DATABASE",
        "destroyAll",
        "purge-cache",
        "wipe",
        "bulkdelete",
        "rm",
        "git_rm",
        "rmDir",
        "truncate",
        "force_push",
        "eraseDisk",
        "dеlete",
    ] {
        assert_eq!(tier_of("mcp", action), Tier::Destructive, "{action}");
    }
    assert_eq!(tier_of("purge", "now"), Tier::Destructive);
    for action in ["alarm", "model_list", "farm", "camera", "get_dd_mm"] {
        let want = if action == "get_dd_mm" {
            Tier::Destructive
        } else {
            Tier::External
        };
        assert_eq!(tier_of("mcp", action), want, "{action}");
    }
}
