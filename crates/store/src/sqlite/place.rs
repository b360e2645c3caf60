//! The place of a journal file: a folder that only we may enter, a plain file that only we may read,
//! no symbolic link, no network file system.
//!
//! An existing folder is never changed, only refused: it may be one that others need.

#![expect(
    clippy::disallowed_methods,
    reason = "the journal's file is opened here, at the edge"
)]

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::OpenJournalError;

fn place(path: &Path) -> impl FnOnce(io::Error) -> OpenJournalError {
    let path = path.to_owned();
    |source| OpenJournalError::Place { path, source }
}

/// Checks the place, makes what is not there, and returns the path without links in it.
pub(super) fn for_writing(path: &Path) -> Result<PathBuf, OpenJournalError> {
    let folder = folder_of(path);
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(place(folder))?;
    let path = resolve(path)?;
    let folder = folder_of(&path);
    only_ours(folder, &fs::metadata(folder).map_err(place(folder))?, 0o700)?;
    // Another process may make the file at the same moment; then it is checked like any other.
    match OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)
    {
        Ok(file) => {
            file.sync_all().map_err(place(&path))?;
            File::open(folder)
                .and_then(|folder| folder.sync_all())
                .map_err(place(folder))?;
        }
        Err(err) if err.kind() == io::ErrorKind::AlreadyExists => {}
        Err(err) => return Err(place(&path)(err)),
    }
    let found = plain_file(&path)?;
    only_ours(&path, &found, 0o600)?;
    Ok(path)
}

/// Checks an existing file. Its permissions are not: an auditor may hold a copy.
pub(super) fn for_reading(path: &Path) -> Result<PathBuf, OpenJournalError> {
    let path = resolve(path)?;
    plain_file(&path)?;
    Ok(path)
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        Some(_) | None => Path::new("."),
    }
}

/// The real folder with the file's name; a local file system only.
fn resolve(path: &Path) -> Result<PathBuf, OpenJournalError> {
    let name = path
        .file_name()
        .ok_or_else(|| OpenJournalError::NoFileName {
            path: path.to_owned(),
        })?;
    let folder = fs::canonicalize(folder_of(path)).map_err(place(folder_of(path)))?;
    if let Some(kind) = network(&folder)? {
        return Err(OpenJournalError::Network { path: folder, kind });
    }
    Ok(folder.join(name))
}

fn plain_file(path: &Path) -> Result<Metadata, OpenJournalError> {
    let found = match fs::symlink_metadata(path) {
        Err(err) if err.kind() == io::ErrorKind::NotFound => {
            return Err(OpenJournalError::Missing {
                path: path.to_owned(),
            });
        }
        found => found.map_err(place(path))?,
    };
    if found.is_symlink() {
        return Err(OpenJournalError::Symlink {
            path: path.to_owned(),
        });
    }
    if !found.is_file() {
        return Err(OpenJournalError::NoFile {
            path: path.to_owned(),
        });
    }
    Ok(found)
}

fn only_ours(path: &Path, found: &Metadata, wanted: u32) -> Result<(), OpenJournalError> {
    let path = path.to_owned();
    let mode = found.mode() & 0o7777;
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(OpenJournalError::Owner {
            path,
            owner: found.uid(),
        });
    }
    if mode & 0o077 != 0 {
        return Err(OpenJournalError::OpenToOthers { path, mode, wanted });
    }
    Ok(())
}

/// The name of the network file system that the folder is on. Those in user space (FUSE) count:
/// what is behind them cannot be known.
#[cfg(target_os = "linux")]
fn network(folder: &Path) -> Result<Option<&'static str>, OpenJournalError> {
    let found = rustix::fs::statfs(folder).map_err(|err| place(folder)(err.into()))?;
    // The kernel's numbers are 32 bits wide; the field's width differs by platform.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "only the low 32 bits count"
    )]
    let magic = found.f_type as u32;
    Ok(network_name(magic))
}

#[cfg(target_os = "linux")]
/// The name of the file system with this number, if it is one of those that are refused.
pub(crate) fn network_name(magic: u32) -> Option<&'static str> {
    NETWORKS
        .iter()
        .find(|(known, _)| *known == magic)
        .map(|(_, name)| *name)
}

/// From `linux/magic.h` and the file systems' own sources.
#[cfg(target_os = "linux")]
const NETWORKS: &[(u32, &str)] = &[
    (0x6969, "NFS"),
    (0x517b, "SMB"),
    (0xfe53_4d42, "SMB2"),
    (0xff53_4d42, "CIFS"),
    (0x5346_414f, "AFS"),
    (0x6b41_4653, "AFS"),
    (0x7375_7245, "Coda"),
    (0x00c3_6400, "Ceph"),
    (0x0102_1997, "9P"),
    (0x0bd0_0bd0, "Lustre"),
    (0x4750_4653, "GPFS"),
    (0x1983_0326, "BeeGFS"),
    (0x6573_5546, "FUSE"),
];

/// Elsewhere the file system's kind is not asked for.
#[cfg(not(target_os = "linux"))]
fn network(_folder: &Path) -> Result<Option<&'static str>, OpenJournalError> {
    Ok(None)
}
