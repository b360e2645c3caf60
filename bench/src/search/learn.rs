//! What use teaches: some wishes are told to the index with their tools, others are asked.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use tipstaff_bench::report::{Cell, Table};

use super::judge::{Quality, ids};
use super::sets::{Set, Wish};

/// At most so many wishes a tool are told.
const STEPS: [usize; 7] = [0, 1, 3, 4, 8, 16, 24];

/// One row a step: of each tool's wishes the even ones are told, the odd ones asked, so none is both.
pub(crate) fn table(data: &std::path::Path, name: &str) -> Result<Table> {
    let set = Set::read(data, name)?;
    let (told, asked) = halves(&set);
    let columns = [
        "told a tool, at most",
        "told in all",
        "nDCG@10",
        "recall@1",
        "recall@5",
    ];
    let title = format!(
        "Learning on {name}: {} wishes asked, none of them told",
        asked.len()
    );
    let mut table = Table::new(title, columns);
    for most in STEPS {
        let index = set.index();
        let mut by_tool: BTreeMap<&str, usize> = BTreeMap::new();
        let mut all = 0;
        for wish in &told {
            for id in &wish.relevant {
                let so_far = by_tool.entry(id).or_default();
                if *so_far < most {
                    *so_far += 1;
                    all += 1;
                    index.observe(&wish.text, id);
                }
            }
        }
        let quality = Quality::over(&asked, |query| ids(&index, query));
        table.row([
            Cell::Figure(most as f64, 0),
            Cell::Figure(f64::from(all), 0),
            Cell::Figure(quality.ndcg, 1),
            Cell::Figure(quality.recall_1, 1),
            Cell::Figure(quality.recall_5, 1),
        ]);
    }
    Ok(table)
}

/// The wishes in two halves, split within each tool; a text that was told is not asked.
fn halves(set: &Set) -> (Vec<&Wish>, Vec<&Wish>) {
    let (mut told, mut asked) = (Vec::new(), Vec::new());
    let mut texts = BTreeSet::new();
    let mut turn: BTreeMap<&str, usize> = BTreeMap::new();
    for wish in &set.queries {
        let Some(first) = wish.relevant.first() else {
            continue;
        };
        let turn = turn.entry(first).or_default();
        *turn += 1;
        if *turn % 2 == 1 {
            texts.insert(wish.text.as_str());
            told.push(wish);
        } else {
            asked.push(wish);
        }
    }
    asked.retain(|wish| !texts.contains(wish.text.as_str()));
    (told, asked)
}
