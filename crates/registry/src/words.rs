//! What changed within one text, word by word.
//!
//! Bounded by the number of words, not by a clock: the same texts give the same answer everywhere.
//! Texts with too many differing words are shown as replaced between their common ends.

use similar::{Algorithm, DiffTag, capture_diff_slices};

/// Most words that are compared one by one: the work grows with their square at worst.
const MAX_WORDS: usize = 2_000;
/// How many words of an unchanged stretch are kept at each end of it.
const CONTEXT: usize = 6;
/// The longest stretch that is shown whole, in characters.
const MAX_SHOWN: usize = 2_000;

/// A stretch of a text, as it was received: untrusted, not cleaned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// In both.
    Same(String),
    /// Only in the older.
    Removed(String),
    /// Only in the newer.
    Added(String),
    /// So many characters are left out here: unchanged ones between changes, or the rest of a long
    /// stretch. Never silently.
    LeftOut(usize),
}

/// The stretches that make the newer text of the older one; no change, no stretches.
pub(crate) fn pieces(was: &str, now: &str) -> Vec<Piece> {
    let (old, new) = (words(was), words(now));
    let same_start = common(old.iter(), new.iter());
    let rest = |words: &[&str]| words.len().saturating_sub(same_start);
    let same_end = common(old.iter().rev(), new.iter().rev()).min(rest(&old).min(rest(&new)));
    let middle = |words: &[&'_ str]| -> (usize, usize) { (same_start, words.len() - same_end) };
    let (from, old_to) = middle(&old);
    let (_, new_to) = middle(&new);
    let text = |words: &[&str], from: usize, to: usize| -> String {
        words.get(from..to).unwrap_or_default().concat()
    };
    let mut out = Vec::new();
    let (changed_old, changed_new) = (
        old.get(from..old_to).unwrap_or_default(),
        new.get(from..new_to).unwrap_or_default(),
    );
    push_same(&mut out, &text(&old, 0, from));
    if changed_old.len() + changed_new.len() > MAX_WORDS {
        push(&mut out, Piece::Removed, &changed_old.concat());
        push(&mut out, Piece::Added, &changed_new.concat());
    } else {
        for op in capture_diff_slices(Algorithm::Myers, changed_old, changed_new) {
            let (tag, was, now) = op.as_tag_tuple();
            let was = text(changed_old, was.start, was.end);
            let now = text(changed_new, now.start, now.end);
            match tag {
                DiffTag::Equal => push_same(&mut out, &now),
                DiffTag::Delete | DiffTag::Insert | DiffTag::Replace => {
                    push(&mut out, Piece::Removed, &was);
                    push(&mut out, Piece::Added, &now);
                }
            }
        }
    }
    push_same(&mut out, &text(&old, old_to, old.len()));
    trim_ends(&mut out);
    out
}

/// Runs of letters and digits, runs of blanks, and everything else one by one.
fn words(text: &str) -> Vec<&str> {
    let class = |c: char| match c {
        _ if c.is_alphanumeric() => 1_u8,
        _ if c.is_whitespace() => 2,
        _ => 0,
    };
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let of_class = |c: char| class(first) != 0 && class(c) == class(first);
        let end = rest
            .char_indices()
            .skip(1)
            .find(|(_, c)| !of_class(*c))
            .map_or(rest.len(), |(at, _)| at);
        let (word, more) = rest.split_at(end);
        words.push(word);
        rest = more;
    }
    words
}

fn common<'a>(
    old: impl Iterator<Item = &'a &'a str>,
    new: impl Iterator<Item = &'a &'a str>,
) -> usize {
    old.zip(new).take_while(|(a, b)| a == b).count()
}

fn push(out: &mut Vec<Piece>, kind: fn(String) -> Piece, text: &str) {
    if text.is_empty() {
        return;
    }
    let chars = text.chars().count();
    out.push(kind(text.chars().take(MAX_SHOWN).collect()));
    if chars > MAX_SHOWN {
        out.push(Piece::LeftOut(chars - MAX_SHOWN));
    }
}

/// An unchanged stretch: its ends, and how much stands between them.
fn push_same(out: &mut Vec<Piece>, text: &str) {
    let all = words(text);
    let (head, tail) = (
        all.get(..CONTEXT.min(all.len())).unwrap_or_default(),
        all.get(all.len().saturating_sub(CONTEXT)..)
            .unwrap_or_default(),
    );
    if all.len() <= 3 * CONTEXT {
        push(out, Piece::Same, text);
        return;
    }
    let (head, tail) = (head.concat(), tail.concat());
    let shown = head.chars().count() + tail.chars().count();
    push(out, Piece::Same, &head);
    out.push(Piece::LeftOut(text.chars().count().saturating_sub(shown)));
    push(out, Piece::Same, &tail);
}

/// Before the first change only its left neighbours count, after the last only its right ones.
fn trim_ends(out: &mut Vec<Piece>) {
    if let [Piece::Same(head), Piece::LeftOut(count), ..] = out.as_slice() {
        let count = count + head.chars().count();
        drop(out.splice(..2, [Piece::LeftOut(count)]));
    }
    if let [.., Piece::LeftOut(count), Piece::Same(tail)] = out.as_slice() {
        let count = count + tail.chars().count();
        let from = out.len() - 2;
        drop(out.splice(from.., [Piece::LeftOut(count)]));
    }
}
