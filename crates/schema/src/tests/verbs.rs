//! The table of verbs, and the tier of a verb that is not in it.

use crate::IntentError;
use crate::verbs::{Tier, VERBS, lookup, namespaces, require, tier_of};

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
fn whoever_requires_a_shipped_verb_is_told_which_is_none() {
    assert_eq!(require("fs", "read").ok(), lookup("fs", "read"));
    let error = require("fs", "shred\u{202e}").unwrap_err();
    assert!(matches!(&error, IntentError::UnknownVerb(ns, _) if ns == "fs"));
    assert_eq!(error.to_string(), r"unknown verb: fs.shred\u{202e}");
}

#[test]
fn every_verb_of_the_page_ships_with_its_tier() {
    let page = [
        (
            Tier::Read,
            "memory.search fs.read audit.query security.audit",
        ),
        (
            Tier::Write,
            "memory.store memory.import memory.export terminal.close fs.write schedule.cancel \
             mcp.unmount approval.respond approval.revoke configure.set",
        ),
        (
            Tier::Execute,
            "shell.exec terminal.open task.decompose agent.delegate",
        ),
        (
            Tier::External,
            "net.http net.check net.trace net.cert notify.send schedule.create mcp.mount",
        ),
        (Tier::Destructive, "memory.delete fs.delete audit.prune"),
    ];
    let mut count = 0;
    for (tier, verbs) in page {
        for verb in verbs.split_whitespace() {
            let (ns, action) = verb.split_once('.').unwrap();
            assert_eq!(
                lookup(ns, action).map(|spec| spec.tier_hint),
                Some(tier),
                "{verb}"
            );
            count += 1;
        }
    }
    assert_eq!(count, VERBS.len());
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
