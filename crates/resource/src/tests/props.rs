//! Properties: patterns against a naive matcher, witnesses against both patterns, inclusion against samples.

use proptest::prelude::*;
use tipstaff_schema::{Access, ResourceKind};

use crate::CaseRule::{self, Exact, Fold};
use crate::chars::{BLANK, HIDDEN, is_hidden};
use crate::{Base, Pattern, Resource};

/// A naive matcher over path patterns: it tries everything, recursively.
fn naive(pattern: &[char], text: &[char], case: CaseRule) -> bool {
    let same = |a: char, b: char| a == b || (case == Fold && a.eq_ignore_ascii_case(&b));
    match pattern {
        [] => text.is_empty(),
        ['/', '*', '*'] => text.is_empty() || text[0] == '/',
        ['/', '*', '*', '/', ..] => (0..=text.len()).any(|n| {
            let parts = &text[..n];
            (parts.is_empty() || parts[0] == '/') && naive(&pattern[3..], &text[n..], case)
        }),
        ['/'] => text.is_empty() || text[0] == '/',
        ['*', rest @ ..] => (0..=text.len())
            .take_while(|&n| n == 0 || text[n - 1] != '/')
            .any(|n| naive(rest, &text[n..], case)),
        ['?', rest @ ..] => !text.is_empty() && text[0] != '/' && naive(rest, &text[1..], case),
        ['[', 'a', 'b', ']', rest @ ..] => {
            !text.is_empty()
                && (same('a', text[0]) || same('b', text[0]))
                && naive(rest, &text[1..], case)
        }
        ['{', rest @ ..] => {
            let end = rest.iter().position(|&c| c == '}').expect("closed");
            rest[..end]
                .split(|&c| c == ',')
                .any(|branch| naive(&[branch, &rest[end + 1..]].concat(), text, case))
        }
        [c, rest @ ..] => !text.is_empty() && same(*c, text[0]) && naive(rest, &text[1..], case),
    }
}

/// Parts of patterns; never a `**` beside another star, which only the real reader gives a meaning.
fn pattern_text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[abA]{1,2}",
        1 => Just("**".to_owned()),
        2 => "[ab?]\\*?[ab]?",
        1 => Just("*".to_owned()),
        1 => Just("[ab]".to_owned()),
        1 => Just("{a,bb,}a".to_owned()),
    ];
    (prop::collection::vec(part, 1..5), any::<bool>())
        .prop_map(|(parts, slash)| format!("/{}{}", parts.join("/"), if slash { "/" } else { "" }))
}

fn path_text() -> impl Strategy<Value = String> {
    prop::collection::vec("[abA]{1,3}", 0..5).prop_map(|parts| format!("/{}", parts.join("/")))
}

fn path(text: &str) -> Resource {
    Resource::parse(ResourceKind::Path, text, Access::Read, &Base::default()).expect("a path")
}

fn pattern(text: &str) -> Pattern {
    Pattern::parse(text, ResourceKind::Path).expect("a pattern")
}

fn case_rule() -> impl Strategy<Value = CaseRule> {
    prop_oneof![Just(Exact), Just(Fold)]
}

/// What canonical forms stumble over.
const PIECES: &[&str] = &[
    "/",
    "//",
    ".",
    "..",
    "a",
    "B",
    "%2e",
    "%2E%2e",
    "%2f",
    "%61",
    "%",
    "%zz",
    "%25",
    "?",
    "&",
    "=",
    "#",
    ":",
    "://",
    "@",
    "\\",
    "~",
    " ",
    "\t",
    "\n",
    "\0",
    "\u{200b}",
    "\u{ad}",
    "\u{3002}",
    "é",
    "ſ",
    "K",
    "１",
    "xn--",
    "xn--bcher-kva",
    "-",
    "_",
    "[",
    "]",
    "::1",
    "::ffff:",
    "64:ff9b::",
    "127.1",
    "0x7f",
    "0177",
    "2130706433",
    "http://",
    "HTTPS://",
    "ftp://",
    "file://",
    "x:",
    "h.example",
    ":443",
    ":80",
    ":0",
    "*",
    "{",
    "}",
    "^",
    "|",
    "`",
    "'",
    "<",
    "+",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn matching_agrees_with_the_naive_matcher(text in pattern_text(), value in path_text(), case in case_rule()) {
        let (p, v): (Vec<char>, Vec<char>) = (text.chars().collect(), value.chars().collect());
        prop_assert_eq!(pattern(&text).matches(&path(&value), None, case), naive(&p, &v, case), "{} {}", text, value);
    }

    #[test]
    fn a_witness_is_canonical_and_both_match_it(one in pattern_text(), two in pattern_text(), case in case_rule(), value in path_text()) {
        let (one, two) = (pattern(&one), pattern(&two));
        match one.overlap(case, &two, Exact, None) {
            Some(witness) => {
                let found = path(&witness);
                prop_assert_eq!(found.value(), witness.as_str());
                prop_assert!(one.matches(&found, None, case) && two.matches(&found, None, Exact), "{}", witness);
            }
            None => prop_assert!(!(one.matches(&path(&value), None, case) && two.matches(&path(&value), None, Exact))),
        }
    }

    #[test]
    fn inclusion_holds_for_every_sample(one in pattern_text(), two in pattern_text(), values in prop::collection::vec(path_text(), 20)) {
        let (one, two) = (pattern(&one), pattern(&two));
        if one.covers(Exact, &two, Exact, None) {
            for value in values.iter().map(|value| path(value)) {
                prop_assert!(!two.matches(&value, None, Exact) || one.matches(&value, None, Exact), "{}", value.value());
            }
        }
        prop_assert!(one.covers(Fold, &one, Exact, None));
    }

    #[test]
    fn canonical_values_stay_as_they_are(raw in "(https?://)?[a-zA-Z0-9.:/?#%&=\\[\\]@\\\\ ~-]{0,30}") {
        for kind in [ResourceKind::Path, ResourceKind::Url, ResourceKind::Host] {
            let base = Base { cwd: Some("/w"), root: None };
            if let Ok(once) = Resource::parse(kind, &raw, Access::Read, &base) {
                let twice = Resource::parse(kind, once.value(), Access::Read, &Base::default());
                prop_assert_eq!(Ok(once), twice);
            }
        }
    }

    #[test]
    fn canonical_of_canonical_is_the_same_for_every_kind(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..12),
        rubbish in any::<String>(),
    ) {
        use ResourceKind::{Command, Domain, Host, Path, Repository, Service, Url};
        let base = Base { cwd: Some("/w/x"), root: None };
        for raw in [pieces.concat(), format!("https://h.example/{}", pieces.concat()), rubbish] {
            for kind in [Path, Url, Host, Domain, Service, Repository, Command, ResourceKind::None] {
                if let Ok(once) = Resource::parse(kind, &raw, Access::Read, &base) {
                    let twice = Resource::parse(kind, once.value(), Access::Read, &Base::default());
                    prop_assert_eq!(Ok(&once), twice.as_ref(), "{:?} {:?}", kind, raw);
                    prop_assert!(!once.value().contains(is_hidden) || matches!(kind, Command | ResourceKind::None));
                }
            }
        }
    }

    #[test]
    fn reading_never_panics(text in any::<String>()) {
        for kind in [ResourceKind::Path, ResourceKind::Url, ResourceKind::Host, ResourceKind::Service, ResourceKind::None] {
            let _ = Resource::parse(kind, &text, Access::Read, &Base::default());
            if let Ok(pattern) = Pattern::parse(&text, kind) {
                let example = pattern.example(Some("/w")).expect("alive");
                let value = Resource::parse(kind, &example, Access::Read, &Base::default()).expect("canonical");
                prop_assert!(pattern.matches(&value, Some("/w"), Exact), "{} {}", text, example);
            }
        }
    }
}

#[test]
fn the_table_of_hidden_characters_is_that_of_unicode() {
    use unicode_properties::{GeneralCategory as Category, UnicodeGeneralCategory};
    let hidden = |c: char| {
        matches!(
            c.general_category(),
            Category::Control
                | Category::Format
                | Category::LineSeparator
                | Category::ParagraphSeparator
        )
    };
    let blank = |c: char| BLANK.iter().any(|&(low, high)| low <= c && c <= high);
    for c in '\0'..=char::MAX {
        assert_eq!(is_hidden(c), hidden(c), "{c:?}");
        assert_eq!(blank(c), c.is_whitespace() && !hidden(c), "{c:?}");
    }
    assert!(HIDDEN.is_sorted());
}
