//! Timing of short operations: every one of them on its own, and all of them together.

use std::time::{Duration, Instant};

/// How long each of many runs took.
#[derive(Debug, Clone)]
pub struct Times {
    sorted: Vec<Duration>,
    // INVARIANT: of one round over all inputs.
    total: Duration,
}

/// How many rounds are timed for the mean, where they are short.
const ROUNDS: usize = 25;
/// No further round begins after so long.
const ENOUGH: Duration = Duration::from_millis(200);

impl Times {
    /// Times `run` for each input, after one untimed round over all of them.
    ///
    /// The mean is that of the quietest of several rounds, since what else the machine does only ever
    /// adds to one. Such a round reads the clock twice in all: reading it costs some 25 ns, which
    /// would drown a short operation. The quantiles, from a last round, hold that cost.
    pub fn of<I>(inputs: &[I], mut run: impl FnMut(&I)) -> Self {
        inputs.iter().for_each(&mut run);
        let begin = Instant::now();
        let mut total = Duration::MAX;
        for _ in 0..ROUNDS {
            let start = Instant::now();
            inputs.iter().for_each(&mut run);
            total = total.min(start.elapsed());
            if begin.elapsed() > ENOUGH {
                break;
            }
        }
        let mut sorted: Vec<Duration> = inputs
            .iter()
            .map(|input| {
                let start = Instant::now();
                run(input);
                start.elapsed()
            })
            .collect();
        sorted.sort_unstable();
        Self { sorted, total }
    }

    /// The quieter of two timings of the same work: of the mean, and of the quantiles.
    pub fn or(self, other: Self) -> Self {
        let calmer = other.quantile_us(0.99) < self.quantile_us(0.99);
        Self {
            total: self.total.min(other.total),
            sorted: if calmer { other.sorted } else { self.sorted },
        }
    }

    /// The mean in microseconds; zero of nothing.
    pub fn mean_us(&self) -> f64 {
        let runs = u32::try_from(self.sorted.len()).unwrap_or(u32::MAX).max(1);
        self.total.as_secs_f64() / f64::from(runs) * 1e6
    }

    /// The time in microseconds that a share `q` (0 to 1) of the runs stayed within.
    pub fn quantile_us(&self, q: f64) -> f64 {
        let last = self.sorted.len().saturating_sub(1);
        let at = (q * last as f64).round() as usize;
        self.sorted
            .get(at)
            .map_or(0.0, |time| time.as_secs_f64() * 1e6)
    }
}

/// Runs it once and says how long that took.
pub fn once<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let made = run();
    (made, start.elapsed())
}
