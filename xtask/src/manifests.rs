//! House rules for the `Cargo.toml` files: what is declared once in the root and inherited.

use anyhow::{Context as _, Result};
use toml::{Table, Value};

use crate::workspace::Workspace;

/// Faults of all manifests.
pub(crate) fn judge(ws: &Workspace) -> Result<Vec<String>> {
    let root: Table = ws.read("Cargo.toml")?.parse().context("Cargo.toml")?;
    let workspace = table(&root, "workspace").context("the root manifest has no workspace")?;
    let mut findings = root_faults(workspace);
    let fields: Vec<&str> = table(workspace, "package")
        .map(|package| package.keys().map(String::as_str).collect())
        .unwrap_or_default();
    for package in &ws.packages {
        let file = format!("{}/Cargo.toml", ws.folder(package));
        let manifest: Table = ws.read(&file)?.parse().with_context(|| file.clone())?;
        let faults = member_faults(&manifest, &fields);
        findings.extend(faults.into_iter().map(|fault| format!("{file}: {fault}")));
    }
    Ok(findings)
}

/// Every version stands here, without default features, from the registry or from our tree.
pub(crate) fn root_faults(workspace: &Table) -> Vec<String> {
    let mut findings = Vec::new();
    for (name, entry) in table(workspace, "dependencies").into_iter().flatten() {
        let place = format!("Cargo.toml: dependency `{name}`");
        let Value::Table(entry) = entry else {
            findings.push(format!("{place} lacks `default-features = false`"));
            continue;
        };
        if entry.get("default-features").and_then(Value::as_bool) != Some(false) {
            findings.push(format!("{place} lacks `default-features = false`"));
        }
        if entry.contains_key("features") {
            findings.push(format!(
                "{place}: each crate switches on the features it needs"
            ));
        }
        if entry.contains_key("git") || entry.contains_key("registry") {
            findings.push(format!("{place} comes from elsewhere than the registry"));
        }
    }
    findings
}

/// A member inherits versions, lints and the shared package fields.
pub(crate) fn member_faults(manifest: &Table, fields: &[&str]) -> Vec<String> {
    let mut findings = Vec::new();
    let lints = table(manifest, "lints").and_then(|lints| lints.get("workspace"));
    if lints.and_then(Value::as_bool) != Some(true) {
        findings.push("it lacks `[lints] workspace = true`".to_owned());
    }
    let package = table(manifest, "package");
    for field in fields {
        let value = package.and_then(|package| package.get(*field));
        if !value.is_some_and(inherited) {
            findings.push(format!("it lacks `{field}.workspace = true`"));
        }
    }
    if !package.is_some_and(|package| package.contains_key("description")) {
        findings.push("it has no description".to_owned());
    }
    for (kind, deps) in dependency_tables(manifest) {
        for (name, _) in deps.iter().filter(|(_, dep)| !inherited(dep)) {
            findings.push(format!(
                "{kind}.{name}: declare it in the root and inherit it"
            ));
        }
    }
    findings
}

fn dependency_tables(manifest: &Table) -> Vec<(String, &Table)> {
    const KINDS: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];
    let direct = KINDS
        .iter()
        .filter_map(|kind| table(manifest, kind).map(|deps| ((*kind).to_owned(), deps)));
    let platforms = table(manifest, "target").into_iter().flatten();
    let by_platform = platforms.flat_map(|(platform, tables)| {
        let tables = tables.as_table();
        KINDS.iter().filter_map(move |kind| {
            let deps = table(tables?, kind)?;
            Some((format!("target.{platform}.{kind}"), deps))
        })
    });
    direct.chain(by_platform).collect()
}

fn inherited(value: &Value) -> bool {
    value.get("workspace").and_then(Value::as_bool) == Some(true)
}

fn table<'a>(table: &'a Table, key: &str) -> Option<&'a Table> {
    table.get(key).and_then(Value::as_table)
}
