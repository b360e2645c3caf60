//! Golden vectors: each judged by its type and by the type's schema.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use tipstaff_schema::{parse_strict, wire_schemas};

use crate::judges::judge_of;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wire/v1")
}

/// How many valid documents a type has that has few.
fn most_valid(name: &str) -> usize {
    match name {
        "call_access" | "resource_place" => 2,
        _ => usize::MAX,
    }
}

/// The vectors of one type: file name and text.
pub(crate) fn vectors(name: &str, verdict: &str) -> Vec<(String, Vec<u8>)> {
    let folder = folder().join(name).join(verdict);
    let files =
        fs::read_dir(&folder).unwrap_or_else(|_| panic!("`{}` is missing", folder.display()));
    files
        .map(|file| file.unwrap().path())
        .map(|path| (path.display().to_string(), fs::read(path).unwrap()))
        .collect()
}

#[test]
fn type_and_schema_agree_on_every_vector() {
    for (name, schema) in wire_schemas() {
        let judge = judge_of(name);
        let schema = jsonschema::options()
            .should_validate_formats(true)
            .build(&schema)
            .unwrap();
        let (valid, invalid) = (vectors(name, "valid"), vectors(name, "invalid"));
        assert!(
            valid.len() >= most_valid(name).min(3),
            "`{name}` has too few valid vectors"
        );
        assert!(invalid.len() >= 4, "`{name}` has too few invalid vectors");
        for (file, text) in valid {
            let written = judge(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
            assert!(
                schema.is_valid(&parse_strict(&text).unwrap()),
                "{file}: the schema refuses it"
            );
            assert!(
                schema.is_valid(&written),
                "{file}: the schema refuses what we write: {written}"
            );
            let again = judge(written.to_string().as_bytes());
            assert_eq!(again, Ok(written), "{file}: writing it twice differs");
        }
        for (file, text) in invalid {
            assert!(judge(&text).is_err(), "{file}: the type takes it");
            assert!(
                !schema.is_valid(&parse_strict(&text).unwrap()),
                "{file}: the schema takes it"
            );
        }
    }
}

#[test]
fn every_folder_belongs_to_a_type() {
    let known: BTreeSet<_> = wire_schemas()
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .collect();
    let folders = fs::read_dir(folder()).unwrap();
    let there: BTreeSet<_> = folders
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(there, known);
}
