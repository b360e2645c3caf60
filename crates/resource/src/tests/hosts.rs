//! Hosts and addresses, and what stands for exactly one resource.

use tipstaff_schema::ResourceKind::{Domain, Host, Path, Service, Url};

use super::urls::{check, reads};
use super::{pattern, refused};

#[test]
fn c065_a_star_label_needs_a_label_boundary() {
    let yes = ["a.good.example", "a.b.good.example"];
    let no = ["good.example", "evilgood.example", "good.example.evil.test"];
    check(Host, "*.good.example", Host, &yes, &no);
    check(Domain, "*.good.example", Domain, &yes, &no);
    check(
        Host,
        "*.good.example",
        Url,
        &["https://a.good.example:81/x"],
        &["https://good.example/"],
    );
    check(
        Host,
        "api-*.good.example",
        Host,
        &["api-1.good.example"],
        &["api-1.x.good.example"],
    );
}

#[test]
fn c067_an_address_has_one_notation() {
    let metadata = [
        "http://[::ffff:169.254.169.254]/",
        "http://2852039166/",
        "http://0xA9.0xFE.0xA9.0xFE/",
        "http://[64:ff9b::a9fe:a9fe]/",
    ];
    let loopback = ["http://2130706433/", "http://127.1/", "http://0177.0.0.1/"];
    check(Host, "169.254.0.0/16", Url, &metadata, &["http://[::1]/"]);
    check(
        Host,
        "127.0.0.0/8",
        Url,
        &loopback,
        &["http://[::1]/", "http://127.example/"],
    );
    check(Host, "::ffff:127.0.0.0/104", Url, &loopback, &[]);
    check(
        Host,
        "::1",
        Url,
        &["http://[::1]/", "http://[0:0::1]/"],
        &["http://127.0.0.1/"],
    );
    check(Host, "*", Url, &metadata, &[]);
    reads(Host, "[::1]", Some("::1"));
    reads(Host, "127.1.", Some("127.0.0.1"));
    refused(Host, "10.0.0.1/8", "bits set");
    refused(Host, "10.0.0.0/33", "more bits");
    refused(Host, "10.*", "block");
    refused(Host, "good.example:80", "port");
}

#[test]
fn c068_each_hop_is_judged_by_its_own_host() {
    let hops = ["https://good.example/r", "http://169.254.169.254/"];
    check(Host, "good.example", Url, &hops[..1], &hops[1..]);
    check(Host, "169.254.0.0/16", Url, &hops[1..], &hops[..1]);
    // To which address a name leads is no part of the value: the name is what is judged.
    check(
        Host,
        "10.0.0.0/8",
        Url,
        &["https://10.0.0.5/"],
        &["https://good.example/"],
    );
}

#[test]
fn what_an_address_inside_another_one_means() {
    for (raw, want) in [
        ("::ffff:127.0.0.1", "127.0.0.1"),
        ("[::ffff:7f00:1]", "127.0.0.1"),
        ("::ffff:0:127.0.0.1", "127.0.0.1"),
        ("64:ff9b::127.0.0.1", "127.0.0.1"),
        ("::127.0.0.1", "127.0.0.1"),
        ("::1", "::1"),
        ("::", "::"),
        ("2002:7f00:1::", "2002:7f00:1::"),
    ] {
        reads(Host, raw, Some(want));
    }
    for raw in [
        "[127.0.0.1]",
        "127.0.0.1]",
        "[[::1]]",
        "[::1",
        "::1]",
        "fe80::1%eth0",
        "[::1]:80",
    ] {
        reads(Host, raw, None);
    }
    refused(Host, "[10.0.0.0]/8", "no address");
    refused(Host, "::ffff:10.0.0.1/104", "bits set");
}

#[test]
fn c070_names_are_compared_in_ascii() {
    let no = [
        "https://go\u{43E}d.example/",
        "https://xn--god-ted.example/",
        "https://good.example\u{3002}evil.test/",
    ];
    check(Host, "good.example", Url, &["https://GOOD.example/"], &no);
    reads(Url, "https://good\u{AD}.example/", None);
    reads(Host, "bücher.example", Some("xn--bcher-kva.example"));
    check(
        Host,
        "*.bücher.example",
        Host,
        &["a.xn--bcher-kva.example"],
        &[],
    );
}

#[test]
fn what_names_one_resource_has_no_wildcard() {
    let names = |kind, text: &str, raw: &str| {
        let base = crate::tests::BASE;
        let value = crate::Resource::parse(kind, raw, tipstaff_schema::Access::Read, &base);
        pattern(kind, text).names(&value.expect("a value"))
    };
    for (kind, text, raw, want) in [
        (Path, "/a/b", "/a/b", true),
        (Path, "./a", "/w/a", true),
        (Path, "/a/\\*", "/a/*", true),
        (Path, "/a/", "/a", false),
        (Path, "/a/**", "/a", false),
        (Path, "/[a]", "/a", false),
        (Url, "https://h.example/a", "https://h.example/a", true),
        (Url, "https://h.example/a", "https://h.example/a?b", false),
        (
            Url,
            "https://h.example/a?b=1",
            "https://h.example/a?b=1",
            true,
        ),
        (
            Url,
            "https://h.example/a?b=*",
            "https://h.example/a?b=1",
            false,
        ),
        (Url, "https://h.example/", "https://h.example/", false),
        (Url, "*://h.example/a", "https://h.example/a", false),
        (Url, "https://h.example:*/a", "https://h.example/a", false),
        (Host, "h.example", "h.example", true),
        (Host, "10.0.0.1", "10.0.0.1", true),
        (Host, "10.0.0.0/8", "10.0.0.1", false),
        (Host, "*", "h.example", false),
        (Service, "a/b", "a/b", true),
        (Service, "a/*", "a/b", false),
    ] {
        assert_eq!(names(kind, text, raw), want, "{text}");
    }
    let url = crate::Resource::parse(
        Url,
        "https://h.example/",
        tipstaff_schema::Access::Read,
        &crate::tests::BASE,
    );
    assert!(!pattern(Host, "h.example").names(&url.expect("a url")));
}

#[test]
fn what_may_be_sent_as_it_was_written() {
    let plainly = |kind, raw: &str| {
        let base = crate::tests::BASE;
        let value = crate::Resource::parse(kind, raw, tipstaff_schema::Access::Read, &base);
        value.expect("a value").is_plainly(raw)
    };
    for (kind, raw, want) in [
        (Path, "a", true),
        (Path, "/a/./b//", true),
        (Path, "/a/../b", false),
        (Url, "HTTPS://H.example:443", true),
        (Url, "https://h.example/a?b", true),
        (Url, "https://h.example/%61", false),
        (Url, "https://h.example/a/../b", false),
        (Url, "http://0177.0.0.1/", false),
        (Url, "https://h.example./", false),
        (Host, "H.Example", true),
        (Host, "127.1", false),
        (Host, "h.example.", false),
        (Service, "a/b", true),
    ] {
        assert_eq!(plainly(kind, raw), want, "{raw}");
    }
}
