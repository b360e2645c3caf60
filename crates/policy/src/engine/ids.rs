//! Rules by their id.

use std::sync::Arc;

use super::place;
use super::seed::{Seed, Table};
use crate::rule::Rule;

/// Where each id stands among the rules; of equal ones the first.
#[derive(Debug, Clone)]
pub(crate) struct Ids {
    seed: Seed,
    table: Table,
}

impl Ids {
    pub(crate) fn of(rules: &[Arc<Rule>]) -> Self {
        let mut ids = Self {
            seed: Seed::new(),
            table: Table::for_values(rules.len()),
        };
        for (number, rule) in (0_u32..).zip(rules) {
            ids.table.insert(ids.seed.text(&rule.id), number);
        }
        ids
    }

    /// The place of the first rule with this id.
    pub(crate) fn find(&self, id: &str, rules: &[Arc<Rule>]) -> Option<usize> {
        let is_it = |number| rules.get(place(number)).is_some_and(|rule| *rule.id == *id);
        self.table.find(self.seed.text(id), is_it).map(place)
    }
}
