//! What the YAML reader complains of, in the words of a manifest's author, with what to do.

use crate::problem::{Place, Problem};

/// The problem behind an error of the reader.
pub(crate) fn problem(file: &str, text: &str, error: &serde_saphyr::Error) -> Problem {
    let place = error
        .location()
        .map_or(Place::START, |at| Place::new(at.line(), at.column()));
    let said = error.without_snippet().to_string();
    let said = said.lines().next().unwrap_or_default();
    let said = said.split(" at line ").next().unwrap_or_default();
    let (message, fix) = words(said);
    let place = tag(said)
        .and_then(|tag| begin(text, place, tag))
        .unwrap_or(place);
    let problem = Problem::new(file, place, message);
    match fix {
        Some(fix) => problem.fix(fix),
        None => problem,
    }
}

/// A lone `!`: what stands behind it would be read as if it were not there.
pub(crate) fn bare_tag(file: &str, place: Place) -> Problem {
    let message = "a lone `!` stands in front of this value, and YAML would drop it";
    Problem::new(file, place, message).fix("quote the text with its `!`, as in \"! git push\"")
}

fn words(said: &str) -> (String, Option<&'static str>) {
    let lower = said.to_lowercase();
    if let Some(key) = said.strip_prefix("duplicate mapping key: ") {
        let key = key.split(", set ").next().unwrap_or_default();
        return (
            format!("the key `{key}` stands twice in this map"),
            Some("remove one of the two"),
        );
    }
    if lower.starts_with("budget breached: documents") {
        let fix = "one file is one document: remove the `---` and what follows";
        return ("a second document begins here".to_owned(), Some(fix));
    }
    if lower.contains("merge key") {
        let fix = "merge keys are not supported: write the fields out";
        return ("a merge key (`<<`)".to_owned(), Some(fix));
    }
    if lower.contains("replay limit") {
        return (
            "the aliases unfold to too much".to_owned(),
            Some("write the values out"),
        );
    }
    let fixes = [
        (
            "tag",
            "an unquoted `!` begins a YAML tag: quote the text, as in \"!git push*\"",
        ),
        (
            "alias",
            "an unquoted `*` or `&` begins an alias: quote the text, as in \"*.env\"",
        ),
        (
            "anchor",
            "an unquoted `*` or `&` begins an alias: quote the text, as in \"*.env\"",
        ),
        ("tab", "indent with blanks"),
    ];
    let fix = fixes
        .iter()
        .find(|(word, _)| lower.contains(word))
        .map(|(_, fix)| *fix);
    (said.to_owned(), fix)
}

/// The tag that is complained of.
fn tag(said: &str) -> Option<&str> {
    said.strip_prefix("unsupported tag `")?.split('`').next()
}

/// Where the tag begins: the reader points behind it.
fn begin(text: &str, place: Place, tag: &str) -> Option<Place> {
    let line = text
        .lines()
        .nth(usize::try_from(place.line).ok()?.checked_sub(1)?)?;
    let end = usize::try_from(place.column).ok()?;
    let before: String = line.chars().take(end).collect();
    let (before, _) = before.rsplit_once(tag)?;
    Some(Place::new(place.line, before.chars().count() as u64 + 1))
}
