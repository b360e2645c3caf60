//! Where paths lead.

use std::os::unix::fs::symlink;
use std::path::Path;

use tipstaff_gate::PathProbe;

use crate::FileProbe;

/// A folder with `real/file`, `link -> real`, `loop -> loop`, `up -> ..` in `real`, `gone -> nowhere`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("real")).unwrap();
    std::fs::write(at("real/file"), "x").unwrap();
    symlink("real", at("link")).unwrap();
    symlink(at("real"), at("far")).unwrap();
    symlink("loop", at("loop")).unwrap();
    symlink("..", at("real/up")).unwrap();
    symlink("nowhere", at("gone")).unwrap();
    folder
}

#[track_caller]
fn check(folder: &Path, path: &str, want: Option<&str>) {
    let root = std::fs::canonicalize(folder).unwrap();
    let real = FileProbe
        .resolve(&format!("{}/{path}", root.display()))
        .ok();
    assert_eq!(
        real,
        want.map(|want| format!("{}/{want}", root.display())),
        "{path}"
    );
}

#[test]
fn links_are_followed_as_the_kernel_does() {
    let folder = folder();
    for (path, want) in [
        ("real/file", Some("real/file")),
        ("link/file", Some("real/file")),
        ("far/file", Some("real/file")),
        ("link/new/file", Some("real/new/file")),
        ("link/up/real/file", Some("real/file")),
        ("gone", Some("nowhere")),
        ("gone/x", Some("nowhere/x")),
        ("loop", None),
        ("real/file/x", Some("real/file/x")),
        ("no/such/place", Some("no/such/place")),
    ] {
        check(folder.path(), path, want);
    }
}

#[test]
fn what_exists_resolves_as_canonicalize_says() {
    let folder = folder();
    for path in ["real/file", "link/file", "far/up/link/file", "real/up/far"] {
        let path = folder.path().join(path);
        let want = std::fs::canonicalize(&path).unwrap();
        assert_eq!(
            FileProbe.resolve(path.to_str().unwrap()).unwrap(),
            want.to_str().unwrap()
        );
    }
}

#[test]
fn a_relative_path_and_a_parent_of_nothing_are_refused() {
    assert!(FileProbe.resolve("a/b").is_err());
    assert!(FileProbe.resolve("/no-such-folder/../x").is_err());
}
