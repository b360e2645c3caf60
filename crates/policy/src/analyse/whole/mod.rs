//! What all pairs of rules show: rules that never decide, that change nothing, that contradict each
//! other, that allow too much, or that fail open. For `check` and for people; never at load.
//!
//! Every finding carries a call that the engine confirmed, and none is guessed: where the search was
//! cut short, that is counted and said.

mod broad;
mod conflict;
mod fails_open;
mod place;
mod ranked;
mod shadow;
mod shown;

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

use super::at_load;
use super::region::Region;
use crate::finding::{Finding, FindingKind};
use crate::rule::Rule;
use crate::set::PolicySet;
use crate::world::World;

pub(crate) use conflict::pairs_that_meet;
pub(crate) use ranked::Ranked;
pub(crate) use shadow::outcome;

/// What an analysis may cost, and how much it shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// How many steps all searches together may take; each tries one tool, agent and value.
    pub steps: u64,
    /// How many findings of one kind are shown; the others are counted.
    pub shown: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            steps: 300_000,
            shown: 100,
        }
    }
}

/// What was found out about a set of rules.
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct Analysis {
    /// The findings, the worst first; those of the load included.
    pub findings: Vec<Finding>,
    /// How many rules or pairs were not decided, by what was asked of them.
    pub not_decided: BTreeMap<FindingKind, usize>,
    /// How many findings are not shown, by kind.
    pub left_out: BTreeMap<FindingKind, usize>,
    /// How many pairs were not looked at since enough of the kind was found; more steps do not help.
    pub not_looked_at: BTreeMap<FindingKind, usize>,
}

impl Analysis {
    fn passed_over(&mut self, kind: FindingKind, count: usize) {
        if count > 0 {
            *self.not_looked_at.entry(kind).or_default() += count;
        }
    }

    fn undecided(&mut self, kind: FindingKind, count: usize) {
        if count > 0 {
            *self.not_decided.entry(kind).or_default() += count;
        }
    }
}

/// One analysis at work.
struct Whole<'a> {
    set: &'a PolicySet,
    ranked: Ranked<'a>,
    region: Region<'a>,
    /// Rules of which the load has said already that they decide nothing, or which never decide.
    dead: HashSet<usize>,
    analysis: Analysis,
}

impl PolicySet {
    /// Everything that is known about the rules: what was found at load, with a call for each finding
    /// that has one, and what all pairs of rules show. Takes far longer than compiling.
    #[must_use]
    pub fn analyse(&self, world: &World, budget: &Budget) -> Analysis {
        let mut whole = Whole {
            set: self,
            ranked: Ranked::new(self.rules()),
            region: Region::new(world, budget.steps),
            dead: HashSet::new(),
            analysis: Analysis::default(),
        };
        let mut findings = at_load(self, world);
        for finding in &findings {
            let dead = matches!(
                finding.kind,
                FindingKind::NeverMatches
                    | FindingKind::UnknownName
                    | FindingKind::Expired
                    | FindingKind::NeedsRoot
                    | FindingKind::NeverWinsTie
            );
            whole.dead.extend(finding.indexes.first().filter(|_| dead));
        }
        // Each kind leaves some of the budget to those after it, whatever it finds.
        let (tenth, rules) = (budget.steps / 10, self.rules().len());
        for (done, finding) in findings.iter_mut().enumerate() {
            whole.region.share(rules.saturating_sub(done), 9 * tenth);
            shown::add_witness(&mut whole, finding);
        }
        findings.extend(shadow::all(&mut whole, 4 * tenth));
        whole.region.share(budget.shown, 2 * tenth);
        findings.extend(conflict::all(&mut whole, budget.shown));
        whole.region.share(rules, tenth);
        findings.extend(broad::all(&mut whole));
        whole.region.share(rules, 0);
        findings.extend(fails_open::all(&mut whole));
        whole.analysis.findings = findings;
        whole.analysis.cut(budget.shown);
        whole.analysis
    }
}

impl Analysis {
    /// Sorts by severity and keeps so many of each kind.
    fn cut(&mut self, shown: usize) {
        self.findings.sort_by_key(|f| {
            (
                std::cmp::Reverse(f.severity),
                f.kind,
                f.indexes.first().copied(),
            )
        });
        let mut counts: BTreeMap<FindingKind, usize> = BTreeMap::new();
        let left_out = &mut self.left_out;
        self.findings.retain(|finding| {
            let count = counts.entry(finding.kind).or_default();
            *count += 1;
            let keep = *count <= shown || finding.severity == crate::finding::Severity::Error;
            if !keep {
                *left_out.entry(finding.kind).or_default() += 1;
            }
            keep
        });
    }
}

/// Why one rule wins over another where both match.
pub(crate) fn why_before(winner: &Rule, other: &Rule) -> String {
    if winner.guard && !other.guard {
        return "a guard is judged before everything".to_owned();
    }
    if winner.specificity > other.specificity {
        return format!(
            "it is more specific ({} over {})",
            winner.specificity, other.specificity
        );
    }
    if winner.effect > other.effect {
        return format!(
            "both weigh {}, and on a tie the stricter wins",
            winner.specificity
        );
    }
    "both weigh and say the same, and it stands earlier in the file".to_owned()
}
