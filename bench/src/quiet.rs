//! Timing of short operations on a machine that others use too: the quietest of many short rounds.
//!
//! What comes between a round's start and its end only ever makes it longer, so the shortest round
//! is the nearest to what the work itself takes.

use std::time::{Duration, Instant};

/// How many rounds are timed.
const ROUNDS: usize = 80;

/// How long an operation took in its quietest round, and each time on its own.
#[derive(Debug, Clone)]
pub(crate) struct Quiet {
    mean: f64,
    sorted: Vec<Duration>,
}

impl Quiet {
    /// Times `run` for all inputs, round by round; then each run on its own. The inputs stay in the
    /// processor's caches, as those of a call do that was just read.
    pub(crate) fn of<I>(inputs: &[I], mut run: impl FnMut(&I)) -> Self {
        let runs = u32::try_from(inputs.len()).unwrap_or(u32::MAX).max(1);
        let rounds = (0..ROUNDS).map(|_| {
            let start = Instant::now();
            inputs.iter().for_each(&mut run);
            start.elapsed().as_secs_f64() / f64::from(runs)
        });
        let mean = rounds.fold(f64::INFINITY, f64::min);
        let mut sorted = Vec::with_capacity(inputs.len() * ROUNDS);
        for _ in 0..ROUNDS {
            for input in inputs {
                let start = Instant::now();
                run(input);
                sorted.push(start.elapsed());
            }
        }
        sorted.sort_unstable();
        Self { mean, sorted }
    }

    /// The quieter of two timings of the same work, made at different times.
    pub(crate) fn or(self, other: Self) -> Self {
        let (low, high) = if self.mean <= other.mean {
            (self, other)
        } else {
            (other, self)
        };
        let calmer = high.quantile_us(0.99) < low.quantile_us(0.99);
        Self {
            mean: low.mean,
            sorted: if calmer { high.sorted } else { low.sorted },
        }
    }

    /// The mean of the quietest round in microseconds.
    pub(crate) fn mean_us(&self) -> f64 {
        self.mean * 1e6
    }

    /// The time in microseconds that a share `q` (0 to 1) of all runs stayed within.
    pub(crate) fn quantile_us(&self, q: f64) -> f64 {
        let last = self.sorted.len().saturating_sub(1);
        let at = (q * last as f64).round() as usize;
        self.sorted
            .get(at)
            .map_or(0.0, |time| time.as_secs_f64() * 1e6)
    }
}
