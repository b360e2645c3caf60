//! From several opinions to one order.
//!
//! Each opinion is first brought to its own best, so that no scale drowns another; the sum decides.
//! Of a query's parts, a tool's best one counts.

/// How much the best part counts beside the whole.
const PART: f32 = 0.6;

/// One opinion: a score for each slot, and how much it counts.
pub(crate) struct Opinion {
    pub(crate) scores: Vec<f32>,
    pub(crate) weight: f32,
}

/// Opinions as one, from 0 to 1. Slots that are not `open` are taken as 0 before anything is compared.
pub(crate) fn agree(opinions: &[Opinion], open: &[bool]) -> Vec<f32> {
    let mut sum = vec![0.0; open.len()];
    let weights: f32 = opinions.iter().map(|opinion| opinion.weight).sum();
    for opinion in opinions {
        let visible = || opinion.scores.iter().zip(open).filter(|(_, open)| **open);
        let best = visible().map(|(score, _)| *score).fold(0.0, f32::max);
        if best <= 0.0 {
            continue;
        }
        let scale = opinion.weight / weights / best;
        for ((sum, score), open) in sum.iter_mut().zip(&opinion.scores).zip(open) {
            if *open {
                *sum += score.max(0.0) * scale;
            }
        }
    }
    sum
}

/// The whole with the best of its parts, from 0 to 1.
pub(crate) fn with_parts(mut whole: Vec<f32>, parts: &[Vec<f32>]) -> Vec<f32> {
    if parts.is_empty() {
        return whole;
    }
    for (slot, score) in whole.iter_mut().enumerate() {
        let best = parts.iter().filter_map(|part| part.get(slot)).copied();
        *score = (*score + PART * best.fold(0.0, f32::max)) / (1.0 + PART);
    }
    whole
}
