//! Text to words, and wishes to parts.

use proptest::prelude::*;

use crate::parts::{MAX_QUERY, bounded, parts};
use crate::words::{MAX_WORDS, words};

#[track_caller]
fn check(text: &str, want: &[&str]) {
    assert_eq!(words(text), want, "{text}");
}

#[test]
fn identifiers_are_split_where_words_meet() {
    check("readTextFile", &["read", "text", "file"]);
    check("read_text-file.v2", &["read", "text", "file", "v2"]);
    check("HTTPServer", &["http", "server"]);
    check("getURLs", &["get", "urls"]);
    check("base64Encode", &["base64", "encode"]);
    check("ÄrgerMachen", &["ärger", "machen"]);
}

#[test]
fn function_words_are_dropped() {
    check("could you please read the file for me", &["read", "file"]);
}

#[test]
fn scripts_without_blanks_fall_into_characters() {
    check("搜索web", &["搜", "索", "web"]);
}

#[test]
fn a_long_word_is_cut_into_pieces_and_a_long_text_ends() {
    let pieces: Vec<usize> = words(&"x".repeat(100)).iter().map(String::len).collect();
    assert_eq!(pieces, [48, 48, 4]);
    assert_eq!(words(&"word ".repeat(5_000)).len(), MAX_WORDS);
}

#[test]
fn a_wish_for_several_things_falls_into_parts() {
    assert_eq!(
        parts("Book a flight to Oslo. Also, what is the weather there?"),
        ["Book a flight to Oslo.", "Also, what is the weather there?"]
    );
    assert_eq!(
        parts("find me a table, and then call a cab"),
        ["find me a table,", "then call a cab"]
    );
    assert_eq!(parts("read a file and print it"), Vec::<String>::new());
}

proptest! {
    #[test]
    fn no_text_is_too_strange(text in any::<String>(), more in "[a-zA-Z0-9_.?;,\u{0}-\u{ff}\u{300}\u{4e00}\u{1f600} ]{0,80}") {
        for text in [text.as_str(), more.as_str()] {
            for word in words(text) {
                prop_assert!(!word.is_empty() && word.chars().all(|c| !c.is_whitespace()));
            }
            prop_assert!(parts(text).len() != 1);
            prop_assert!(bounded(text).len() <= MAX_QUERY);
        }
    }
}
