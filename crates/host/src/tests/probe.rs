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
fn a_parent_step_after_a_symlink_is_refused() {
    let folder = folder();
    for (path, want) in [
        ("link/../x", None),
        ("far/../real/file", None),
        ("real/up/../x", None),
        ("gone/../x", None),
        ("link/./../x", None),
        // What is climbed out of is no link, or the link was left alone by then.
        ("real/../real/file", Some("real/file")),
        ("link/new", Some("real/new")),
        ("real/up/real/../link/file", Some("real/file")),
    ] {
        check(folder.path(), path, want);
    }
}

#[test]
fn a_parent_step_behind_a_file_or_nothing_is_refused() {
    let folder = folder();
    symlink("real/file/../file", folder.path().join("through")).unwrap();
    for path in ["real/file/..", "real/file/../x", "no/../x", "through"] {
        check(folder.path(), path, None);
    }
}

#[test]
fn a_name_that_the_system_does_not_take_is_refused() {
    check(tempfile::tempdir().unwrap().path(), &"x".repeat(300), None);
}

#[test]
fn what_may_not_be_searched_cannot_be_told() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let real = folder.path().join("real");
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o0)).unwrap();
    // Root may search every folder.
    let seen = std::fs::symlink_metadata(real.join("file")).is_ok();
    check(folder.path(), "link/file", seen.then_some("real/file"));
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn as_many_links_as_the_kernel_follows() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("0"), "x").unwrap();
    for n in 0..41 {
        symlink(n.to_string(), folder.path().join((n + 1).to_string())).unwrap();
    }
    for n in [40, 41] {
        let seen = std::fs::metadata(folder.path().join(n.to_string())).is_ok();
        check(folder.path(), &n.to_string(), seen.then_some("0"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_links_of_proc_are_refused_and_its_files_are_not() {
    for path in [
        "/proc/self/root/etc/passwd",
        "/proc/self/cwd/x",
        "/proc/self/fd/0",
        "/proc/self/exe",
        "/proc/self",
        "/dev/stdin",
    ] {
        assert!(FileProbe.resolve(path).is_err(), "{path}");
    }
    assert_eq!(
        FileProbe.resolve("/proc/cpuinfo").as_deref(),
        Ok("/proc/cpuinfo")
    );
}

#[test]
fn a_relative_path_and_a_parent_of_nothing_are_refused() {
    assert!(FileProbe.resolve("a/b").is_err());
    assert!(FileProbe.resolve("/no-such-folder/../x").is_err());
}
