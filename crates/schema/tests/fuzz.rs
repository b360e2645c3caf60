//! Rubbish must not crash what reads text from outside, and what is read must mean one thing.
//!
//! Plain functions over bytes, driven here by a seeded generator that breaks and joins the golden
//! vectors; a fuzzer can call the same functions.
#![expect(clippy::unwrap_used, reason = "test binary")]
#![expect(clippy::disallowed_methods, reason = "the vectors are files")]

use std::fs;
use std::path::Path;

use tipstaff_schema::sanitization::{
    is_clean, render_tool_output_for_prompt, sanitize, sanitize_for_display,
};
use tipstaff_schema::{IntentToken, NamePattern, canonical, parse_strict};

fn strict_json(bytes: &[u8]) {
    if let Ok(value) = parse_strict(bytes) {
        let text = canonical(&value).unwrap();
        assert_eq!(parse_strict(text.as_bytes()), Ok(value));
    }
}

fn intent_token(bytes: &[u8]) {
    if let Ok(token) = IntentToken::from_json(bytes) {
        assert!(token.validate().is_ok());
    }
}

fn untrusted_text(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    assert!(is_clean(&sanitize(&text)));
    assert!(!sanitize_for_display(&text).contains(char::is_control));
    assert!(is_clean(&render_tool_output_for_prompt(
        &text, &text, &text, 64
    )));
}

fn name_pattern(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(pattern) = NamePattern::new(text.chars().take(16).collect::<String>()) {
        let _either_way = pattern.matches(&text);
    }
}

/// A generator of numbers (xorshift), the same on every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit).unwrap()).unwrap()
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wire/v1")];
    let mut seeds = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                seeds.push(fs::read(path).unwrap());
            }
        }
    }
    seeds.sort();
    seeds
}

/// Pieces that readers trip over.
const TRAPS: &[&str] = &[
    "\"",
    "\\",
    "\\u",
    "\\ud800",
    "{",
    "}",
    "[[[[[[[[",
    "]",
    ",",
    ":",
    "-",
    "1e400",
    "-0",
    "1.0",
    "9007199254740993",
    "18446744073709551616",
    "e",
    ".",
    "null",
    "\u{1b}[",
    "\u{1b}]",
    "\u{9d}",
    "\u{7}",
    "\n",
    "~~~~",
    "\u{202e}",
    "\u{200d}",
    "\u{fe0f}",
    "\u{2028}",
    "\u{e0041}",
    "\u{feff}",
];

#[test]
fn no_text_crashes_a_reader() {
    let (seeds, mut numbers) = (seeds(), Numbers(0x9E37_79B9_7F4A_7C15));
    for _ in 0..20_000 {
        let mut text = seeds[numbers.below(seeds.len())].clone();
        for _ in 0..=numbers.below(4) {
            let at = numbers.below(text.len() + 1);
            match numbers.below(4) {
                0 => text.truncate(at),
                1 => text
                    .splice(at..at, TRAPS[numbers.below(TRAPS.len())].bytes())
                    .for_each(drop),
                2 => text.extend_from_within(at..),
                _ => text
                    .splice(at..at, [u8::try_from(numbers.below(256)).unwrap()])
                    .for_each(drop),
            }
        }
        for target in [strict_json, intent_token, untrusted_text, name_pattern] {
            target(&text);
        }
    }
}
