//! Why a journal file could not be opened: one variant for each thing that a person would mend
//! differently. The text says what to do.

use std::path::{Path, PathBuf};

use tipstaff_journal::{DraftError, StorageFault};

type Cause = Box<dyn std::error::Error + Send + Sync>;

fn shown(path: &Path) -> String {
    path.to_string_lossy().escape_debug().to_string()
}

/// Why a journal file could not be opened. Nothing in the file was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenJournalError {
    /// The linked SQLite is too old: before 3.51.3 a WAL file could be reset while it was read.
    #[error("SQLite {found} is too old: at least 3.51.3 is needed")]
    OldSqlite {
        /// The version that is linked.
        found: &'static str,
    },
    /// The path names no file in a folder.
    #[error("`{}` names no file", shown(path))]
    NoFileName {
        /// The path.
        path: PathBuf,
    },
    /// There is no such file (when opened for reading only).
    #[error("`{}` does not exist", shown(path))]
    Missing {
        /// The path.
        path: PathBuf,
    },
    /// The folder or the file could not be looked at or made.
    #[error("cannot use `{}`", shown(path))]
    Place {
        /// The path.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The path is a symbolic link.
    #[error(
        "`{}` is a symbolic link: give the path of the file itself",
        shown(path)
    )]
    Symlink {
        /// The path.
        path: PathBuf,
    },
    /// The path is a folder, a device or the like.
    #[error("`{}` is no plain file", shown(path))]
    NoFile {
        /// The path.
        path: PathBuf,
    },
    /// Others may enter the folder or read the file.
    #[error(
        "`{}` is open to others (mode {mode:o}): run `chmod {wanted:o}` on it",
        shown(path)
    )]
    OpenToOthers {
        /// The folder or the file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
        /// The permissions it should have.
        wanted: u32,
    },
    /// The folder or the file belongs to another user.
    #[error(
        "`{}` belongs to user {owner}, not to the one who runs this",
        shown(path)
    )]
    Owner {
        /// The folder or the file.
        path: PathBuf,
        /// Its owner's number.
        owner: u32,
    },
    /// The folder is on a network file system, where SQLite's locks cannot be relied on.
    #[error(
        "`{}` is on a network file system ({kind}): put the journal on a local disk",
        shown(path)
    )]
    Network {
        /// The folder.
        path: PathBuf,
        /// The file system's name.
        kind: &'static str,
    },
    /// The file is no SQLite database.
    #[error("`{}` is no SQLite database", shown(path))]
    NotADatabase {
        /// The path.
        path: PathBuf,
    },
    /// The file is a database of another program.
    #[error(
        "`{}` is a database of another program (application id {application_id:#010x})",
        shown(path)
    )]
    Foreign {
        /// The path.
        path: PathBuf,
        /// The `application_id` that it has.
        application_id: i32,
    },
    /// A newer tipstaff wrote the file.
    #[error(
        "`{}` has format {format}, and this version knows up to {known}: use a newer tipstaff",
        shown(path)
    )]
    Newer {
        /// The path.
        path: PathBuf,
        /// The format that it has.
        format: i32,
        /// The newest format that this version knows.
        known: i32,
    },
    /// The file is one of ours, but its last event makes no sense.
    #[error("`{}` is damaged: {why}", shown(path))]
    Damaged {
        /// The path.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A new file's opening event breaks a rule.
    #[error("the journal cannot be opened with these facts")]
    Opening {
        /// The rule it breaks.
        source: DraftError,
    },
    /// The storage failed.
    #[error("cannot open `{}`: {fault}", shown(path))]
    Storage {
        /// The path.
        path: PathBuf,
        /// The kind of fault.
        fault: StorageFault,
        /// What SQLite or the system said.
        source: Cause,
    },
}
