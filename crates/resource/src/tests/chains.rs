//! A chain of texts and wildcards means what its states mean, and is read in bounded steps.

use proptest::prelude::*;

use super::sizes::tangled;
use crate::CaseRule::{Exact, Fold};
use crate::automaton::Automaton;
use crate::chain::Chain;
use crate::glob::{self, Flavour};

fn automaton(text: &str, flavour: Flavour) -> Automaton {
    let nodes = glob::parse(text, flavour).unwrap();
    Automaton::new(&nodes, flavour.separator()).unwrap()
}

fn by_states(automaton: &Automaton) -> Automaton {
    Automaton::from_states(automaton.states(), automaton.separator())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_chain_means_what_its_states_mean(
        text in tangled(),
        values in prop::collection::vec("/[abAé/]{0,12}|(/[ab]{1,2}){1,6}|[ab/]{0,3}", 8),
    ) {
        let chain = automaton(&text, Flavour::Path);
        let states = by_states(&chain);
        for value in values {
            for case in [Exact, Fold] {
                prop_assert_eq!(chain.matches(&value, case), states.matches(&value, case), "{} {}", text, value);
            }
        }
    }

    #[test]
    fn a_chain_of_labels_means_what_its_states_mean(
        text in r"(\*\.|\*\*|\*|[ab]{1,2}|\.){1,6}",
        values in prop::collection::vec("[ab.]{0,8}", 8),
    ) {
        let chain = automaton(&text, Flavour::Host);
        let states = by_states(&chain);
        for value in values {
            prop_assert_eq!(chain.matches(&value, Exact), states.matches(&value, Exact), "{} {}", text, value);
        }
    }
}

#[test]
fn a_value_made_to_be_slow_is_answered_by_the_states() {
    let value = format!("/{}", "a".repeat(20_000));
    for text in ["**/*a*a*a*b*a", "/**a**b*a", "/*aaaaaaaaaaaaaaaab*a"] {
        let slow = automaton(text, Flavour::Path);
        assert!(!slow.matches(&value, Exact), "{text}");
        assert!(
            slow.matches(&format!("{value}aaaaaaaaaaaaaaaabaaa"), Fold),
            "{text}"
        );
    }
}

#[test]
fn looking_ahead_counts_as_steps() {
    let nodes = glob::parse("/**/*a*b", Flavour::Path).unwrap();
    let chain = Chain::of(&nodes).unwrap();
    let far = format!("/{}c/b/c", "a/".repeat(10_000));
    assert_eq!(
        chain.matches(format!("{far}/b").as_bytes(), '/', Exact),
        None
    );
    assert_eq!(chain.matches(b"/a/c/b", '/', Exact), Some(false));
    assert!(!automaton("/**/*a*b", Flavour::Path).matches(&format!("{far}/b"), Exact));
}
