//! Rubbish never panics, and the order of maps changes nothing.

use std::path::Path;

use proptest::prelude::*;

use super::bench::load;
use crate::{CallLine, Manifest};

const EXAMPLE: &str = include_str!("example.yaml");

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn rubbish_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let text = String::from_utf8_lossy(&bytes);
        let _read = Manifest::from_text(Path::new("t.yaml"), &text).is_ok();
        let _read = CallLine::read(&bytes).is_ok();
    }

    #[test]
    fn a_broken_example_is_refused_with_places_in_the_file(at in 0usize..2_000, put in "[ \n\t!*&{}\\[\\],:\"'<#a0é-]{0,3}", drop in 0usize..4) {
        let mut text: Vec<char> = EXAMPLE.chars().collect();
        let at = at.min(text.len());
        let end = (at + drop).min(text.len());
        text.splice(at..end, put.chars());
        let text: String = text.into_iter().collect();
        if let Err(refused) = Manifest::from_text(Path::new("t.yaml"), &text) {
            prop_assert!(!refused.render().is_empty());
            for problem in &refused.problems.0 {
                prop_assert!(problem.place.line <= text.lines().count() as u64 + 1, "{:?}", problem);
            }
        }
    }
}

#[test]
fn c124_the_order_of_maps_and_sections_changes_nothing() {
    let sections = [
        "agents: { a: { root: /srv }, b: { owner: ana } }\n",
        "servers: { s: { command: x }, t: { command: y, args: [z] } }\n",
        "policies:\n  - { id: r, capability: \"s:*\", effect: deny }\n  - { id: q, capability: \"t:*\", effect: ask }\n",
        "people: { ana: { roles: [approver] } }\n",
    ];
    let all = |order: [usize; 4]| {
        load(&format!(
            "version: 1\n{}",
            order.map(|at| sections[at]).concat()
        ))
    };
    let first = all([0, 1, 2, 3]);
    for order in [[3, 2, 1, 0], [1, 0, 3, 2], [2, 3, 0, 1]] {
        let other = all(order);
        assert_eq!(other.policy.digest(), first.policy.digest());
        assert_eq!(
            (&other.agents, &other.servers),
            (&first.agents, &first.servers)
        );
    }
    let swapped = load(
        "servers: { t: { args: [z], command: y }, s: { command: x } }\nversion: 1\nagents: { b: { owner: ana }, a: { root: /srv } }\n\
         policies:\n  - { effect: deny, id: r, capability: \"s:*\" }\n  - { effect: ask, capability: \"t:*\", id: q }\n",
    );
    assert_eq!(swapped.servers, first.servers);
    assert_eq!(swapped.policy.digest(), first.policy.digest());
}
