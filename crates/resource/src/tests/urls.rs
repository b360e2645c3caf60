//! URLs, hosts and plain texts.

use tipstaff_schema::ResourceKind::{self, Domain, Host, Path, Repository, Service, Url};

use super::{means, pattern, refused, value};
use crate::CaseRule::Exact;
use crate::Pattern;

#[track_caller]
pub(super) fn reads(kind: ResourceKind, raw: &str, want: Option<&str>) {
    assert_eq!(value(kind, raw).as_deref(), want, "{raw:?}");
}

#[track_caller]
pub(super) fn check(kind: ResourceKind, text: &str, of: ResourceKind, yes: &[&str], no: &[&str]) {
    for raw in yes {
        assert!(means(kind, text, of, raw, Exact), "{text} means {raw}");
    }
    for raw in no {
        assert!(
            !means(kind, text, of, raw, Exact),
            "{text} does not mean {raw}"
        );
    }
}

#[test]
fn a_url_has_one_spelling() {
    reads(
        Url,
        "HTTPS://Good.Example:443/a/../b/%7e%2f?q=%61#f",
        Some("https://good.example/b/~%2F?q=a#f"),
    );
    reads(Url, "http://good.example", Some("http://good.example/"));
    reads(
        Url,
        "https://h.example/a%zz",
        Some("https://h.example/a%25zz"),
    );
    reads(
        Url,
        "postgres://DB.example:5432/x",
        Some("postgres://db.example:5432/x"),
    );
    reads(Url, "https://good.example./", Some("https://good.example/"));
}

#[test]
fn urls_that_programs_read_differently_are_refused() {
    for raw in [
        "https:good.example/",
        "https:///good.example",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://good.example/\\x",
        "https://good.example/a\tb",
        "https://good.example/a\nb",
        " https://good.example/",
        "https://good.exampl%65/",
        "https://@good.example/",
        "//good.example/",
        "https://a b/",
        "https://h.example:99999/",
    ] {
        reads(Url, raw, None);
    }
}

#[test]
fn c064_user_info_never_moves_the_host() {
    for raw in [
        "https://good.example:pw@evil.test",
        "https://good.example%20@evil.test",
        "https://good.example%3A@evil.test",
        "https://user:pw@good.example/",
        "https://good.example\\@evil.test/",
    ] {
        reads(Url, raw, None);
    }
}

#[test]
fn c071_scheme_and_port_are_part_of_a_url_pattern() {
    let yes = [
        "https://good.example:443/a",
        "HTTPS://good.example/a",
        "https://good.example//a",
        "https://good.example/%61",
        "https://good.example/a?q=1",
    ];
    check(
        Url,
        "https://good.example/**",
        Url,
        &yes,
        &["https://good.example:8443/a", "http://good.example/a"],
    );
    check(
        Url,
        "good.example/a",
        Url,
        &yes[..2],
        &["https://good.example//a", "http://good.example/a"],
    );
    check(
        Url,
        "https://good.example/a",
        Url,
        &["https://good.example/%61"],
        &["https://good.example/b"],
    );
}

#[test]
fn the_parts_of_a_url_are_matched_apart() {
    check(
        Url,
        "https://*.good.example/a/*",
        Url,
        &["https://x.good.example/a/b"],
        &["https://evil.test/x.good.example/a/b"],
    );
    check(
        Url,
        "https://good.example",
        Url,
        &["https://good.example/a"],
        &["https://good.example.evil.test/"],
    );
    check(
        Url,
        "*://good.example:*/",
        Url,
        &["http://good.example:81/a", "wss://good.example/"],
        &[],
    );
    check(
        Url,
        "{http,https}://h.example:443/",
        Url,
        &["https://h.example/", "http://h.example:443/"],
        &["http://h.example/"],
    );
    check(
        Url,
        "https://{a,b}.example/x/{y,z}",
        Url,
        &["https://b.example/x/y"],
        &["https://c.example/x/y"],
    );
    check(
        Url,
        "https://[::1]:8080/",
        Url,
        &["https://[::1]:8080/a"],
        &["https://[::1]/a"],
    );
    check(
        Url,
        "https://h.example/ä b",
        Url,
        &["https://h.example/%c3%a4%20b"],
        &[],
    );
}

#[test]
fn a_query_is_pairs_in_any_order() {
    check(
        Url,
        "https://h.example/?a=1&b=*",
        Url,
        &["https://h.example/?b=x&a=1"],
        &["https://h.example/?a=1", "https://h.example/?a=1&b=2&c=3"],
    );
    check(
        Url,
        "https://h.example/?a=1&*",
        Url,
        &["https://h.example/?z=1&a=1"],
        &["https://h.example/?a=2"],
    );
    check(
        Url,
        "https://h.example/?",
        Url,
        &["https://h.example/"],
        &["https://h.example/?a"],
    );
    refused(Url, "https://h.example/?a=b*", "wildcards");
    refused(Url, "https://h.example/?a=\\b", "%5C");
}

#[test]
fn a_url_pattern_that_cannot_hold_is_refused() {
    refused(Url, "https://good.example/a/../b", "ever match");
    refused(Url, "https://u@good.example/", "user");
    refused(Url, "https://good.example/#a", "fragment");
    refused(Url, "https://good.example:x/", "port");
    refused(Url, "1://good.example", "scheme");
    refused(ResourceKind::Command, "git *", "word by word");
}

#[track_caller]
fn meet(one: &Pattern, two: &Pattern, want: Option<&str>) {
    assert_eq!(
        one.overlap(Exact, two, Exact, None).as_deref(),
        want,
        "{one} and {two}"
    );
    assert_eq!(
        two.overlap(Exact, one, Exact, None).is_some(),
        want.is_some(),
        "{two} and {one}"
    );
}

#[test]
fn overlap_of_hosts_and_urls() {
    let (host, url) = (|text| pattern(Host, text), |text| pattern(Url, text));
    meet(&host("*.example"), &host("a.*"), Some("a.example"));
    meet(&host("10.0.0.0/8"), &host("10.1.0.0/16"), Some("10.1.0.0"));
    meet(&host("10.0.0.0/8"), &host("*.example"), None);
    meet(
        &host("*.example"),
        &url("https://a.example:81/x"),
        Some("https://a.example:81/x"),
    );
    meet(
        &host("h.example"),
        &pattern(Domain, "h.example"),
        Some("https://h.example/"),
    );
    meet(&url("http://h.example/"), &url("https://h.example/"), None);
    meet(
        &url("https://h.example:443/"),
        &url("*://h.example/b"),
        Some("https://h.example/b"),
    );
    meet(
        &url("https://h.example/?a=1"),
        &url("https://h.example/?*&b=2"),
        None,
    );
    meet(
        &url("https://h.example/?a=1&*"),
        &url("https://h.example/?b=2&a=*"),
        Some("https://h.example/?a=1&b=2"),
    );
    meet(
        &url("https://h.example/?a=1"),
        &url("https://h.example/"),
        Some("https://h.example/?a=1"),
    );
    meet(&host("*"), &pattern(Path, "**"), None);
}

#[test]
fn inclusion_of_hosts_and_urls() {
    let covers = |one: &Pattern, two: &Pattern| one.covers(Exact, two, Exact, None);
    let (host, url) = (|text| pattern(Host, text), |text| pattern(Url, text));
    assert!(covers(&host("*.example"), &host("a.example")));
    assert!(covers(&host("*.example"), &url("https://a.example/x")));
    assert!(covers(
        &url("https://h.example/"),
        &url("https://h.example:443/x?y=1")
    ));
    assert!(covers(
        &url("https://h.example/?a=*&*"),
        &url("https://h.example/?a=1&b=1")
    ));
    assert!(!covers(
        &url("https://h.example/?a=1"),
        &url("https://h.example/")
    ));
    assert!(!covers(&url("https://a.example/"), &host("a.example")));
    assert!(!covers(&host("a.example"), &host("*.example")));
    assert!(!covers(&url("https://h.example/"), &url("*://h.example/")));
}

#[test]
fn services_and_repositories_are_texts_with_parts() {
    check(
        Repository,
        "org/*",
        Repository,
        &["org/a"],
        &["org/a/b", "other/a", "org"],
    );
    check(Service, "db-**", Service, &["db-a/b"], &["db"]);
    check(
        ResourceKind::None,
        "a*",
        ResourceKind::None,
        &["a\nb"],
        &["a/b"],
    );
    reads(Service, " x", None);
    assert_eq!(
        pattern(Service, "a*")
            .overlap(Exact, &pattern(Service, "*b"), Exact, None)
            .as_deref(),
        Some("ab")
    );
}

#[test]
fn a_word_glob_has_no_parts() {
    let glob = |text| crate::WordGlob::parse(text).expect("a glob");
    assert!(glob("*.py").matches("src/a.py", Exact));
    assert!(glob("{log,diff}*").matches("diff", Exact));
    assert!(!glob("[!a]").matches("a", Exact));
    assert_eq!(
        glob("*.py").overlap(&glob("src/*")).as_deref(),
        Some("src/.py")
    );
    assert_eq!(glob("a*").overlap(&glob("b*")), None);
}

#[test]
fn a_plain_string_shows_its_kind() {
    for (text, want) in [
        ("/a", Some(Path)),
        ("./a", Some(Path)),
        ("**/a", Some(Path)),
        ("https://a", Some(Url)),
        ("a.example", None),
        ("docs/**", None),
    ] {
        assert_eq!(Pattern::guess_kind(text), want, "{text}");
    }
}
