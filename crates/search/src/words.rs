//! Text to words: identifiers split, function words dropped, the rest lower-case.
//!
//! `readTextFile`, `read_text_file` and "read the text file" give the same words. Bounded, whatever
//! the text: what lies beyond [`MAX_WORDS`] is not searched.

use rust_stemmers::{Algorithm, Stemmer};

/// The most words of one text.
pub(crate) const MAX_WORDS: usize = 1_024;

/// The most characters of one word; what is longer is cut into pieces of this length.
const MAX_WORD: usize = 48;

/// The words of a text, in order, without function words.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut length = 0;
    let mut before = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if found.len() >= MAX_WORDS {
            return found;
        }
        if is_border(before, c, rest.peek().copied()) || length >= MAX_WORD {
            take(&mut word, &mut found);
            length = 0;
        }
        before = Some(c);
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
            length += 1;
        }
    }
    if found.len() < MAX_WORDS {
        take(&mut word, &mut found);
    }
    found
}

/// Whether a word ends before `c`.
fn is_border(before: Option<char>, c: char, after: Option<char>) -> bool {
    let Some(before) = before else {
        return false;
    };
    let hump = c.is_uppercase() && (before.is_lowercase() || before.is_numeric());
    let acronym_ends = before.is_uppercase()
        && c.is_uppercase()
        && after.is_some_and(|after| after.is_lowercase() && after != 's');
    !c.is_alphanumeric() || hump || acronym_ends || is_ideograph(c) || is_ideograph(before)
}

/// Scripts that set no blanks: each character is a word, and pairs of words do the rest.
pub(crate) fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn take(word: &mut String, found: &mut Vec<String>) {
    if !word.is_empty() && FUNCTION_WORDS.binary_search(&word.as_str()).is_err() {
        found.push(std::mem::take(word));
    }
    word.clear();
}

/// Cuts words down to their stems.
pub(crate) struct Stems(Stemmer);

impl Stems {
    pub(crate) fn new() -> Self {
        Self(Stemmer::create(Algorithm::English))
    }

    /// The stem; a word that is not of ASCII letters is its own.
    pub(crate) fn stem(&self, word: &str) -> String {
        if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            self.0.stem(word).into_owned()
        } else {
            word.to_owned()
        }
    }
}

/// Words that say how a wish is put and not what it is about; sorted.
const FUNCTION_WORDS: [&str; 206] = [
    "a",
    "about",
    "above",
    "after",
    "again",
    "against",
    "all",
    "also",
    "am",
    "an",
    "and",
    "another",
    "any",
    "anyone",
    "anything",
    "are",
    "aren",
    "as",
    "at",
    "be",
    "because",
    "been",
    "before",
    "being",
    "below",
    "between",
    "both",
    "but",
    "by",
    "can",
    "cannot",
    "could",
    "couldn",
    "d",
    "did",
    "didn",
    "do",
    "does",
    "doesn",
    "doing",
    "don",
    "down",
    "during",
    "each",
    "either",
    "else",
    "etc",
    "every",
    "everything",
    "few",
    "for",
    "from",
    "further",
    "give",
    "given",
    "had",
    "has",
    "hasn",
    "have",
    "haven",
    "having",
    "he",
    "hello",
    "help",
    "her",
    "here",
    "hers",
    "herself",
    "hi",
    "him",
    "himself",
    "his",
    "how",
    "however",
    "i",
    "if",
    "in",
    "into",
    "is",
    "isn",
    "it",
    "its",
    "itself",
    "just",
    "let",
    "like",
    "ll",
    "looking",
    "m",
    "made",
    "make",
    "many",
    "may",
    "maybe",
    "me",
    "might",
    "mine",
    "more",
    "most",
    "much",
    "must",
    "my",
    "myself",
    "need",
    "needed",
    "needs",
    "neither",
    "no",
    "nor",
    "not",
    "now",
    "of",
    "off",
    "ok",
    "on",
    "once",
    "one",
    "only",
    "onto",
    "or",
    "other",
    "others",
    "our",
    "ours",
    "ourselves",
    "out",
    "over",
    "own",
    "per",
    "please",
    "provide",
    "re",
    "s",
    "same",
    "shall",
    "she",
    "should",
    "so",
    "some",
    "someone",
    "something",
    "such",
    "t",
    "tell",
    "than",
    "thank",
    "thanks",
    "that",
    "the",
    "their",
    "theirs",
    "them",
    "themselves",
    "then",
    "there",
    "therefore",
    "these",
    "they",
    "this",
    "those",
    "through",
    "thus",
    "to",
    "too",
    "under",
    "until",
    "up",
    "upon",
    "us",
    "use",
    "used",
    "using",
    "ve",
    "very",
    "via",
    "want",
    "wanted",
    "wants",
    "was",
    "wasn",
    "we",
    "were",
    "weren",
    "what",
    "when",
    "where",
    "whether",
    "which",
    "while",
    "who",
    "whom",
    "whose",
    "why",
    "will",
    "with",
    "within",
    "without",
    "won",
    "would",
    "wouldn",
    "yes",
    "you",
    "your",
    "yours",
    "yourself",
    "yourselves",
];
