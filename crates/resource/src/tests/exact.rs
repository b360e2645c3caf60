//! Every answer on two patterns against all values of a small world, one kind after the other: what
//! overlaps has a value that both mean, what is covered has none that only the other means, and the
//! other way round.

use tipstaff_schema::{Access, ResourceKind};

use crate::CaseRule::{self, Exact, Fold};
use crate::automaton::Automaton;
use crate::glob::{self, Flavour};
use crate::{Base, Pattern, Resource, path, product, valid};

/// All texts over the letters, up to the length.
fn texts(letters: &[&str], longest: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..longest {
        last = last
            .iter()
            .flat_map(|text| letters.iter().map(move |letter| format!("{text}{letter}")))
            .collect();
        all.extend(last.clone());
    }
    all
}

fn values(kind: ResourceKind, raw: impl IntoIterator<Item = String>) -> Vec<Resource> {
    let mut values: Vec<Resource> = raw
        .into_iter()
        .filter_map(|raw| Resource::parse(kind, &raw, Access::Read, &Base::default()).ok())
        .collect();
    values.sort_by(|one, two| one.value().cmp(two.value()));
    values.dedup();
    values
}

fn patterns(kind: ResourceKind, texts: &[&str]) -> Vec<Pattern> {
    let read = |text: &&str| Pattern::parse(text, kind).unwrap_or_else(|error| panic!("{error}"));
    texts.iter().map(read).collect()
}

/// Compares every pair, in the given readings. The values must be enough to tell any two apart:
/// where a witness or a difference exists at all, one must be among them.
#[track_caller]
fn compare(patterns: &[Pattern], values: &[Resource], cases: &[(CaseRule, CaseRule)]) {
    let root = Some("/a");
    let means = |pattern: &Pattern, case| -> Vec<bool> {
        let values = values.iter();
        values
            .map(|value| pattern.matches(value, root, case))
            .collect()
    };
    let meanings: Vec<[Vec<bool>; 2]> = patterns
        .iter()
        .map(|pattern| [Exact, Fold].map(|case| means(pattern, case)))
        .collect();
    let read = |n: usize, case: CaseRule| &meanings[n][usize::from(case == Fold)];
    for (m, one) in patterns.iter().enumerate() {
        for (n, two) in patterns.iter().enumerate() {
            for &(case, other) in cases {
                let sides = || read(m, case).iter().zip(read(n, other));
                let met = sides().position(|(one, two)| *one && *two);
                let missed = sides().position(|(one, two)| !one && *two);
                let witness = one.overlap(case, two, other, root);
                assert_eq!(
                    witness.is_some(),
                    met.is_some(),
                    "`{one}` meets `{two}`: {witness:?}"
                );
                if let Some(witness) = witness {
                    let kinds = [one.kind(), two.kind(), ResourceKind::Url];
                    let is_met = kinds.iter().any(|&kind| {
                        Resource::parse(kind, &witness, Access::Read, &Base::default()).is_ok_and(
                            |found| {
                                found.value() == witness
                                    && one.matches(&found, root, case)
                                    && two.matches(&found, root, other)
                            },
                        )
                    });
                    assert!(is_met, "`{one}` and `{two}` mean {witness}");
                }
                let covers = one.covers(case, two, other, root);
                let example = missed.and_then(|n| values.get(n)).map(Resource::value);
                assert_eq!(
                    covers,
                    missed.is_none(),
                    "`{one}` covers `{two}`: {example:?}"
                );
            }
        }
    }
}

#[test]
fn paths_are_compared_exactly() {
    let mut raw = texts(&["a", "A", "b", "B", "/", "."], 4);
    raw.extend(texts(&["a", "B", "/", "."], 6));
    raw.extend(texts(&["a", "/", "."], 7));
    raw.extend(texts(&["a", "A", "/"], 7));
    raw.extend(texts(&["a", "b", "B", "c", "/"], 5));
    let values = values(
        ResourceKind::Path,
        raw.into_iter().map(|text| format!("/{text}")),
    );
    let patterns = patterns(
        ResourceKind::Path,
        &[
            "**", "/", "/**", "/a", "/A", "/a/", "/a/**", "/*", "/?", "/??", "**/a", "**/b/**",
            "a", "./a/*", ".", "/[aB]", "/[!a]", "/{a,B/a}", "/a/*/a", "/a**a", "/*a*", "/.*",
            "**/.*/**", "/{a,}B", "/**/a/B",
        ],
    );
    compare(
        &patterns,
        &values,
        &[(Exact, Exact), (Fold, Exact), (Exact, Fold), (Fold, Fold)],
    );
}

#[test]
fn hosts_are_compared_exactly() {
    let mut raw = texts(&["a", "b", ".", "-"], 6);
    raw.extend(
        [
            "10.0.0.1",
            "10.1.0.0",
            "10.255.255.255",
            "11.0.0.0",
            "::1",
            "fe80::1",
            "fe80::",
            "9.9.9.9",
        ]
        .map(str::to_owned),
    );
    raw.extend(["10.1.0.1", "fe80::ffff", "feff::1", "febf::1"].map(str::to_owned));
    let values = values(ResourceKind::Host, raw);
    let patterns = patterns(
        ResourceKind::Host,
        &[
            "*",
            "a",
            "*.a",
            "a.*",
            "*.a.b",
            "a*",
            "*b",
            "{a,b}",
            "[ab].b",
            "?.a",
            "**.a",
            "10.0.0.0/8",
            "10.1.0.0/16",
            "10.0.0.1",
            "fe80::/16",
            "fe80::/10",
            "::1",
            "0.0.0.0/0",
            "::/0",
            "::ffff:10.0.0.0/104",
        ],
    );
    compare(&patterns, &values, &[(Exact, Exact)]);
}

#[test]
fn urls_are_compared_exactly() {
    let mut raw = Vec::new();
    for scheme in ["http", "https", "x"] {
        for host in ["a", "b.a", "1.0.0.1"] {
            for port in ["", ":80", ":443", ":1"] {
                for path in ["/", "/a", "/a/b", "/b"] {
                    for query in [
                        "", "?", "?p=1", "?p=2", "?q=1&p=1", "?p=1&p=1", "?p=1&p=2", "?q=1",
                    ] {
                        raw.push(format!("{scheme}://{host}{port}{path}{query}"));
                    }
                }
            }
        }
    }
    let values = values(ResourceKind::Url, raw);
    let mut patterns = patterns(
        ResourceKind::Url,
        &[
            "a",
            "https://a/",
            "http://a:443/a",
            "*://a:*/",
            "{http,https}://a:80/",
            "x://a/",
            "x://*:1/",
            "https://*.a/a",
            "*://*/",
            "https://a:443/a/*",
            "https://a/?p=1",
            "https://a/?p=*",
            "https://a/?p=1&*",
            "https://a/?*",
            "https://a/?",
            "https://a/?q=*&p=1",
            "https://a/?p=1&p=*",
            "https://1.0.0.1/",
            "http://1.0.0.0:80/",
            "*://a/b",
        ],
    );
    patterns.retain(|pattern| pattern.as_str() != "http://1.0.0.0:80/");
    compare(&patterns, &values, &[(Exact, Exact)]);
}

#[test]
fn texts_are_compared_exactly() {
    for kind in [
        ResourceKind::Service,
        ResourceKind::Repository,
        ResourceKind::None,
    ] {
        let values = values(kind, texts(&["a", "b", "/"], 5));
        let patterns = patterns(
            kind,
            &[
                "*", "**", "a", "a/*", "a/**", "*/b", "a*", "[ab]/b", "{a,b/}b", "??", "a/", "a**b",
            ],
        );
        compare(&patterns, &values, &[(Exact, Exact), (Fold, Fold)]);
    }
}

/// The values that an automaton of ours takes for canonical are those that reading leaves as they are.
#[track_caller]
fn valid_is_canonical(
    automaton: &Automaton,
    kind: ResourceKind,
    lead: &str,
    letters: &[&str],
    longest: usize,
) {
    for text in texts(letters, longest) {
        let text = format!("{lead}{text}");
        let value = if kind == ResourceKind::Url {
            format!("https://h.example{text}")
        } else {
            text.clone()
        };
        let read = Resource::parse(kind, &value, Access::Read, &Base::default());
        let stays = read.as_ref().is_ok_and(|read| read.value() == value);
        assert_eq!(automaton.matches(&text, Exact), stays, "{value:?} {read:?}");
    }
}

#[test]
fn the_automata_of_canonical_values_mean_exactly_those() {
    use ResourceKind::{Host, Path, Repository, Url};
    valid_is_canonical(
        &valid::PATH,
        Path,
        "",
        &["/", ".", "a", " ", "~", "\n", "é"],
        4,
    );
    valid_is_canonical(
        &valid::NAME,
        Host,
        "",
        &[".", "a", "0", "x", "f", "-", "_", "A", " "],
        4,
    );
    valid_is_canonical(
        &valid::LINE,
        Repository,
        "",
        &["/", "a", " ", "\u{200b}", "\u{3000}"],
        4,
    );
    valid_is_canonical(
        &valid::URL_PATH,
        Url,
        "/",
        &["/", ".", "a", "%", "2", "F", "e"],
        4,
    );
    let printable: Vec<String> = (' '..='~')
        .filter(|c| !"?#\\".contains(*c))
        .map(String::from)
        .collect();
    let printable: Vec<&str> = printable.iter().map(String::as_str).collect();
    valid_is_canonical(&valid::URL_PATH, Url, "/", &printable, 2);
}

#[test]
fn what_the_parts_tell_of_a_pattern_is_what_the_automata_tell() {
    for text in texts(&["/", ".", "a", "*", "?", " "], 4) {
        let text = format!("/{text}");
        let nodes = glob::parse(&text, Flavour::Path).expect("no special characters");
        let automaton = Automaton::new(&nodes, '/').expect("short");
        let valid = (&*valid::PATH, Exact);
        let alive = product::witness([(&automaton, Exact), valid, valid]).is_some();
        let told = path::means_any(&text);
        assert!(told.is_none() || told == Some(alive), "`{text}`: {told:?}");
        assert_eq!(
            told.is_none(),
            text.trim_end_matches('/').contains("//") || text.ends_with("//"),
            "{text}"
        );
    }
}

#[test]
fn a_pattern_that_could_not_be_compared_is_refused_by_name() {
    let tangled = format!("/*a{}", "?".repeat(14));
    for (text, kind) in [
        (tangled.clone(), ResourceKind::Path),
        (format!("https://h.example{tangled}"), ResourceKind::Url),
        (tangled.clone(), ResourceKind::None),
        (format!("*a{}.example", "?".repeat(14)), ResourceKind::Host),
        (
            format!("/*{}", "[ab]".to_owned() + &"[!c]".repeat(14)),
            ResourceKind::Path,
        ),
        (
            "{a,".repeat(8)
                + "b"
                + &"}".repeat(8)
                + &"{a,b,c}".repeat(100)
                + &"{a*,b*,c*}?".repeat(30),
            ResourceKind::Path,
        ),
    ] {
        let error = Pattern::parse(&text, kind).expect_err(&text).to_string();
        assert!(
            error.contains(&text.chars().take(20).collect::<String>()),
            "{error}"
        );
    }
    assert!(crate::WordGlob::parse(&tangled).is_err());
}

#[test]
fn the_hardest_patterns_that_are_taken_are_compared_in_bounded_steps() {
    let hard = [
        format!("/{}", "*a".repeat(25)),
        format!("/**/{}", "a/**/".repeat(12)),
        format!("/*a{}", "?".repeat(6)),
        format!("/{}", "{a,b}".repeat(25)),
        format!("/{}", "[ab]".repeat(25)),
        format!("/**/{}", "x".repeat(50)),
    ];
    let hard: Vec<Pattern> = hard
        .iter()
        .filter_map(|text| Pattern::parse(text, ResourceKind::Path).ok())
        .collect();
    assert!(hard.len() >= 4, "{}", hard.len());
    for one in &hard {
        for two in &hard {
            assert!(one.covers(Fold, two, Exact, None) || one != two);
            let _ = one.overlap(Exact, two, Exact, None);
        }
    }
}
