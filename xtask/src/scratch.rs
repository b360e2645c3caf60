//! A copy of the project to put faults into, beside cargo's other products.
//!
//! The copy stays between runs, at one place and with one target folder, so that a second run
//! builds only what changed. A file is written only where it differs, since a new time stamp
//! alone makes cargo build again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::workspace::Workspace;

/// What the root manifest has built with optimisation also for tests.
const OPTIMISED: [&str; 6] = [
    "tipstaff-schema",
    "tipstaff-condition",
    "tipstaff-resource",
    "tipstaff-command",
    "tipstaff-policy",
    "tipstaff-router",
];

/// The copy.
#[derive(Debug)]
pub(crate) struct Scratch {
    tree: PathBuf,
    target: PathBuf,
    cargo: PathBuf,
}

impl Scratch {
    /// Brings the copy to the present state of the project.
    pub(crate) fn new(ws: &Workspace) -> Result<Self> {
        let home = ws.target.join("controls");
        let scratch = Self {
            tree: home.join("tree"),
            target: home.join("target"),
            cargo: ws.cargo().get_program().into(),
        };
        for file in &ws.files {
            let bytes = std::fs::read(ws.root.join(file));
            let bytes = bytes.with_context(|| format!("reading `{file}`"))?;
            let there = scratch.tree.join(file);
            if std::fs::read(&there).ok().as_ref() != Some(&bytes) {
                write(&there, &bytes)?;
            }
        }
        let wanted: BTreeSet<PathBuf> = ws
            .files
            .iter()
            .map(|file| scratch.tree.join(file))
            .collect();
        remove_others(&scratch.tree, &wanted)?;
        Ok(scratch)
    }

    /// A cargo command in the copy; it sees neither our target folder nor our program. Nothing is
    /// built with optimisation: each build there is for one test.
    pub(crate) fn cargo(&self) -> Command {
        let mut command = Command::new(&self.cargo);
        for name in OPTIMISED {
            let level = format!("profile.dev.package.{name}.opt-level=0");
            command.args(["--config", &level]);
        }
        command
            .current_dir(&self.tree)
            .env("CARGO_TARGET_DIR", &self.target);
        command
            .env_remove("TIPSTAFF_TEST_BIN")
            .env("CARGO_TERM_COLOR", "never")
            .env("CARGO_PROFILE_DEV_DEBUG", "0");
        command
    }

    /// The text of a file of the copy.
    pub(crate) fn read(&self, file: &str) -> Result<String> {
        let path = self.tree.join(file);
        std::fs::read_to_string(path).with_context(|| format!("reading the copy of `{file}`"))
    }

    /// Changes a file of the copy.
    pub(crate) fn write(&self, file: &str, text: &str) -> Result<()> {
        write(&self.tree.join(file), text.as_bytes())
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent() {
        let made = std::fs::create_dir_all(folder);
        made.with_context(|| format!("making the folder `{}`", folder.display()))?;
    }
    std::fs::write(path, bytes).with_context(|| format!("writing `{}`", path.display()))
}

/// What the project no longer has.
fn remove_others(folder: &Path, wanted: &BTreeSet<PathBuf>) -> Result<()> {
    let listing = std::fs::read_dir(folder);
    for entry in listing.with_context(|| format!("listing `{}`", folder.display()))? {
        let path = entry
            .with_context(|| format!("listing `{}`", folder.display()))?
            .path();
        if path.is_dir() && !path.is_symlink() {
            remove_others(&path, wanted)?;
        } else if !wanted.contains(&path) {
            let removed = std::fs::remove_file(&path);
            removed.with_context(|| format!("removing `{}`", path.display()))?;
        }
    }
    Ok(())
}
