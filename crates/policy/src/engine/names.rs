//! Names as small numbers, so that a pair of them is a key.

use super::seed::{Seed, Table};

/// Stands for every name.
pub(super) const ANY: u32 = 0;

/// Some names, numbered from 1.
#[derive(Debug, Clone)]
pub(super) struct Names {
    table: Table,
    texts: Vec<Box<str>>,
}

impl Names {
    /// Numbers the names; equal ones once.
    pub(super) fn new<'a>(names: impl Iterator<Item = &'a str>, seed: &Seed) -> Self {
        let mut distinct: Vec<&str> = names.collect();
        distinct.sort_unstable();
        distinct.dedup();
        let mut table = Table::for_values(distinct.len());
        for (number, name) in (1_u32..).zip(&distinct) {
            table.insert(seed.text(name), number);
        }
        Self {
            table,
            texts: distinct.into_iter().map(Box::from).collect(),
        }
    }

    pub(super) fn number(&self, name: &str, seed: &Seed) -> Option<u32> {
        if self.texts.is_empty() {
            return None;
        }
        self.table
            .find(seed.text(name), |number| self.text(number) == Some(name))
    }

    /// All of them, by number.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(|text| &**text)
    }

    /// How many there are; the highest number.
    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.texts.len()).unwrap_or(u32::MAX)
    }

    fn text(&self, number: u32) -> Option<&str> {
        let place = usize::try_from(number).ok()?.checked_sub(1)?;
        self.texts.get(place).map(|text| &**text)
    }
}
