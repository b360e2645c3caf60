//! Places that execute: files whose content some program runs later, so that writing there is running.
//!
//! The list is `data/places.txt`. It is a list of names, not a proof: a file that a program of yours
//! runs and that is not on it needs a rule of its own.

use std::sync::LazyLock;

use tipstaff_resource::{Base, CaseRule, Pattern, Resource};
use tipstaff_schema::{Access, ResourceKind};

static PLACES: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let lines = include_str!("../data/places.txt")
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    // A line that did not parse would be dropped here; a test holds that every line does.
    lines
        .filter_map(|line| Pattern::parse(line, ResourceKind::Path).ok())
        .collect()
});

/// Whether writing this canonical path can make something run later.
#[must_use]
pub fn is_place_that_executes(path: &str) -> bool {
    let Ok(resource) = Resource::parse(ResourceKind::Path, path, Access::Write, &Base::default())
    else {
        return false;
    };
    PLACES
        .iter()
        .any(|place| place.matches(&resource, None, CaseRule::Fold))
}
