//! Values that some patterns match and others do not: found where there is one, and none invented.

use proptest::prelude::*;
use tipstaff_schema::{Access, ResourceKind};

use super::pattern;
use crate::CaseRule::{self, Exact, Fold};
use crate::{Base, Pattern, Resource, Search};

const MOST: usize = 20_000;

fn search(kind: ResourceKind, all: &[&str], none: &[&str]) -> Search {
    let parse =
        |texts: &[&str]| -> Vec<Pattern> { texts.iter().map(|text| pattern(kind, text)).collect() };
    let (all, none) = (parse(all), parse(none));
    let all: Vec<_> = all.iter().map(|p| (p, Exact)).collect();
    let none: Vec<_> = none.iter().map(|p| (p, Exact)).collect();
    Pattern::search(kind, &all, &none, Some("/a"), MOST)
}

#[test]
fn a_union_covers_what_none_of_its_parts_does() {
    let path = ResourceKind::Path;
    assert_eq!(
        search(path, &["/a/**"], &["/a", "/a/*", "/a/*/**"]),
        Search::Nowhere
    );
    assert!(matches!(
        search(path, &["/a/**"], &["/a", "/a/*"]),
        Search::Found(_)
    ));
    assert_eq!(
        search(path, &["/x/{a,b}"], &["/x/a", "/x/b"]),
        Search::Nowhere
    );
    assert_eq!(search(path, &["./x"], &["/a/*"]), Search::Nowhere);
    let text = ResourceKind::Service;
    assert_eq!(search(text, &["a*"], &["a", "a?*"]), Search::Nowhere);
}

#[test]
fn a_url_beside_those_that_are_left_out_is_found() {
    let url = ResourceKind::Url;
    assert!(matches!(
        search(url, &["https://x.example/**"], &["https://x.example/a/**"]),
        Search::Found(_)
    ));
    assert_eq!(
        search(url, &["https://x.example/a"], &["https://x.example/**"]),
        Search::Nowhere
    );
    let host = ResourceKind::Host;
    assert!(matches!(
        search(host, &["*.x.example"], &["a.x.example"]),
        Search::Found(_)
    ));
}

#[test]
fn a_root_that_is_not_there_matches_nothing() {
    let rooted = pattern(ResourceKind::Path, "./x");
    let found = Pattern::search(ResourceKind::Path, &[(&rooted, Exact)], &[], None, MOST);
    assert_eq!(found, Search::Nowhere);
}

#[test]
fn a_spent_budget_is_said() {
    let many = pattern(ResourceKind::Path, "/**/a?????/b");
    let found = Pattern::search(ResourceKind::Path, &[(&many, Exact)], &[], None, 3);
    assert_eq!(found, Search::NotDecided);
}

fn text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        3 => "[ab]", 1 => Just("*".to_owned()), 1 => Just("**".to_owned()),
        1 => Just("?".to_owned()), 1 => Just("{a,b}".to_owned()), 1 => Just("A".to_owned()),
    ];
    prop::collection::vec(part, 1..4).prop_map(|parts| format!("/{}", parts.join("/")))
}

/// Every path of up to three parts over the letters, and one letter that no pattern names.
fn paths() -> Vec<Resource> {
    let letters = ["a", "b", "A", "c", "ab"];
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..3 {
        last = last
            .iter()
            .flat_map(|head| letters.iter().map(move |letter| format!("{head}/{letter}")))
            .collect();
        all.extend(last.clone());
    }
    let read = |text: &String| {
        Resource::parse(ResourceKind::Path, text, Access::Read, &Base::default()).ok()
    };
    all.iter().filter_map(read).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_found_is_in_all_and_in_none_and_nowhere_means_nowhere(
        all in prop::collection::vec((text(), any::<bool>()), 1..3),
        none in prop::collection::vec((text(), any::<bool>()), 0..4),
    ) {
        let case = |fold: bool| if fold { Fold } else { Exact };
        let parse = |texts: Vec<(String, bool)>| -> Vec<(Pattern, CaseRule)> {
            texts.iter().map(|(text, fold)| (pattern(ResourceKind::Path, text), case(*fold))).collect()
        };
        let (all, none) = (parse(all), parse(none));
        let all: Vec<_> = all.iter().map(|(p, case)| (p, *case)).collect();
        let none: Vec<_> = none.iter().map(|(p, case)| (p, *case)).collect();
        let fits = |value: &Resource| {
            all.iter().all(|(p, case)| p.matches(value, None, *case))
                && !none.iter().any(|(p, case)| p.matches(value, None, *case))
        };
        match Pattern::search(ResourceKind::Path, &all, &none, None, MOST) {
            Search::Found(value) => {
                let value = Resource::parse(ResourceKind::Path, &value, Access::Read, &Base::default()).unwrap();
                prop_assert!(fits(&value), "{value:?}");
            }
            Search::Nowhere => prop_assert!(!paths().iter().any(fits)),
            Search::NotDecided => prop_assert!(false, "the budget is enough"),
        }
    }
}
