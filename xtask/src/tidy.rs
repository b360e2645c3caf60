//! House rules that no compiler knows, over all files of the project.
//!
//! The rules for one Rust file are in `source`, those for manifests in `manifests`; here is what
//! concerns the tree: which files must stand at the top, and that nothing else does.

use std::collections::BTreeSet;

use anyhow::Result;

use crate::tally::Tally;
use crate::workspace::Workspace;
use crate::{links, manifests, source};

/// What stands at the top level, all of it and nothing else.
const TOP: [&str; 18] = [
    ".cargo",
    ".ci",
    ".gitignore",
    "CHANGELOG.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "clippy.toml",
    "crates",
    "deny.toml",
    "docs",
    "rust-toolchain.toml",
    "tests",
    "xtask",
    "bench",
    "fuzz",
];
/// Those of them that may be missing.
const OPTIONAL: [&str; 2] = ["bench", "fuzz"];

/// Checks all of it.
pub(crate) fn run(ws: &Workspace) -> Result<Tally> {
    let mut findings = Vec::new();
    for file in ws.files_ending(".rs") {
        findings.extend(source::judge(file, &ws.read(file)?));
    }
    findings.extend(manifests::judge(ws)?);
    findings.extend(top_level(&ws.files));
    findings.extend(strays(&ws.files));
    findings.extend(missing_pages(ws));
    findings.extend(links::judge(ws)?);
    Ok(Tally::of_findings(&findings))
}

/// Missing and unlisted names at the top level.
pub(crate) fn top_level(files: &[String]) -> Vec<String> {
    let there: BTreeSet<&str> = files
        .iter()
        .filter_map(|file| file.split('/').next())
        .collect();
    let missing = TOP
        .iter()
        .filter(|name| !there.contains(*name) && !OPTIONAL.contains(name));
    let missing = missing.map(|name| format!("`{name}` is missing at the top level"));
    let unlisted = there.iter().filter(|name| !TOP.contains(name));
    let unlisted = unlisted.map(|name| format!("`{name}` at the top level is not listed in tidy"));
    missing.chain(unlisted).collect()
}

/// Files that would silently replace what the root says.
pub(crate) fn strays(files: &[String]) -> Vec<String> {
    let replaces = [
        "/clippy.toml",
        "/.clippy.toml",
        "/rustfmt.toml",
        "/.rustfmt.toml",
        "/deny.toml",
    ];
    let stray = |file: &&String| replaces.iter().any(|name| file.ends_with(name));
    let told = |file: &String| format!("`{file}` replaces the one at the top; it must go");
    files.iter().filter(stray).map(told).collect()
}

/// Each crate has a page that its documentation shows.
fn missing_pages(ws: &Workspace) -> Vec<String> {
    let folders = ws.packages.iter().map(|package| ws.folder(package));
    let crates = folders.filter(|folder| folder.starts_with("crates/"));
    let pages = crates.map(|folder| format!("{folder}/README.md"));
    let missing = pages.filter(|page| !ws.files.contains(page));
    missing.map(|page| format!("`{page}` is missing")).collect()
}
