//! The umbrella crate holds nothing: attributes and re-exports, one feature per crate.
//!
//! A line of code there would be code that nobody can take alone.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};

use crate::workspace::Workspace;

const NAME: &str = "tipstaff";

/// Looks at its sources and its features.
pub(crate) fn judge(ws: &Workspace) -> Result<Vec<String>> {
    let package = ws
        .packages
        .iter()
        .find(|package| package.name.as_str() == NAME);
    let package = package.with_context(|| format!("the workspace has no crate `{NAME}`"))?;
    let sources = format!("{}/src/", ws.folder(package));
    let mut findings = Vec::new();
    for file in ws
        .files_ending(".rs")
        .filter(|file| file.starts_with(&sources))
    {
        let text = ws.read(file)?;
        findings.extend(
            foreign_items(&text)
                .into_iter()
                .map(|what| format!("{file}: {what}")),
        );
    }
    let deps: Vec<&str> = package
        .dependencies
        .iter()
        .map(|dep| dep.name.as_str())
        .collect();
    findings.extend(feature_faults(&package.features, &deps));
    Ok(findings)
}

/// Items of the source that are not `pub use` of one of our crates.
pub(crate) fn foreign_items(text: &str) -> Vec<String> {
    let file = match syn::parse_file(text) {
        Ok(file) => file,
        Err(error) => return vec![format!("it cannot be parsed: {error}")],
    };
    let foreign = file.items.iter().filter(|item| !is_reexport(item)).count();
    if foreign == 0 {
        return Vec::new();
    }
    vec![format!(
        "{foreign} items of the umbrella are no `pub use` of a crate of ours"
    )]
}

fn is_reexport(item: &syn::Item) -> bool {
    let syn::Item::Use(item) = item else {
        return false;
    };
    let ours = |name: &syn::Ident| name.to_string().starts_with("tipstaff_");
    let root_is_ours = match &item.tree {
        syn::UseTree::Path(path) => ours(&path.ident),
        syn::UseTree::Name(name) => ours(&name.ident),
        syn::UseTree::Rename(name) => ours(&name.ident),
        syn::UseTree::Glob(_) | syn::UseTree::Group(_) => false,
    };
    matches!(item.vis, syn::Visibility::Public(_)) && root_is_ours
}

/// `default` is empty, each crate has its feature, and `full` has them all.
pub(crate) fn feature_faults(
    features: &BTreeMap<String, Vec<String>>,
    deps: &[&str],
) -> Vec<String> {
    let mut findings = Vec::new();
    if features
        .get("default")
        .is_some_and(|default| !default.is_empty())
    {
        findings.push("the umbrella's `default` switches something on".to_owned());
    }
    let full = features.get("full").map_or(&[][..], Vec::as_slice);
    for dep in deps {
        let name = dep.strip_prefix("tipstaff-").unwrap_or(dep);
        let switch = format!("dep:{dep}");
        if !features.get(name).is_some_and(|on| on.contains(&switch)) {
            findings.push(format!(
                "the umbrella has no feature `{name} = [\"{switch}\"]`"
            ));
        }
        if !full.iter().any(|on| on == name) {
            findings.push(format!("the umbrella's `full` lacks `{name}`"));
        }
    }
    findings
}
