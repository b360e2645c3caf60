//! The layer table in the root manifest, against what the crates declare.
//!
//! Reads declared dependencies, not resolved ones: normal, dev and build, of every feature and
//! platform. So an arrow that only one feature draws is seen as well.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result};
use serde::Deserialize;

use crate::pure;
use crate::tally::Tally;
use crate::umbrella;
use crate::workspace::Workspace;

/// `[workspace.metadata.layers]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Table {
    /// Lowest first.
    pub(crate) rows: Vec<Vec<String>>,
    /// How many of the first rows are the core.
    pub(crate) core: usize,
    /// May use every crate; no crate uses them.
    pub(crate) outside: Vec<String>,
}

/// A crate and the workspace crates that it names, each with the kind of dependency.
pub(crate) type Arrows = BTreeMap<String, BTreeSet<(String, &'static str)>>;

/// Checks the table and the umbrella.
pub(crate) fn run(ws: &Workspace) -> Result<Tally> {
    let table = ws
        .notes
        .get("layers")
        .context("the root manifest has no layer table")?;
    let table = Table::deserialize(table).context("[workspace.metadata.layers]")?;
    let mut findings = judge(&table, &arrows(ws));
    findings.extend(umbrella::judge(ws)?);
    findings.extend(pure::run(ws, &table)?);
    Ok(Tally::of_findings(&findings))
}

fn arrows(ws: &Workspace) -> Arrows {
    let members: BTreeSet<&str> = ws
        .packages
        .iter()
        .map(|package| package.name.as_str())
        .collect();
    let ours = |package: &cargo_metadata::Package| {
        let deps = package
            .dependencies
            .iter()
            .filter(|dep| members.contains(dep.name.as_str()));
        deps.map(|dep| (dep.name.clone(), kind(dep.kind))).collect()
    };
    ws.packages
        .iter()
        .map(|package| (package.name.to_string(), ours(package)))
        .collect()
}

fn kind(kind: cargo_metadata::DependencyKind) -> &'static str {
    if kind == cargo_metadata::DependencyKind::Development {
        "dev-dependency"
    } else if kind == cargo_metadata::DependencyKind::Build {
        "build-dependency"
    } else {
        "dependency"
    }
}

/// What the table and the arrows say against each other.
pub(crate) fn judge(table: &Table, arrows: &Arrows) -> Vec<String> {
    let mut findings = Vec::new();
    let mut row_of: BTreeMap<&str, usize> = BTreeMap::new();
    let outside: BTreeSet<&str> = table.outside.iter().map(String::as_str).collect();
    for (row, names) in table.rows.iter().enumerate() {
        for name in names {
            if row_of.insert(name, row).is_some() || outside.contains(name.as_str()) {
                findings.push(format!("`{name}` stands in the layer table twice"));
            }
            if !arrows.contains_key(name) {
                findings.push(format!(
                    "`{name}` of the layer table is no crate of the workspace"
                ));
            }
        }
    }
    for name in outside.iter().filter(|name| !arrows.contains_key(**name)) {
        findings.push(format!(
            "`{name}` outside the layer table is no crate of the workspace"
        ));
    }
    for (name, used) in arrows {
        let row = row_of.get(name.as_str());
        if row.is_none() && !outside.contains(name.as_str()) {
            findings.push(format!("`{name}` stands in no row of the layer table"));
        }
        for (low, kind) in used {
            if outside.contains(low.as_str()) {
                findings.push(format!(
                    "`{name}` uses `{low}`, which stands outside the table"
                ));
            } else if let (Some(row), Some(low_row)) = (row, row_of.get(low.as_str()))
                && low_row >= row
            {
                findings.push(format!(
                    "`{name}` (row {row}) names `{low}` (row {low_row}) as {kind}: \
                     an arrow points to an earlier row only"
                ));
            }
        }
    }
    findings
}
