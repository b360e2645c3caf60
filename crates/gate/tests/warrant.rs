//! I1 at compile time: no other crate makes, copies, reads or reuses a warrant.
//!
//! Each file in `compile/` is given to the compiler against the library that this test was linked
//! with. Its first line says what must come of it; that `holds.rs` compiles shows that the others
//! fail for their own reason and not for a library that was not found.

#![expect(clippy::expect_used, clippy::panic, reason = "test binary")]
#![expect(
    clippy::disallowed_methods,
    reason = "the test starts the compiler on files"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

/// The built libraries, beside this test's own program.
struct Libraries {
    folder: PathBuf,
    gate: PathBuf,
    serde: PathBuf,
}

impl Libraries {
    /// Several builds with other features may lie there: those are the ones with which the file
    /// that must compile does.
    fn find() -> Self {
        let program = std::env::current_exe().expect("this program has a path");
        let folder = program.parent().expect("a program lies in a folder");
        let builds_of = |name: &str| -> Vec<PathBuf> {
            let start = format!("lib{name}-");
            let entries = std::fs::read_dir(folder).expect("the folder can be read");
            let paths = entries.map(|entry| entry.expect("an entry").path());
            let named = |path: &PathBuf| {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                name.starts_with(&start) && name.ends_with(".rlib")
            };
            paths.filter(named).collect()
        };
        let mut last = "no library was found".to_owned();
        for gate in builds_of("tipstaff_gate") {
            for serde in builds_of("serde") {
                let found = Self {
                    folder: folder.to_owned(),
                    gate: gate.clone(),
                    serde,
                };
                match found.compile(Path::new("tests/compile/holds.rs")) {
                    Ok(()) => return found,
                    Err(said) => last = said,
                }
            }
        }
        panic!("`holds.rs` does not compile against any build of the gate: {last}");
    }

    /// Checks one file; what the compiler said where it refused.
    fn compile(&self, file: &Path) -> Result<(), String> {
        let named = |name: &str, path: &Path| format!("{name}={}", path.display());
        let out = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
            .args([
                "--edition",
                "2024",
                "--crate-type",
                "bin",
                "--emit",
                "metadata",
            ])
            .arg("-L")
            .arg(named("dependency", &self.folder))
            .arg("--extern")
            .arg(named("tipstaff_gate", &self.gate))
            .arg("--extern")
            .arg(named("serde", &self.serde))
            .arg("-o")
            .arg(concat!(env!("CARGO_TARGET_TMPDIR"), "/warrant"))
            .arg(file)
            .output()
            .expect("the compiler that built this test can be started");
        let said = String::from_utf8_lossy(&out.stderr).replace("tipstaff_gate::", "");
        if out.status.success() {
            Ok(())
        } else {
            Err(said)
        }
    }
}

#[test]
fn i1_no_other_crate_makes_copies_or_reuses_a_warrant() {
    let libraries = Libraries::find();
    let mut tried = 0;
    for entry in std::fs::read_dir("tests/compile").expect("the attempts are there") {
        let file = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&file).expect("an attempt can be read");
        let Some(reason) = text
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("//! refused: "))
        else {
            continue;
        };
        let said = libraries.compile(&file).expect_err("it must not compile");
        let errors: Vec<&str> = said
            .lines()
            .filter(|line| line.starts_with("error"))
            .collect();
        assert!(
            errors.first().is_some_and(|line| line.contains(reason)),
            "{} was refused, but not because {reason}:\n{said}",
            file.display()
        );
        tried += 1;
    }
    assert_eq!(tried, 4, "make, clone, read and reuse are tried");
}
