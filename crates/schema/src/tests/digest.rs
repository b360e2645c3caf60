//! Digests: what they cover, and how they are spelled.

use serde_json::json;

use crate::{Digest, Domain};

#[test]
fn the_bytes_are_those_of_the_spec() {
    // printf 'tipstaff/params/1\0{"a":1}' | sha256sum
    let digest = Digest::of(Domain::Params, &json!({"a": 1})).unwrap();
    assert_eq!(
        digest.to_string(),
        "sha256:46c029304df4caa58f1b0e98603c812bc5d8d310498050bb236119b4d1199275"
    );
}

#[test]
fn no_two_domains_share_a_digest() {
    let mut all = Domain::ALL
        .map(|domain| Digest::of_canonical(domain, b"{}"))
        .to_vec();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), Domain::ALL.len());
}

#[test]
fn the_text_reads_back() {
    let digest = Digest::of_canonical(Domain::Event, b"x");
    assert_eq!(digest.to_string().parse(), Ok(digest));
    assert_eq!(
        serde_json::from_value::<Digest>(json!(digest)).unwrap(),
        digest
    );
    assert_eq!(format!("{digest:?}"), format!("Digest({digest})"));
}

#[test]
fn only_the_one_spelling_is_read() {
    let (hex, short) = ("0".repeat(64), "0".repeat(62));
    assert!(format!("sha256:{hex}").parse::<Digest>().is_ok());
    for text in [
        hex.clone(),
        format!("sha256:{short}0"),
        format!("sha256:0{hex}"),
        format!("SHA256:{hex}"),
        format!("sha256:{}", hex.replace('0', "A")),
        format!("sha256:{short}+0"),
        format!("sha256:{short}é"),
    ] {
        assert!(text.parse::<Digest>().is_err(), "{text}");
    }
}

#[test]
fn the_domains_are_those_of_the_spec() {
    let names =
        "request params tool policy rule event answer preview task calendar manifest journal";
    assert_eq!(Domain::ALL.map(Domain::as_str).join(" "), names);
    assert_eq!(
        Domain::ALL.map(|domain| domain.as_str().parse()),
        Domain::ALL.map(Ok)
    );
    assert!("Params".parse::<Domain>().is_err());
    let digest = Digest::of_canonical(Domain::Journal, b"{}");
    assert_ne!(digest, Digest::of_canonical(Domain::Manifest, b"{}"));
}
