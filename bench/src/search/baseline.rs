//! BM25 as everybody has it (k1 1.2, b 0.75), over one text a tool: what ours must beat.

use std::collections::{BTreeMap, HashMap};

use rust_stemmers::{Algorithm, Stemmer};

use super::judge::DEPTH;
use super::sets::Set;

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Lucene's English stop words.
const STOP: [&str; 33] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it",
    "no", "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these",
    "they", "this", "to", "was", "will", "with",
];

/// How words are taken from a text.
type Words = fn(&str) -> Vec<String>;

/// A BM25 index.
pub(crate) struct Okapi {
    ids: Vec<String>,
    lists: HashMap<String, Vec<(usize, f64)>>,
    lengths: Vec<f64>,
    words: Words,
}

impl Okapi {
    /// Identifiers split, lower-case, nothing else.
    pub(crate) fn plain(set: &Set) -> Self {
        Self::new(set, plain)
    }

    /// The same, with Lucene's stop words and Snowball stems.
    pub(crate) fn stemmed(set: &Set) -> Self {
        Self::new(set, stemmed)
    }

    fn new(set: &Set, words: Words) -> Self {
        let mut tools: Vec<_> = set.tools.iter().collect();
        tools.sort_unstable_by(|a, b| a.tool_id.cmp(&b.tool_id));
        let mut lists: HashMap<String, Vec<(usize, f64)>> = HashMap::new();
        let mut lengths = Vec::new();
        for (at, tool) in tools.iter().enumerate() {
            let mut counts: BTreeMap<String, f64> = BTreeMap::new();
            for word in words(&Set::text(tool)) {
                *counts.entry(word).or_default() += 1.0;
            }
            lengths.push(counts.values().sum());
            for (word, count) in counts {
                lists.entry(word).or_default().push((at, count));
            }
        }
        Self {
            ids: tools.iter().map(|tool| tool.tool_id.clone()).collect(),
            lists,
            lengths,
            words,
        }
    }

    /// The best tools for a query, equal ones by id.
    pub(crate) fn best(&self, query: &str) -> Vec<String> {
        let tools = self.ids.len() as f64;
        let mean = self.lengths.iter().sum::<f64>() / tools;
        let mut scores = vec![0.0; self.ids.len()];
        for word in (self.words)(query) {
            let Some(list) = self.lists.get(&word) else {
                continue;
            };
            let holders = list.len() as f64;
            let rarity = (1.0 + (tools - holders + 0.5) / (holders + 0.5)).ln();
            for &(at, count) in list {
                let room = K1 * (1.0 - B + B * self.lengths[at] / mean);
                scores[at] += rarity * count * (K1 + 1.0) / (count + room);
            }
        }
        let mut order: Vec<usize> = (0..scores.len()).filter(|&at| scores[at] > 0.0).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        order
            .iter()
            .take(DEPTH)
            .map(|&at| self.ids[at].clone())
            .collect()
    }
}

fn plain(text: &str) -> Vec<String> {
    let mut spaced = String::new();
    let mut before = ' ';
    for c in text.chars() {
        if c.is_uppercase() && (before.is_lowercase() || before.is_numeric()) {
            spaced.push(' ');
        }
        before = c;
        spaced.push(if c.is_alphanumeric() { c } else { ' ' });
    }
    spaced.split_whitespace().map(str::to_lowercase).collect()
}

fn stemmed(text: &str) -> Vec<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    let words = plain(text)
        .into_iter()
        .filter(|word| !STOP.contains(&word.as_str()));
    words.map(|word| stemmer.stem(&word).into_owned()).collect()
}
