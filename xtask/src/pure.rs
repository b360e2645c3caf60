//! What may not come in with the core: a runtime, the network, a database.
//!
//! The layer table judges what our crates name; this looks through what those bring along, with all
//! features on. So whoever takes one of the core's crates alone gets nothing that waits or talks.

use std::collections::BTreeSet;

use anyhow::Result;

use crate::layers::Table;
use crate::process;
use crate::workspace::Workspace;

/// Names of crates, or their beginnings before a hyphen.
const REFUSED: [&str; 15] = [
    "actix",
    "async-std",
    "axum",
    "diesel",
    "hyper",
    "libsqlite3-sys",
    "mio",
    "postgres",
    "reqwest",
    "rmcp",
    "rusqlite",
    "smol",
    "socket2",
    "sqlx",
    "tokio",
];

/// What of it the core brings along.
pub(crate) fn run(ws: &Workspace, table: &Table) -> Result<Vec<String>> {
    let mut tree = ws.cargo();
    tree.args(["tree", "--locked", "--edges", "normal", "--all-features"]);
    tree.args(["--prefix", "none", "--format", "{p}"]);
    for name in table.rows.iter().take(table.core).flatten() {
        tree.args(["--package", name]);
    }
    Ok(judge(&process::output(&mut tree)?))
}

/// What of it stands in a list with one package a line.
pub(crate) fn judge(list: &str) -> Vec<String> {
    let names = list
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    let refused = |name: &&str| {
        let is = |refused: &&str| {
            let rest = name.strip_prefix(*refused);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        REFUSED.iter().any(is)
    };
    let found: BTreeSet<&str> = names.filter(refused).collect();
    let told = |name: &str| {
        format!(
            "the core brings `{name}` along; `cargo tree -e normal --all-features -i {name}` says for whom"
        )
    };
    found.into_iter().map(told).collect()
}
