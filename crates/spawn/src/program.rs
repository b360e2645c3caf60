//! Which program runs: the words of one plain command as they are, or bash for anything else.
//!
//! Programs come from the fixed list of folders, whatever `PATH` says.

use std::path::{Path, PathBuf};

use tipstaff_gate::ExecError;

/// A program with its arguments, resolved.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    pub(crate) arguments: Vec<String>,
}

impl Program {
    /// Resolves the words of one plain command, or bash for anything else. A name with a slash is a
    /// path, relative to the folder in which the command runs.
    pub(crate) fn find(
        folders: &[String],
        cwd: &str,
        argv: Option<Vec<String>>,
        body: &str,
    ) -> Result<Self, ExecError> {
        let mut words = argv.into_iter().flatten();
        let Some(name) = words.next() else {
            return Self::bash(folders, body);
        };
        let path = if name.contains('/') {
            Some(Path::new(cwd).join(&name))
        } else {
            look_up(folders, &name)
        };
        match path {
            Some(path) => Ok(Self {
                path,
                arguments: words.collect(),
            }),
            None => Err(missing(
                &format!("there is no program `{}`", name.escape_debug()),
                folders,
            )),
        }
    }

    fn bash(folders: &[String], body: &str) -> Result<Self, ExecError> {
        let why = "shell syntax needs bash, and there is none; write one plain command";
        let path = look_up(folders, "bash").ok_or_else(|| missing(why, folders))?;
        let arguments = ["--noprofile", "--norc", "-c", body]
            .map(str::to_owned)
            .to_vec();
        Ok(Self { path, arguments })
    }
}

fn missing(what: &str, folders: &[String]) -> ExecError {
    ExecError::NeverSent {
        why: format!("{what} (looked in {})", folders.join(":").escape_debug()),
    }
}

fn look_up(folders: &[String], name: &str) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let programs = folders.iter().map(|folder| Path::new(folder).join(name));
    programs.filter(|_| !name.is_empty()).find(|path| {
        std::fs::metadata(path)
            .is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
    })
}
