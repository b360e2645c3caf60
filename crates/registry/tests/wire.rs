//! Judges every golden vector against both its type and the type's schema.
//!
//! A vector is a promise: what is valid here was written by some program, and stays valid. The
//! two judges must agree, or the schema that we publish says something else than what we read.
#![expect(clippy::unwrap_used, clippy::panic, reason = "test binary")]
#![expect(clippy::disallowed_methods, reason = "the vectors are files")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tipstaff_registry::events::{Accepted, Pinned, PinnedBy, Quarantined, Registered, Removed};
use tipstaff_registry::{
    Canonical, ParamKind, ParamSpec, ParamTable, ProfilePatch, ServerIdentity, UnknownParams,
    wire_schemas,
};
use tipstaff_schema::parse_strict;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wire/v1")
}

/// Reads a text as the type and writes it again.
type Judge = fn(&[u8]) -> Result<Value, String>;

fn by_type<T: DeserializeOwned + Serialize>(text: &[u8]) -> Result<Value, String> {
    let value = parse_strict(text).map_err(|error| error.to_string())?;
    let it: T = serde_json::from_value(value).map_err(|error| error.to_string())?;
    serde_json::to_value(it).map_err(|error| error.to_string())
}

fn judge_of(name: &str) -> Judge {
    match name {
        "canonical" => by_type::<Canonical>,
        "param_kind" => by_type::<ParamKind>,
        "param_spec" => by_type::<ParamSpec>,
        "param_table" => by_type::<ParamTable>,
        "pinned_by" => by_type::<PinnedBy>,
        "profile_patch" => by_type::<ProfilePatch>,
        "server_identity" => by_type::<ServerIdentity>,
        "tool_accepted" => by_type::<Accepted>,
        "tool_pinned" => by_type::<Pinned>,
        "tool_quarantined" => by_type::<Quarantined>,
        "tool_registered" => by_type::<Registered>,
        "tool_removed" => by_type::<Removed>,
        "unknown_params" => by_type::<UnknownParams>,
        other => panic!("the schema `{other}` has no judge"),
    }
}

/// The vectors of one type: file name and text.
fn vectors(name: &str, verdict: &str) -> Vec<(String, Vec<u8>)> {
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
        assert!(!valid.is_empty(), "`{name}` has no valid vector");
        assert!(
            invalid.len() >= 2,
            "`{name}` has fewer than two invalid vectors"
        );
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
