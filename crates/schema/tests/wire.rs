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
use tipstaff_schema::verbs::Tier;
use tipstaff_schema::{
    Access, AgentId, BackendId, CallAccess, Constraint, Digest, Effect, Estimate, IntentToken,
    NamePattern, Object, OutputTrust, Person, Placement, Provenance, Reach, ResourceKind,
    ResourcePlace, ResourceRule, Risk, Role, ScoredTool, ServerName, ToolAnnotations,
    ToolDescriptor, ToolRoute, ToolSource, ToolUsage, Verb, parse_strict, wire_schemas,
};

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

fn as_token(text: &[u8]) -> Result<Value, String> {
    let token = IntentToken::from_json(text).map_err(|error| error.to_string())?;
    serde_json::to_value(token).map_err(|error| error.to_string())
}

fn judge_of(name: &str) -> Judge {
    match name {
        "access" => by_type::<Access>,
        "agent_id" => by_type::<AgentId>,
        "backend_id" => by_type::<BackendId>,
        "call_access" => by_type::<CallAccess>,
        "constraint" => by_type::<Constraint>,
        "digest" => by_type::<Digest>,
        "effect" => by_type::<Effect>,
        "estimate" => by_type::<Estimate>,
        "intent_token" => as_token,
        "name_pattern" => by_type::<NamePattern>,
        "object" => by_type::<Object>,
        "output_trust" => by_type::<OutputTrust>,
        "person" => by_type::<Person>,
        "placement" => by_type::<Placement>,
        "provenance" => by_type::<Provenance>,
        "reach" => by_type::<Reach>,
        "resource_kind" => by_type::<ResourceKind>,
        "resource_place" => by_type::<ResourcePlace>,
        "resource_rule" => by_type::<ResourceRule>,
        "risk" => by_type::<Risk>,
        "role" => by_type::<Role>,
        "scored_tool" => by_type::<ScoredTool>,
        "server_name" => by_type::<ServerName>,
        "tier" => by_type::<Tier>,
        "tool_annotations" => by_type::<ToolAnnotations>,
        "tool_descriptor" => by_type::<ToolDescriptor>,
        "tool_route" => by_type::<ToolRoute>,
        "tool_source" => by_type::<ToolSource>,
        "tool_usage" => by_type::<ToolUsage>,
        "verb" => by_type::<Verb>,
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
