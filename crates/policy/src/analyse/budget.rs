//! How closely a set is looked at when it is loaded.
//!
//! A budget in steps, not in time, so that the same file always gets the same findings. Whoever spends it
//! says so and counts what was left; `check` looks at all pairs.

/// What one search at load may spend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Budget {
    /// Pairs of rules, however quickly they are told apart.
    pub(super) pairs: usize,
    /// Pairs for which calls are made and judged.
    pub(super) close: usize,
    /// Pairs of patterns that are compared by their automata.
    pub(super) automata: usize,
    /// Findings; a file with so many needs another look anyway.
    pub(super) findings: usize,
}

/// From so many rules on a load may not be held up by what `check` can find.
const MANY: usize = 20_000;

impl Budget {
    pub(super) const fn of(rules: usize) -> Self {
        if rules < MANY {
            Self {
                pairs: 2_000_000,
                close: 20_000,
                automata: 2_000,
                findings: 200,
            }
        } else {
            Self {
                pairs: 200_000,
                close: 1_000,
                automata: 50,
                findings: 20,
            }
        }
    }
}
