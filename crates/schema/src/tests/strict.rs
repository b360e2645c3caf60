//! The strict reader: it refuses what could be read in two ways, and nothing else.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::json;
use crate::{StrictJsonError as Error, parse_strict, parse_strict_within};

#[track_caller]
fn refuses(text: &str, want: Error) {
    assert_eq!(parse_strict(text.as_bytes()), Err(want), "{text}");
}

fn equal(at: usize, key: &str) -> Error {
    Error::EqualKeys {
        at,
        key: key.to_owned(),
    }
}

#[test]
fn c086_equal_keys_are_refused_at_any_depth() {
    refuses(
        r#"{"path":"/tmp/a","path":"/etc/passwd"}"#,
        equal(17, "path"),
    );
    refuses(r#"{"x":{"y":1,"y":2}}"#, equal(12, "y"));
    refuses(r#"[{"a":1,"\u0061":2}]"#, equal(8, "a"));
}

#[test]
fn c086_the_key_is_shown_escaped() {
    let error = parse_strict(b"{\"\xE2\x80\xAE\":1,\"\xE2\x80\xAE\":2}").unwrap_err();
    assert_eq!(
        error.to_string(),
        r"byte 9: the key `\u{202e}` stands twice in one object; keep one"
    );
}

#[test]
fn half_a_surrogate_pair_is_refused() {
    refuses(r#""\ud800""#, Error::LoneSurrogate { at: 1 });
    refuses(r#""a\udc00""#, Error::LoneSurrogate { at: 2 });
    refuses(r#""\ud83d\u0041""#, Error::LoneSurrogate { at: 1 });
    refuses(r#""\ud83d\ud83d\ude00""#, Error::LoneSurrogate { at: 1 });
    assert_eq!(parse_strict(br#""\uD83D\uDE00""#), Ok(json!("😀")));
}

#[test]
fn nesting_has_a_limit() {
    let nest = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(parse_strict(nest(64).as_bytes()).is_ok());
    refuses(&nest(65), Error::TooDeep { at: 64, limit: 64 });
    assert!(parse_strict_within(nest(128).as_bytes(), 128).is_ok());
    assert!(parse_strict_within(nest(129).as_bytes(), usize::MAX).is_err());
    let side_by_side = format!("[{}]", vec!["[]"; 100].join(","));
    assert!(parse_strict(side_by_side.as_bytes()).is_ok());
}

#[test]
fn text_that_is_not_utf8_is_refused() {
    assert_eq!(parse_strict(b"\"a\xFF\""), Err(Error::NotUtf8 { at: 2 }));
}

#[test]
fn c143_only_json_is_read() {
    for text in [
        "",
        " ",
        "NaN",
        "Infinity",
        "-Infinity",
        "0x10",
        "01",
        "-01",
        "1.",
        ".5",
        "+1",
        "1e",
        "1e+",
        "-",
        "{",
        "[",
        "[1,]",
        "{\"a\":1,}",
        "{\"a\"}",
        "{a:1}",
        "'a'",
        "\"a",
        "\"\\x41\"",
        "\"\\u12g4\"",
        "\"\u{1}\"",
        "\"a\nb\"",
        "tru",
        "nulll",
        "[1 2]",
        "1 2",
        "\u{feff}1",
        "//a\n1",
    ] {
        assert!(
            matches!(parse_strict(text.as_bytes()), Err(Error::Syntax { .. })),
            "{text}"
        );
    }
    assert_eq!(parse_strict(br#"{"n":"NaN"}"#), Ok(json!({"n": "NaN"})));
}

#[test]
fn every_escape_is_read() {
    let text = r#" [ "\"\\\/\b\f\n\r\t\u00E9" , true , false , null , { } ] "#;
    let want = json!(["\"\\/\u{8}\u{c}\n\r\té", true, false, null, {}]);
    assert_eq!(parse_strict(text.as_bytes()), Ok(want));
}

#[track_caller]
fn stands_at(text: &str, want: (usize, usize)) {
    let error = parse_strict(text.as_bytes()).unwrap_err();
    assert_eq!(error.line_and_column(text.as_bytes()), want, "{error}");
}

#[test]
fn a_fault_has_a_line_and_a_column_in_characters() {
    stands_at("", (1, 1));
    stands_at("{\n  \"a\": 1,\n  \"é\": x\n}", (3, 8));
    stands_at("{\"äö\": 1, \"äö\": 2}", (1, 11));
    stands_at("[1,\r\n01]", (2, 2));
    stands_at("\n\n\n[", (4, 2));
    let error = parse_strict(b"[1,\n\"\xFF\"]").unwrap_err();
    assert_eq!(
        (error.at(), error.line_and_column(b"[1,\n\"\xFF\"]")),
        (5, (2, 2))
    );
}

#[test]
fn a_string_with_escapes_is_put_together_whole_each_time() {
    let text = r#"["a\nb", "plain", "\u00e9\ud83d\ude00c", "", "\"", {"\/k": "\\"}]"#;
    let want = json!(["a\nb", "plain", "é😀c", "", "\"", {"/k": "\\"}]);
    assert_eq!(parse_strict(text.as_bytes()), Ok(want));
}

proptest! {
    #[test]
    fn reads_what_any_writer_writes(value in json()) {
        prop_assert_eq!(parse_strict(value.to_string().as_bytes()).unwrap(), value.clone());
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        prop_assert_eq!(parse_strict(pretty.as_bytes()).unwrap(), value);
    }

    #[test]
    fn reads_nothing_that_another_reader_refuses(
        text in "([\\[\\]{},:]|\"a\"|\"b\"|1|-|0|\\.|e|true|null|\\\\|\"|u00e9| ){0,12}",
    ) {
        let other = serde_json::from_str::<Value>(&text);
        match parse_strict(text.as_bytes()) {
            Ok(_) => prop_assert!(other.is_ok(), "{}", text),
            Err(Error::Syntax { .. }) => prop_assert!(other.is_err(), "{}", text),
            Err(_) => {}
        }
    }
}
