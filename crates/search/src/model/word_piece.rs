//! A WordPiece tokenizer as BERT's: words and punctuation, each cut into the longest known pieces.

use std::collections::HashMap;

use serde_json::Value;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::ReadModelError;

/// The longest word that is cut into pieces; BERT's own bound.
const MAX_WORD: usize = 100;

/// Pieces by text.
#[derive(Debug)]
pub(super) struct WordPiece {
    pieces: HashMap<String, usize>,
    /// What stands before a piece inside a word.
    inside: String,
    lower: bool,
}

impl WordPiece {
    pub(super) fn read(json: &[u8]) -> Result<Self, ReadModelError> {
        let bad = |why| ReadModelError::Tokenizer { why, source: None };
        let all: Value =
            serde_json::from_slice(json).map_err(|error| ReadModelError::Tokenizer {
                why: "it is no JSON",
                source: Some(error.into()),
            })?;
        let model = all.get("model").ok_or(bad("it has no `model`"))?;
        let text = |key: &str| model.get(key).and_then(Value::as_str);
        let inside = text("continuing_subword_prefix").unwrap_or("##").to_owned();
        // Older files name no type.
        if text("type").is_some_and(|kind| kind != "WordPiece") {
            return Err(bad("it is of another type"));
        }
        let vocab = model.get("vocab").and_then(Value::as_object);
        let mut pieces = HashMap::new();
        for (piece, number) in vocab.ok_or(bad("it has no `vocab`"))? {
            let number = number
                .as_u64()
                .and_then(|number| usize::try_from(number).ok());
            pieces.insert(piece.clone(), number.ok_or(bad("a piece has no number"))?);
        }
        // A token that stands for none says nothing; the mean leaves it out.
        pieces.remove(text("unk_token").unwrap_or("[UNK]"));
        let lower = all
            .pointer("/normalizer/lowercase")
            .and_then(Value::as_bool);
        Ok(Self {
            pieces,
            inside,
            lower: lower.unwrap_or(true),
        })
    }

    /// The highest number of a piece.
    pub(super) fn highest(&self) -> usize {
        self.pieces.values().copied().max().unwrap_or(usize::MAX)
    }

    /// The numbers of a text's pieces, at most so many.
    pub(super) fn tokens(&self, text: &str, most: usize) -> Vec<usize> {
        let mut tokens = Vec::new();
        let mut word = String::new();
        let text: Box<dyn Iterator<Item = char>> = if self.lower {
            let plain = text.nfd().filter(|&c| !is_combining_mark(c));
            Box::new(plain.flat_map(char::to_lowercase))
        } else {
            Box::new(text.chars())
        };
        for c in text {
            if tokens.len() >= most {
                break;
            }
            if c.is_alphanumeric() && !crate::words::is_ideograph(c) {
                word.push(c);
                continue;
            }
            self.cut(&std::mem::take(&mut word), &mut tokens);
            if !c.is_whitespace() && !c.is_control() {
                self.cut(c.encode_utf8(&mut [0; 4]), &mut tokens);
            }
        }
        self.cut(&word, &mut tokens);
        tokens.truncate(most);
        tokens
    }

    /// The longest pieces, from the left; a word that cannot be cut gives none.
    fn cut(&self, word: &str, tokens: &mut Vec<usize>) {
        if word.len() > MAX_WORD {
            return;
        }
        let before = tokens.len();
        let mut rest = word;
        while !rest.is_empty() {
            let prefix = if rest.len() == word.len() {
                ""
            } else {
                &self.inside
            };
            let Some((number, length)) = self.longest(prefix, rest) else {
                tokens.truncate(before);
                return;
            };
            tokens.push(number);
            rest = rest.get(length..).unwrap_or_default();
        }
    }

    fn longest(&self, prefix: &str, rest: &str) -> Option<(usize, usize)> {
        let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8());
        let ends: Vec<usize> = ends.collect();
        ends.into_iter().rev().find_map(|end| {
            let piece = format!("{prefix}{}", rest.get(..end)?);
            Some((*self.pieces.get(&piece)?, end))
        })
    }
}
