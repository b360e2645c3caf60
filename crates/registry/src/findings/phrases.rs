//! Runs the table of phrases over a normalised text.

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

use super::normal::Normal;
use super::table::{FAMILIES, Family, WORDS};
use super::{FindingKind, TextFinding};
use crate::show;

/// Most places told of one phrase.
const MAX_PLACES: usize = 8;

struct Phrase {
    kind: FindingKind,
    why: &'static str,
    alone: bool,
    pattern: Regex,
}

static PHRASES: LazyLock<Vec<Phrase>> = LazyLock::new(|| {
    let of = |family: &'static Family, alone| {
        let patterns = if alone { family.alone } else { family.together };
        patterns.iter().map(move |pattern| Phrase {
            kind: family.kind,
            why: family.why,
            alone,
            pattern: compiled(pattern),
        })
    };
    FAMILIES
        .iter()
        .flat_map(|family| of(family, true).chain(of(family, false)))
        .collect()
});

#[expect(
    clippy::expect_used,
    reason = "the table is fixed, and a test compiles all of it"
)]
fn compiled(pattern: &str) -> Regex {
    let mut pattern = pattern.to_owned();
    for (word, meaning) in WORDS {
        pattern = pattern.replace(word, meaning);
    }
    RegexBuilder::new(&pattern)
        .unicode(false)
        .build()
        .expect("a pattern of the table")
}

/// The phrases that tell: each that tells alone, and the others where two different ones meet.
pub(super) fn found(text: &Normal) -> Vec<TextFinding> {
    let (mut found, mut weak, mut different) = (Vec::new(), Vec::new(), 0);
    for phrase in PHRASES.iter() {
        let places = phrase.pattern.find_iter(text.bytes()).take(MAX_PLACES);
        let places: Vec<TextFinding> = places
            .filter_map(|place| {
                let span = text.back(place.range())?;
                let matched = String::from_utf8_lossy(place.as_bytes());
                let why = format!("`{}` {}", show::name(matched.trim()), phrase.why);
                let kind = phrase.kind;
                Some(TextFinding { kind, span, why })
            })
            .collect();
        if phrase.alone {
            found.extend(places);
        } else if !places.is_empty() {
            different += 1;
            weak.extend(places);
        }
    }
    if different > 1 {
        found.extend(weak);
    }
    found
}
