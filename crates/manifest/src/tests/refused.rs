//! Mistakes of all kinds, each at its place with what to do.

use std::path::Path;

use super::bench::{load, problems, refused};
use crate::Manifest;

#[test]
fn c128_an_unknown_effect_is_never_the_open_one() {
    refused(
        "version: 1\npolicies:\n  - { id: a, capability: \"x:y\", effect: alow }\n",
        "3:41",
        &["`alow`", "did you mean `allow`?"],
    );
    refused(
        "version: 1\ntools: { \"a:b\": { default_effect: alow } }\n",
        "2:35",
        &["`alow`", "did you mean `allow`?"],
    );
}

#[test]
fn c128_a_bad_glob_is_refused_at_its_rule() {
    let found = problems(
        "version: 1\npolicies:\n  - { id: a, capability: \"x:y\", target: \"/srv/[a\", effect: deny }\n",
    );
    assert!(found.len() == 1 && found[0].starts_with("3:"), "{found:?}");
}

#[test]
fn an_unknown_section_or_field_names_the_near_one() {
    refused(
        "version: 1\npolcies: []\n",
        "2:1",
        &["unknown section `polcies`", "did you mean `policies`?"],
    );
    refused("version: 1\nzzz: []\n", "2:1", &["known sections: version"]);
    refused(
        "version: 1\nagents: { a: { onwer: ana } }\n",
        "2:16",
        &["unknown field `onwer`", "did you mean `owner`?"],
    );
    refused(
        "version: 1\ntools: { \"a:b\": { acess: read } }\n",
        "2:19",
        &["`acess`", "`access`"],
    );
    refused(
        "version: 1\npolicies:\n  - { id: a, capabilty: x, effect: deny }\n",
        "3:25",
        &["`capabilty`", "`capability`"],
    );
    refused(
        "version: 1\nspawn: { sandbox: lanlock }\n",
        "2:19",
        &["`lanlock`", "did you mean `landlock`?"],
    );
}

#[test]
fn the_version_comes_first() {
    refused(
        "timezone: UTC\n",
        "1:1",
        &["`version` is missing", "begin with `version: 1`"],
    );
    refused("version: 2\n", "1:10", &["this build reads version 1"]);
    refused("version: \"1\"\n", "1:10", &["this build reads version 1"]);
}

#[test]
fn an_outranked_deny_is_refused_with_a_call_and_both_fixes() {
    let text = "version: 1\nagents: { a: { root: /srv } }\nservers: { s: { command: x } }\ntools: { \"s:*\": { access: read, risk: low, resource: { kind: path, from: /path } } }\npolicies:\n  \
                - { id: wide, capability: \"s:*\", target: \"/srv/**\", effect: deny }\n  \
                - { id: narrow, agent: a, capability: \"s:*\", target: \"/srv/data/**\", effect: allow }\n";
    let refused = Manifest::from_text(Path::new("tipstaff.yaml"), text).unwrap_err();
    let [problem] = refused.problems.0.as_slice() else {
        panic!("{}", refused.render())
    };
    // The profile of the pattern can read the call: it derives the path.
    let call = problem.witness.as_ref().unwrap();
    let path = call.pointer("/params/path").and_then(|path| path.as_str());
    assert!(
        path.is_some_and(|path| path.starts_with("/srv/data")),
        "{call}"
    );
    let fix = problem.fix.as_deref().unwrap();
    assert!(
        fix.contains("guard") && fix.contains("overridable"),
        "{fix}"
    );
}

#[test]
fn durations_are_texts_with_a_unit() {
    refused(
        "version: 1\napprovals: { expire: 10 }\n",
        "2:22",
        &["`10m`"],
    );
    refused(
        "version: 1\napprovals: { expire: 10x }\n",
        "2:22",
        &["`10m`"],
    );
    refused(
        "version: 1\napprovals: { use_within: 0s }\n",
        "2:26",
        &["`10m`"],
    );
    refused(
        "version: 1\ntools: { \"a:b\": { timeout: 60 } }\n",
        "2:28",
        &["60"],
    );
}

#[test]
fn every_problem_is_told_at_once_in_the_order_of_the_file() {
    let text = "version: 1\ntimezone: Mars\nagents: { a: { onwer: x } }\nservers: { s: {} }\napprovals: { quorum: 0 }\nspwan: {}\n";
    let places: Vec<String> = problems(text)
        .iter()
        .map(|problem| problem.split(": ").next().unwrap().to_owned())
        .collect();
    assert_eq!(places, ["2:11", "3:16", "4:15", "5:22", "6:1"]);
}

#[test]
fn a_section_of_another_shape_is_refused_and_not_empty() {
    for (section, shape) in [
        ("agents", "a map"),
        ("servers", "a map"),
        ("tools", "a map"),
        ("people", "a map"),
        ("policies", "a list"),
        ("policies_from", "a list"),
        ("commands", "a list"),
        ("triage", "a list"),
        ("tests", "a list"),
    ] {
        refused(
            &format!("version: 1\n{section}: text\n"),
            &format!("2:{}", section.len() + 3),
            &[section, shape],
        );
    }
}

#[test]
fn a_capture_that_is_missing_is_refused_at_its_name() {
    refused(
        "version: 1\nservers: { s: { command: x, tools_from: gone.json } }\n",
        "2:41",
        &["`gone.json`"],
    );
}

#[test]
fn an_included_file_that_is_missing_is_refused_at_its_name() {
    refused(
        "version: 1\npolicies_from: [gone.yaml]\n",
        "2:17",
        &["gone.yaml"],
    );
}

#[test]
fn a_test_whose_call_does_not_fit_is_refused_inside_the_call() {
    refused(
        "version: 1\ntests:\n  - { call: { agent: a, tol: x, params: {} }, expect: allow }\n",
        "3:25",
        &["`tol`", "`tool`"],
    );
    refused(
        "version: 1\ntests:\n  - { call: { agent: a, tool: x, params: {} }, expect: alow }\n",
        "3:56",
        &["`allow`"],
    );
}

#[test]
fn a_placement_or_program_path_that_cannot_be_is_refused_at_its_key() {
    refused(
        "version: 1\nspawn: { placements: { local: {} } }\n",
        "2:8",
        &["`local`"],
    );
    refused("version: 1\nspawn: { path: [bin] }\n", "2:8", &["`bin`"]);
}

#[test]
fn a_rendered_problem_shows_the_line_and_a_caret() {
    let refused = Manifest::from_text(
        Path::new("tipstaff.yaml"),
        "version: 1\nagents: { a: { onwer: ana } }\n",
    )
    .unwrap_err();
    let text = refused.render();
    for part in [
        "error: unknown field `onwer`",
        "--> tipstaff.yaml:2:16",
        "agents: { a: { onwer: ana } }",
        "help: did you mean `owner`?",
    ] {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
}

#[test]
fn a_good_manifest_is_not_refused() {
    assert_eq!(load("version: 1\n").tests, []);
}
