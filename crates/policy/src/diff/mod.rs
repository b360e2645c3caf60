//! What changes when one policy takes the place of another: which calls are newly allowed, asked or
//! denied, each shown by a call that both policies have judged.
//!
//! Two policies can differ only where a rule decides that the other does not have, so every such rule
//! is held against all that may have decided in its place. What could not be searched is counted.

mod change;
mod sides;
mod tools;

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

pub use change::{By, Change, ChangeKind, Direction};
pub use tools::{ToolChange, ToolFact};

use crate::analyse::region::{Found, Region, Seen};
use crate::analyse::{Budget, outcome, pairs_that_meet};
use crate::rule::Rule;
use crate::set::PolicySet;
use crate::world::World;
use sides::{Judged, Sides};

/// A policy and the world in which it judges.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// The rules.
    pub set: &'a PolicySet,
    /// What there is beside them.
    pub world: &'a World,
}

/// What is different between two policies.
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct PolicyDiff {
    /// The changes of decision, widening ones first; each pair of deciding rules once.
    pub changes: Vec<Change>,
    /// The changes of tools and agents themselves.
    pub tools: Vec<ToolChange>,
    /// The ids of rules that only the new policy has.
    pub added: Vec<String>,
    /// The ids of rules that only the old policy has.
    pub removed: Vec<String>,
    /// The ids of rules that both have and that do not read the same.
    pub edited: Vec<String>,
    /// How many pairs of rules were not decided: a change there may be missing above.
    pub not_decided: usize,
    /// How many changes were found and are not shown.
    pub left_out: usize,
}

impl PolicyDiff {
    /// Whether any change lets something run, or be asked, that was not before. What is not decided
    /// counts as widening.
    #[must_use]
    pub fn widens(&self) -> bool {
        self.not_decided > 0
            || self
                .changes
                .iter()
                .any(|change| change.direction == Direction::Widening)
            || self
                .tools
                .iter()
                .any(|change| change.direction == Direction::Widening)
    }
}

/// What the new policy changes.
#[must_use]
pub fn diff(old: Side<'_>, new: Side<'_>, budget: &Budget) -> PolicyDiff {
    let sides = Sides::new(old, new);
    let (removed, added) = (only_in(old.set, new.set), only_in(new.set, old.set));
    let ids = |rules: &[&Rule]| -> BTreeSet<String> {
        rules.iter().map(|rule| rule.id.to_string()).collect()
    };
    let (gone, come) = (ids(&removed), ids(&added));
    let mut diff = PolicyDiff {
        added: come.difference(&gone).cloned().collect(),
        removed: gone.difference(&come).cloned().collect(),
        edited: come.intersection(&gone).cloned().collect(),
        ..PolicyDiff::default()
    };
    let mut region = Region::new(sides.world(), budget.steps);
    let old_rules: Vec<&Rule> = old.set.rules().iter().map(|rule| &**rule).collect();
    let kept: Vec<&Rule> = {
        let added: BTreeSet<usize> = added.iter().map(|rule| rule.index()).collect();
        new.set
            .rules()
            .iter()
            .map(|rule| &**rule)
            .filter(|rule| !added.contains(&rule.index()))
            .collect()
    };
    let mut pairs: Vec<(Option<&Rule>, Option<&Rule>)> = Vec::new();
    pairs.extend(added.iter().map(|rule| (None, Some(*rule))));
    pairs.extend(removed.iter().map(|rule| (Some(*rule), None)));
    let world = sides.world();
    pairs.extend(
        pairs_that_meet(&added, &old_rules, world)
            .into_iter()
            .map(|(new, old)| (Some(old), Some(new))),
    );
    pairs.extend(
        pairs_that_meet(&removed, &kept, world)
            .into_iter()
            .map(|(old, new)| (Some(old), Some(new))),
    );
    pairs.retain(|(old, new)| may_differ(*old, *new));
    for (before, after) in pairs {
        match between(&sides, &mut region, before, after) {
            Looked::Differs(change) => diff.changes.push(*change),
            Looked::Same => {}
            Looked::NotDecided => diff.not_decided += 1,
        }
    }
    tools::all(&sides, &mut region, &mut diff);
    diff.changes
        .sort_by_key(|change| (change.direction, change.kind));
    let keep = budget.shown.saturating_mul(4);
    diff.left_out = diff.changes.len().saturating_sub(keep);
    diff.changes.truncate(keep);
    diff
}

/// The rules of one set that the other does not have in the same words.
fn only_in<'a>(set: &'a PolicySet, other: &PolicySet) -> Vec<&'a Rule> {
    let text = |rule: &Rule| rule.to_wire().to_string();
    let known: BTreeSet<String> = other.rules().iter().map(|rule| text(rule)).collect();
    let rules = set.rules().iter().map(|rule| &**rule);
    rules.filter(|rule| !known.contains(&text(rule))).collect()
}

/// Whether two deciding rules could make a difference at all.
fn may_differ(old: Option<&Rule>, new: Option<&Rule>) -> bool {
    match (old, new) {
        (Some(old), Some(new)) => outcome(old) != outcome(new),
        (_, _) => true,
    }
}

enum Looked {
    Differs(Box<Change>),
    Same,
    NotDecided,
}

/// A call that the one rule decides in the old policy and the other in the new; no rule means the default.
fn between<'a>(
    sides: &Sides<'a>,
    region: &mut Region<'_>,
    before: Option<&'a Rule>,
    after: Option<&'a Rule>,
) -> Looked {
    let all: Vec<&Rule> = before.into_iter().chain(after).collect();
    let mut change: Option<(Judged<'a>, Judged<'a>, Value)> = None;
    let found = region.find(&all, &mut |call| {
        let (old, new) = sides.judge(call);
        if old.locked || new.locked {
            return Seen::NotWithThisTool;
        }
        if let Some(rule) = new
            .rule
            .filter(|rule| after.is_none_or(|after| rule.index() != after.index()))
        {
            return Seen::Not(rule);
        }
        if let Some(rule) = old
            .rule
            .filter(|rule| before.is_none_or(|before| rule.index() != before.index()))
        {
            return Seen::Not(rule);
        }
        if old.differs(&new) {
            change = Some((old, new, call.line()));
            Seen::Yes
        } else {
            Seen::NotWithThisTool
        }
    });
    match (found, change) {
        (Found::Call(_), Some((old, new, call))) => {
            Looked::Differs(Box::new(Change::new(&old, &new, call)))
        }
        (Found::Nowhere, _) => Looked::Same,
        (Found::Call(_) | Found::NotDecided, _) => Looked::NotDecided,
    }
}
