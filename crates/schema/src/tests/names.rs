//! Checked names, and patterns over names against a model that tries every way.

use proptest::prelude::*;

use crate::{AgentId, NamePattern, Person, Placement, Role, ServerName};

#[test]
fn a_name_holds_only_its_characters() {
    assert!(AgentId::new("team/coder:1@host.example-2_x").is_ok());
    assert!(Person::new("ana@example.org").is_ok());
    assert!(Role::new("on-call").is_ok());
    assert!(ServerName::new("files-2").is_ok());
    assert!(Placement::new("gpu_1").is_ok());
    for bad in ["", "a b", "a\n", "é", "a\u{202e}b", "a\0"] {
        assert!(AgentId::new(bad).is_err(), "{bad:?}");
        assert!(Person::new(bad).is_err(), "{bad:?}");
        assert!(Role::new(bad).is_err(), "{bad:?}");
        assert!(ServerName::new(bad).is_err(), "{bad:?}");
        assert!(Placement::new(bad).is_err(), "{bad:?}");
        assert_eq!(
            NamePattern::new(bad).is_ok(),
            bad == "é" || bad.contains('\u{202e}'),
            "{bad:?}"
        );
    }
    assert!(ServerName::new("Files").is_err());
}

#[test]
fn a_name_has_a_length() {
    assert!(ServerName::new("a".repeat(32)).is_ok());
    assert!(ServerName::new("a".repeat(33)).is_err());
    assert!(NamePattern::new("é".repeat(128)).is_ok());
    assert!(NamePattern::new("é".repeat(129)).is_err());
}

#[test]
fn a_bad_name_is_shown_escaped_and_cut() {
    let error = AgentId::new(format!("\u{202e}{}", "x".repeat(200))).unwrap_err();
    assert!(error.to_string().starts_with(r"`\u{202e}xx"));
    assert!(error.text.len() < 100);
}

#[test]
fn serde_goes_through_the_check() {
    assert!(serde_json::from_str::<AgentId>("\"a b\"").is_err());
    assert_eq!(
        serde_json::from_str::<Placement>("\"local\"").unwrap(),
        Placement::local()
    );
    assert!(Placement::local().is_local());
}

#[track_caller]
fn check(pattern: &str, name: &str, want: bool) {
    assert_eq!(
        NamePattern::new(pattern).unwrap().matches(name),
        want,
        "{pattern} on {name}"
    );
}

#[test]
fn a_pattern_matches_the_whole_name() {
    check("read", "read", true);
    check("read", "read_file", false);
    check("*", "", true);
    check("?", "", false);
    check("?", "é", true);
    check("files:*", "files:read", true);
    check("files:*", "Files:read", false);
    check("*read", "read_read", true);
    check("a*b*c", "a-b-b-c", true);
    check("a*b*c", "acb", false);
    check("a**b", "ab", true);
    check("ab*ba", "aba", false);
    check("*?", "a", true);
}

#[test]
fn a_pattern_knows_its_shape() {
    let pattern = |text| NamePattern::new(text).unwrap();
    assert!(pattern("**").is_any() && !pattern("*?").is_any());
    assert!(pattern("a:b").is_exact() && !pattern("a?b").is_exact());
}

/// Tries every way to spend a star.
fn model(pattern: &[char], name: &[char]) -> bool {
    match (pattern, name) {
        ([], []) => true,
        (['*', rest @ ..], _) => {
            model(rest, name) || matches!(name, [_, tail @ ..] if model(pattern, tail))
        }
        ([want, rest @ ..], [c, tail @ ..]) => (*want == '?' || want == c) && model(rest, tail),
        _ => false,
    }
}

proptest! {
    #[test]
    fn a_pattern_matches_as_the_model_does(pattern in "[abé?*]{1,8}", name in "[abé]{0,10}") {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        let want = model(&chars(&pattern), &chars(&name));
        prop_assert_eq!(NamePattern::new(pattern).unwrap().matches(&name), want);
    }
}
