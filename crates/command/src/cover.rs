//! Whether one command pattern means every command that another means. Never wrongly yes: what is
//! not plain from the words themselves is answered with no.

use crate::matching::is_flag;
use crate::{CommandPattern, Reading};

impl CommandPattern {
    /// Whether every command that `other` means in its reading is one that this means in its own, as
    /// far as the words show it. `false` also where that was not shown.
    #[must_use]
    pub fn covers(&self, reading: Reading, other: &Self, other_reading: Reading) -> bool {
        match (reading, other_reading) {
            (Reading::Allow, Reading::Strict) => false,
            (Reading::Allow, Reading::Allow) => {
                let rest = |word: &String| word == "**" || is_plain(word);
                align(self.words(), other.words(), rest)
            }
            (Reading::Strict, Reading::Allow | Reading::Strict) => {
                let (flags, words) = split(self.words());
                let (inner_flags, inner_words) = split(other.words());
                // What a flag with a wildcard may be met by does not show in its text; and which
                // other spellings a flag has depends on the program.
                let literal = inner_flags
                    .iter()
                    .chain(&flags)
                    .all(|flag| is_literal(flag));
                let programs = flags.is_empty() || words.first() == inner_words.first();
                literal
                    && programs
                    && flags.iter().all(|flag| inner_flags.contains(flag))
                    && align(&words, &inner_words, |_| true)
            }
        }
    }
}

/// Whether the words of `inner` are those of `outer`, until an `**` of `outer` takes the rest.
fn align<T: AsRef<str>>(outer: &[T], inner: &[T], rest: impl Fn(&T) -> bool) -> bool {
    for (at, word) in outer.iter().enumerate() {
        let word = word.as_ref();
        let last = at + 1 == outer.len();
        if last && (word == "**" || word == "**flags") {
            let left = inner.get(at..).unwrap_or_default();
            return word == "**flags" || left.iter().all(rest);
        }
        if inner.get(at).map(AsRef::as_ref) != Some(word) {
            return false;
        }
    }
    outer.len() == inner.len()
}

/// The flags of a pattern's words, and the other words.
fn split(words: &[String]) -> (Vec<String>, Vec<String>) {
    words.iter().cloned().partition(|word| is_flag(word))
}

fn is_literal(word: &str) -> bool {
    !word.contains(['*', '?', '[', '{', '\\'])
}

/// Whether all that the word means is taken by an `**` of an allow.
fn is_plain(word: &str) -> bool {
    !word.starts_with(['-', '\\', '[', '{', '?']) && word != "**flags"
}
