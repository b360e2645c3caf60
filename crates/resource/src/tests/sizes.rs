//! What a pattern's text shows about it is never wrong: its size, what it misses, its literals.

use proptest::prelude::*;
use tipstaff_schema::{Access, ResourceKind};

use crate::CaseRule::{Exact, Fold};
use crate::automaton::Automaton;
use crate::glob::{self, Flavour};
use crate::size::{Counted, few_sets};
use crate::{Base, Pattern, Place, Resource};

/// Patterns of wildcards and few letters, so that runs repeat and overlap themselves.
pub(super) fn tangled() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => "[ab]{1,3}",
        2 => Just("*".to_owned()),
        1 => Just("**".to_owned()),
        2 => Just("/".to_owned()),
        1 => Just("/**/".to_owned()),
        1 => Just("/*/".to_owned()),
    ];
    prop::collection::vec(piece, 1..9).prop_map(|pieces| format!("/{}", pieces.concat()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_text_shows_to_be_small_is_small(text in tangled()) {
        let nodes = glob::parse(&text, Flavour::Path).unwrap();
        let automaton = Automaton::new(&nodes, '/').unwrap();
        if let Some(most) = few_sets(&nodes, '/') {
            for case in [Exact, Fold] {
                match Counted::of(&automaton.behind_lead(), case) {
                    // The empty set, and the start, stand beside those that are counted.
                    Counted::These(sets) => prop_assert!(sets <= most + 2, "{text}: {sets} > {most}"),
                    Counted::TooMany => prop_assert!(false, "{text}"),
                }
            }
        }
    }

    #[test]
    fn what_plainly_misses_does_not_cover(one in tangled(), two in tangled()) {
        let read = |text: &str| Pattern::parse(text, ResourceKind::Path).ok();
        if let (Some(one), Some(two)) = (read(&one), read(&two)) {
            for case in [Exact, Fold] {
                if one.plainly_misses(case, &two) {
                    prop_assert!(!one.covers(case, &two, Exact, None), "{one} {two}");
                }
            }
        }
    }

    #[test]
    fn a_plain_path_is_read_as_any_pattern_is(text in "(/[ab.,~!+@){\\]}-]{0,3}){1,4}/?") {
        let Ok(pattern) = Pattern::parse(&text, ResourceKind::Path) else { return Ok(()); };
        let nodes = glob::parse(&text, Flavour::Path).unwrap();
        let automaton = Automaton::new(&nodes, '/').unwrap();
        prop_assert_eq!(pattern.only_value(), automaton.only_text());
        prop_assert_eq!(pattern.as_str(), text);
    }

    #[test]
    fn literals_stand_in_every_value(text in tangled(), value in "(/[abAB]{1,4}){1,5}") {
        let Ok(pattern) = Pattern::parse(&text, ResourceKind::Path) else { return Ok(()); };
        let file = Resource::parse(ResourceKind::Path, &value, Access::Read, &Base::default()).unwrap();
        if pattern.matches(&file, None, Fold) {
            let value = value.to_ascii_lowercase();
            for literal in pattern.literals() {
                let there = match literal.place() {
                    Place::Start => value.starts_with(literal.text()),
                    Place::End => value.ends_with(literal.text()),
                    Place::Inside => value.contains(literal.text()),
                };
                prop_assert!(there, "{literal:?} of {pattern} in {value}");
                let text = literal.text();
                let found = (0..value.len()).any(|at| {
                    let rest = value.get(at..).and_then(|rest| rest.strip_prefix(text));
                    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                });
                prop_assert!(found || !literal.ends_part(), "{literal:?} of {pattern} in {value}");
            }
            prop_assert!(pattern.only_value().is_none_or(|only| only.eq_ignore_ascii_case(&value)));
        }
    }
}

#[test]
fn only_what_begins_at_the_root_has_a_literal_start() {
    let places = |text: &str| {
        let pattern = Pattern::parse(text, ResourceKind::Path).unwrap();
        let shown = pattern
            .literals()
            .into_iter()
            .map(|literal| (literal.text().to_owned(), literal.place()));
        shown.collect::<Vec<_>>()
    };
    let is = |text: &str, place| (text.to_owned(), place);
    assert_eq!(
        places("/a/*/b"),
        [is("/a/", Place::Start), is("/b", Place::End)]
    );
    assert_eq!(
        places("src/*.rs"),
        [is("/src/", Place::Inside), is(".rs", Place::End)]
    );
    assert_eq!(places("src/main.rs"), [is("/src/main.rs", Place::End)]);
    assert_eq!(places("/a/b"), []);
    assert_eq!(places("**/.env*"), [is("/.env", Place::Inside)]);
}
