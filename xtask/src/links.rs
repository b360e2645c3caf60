//! Links between the pages of the repository: a relative link must lead to a file or folder.
//!
//! Does not follow links to the outside, since a check must not need a network, and does not
//! look for headings.

use std::path::Path;

use anyhow::Result;

use crate::workspace::Workspace;

/// Dead links of all Markdown pages.
pub(crate) fn judge(ws: &Workspace) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for file in ws.files_ending(".md") {
        let folder = Path::new(file).parent().unwrap_or_else(|| Path::new(""));
        for link in relative_links(&ws.read(file)?) {
            if !ws.root.join(folder).join(&link).exists() {
                findings.push(format!("{file}: the link `{link}` leads nowhere"));
            }
        }
    }
    Ok(findings)
}

/// Targets of `[text](target)` that are paths, without their `#place`.
pub(crate) fn relative_links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    let mut in_fence = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
        }
        if in_fence {
            continue;
        }
        for part in line.split("](").skip(1) {
            let Some((target, _)) = part.split_once(')') else {
                continue;
            };
            let path = target.split('#').next().unwrap_or(target);
            let is_path = !path.is_empty()
                && !path.contains("://")
                && !path.starts_with("mailto:")
                && !path.contains("::")
                && path.contains(['.', '/']);
            if is_path {
                links.push(path.to_owned());
            }
        }
    }
    links
}
