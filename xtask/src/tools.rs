//! The two steps that need a tool which cargo does not bring, and where such tools are found.
//!
//! Installs nothing. Away from CI a missing tool is a skip that nobody can overlook; under
//! `CI=true` it is a failure.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::process;
use crate::tally::Tally;
use crate::workspace::Workspace;

/// The line that brings all tools.
pub(crate) const INSTALL: &str = "bash .ci/run tools";

/// Each crate alone, with no feature, with each one and with all.
///
/// Without `--no-dev-deps`, which edits manifests while it works: since resolver 2 a check of the
/// library alone does not switch on a dev-dependency's features anyway.
pub(crate) fn features(ws: &Workspace) -> Result<Tally> {
    let args = ["hack", "check", "--workspace", "--each-feature"];
    with_tool(ws, "cargo-hack", "no crate was built alone", &args)
}

/// Licences, banned crates and sources. Not advisories: their database comes over the network,
/// and a check must give the same answer without one.
pub(crate) fn deny(ws: &Workspace) -> Result<Tally> {
    let args = [
        "--workspace",
        "--all-features",
        "--locked",
        "check",
        "licenses",
        "bans",
        "sources",
    ];
    with_tool(
        ws,
        "cargo-deny",
        "licences, bans and sources were not checked",
        &args,
    )
}

fn with_tool(ws: &Workspace, tool: &str, loss: &str, args: &[&str]) -> Result<Tally> {
    let Some(path) = find(tool) else {
        let told = format!("{tool} is not installed: {loss}; bring it with `{INSTALL}`");
        if ws.strict {
            bail!(told);
        }
        return Ok(Tally {
            skipped: vec![told],
            ..Tally::default()
        });
    };
    let mut command = Command::new(path);
    process::succeed(command.current_dir(&ws.root).args(args))
}

/// Looks on the path, then where `.ci/run` puts what it builds.
fn find(tool: &str) -> Option<PathBuf> {
    let on_path = std::env::var_os("PATH").unwrap_or_default();
    let cached = cache().ok().map(|cache| cache.join("cargo/bin"));
    let mut places = std::env::split_paths(&on_path).chain(cached);
    places.find_map(|folder| Some(folder.join(tool)).filter(|path| path.is_file()))
}

/// The folder that `.ci/run` fills, outside the repository.
pub(crate) fn cache() -> Result<PathBuf> {
    if let Some(folder) = std::env::var_os("TIPSTAFF_CI_DIR") {
        return Ok(folder.into());
    }
    if let Some(folder) = std::env::var_os("XDG_CACHE_HOME") {
        return Ok(PathBuf::from(folder).join("tipstaff-ci"));
    }
    let home = std::env::var_os("HOME").context("HOME is not set")?;
    Ok(PathBuf::from(home).join(".cache/tipstaff-ci"))
}
