//! C161: where a journal may lie, and who may read it.

#![expect(
    clippy::disallowed_methods,
    reason = "files are looked at here, in a test"
)]

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use tipstaff_journal::Journal as _;

use super::{draft, new_path, open, opened_by};
use crate::sqlite::place::network_name;
use crate::{OpenJournalError, SqliteJournal};

fn mode(path: impl AsRef<Path>) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn refusal(path: &Path) -> OpenJournalError {
    SqliteJournal::open(path, &opened_by(1)).unwrap_err()
}

#[tokio::test]
async fn c161_all_files_are_0600_in_a_0700_folder() {
    let (folder, _) = new_path();
    let path = folder.path().join("a/b/journal.db");
    let journal = open(&path);
    journal.append(&[], vec![draft(2, 2)]).await.unwrap();
    assert_eq!(
        [
            mode(folder.path().join("a")),
            mode(folder.path().join("a/b"))
        ],
        [0o700; 2]
    );
    let mut files = 0;
    for file in fs::read_dir(folder.path().join("a/b")).unwrap() {
        assert_eq!(mode(file.unwrap().path()), 0o600);
        files += 1;
    }
    assert_eq!(files, 3);
}

#[test]
fn c161_a_symbolic_link_is_refused_even_one_to_a_journal_or_to_nothing() {
    let (folder, path) = new_path();
    drop(open(&path));
    for (name, target) in [("to-journal", &*path), ("to-nothing", Path::new("nothing"))] {
        let link = folder.path().join(name);
        symlink(target, &link).unwrap();
        assert!(matches!(refusal(&link), OpenJournalError::Symlink { .. }));
        assert!(matches!(
            SqliteJournal::open_read_only(&link),
            Err(OpenJournalError::Symlink { .. })
        ));
    }
    assert!(!folder.path().join("nothing").exists());
}

#[test]
fn a_linked_folder_is_fine() {
    let (folder, path) = new_path();
    drop(open(&path));
    let (other, _) = new_path();
    let link = other.path().join("link");
    symlink(folder.path(), &link).unwrap();
    let journal = open(&link.join("journal.db"));
    assert_eq!(journal.path(), fs::canonicalize(path).unwrap());
}

#[test]
fn c161_what_is_open_to_others_is_refused_and_left_as_it_is() {
    let (folder, path) = new_path();
    drop(open(&path));
    fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
    assert!(matches!(
        refusal(&path),
        OpenJournalError::OpenToOthers {
            mode: 0o640,
            wanted: 0o600,
            ..
        }
    ));
    fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    let err = refusal(&path);
    assert!(matches!(
        err,
        OpenJournalError::OpenToOthers {
            mode: 0o755,
            wanted: 0o700,
            ..
        }
    ));
    assert!(
        err.to_string()
            .ends_with("is open to others (mode 755): run `chmod 700` on it"),
        "{err}"
    );
    assert_eq!((mode(folder.path()), mode(&path)), (0o755, 0o600));
    SqliteJournal::open_read_only(&path).unwrap();
}

#[test]
fn what_is_no_plain_file_is_refused() {
    let (folder, path) = new_path();
    assert!(matches!(
        refusal(folder.path()),
        OpenJournalError::NoFile { .. } | OpenJournalError::OpenToOthers { .. }
    ));
    assert!(matches!(
        refusal(Path::new("/")),
        OpenJournalError::NoFileName { .. } | OpenJournalError::Place { .. }
    ));
    assert!(matches!(
        SqliteJournal::open_read_only(&path),
        Err(OpenJournalError::Missing { .. })
    ));
    assert!(!path.exists());
}

#[test]
fn network_file_systems_are_known_by_number() {
    let (nfs, fuse, ext4, tmpfs) = (0x6969, 0x6573_5546, 0xef53, 0x0102_1994);
    assert_eq!(
        [nfs, fuse, ext4, tmpfs].map(network_name),
        [Some("NFS"), Some("FUSE"), None, None]
    );
}
