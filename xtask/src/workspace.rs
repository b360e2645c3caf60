//! The workspace as its checks see it: root folder, crates, manifests, files.
//!
//! Read once at the start. Asks cargo and git, so that no check has its own idea of what belongs
//! to the project.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use cargo_metadata::{Metadata, MetadataCommand, Package};

use crate::process;

/// The workspace.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// Where the root `Cargo.toml` is.
    pub(crate) root: PathBuf,
    /// Cargo's target folder.
    pub(crate) target: PathBuf,
    /// All members, as declared: every dependency of every kind, feature and platform.
    pub(crate) packages: Vec<Package>,
    /// `[workspace.metadata]`.
    pub(crate) notes: serde_json::Value,
    /// Every file that git tracks or would track, relative to the root, sorted.
    pub(crate) files: Vec<String>,
    /// `CI=true`: what is missing is a failure.
    pub(crate) strict: bool,
}

impl Workspace {
    /// Asks cargo and git.
    pub(crate) fn load() -> Result<Self> {
        let metadata: Metadata = MetadataCommand::new()
            .no_deps()
            .exec()
            .context("cargo metadata")?;
        let root = PathBuf::from(&metadata.workspace_root);
        let files = list_files(&root)?;
        Ok(Self {
            target: PathBuf::from(&metadata.target_directory),
            packages: metadata.packages,
            notes: metadata.workspace_metadata,
            files,
            strict: std::env::var("CI").is_ok_and(|value| value == "true"),
            root,
        })
    }

    /// A cargo command in the root folder.
    pub(crate) fn cargo(&self) -> Command {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.current_dir(&self.root);
        command
    }

    /// The text of a file of the project.
    pub(crate) fn read(&self, file: &str) -> Result<String> {
        std::fs::read_to_string(self.root.join(file)).with_context(|| format!("reading `{file}`"))
    }

    /// The files whose name ends so.
    pub(crate) fn files_ending<'a>(&'a self, end: &'a str) -> impl Iterator<Item = &'a str> {
        self.files
            .iter()
            .map(String::as_str)
            .filter(move |file| file.ends_with(end))
    }

    /// A package's folder relative to the root.
    pub(crate) fn folder(&self, package: &Package) -> String {
        let folder = package
            .manifest_path
            .parent()
            .map(cargo_metadata::camino::Utf8Path::as_std_path);
        let folder = folder.unwrap_or_else(|| Path::new(""));
        folder
            .strip_prefix(&self.root)
            .unwrap_or(folder)
            .to_string_lossy()
            .into_owned()
    }

    /// A git command's answer, or none where there is no git or it refuses.
    pub(crate) fn git(&self, args: &[&str]) -> Option<String> {
        let out = Command::new("git")
            .current_dir(&self.root)
            .args(args)
            .output()
            .ok()?;
        out.status
            .success()
            .then(|| String::from_utf8_lossy(&out.stdout).trim().to_owned())
    }

    /// The last released tag before the present commit.
    pub(crate) fn last_tag(&self) -> Option<String> {
        self.git(&["describe", "--tags", "--abbrev=0", "--match", "v*"])
    }
}

fn list_files(root: &Path) -> Result<Vec<String>> {
    let mut git = Command::new("git");
    git.current_dir(root).args([
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]);
    let listing = process::output(&mut git).context("git lists the files of the project")?;
    let mut files: Vec<String> = listing
        .split('\0')
        .filter(|file| !file.is_empty() && root.join(file).is_file())
        .map(ToOwned::to_owned)
        .collect();
    files.sort();
    files.dedup();
    Ok(files)
}
