//! What all pairs of rules show, and what changes against another manifest, at the places of the file.

use std::collections::BTreeMap;

use tipstaff_policy::{Budget, FindingKind, PolicyDiff, Side, diff};

use crate::manifest::Manifest;
use crate::problem::Problem;

/// What an analysis of a manifest's rules came to.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Analysed {
    /// The findings, each at its place, the worst first. What the load warned of is among them, with a
    /// call where one shows it.
    pub problems: Vec<Problem>,
    /// How many rules or pairs were not decided, by what was asked of them.
    pub not_decided: BTreeMap<FindingKind, usize>,
    /// How many findings are not shown, by kind.
    pub left_out: BTreeMap<FindingKind, usize>,
    /// How many pairs were not looked at since enough of the kind was found.
    pub not_looked_at: BTreeMap<FindingKind, usize>,
}

impl Manifest {
    /// Looks at all pairs of rules. Takes far longer than loading.
    #[must_use]
    pub fn analyse(&self, budget: &Budget) -> Analysed {
        let analysis = self.policy.analyse(&self.world, budget);
        let file = self.sources.paths().first();
        let file = file
            .map(|path| path.display().to_string())
            .unwrap_or_default();
        let findings = analysis.findings.iter();
        Analysed {
            problems: findings
                .map(|finding| self.rules.locate(&file, finding))
                .collect(),
            not_decided: analysis.not_decided,
            left_out: analysis.left_out,
            not_looked_at: analysis.not_looked_at,
        }
    }

    /// What this manifest's rules and profiles decide otherwise than those of an older one.
    #[must_use]
    pub fn changes_since(&self, old: &Self, budget: &Budget) -> PolicyDiff {
        diff(old.side(), self.side(), budget)
    }

    fn side(&self) -> Side<'_> {
        Side {
            set: &self.policy,
            world: &self.world,
        }
    }
}
