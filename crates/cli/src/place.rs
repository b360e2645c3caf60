//! Where things lie: the state folder, the manifest, and the files of ours that no call may touch.

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use etcetera::base_strategy::Xdg;
use tipstaff_gate::OwnGround;

use crate::exit::{Failure, USAGE};

/// The configurations of clients that start us, below the home folder.
const CLIENTS_AT_HOME: [&str; 9] = [
    ".claude.json",
    ".claude/settings.json",
    ".config/Claude/claude_desktop_config.json",
    ".config/Code/User/mcp.json",
    ".config/zed/settings.json",
    ".codeium/windsurf/mcp_config.json",
    ".codex/config.toml",
    ".cursor/mcp.json",
    ".gemini/settings.json",
];

/// The same below a project's folder.
const CLIENTS_IN_PROJECT: [&str; 5] = [
    ".mcp.json",
    ".cursor/mcp.json",
    ".vscode/mcp.json",
    ".zed/settings.json",
    ".claude/settings.json",
];

/// The state folder: as given, else by XDG.
pub(crate) fn state(given: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(folder) = given {
        return absolute(folder);
    }
    let xdg = Xdg::new().map_err(|_| {
        Failure::new(
            USAGE,
            "there is no home folder; say where the state lies with --state",
        )
    })?;
    let state = xdg.state_dir().unwrap_or_else(|| xdg.data_dir());
    Ok(state.join("tipstaff"))
}

/// The manifest: by flag or `TIPSTAFF_CONFIG`, else by XDG, else in `/etc/tipstaff`. A
/// `tipstaff.yaml` that just lies in this folder is not used: it may be somebody else's.
pub(crate) fn manifest(given: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(file) = given {
        return absolute(file);
    }
    let at_home = Xdg::new()
        .ok()
        .map(|xdg| xdg.config_dir().join("tipstaff/tipstaff.yaml"));
    let candidates = at_home
        .into_iter()
        .chain([PathBuf::from("/etc/tipstaff/tipstaff.yaml")]);
    if let Some(found) = candidates.into_iter().find(|path| path.is_file()) {
        return Ok(found);
    }
    let here = Path::new("tipstaff.yaml").is_file();
    let hint = if here {
        "; there is a tipstaff.yaml here: name it with `-c tipstaff.yaml` if it is yours"
    } else {
        ""
    };
    Err(Failure::new(
        USAGE,
        format!("there is no manifest; name one with `-c FILE` or TIPSTAFF_CONFIG{hint}"),
    ))
}

/// The path as an absolute one, symlinks left as they are.
pub(crate) fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| Failure::environment(&error))
}

/// What no governed call may touch: state, these files, this binary, the client configurations at
/// home, and those of these folders that start us. Looks at the machine: both the spelling and where
/// links lead are ours.
pub(crate) fn own_ground(state: &Path, files: &[PathBuf], folders: &[PathBuf]) -> OwnGround {
    let in_projects = folders
        .iter()
        .flat_map(|folder| CLIENTS_IN_PROJECT.iter().map(|path| folder.join(path)));
    let starts_us =
        |path: &PathBuf| std::fs::read_to_string(path).is_ok_and(|text| text.contains("tipstaff"));
    let mut ours = named(state, files);
    ours.extend(in_projects.filter(starts_us));
    let real: Vec<PathBuf> = ours
        .iter()
        .filter_map(|path| std::fs::canonicalize(path).ok())
        .collect();
    ground(ours.into_iter().chain(real))
}

/// The same by names alone, without looking at any file.
pub(crate) fn named_ground(state: &Path, files: &[PathBuf]) -> OwnGround {
    ground(named(state, files).into_iter())
}

fn named(state: &Path, files: &[PathBuf]) -> Vec<PathBuf> {
    let mut ours = vec![state.to_owned()];
    ours.extend(files.iter().cloned());
    ours.extend(std::env::current_exe());
    if let Ok(xdg) = Xdg::new() {
        ours.extend(CLIENTS_AT_HOME.iter().map(|path| xdg.home_dir().join(path)));
    }
    ours
}

fn ground(paths: impl Iterator<Item = PathBuf>) -> OwnGround {
    OwnGround::new(paths.filter_map(|path| path.into_os_string().into_string().ok()))
}
