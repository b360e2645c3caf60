//! The conditions of one rule, all of which are required, checked as a set.

use serde_json::Value;

use crate::condition::{Condition, Op};
use crate::error::{ConditionError, Shown};
use crate::number::compare;
use crate::solve::{Solution, solve};
use crate::wire::ConditionWire;

/// All conditions of one rule. Empty means that nothing is required.
// INVARIANT: not provably contradictory.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Conditions(Box<[Condition]>);

impl Conditions {
    /// Checks the conditions as a set.
    ///
    /// # Errors
    /// [`ConditionError::BoundsCross`] where a lower bound is above an upper one on the same path,
    /// [`ConditionError::Contradiction`] where no document exists on which all hold.
    pub fn new(conditions: Vec<Condition>) -> Result<Self, ConditionError> {
        for (i, a) in conditions.iter().enumerate() {
            for b in conditions.iter().skip(i + 1) {
                crossing(a, b)?;
                if solve(&[a, b]) == Solution::Never {
                    let conditions = format!("{} and {}", a.describe(), b.describe());
                    return Err(ConditionError::Contradiction { conditions });
                }
            }
        }
        let all: Vec<&Condition> = conditions.iter().collect();
        if solve(&all) == Solution::Never {
            let conditions = all
                .iter()
                .map(|c| c.describe())
                .collect::<Vec<_>>()
                .join(" and ");
            return Err(ConditionError::Contradiction { conditions });
        }
        Ok(Self(conditions.into()))
    }

    /// Checks wire forms, then the set. Returns every error, with the index of its condition where
    /// it belongs to one.
    ///
    /// # Errors
    /// All conditions that are refused by themselves; if there is none, the set's own error.
    pub fn from_wire(
        wires: Vec<ConditionWire>,
    ) -> Result<Self, Vec<(Option<usize>, ConditionError)>> {
        let (mut checked, mut errors) = (Vec::new(), Vec::new());
        for (index, wire) in wires.into_iter().enumerate() {
            match Condition::try_from(wire) {
                Ok(condition) => checked.push(condition),
                Err(error) => errors.push((Some(index), error)),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        Self::new(checked).map_err(|error| vec![(None, error)])
    }

    /// Whether nothing is required.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The conditions, in the order in which they were written.
    pub fn iter(&self) -> std::slice::Iter<'_, Condition> {
        self.0.iter()
    }

    /// The pointers, as written: what the conditions look at.
    pub fn pointers(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(Condition::pointer)
    }

    /// Whether every condition holds; true where there is none.
    #[must_use]
    pub fn all_hold(&self, document: &Value) -> bool {
        self.0.iter().all(|condition| condition.holds(document))
    }

    /// Whether some document exists on which all of both sets hold; `None` where that was not decided.
    #[must_use]
    pub fn overlap(&self, other: &Self) -> Option<bool> {
        match solve(&self.joined(other)) {
            Solution::Found(_) => Some(true),
            Solution::Never => Some(false),
            Solution::NotDecided => None,
        }
    }

    /// A document on which all hold; `None` where none was found within the budget.
    #[must_use]
    pub fn witness(&self) -> Option<Value> {
        self.joint_witness(&Self::default())
    }

    /// A document on which all of both sets hold; `None` where there is none, or none was found.
    #[must_use]
    pub fn joint_witness(&self, other: &Self) -> Option<Value> {
        match solve(&self.joined(other)) {
            Solution::Found(value) => Some(value),
            Solution::Never | Solution::NotDecided => None,
        }
    }

    /// Whether `other` holds nowhere but where this set holds: every condition here is one of
    /// `other`'s, or milder than one. `false` also where that could not be shown.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        self.0
            .iter()
            .all(|mine| other.0.iter().any(|theirs| implied(mine, theirs)))
    }

    fn joined<'a>(&'a self, other: &'a Self) -> Vec<&'a Condition> {
        self.0.iter().chain(&other.0).collect()
    }
}

impl<'a> IntoIterator for &'a Conditions {
    type Item = &'a Condition;
    type IntoIter = std::slice::Iter<'a, Condition>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

fn crossing(a: &Condition, b: &Condition) -> Result<(), ConditionError> {
    if a.pointer != b.pointer || a.each != b.each {
        return Ok(());
    }
    let (Op::AtLeast(low), Op::AtMost(high)) = (match (&a.op, &b.op) {
        (Op::AtMost(_), Op::AtLeast(_)) => (&b.op, &a.op),
        (a, b) => (a, b),
    }) else {
        return Ok(());
    };
    if compare(low, high).is_some_and(std::cmp::Ordering::is_gt) {
        let path = Shown::new(a.pointer());
        return Err(ConditionError::BoundsCross {
            path,
            at_least: low.to_string(),
            at_most: high.to_string(),
        });
    }
    Ok(())
}

/// Whether `theirs` implies `mine`.
fn implied(mine: &Condition, theirs: &Condition) -> bool {
    if mine.pointer != theirs.pointer || mine.each != theirs.each {
        return false;
    }
    match (&mine.op, &theirs.op) {
        (Op::Exists, op) => *op != Op::Absent,
        (op, Op::Equals(value)) => op.holds(value),
        (op, Op::In(values)) => values.iter().all(|value| op.holds(value)),
        (Op::AtLeast(a), Op::AtLeast(b)) => compare(b, a).is_some_and(std::cmp::Ordering::is_ge),
        (Op::AtMost(a), Op::AtMost(b)) => compare(b, a).is_some_and(std::cmp::Ordering::is_le),
        (a, b) => a == b,
    }
}
