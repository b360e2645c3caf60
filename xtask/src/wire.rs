//! The wire: golden vectors, the published JSON Schemas, and that neither changes once released.
//!
//! Judging a vector by type and by schema is done by the test `wire` of the crate that owns the
//! type; here it is seen that such a test exists, that it has vectors to judge, and that the
//! schemas in `docs/schema` are those of the types.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::process;
use crate::step::Mode;
use crate::tally::Tally;
use crate::workspace::Workspace;

const SCHEMAS: &str = "docs/schema";

/// Checks all of it, or writes the schemas.
pub(crate) fn run(ws: &Workspace, mode: &Mode) -> Result<Tally> {
    let schemas = schemas(ws)?;
    let mut findings = match mode {
        Mode::Write => write(ws, &schemas)?,
        Mode::Compare | Mode::All | Mode::Only(_) => compare(ws, &schemas)?,
    };
    findings.extend(thin_folders(&ws.files));
    findings.extend(untested_folders(&ws.files));
    if let Some(tag) = ws.last_tag() {
        let changes = ws
            .git(&["diff", "--name-status", "--no-renames", &tag])
            .unwrap_or_default();
        findings.extend(changed_after_release(&changes, &tag));
    }
    let mut tally = Tally::of_findings(&findings);
    let mut judge = ws.cargo();
    judge.args([
        "test",
        "--quiet",
        "--workspace",
        "--all-features",
        "--test",
        "wire",
    ]);
    tally.add(process::succeed(&mut judge)?);
    Ok(tally)
}

/// File name and text of each schema.
fn schemas(ws: &Workspace) -> Result<BTreeMap<String, String>> {
    let mut print = ws.cargo();
    print.args([
        "run",
        "--quiet",
        "--package",
        "tipstaff-tests",
        "--bin",
        "wire-schemas",
    ]);
    let text = process::output(&mut print)?;
    let named: BTreeMap<String, Value> =
        serde_json::from_str(&text).context("the schemas as printed by `wire-schemas`")?;
    let file = |(name, mut schema): (String, Value)| {
        // A linked crate may have switched on another order.
        schema.sort_all_objects();
        let text = serde_json::to_string_pretty(&schema).context("writing a schema")?;
        Ok((format!("{SCHEMAS}/{name}.json"), text + "\n"))
    };
    named.into_iter().map(file).collect()
}

fn compare(ws: &Workspace, schemas: &BTreeMap<String, String>) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for (file, want) in schemas {
        if !ws.files.contains(file) {
            findings.push(format!(
                "{file} is missing; `cargo xtask wire --write` makes it"
            ));
        } else if ws.read(file)? != *want {
            findings.push(format!(
                "{file} is not what the types say; see what changed, then `cargo xtask wire --write`"
            ));
        }
    }
    let stale = ws
        .files_ending(".json")
        .filter(|file| file.starts_with(SCHEMAS) && !schemas.contains_key(*file));
    findings.extend(stale.map(|file| format!("{file} is the schema of no type")));
    Ok(findings)
}

fn write(ws: &Workspace, schemas: &BTreeMap<String, String>) -> Result<Vec<String>> {
    std::fs::create_dir_all(ws.root.join(SCHEMAS)).context("making the folder for schemas")?;
    for (file, text) in schemas {
        std::fs::write(ws.root.join(file), text).with_context(|| format!("writing `{file}`"))?;
    }
    Ok(Vec::new())
}

/// Splits `crates/x/tests/wire/v1/type/valid/a.json` into crate, type folder and kind.
fn vector(file: &str) -> Option<(&str, &str, &str)> {
    let (owner, rest) = file.split_once("/tests/wire/")?;
    let (folder, _) = rest.rsplit_once('/')?;
    let (of_type, kind) = folder.rsplit_once('/')?;
    file.ends_with(".json").then_some((owner, of_type, kind))
}

/// Each type has a valid vector and two invalid ones.
pub(crate) fn thin_folders(files: &[String]) -> Vec<String> {
    let mut counts: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
    let mut findings = Vec::new();
    for (file, (owner, of_type, kind)) in files.iter().filter_map(|f| Some((f, vector(f)?))) {
        let count = counts.entry((owner, of_type)).or_default();
        match kind {
            "valid" => count.0 += 1,
            "invalid" => count.1 += 1,
            _ => findings.push(format!("{file} is neither in `valid` nor in `invalid`")),
        }
    }
    let thin = counts
        .iter()
        .filter(|(_, (valid, invalid))| *valid < 1 || *invalid < 2);
    findings.extend(thin.map(|((owner, of_type), (valid, invalid))| {
        format!(
            "{owner}/tests/wire/{of_type} has {valid} valid and {invalid} invalid vectors; \
             it needs one and two"
        )
    }));
    findings
}

/// Vectors that no test reads judge nothing.
pub(crate) fn untested_folders(files: &[String]) -> Vec<String> {
    let owners: BTreeSet<&str> = files
        .iter()
        .filter_map(|file| Some(vector(file)?.0))
        .collect();
    if owners.is_empty() {
        return vec!["there are no golden vectors".to_owned()];
    }
    let tested = |owner: &str| {
        let tests = [
            format!("{owner}/tests/wire.rs"),
            format!("{owner}/tests/wire/main.rs"),
        ];
        tests.iter().any(|test| files.contains(test))
    };
    let untested = owners.into_iter().filter(|owner| !tested(owner));
    untested
        .map(|owner| format!("{owner} has vectors but no test `wire`"))
        .collect()
}

/// A released vector or schema never changes; new meaning takes a new folder.
pub(crate) fn changed_after_release(name_status: &str, tag: &str) -> Vec<String> {
    let changes = name_status.lines().filter_map(|line| line.split_once('\t'));
    let released = changes.filter(|(status, file)| {
        *status != "A"
            && file.ends_with(".json")
            && (vector(file).is_some() || file.starts_with(SCHEMAS))
    });
    released
        .map(|(_, file)| format!("{file} was released with {tag} and must not change"))
        .collect()
}
