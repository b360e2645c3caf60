//! A wish for several things, cut into its parts.
//!
//! "Book a flight to Oslo. Also, what is the weather there?" needs two tools; as one text the longer
//! half would hide the shorter one's tool. Each part is searched too, beside the whole.

/// The most bytes of a query, and the most parts; the rest is not searched.
pub(crate) const MAX_QUERY: usize = 4 * 1024;
const MAX_PARTS: usize = 8;

/// A part has at least so many words: fewer say nothing alone.
const MIN_WORDS: usize = 3;

/// The query within its bound.
pub(crate) fn bounded(query: &str) -> &str {
    let end = query.floor_char_boundary(MAX_QUERY);
    query.get(..end).unwrap_or(query)
}

/// The parts of a query that has more than one; else none.
pub(crate) fn parts(query: &str) -> Vec<String> {
    let mut parts = Vec::new();
    for line in query.lines() {
        let mut part: Vec<&str> = Vec::new();
        for word in line.split_whitespace() {
            let after_comma = part.last().is_some_and(|last| last.ends_with(','));
            if begins_part(word, after_comma) {
                keep(&mut part, &mut parts);
            }
            part.push(word);
            if word.ends_with(['.', '!', '?', ';', ':', '。', '！', '？', '；']) {
                keep(&mut part, &mut parts);
            }
        }
        keep(&mut part, &mut parts);
    }
    parts.truncate(MAX_PARTS);
    if parts.len() < 2 { Vec::new() } else { parts }
}

fn keep(part: &mut Vec<&str>, parts: &mut Vec<String>) {
    if part.len() >= MIN_WORDS && parts.len() < MAX_PARTS {
        parts.push(part.join(" "));
    }
    part.clear();
}

/// Whether another wish begins with this word.
fn begins_part(word: &str, after_comma: bool) -> bool {
    let word = word
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    match word.as_str() {
        "and" | "but" | "plus" => after_comma,
        "additionally" | "afterwards" | "also" | "finally" | "furthermore" | "lastly"
        | "moreover" | "next" | "secondly" | "then" | "thirdly" => true,
        _ => false,
    }
}
