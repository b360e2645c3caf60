//! How good an order is: nDCG@10, recall@1, recall@5, in percent, means over all wishes of a set.

use tipstaff_search::HybridIndex;

use super::sets::{Set, Wish};

/// How many tools are asked for.
pub(crate) const DEPTH: usize = 10;

/// The means over a set.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Quality {
    pub(crate) ndcg: f64,
    pub(crate) recall_1: f64,
    pub(crate) recall_5: f64,
}

impl Quality {
    /// Better in nDCG@10 and in recall@5.
    pub(crate) fn beats(&self, other: &Self) -> bool {
        self.ndcg > other.ndcg && self.recall_5 > other.recall_5
    }

    pub(crate) fn of(set: &Set, best: impl FnMut(&str) -> Vec<String>) -> Self {
        Self::over(&set.queries.iter().collect::<Vec<_>>(), best)
    }

    pub(crate) fn over(wishes: &[&Wish], mut best: impl FnMut(&str) -> Vec<String>) -> Self {
        let mut sum = Self::default();
        for wish in wishes {
            let order = best(&wish.text);
            sum.ndcg += ndcg(&order, &wish.relevant);
            sum.recall_1 += recall(&order, &wish.relevant, 1);
            sum.recall_5 += recall(&order, &wish.relevant, 5);
        }
        let share = 100.0 / wishes.len().max(1) as f64;
        Self {
            ndcg: sum.ndcg * share,
            recall_1: sum.recall_1 * share,
            recall_5: sum.recall_5 * share,
        }
    }
}

/// The ids that our index finds.
pub(crate) fn ids(index: &HybridIndex, query: &str) -> Vec<String> {
    let found = index.find(query, &[], DEPTH).into_iter();
    found.map(|found| found.tool.tool_id.clone()).collect()
}

fn ndcg(order: &[String], relevant: &[String]) -> f64 {
    let gain = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
    let ranks = order.iter().take(DEPTH).enumerate();
    let got: f64 = ranks
        .filter(|(_, id)| relevant.contains(id))
        .map(|(rank, _)| gain(rank))
        .sum();
    let best: f64 = (0..relevant.len().min(DEPTH)).map(gain).sum();
    if best > 0.0 { got / best } else { 0.0 }
}

fn recall(order: &[String], relevant: &[String], depth: usize) -> f64 {
    let top = order.get(..depth.min(order.len())).unwrap_or_default();
    let hit = relevant.iter().filter(|id| top.contains(id)).count();
    hit as f64 / relevant.len().max(1) as f64
}
