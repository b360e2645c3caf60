//! Paths: absolute and folded, component by component.
//!
//! Lexical only. Whether a component is a symlink is a fact about a machine, which the gate asks.

use crate::Base;
use crate::chars::is_hidden;

/// Makes a path absolute and folds it.
pub(crate) fn fold(raw: &str, base: &Base<'_>) -> Result<String, &'static str> {
    if raw.is_empty() {
        return Err("it is empty");
    }
    if raw.starts_with('~') {
        return Err("`~` is not expanded; write the folder");
    }
    let mut parts = Vec::new();
    if !raw.starts_with('/') {
        let base = base
            .cwd
            .or(base.root)
            .ok_or("it is relative, and there is neither a working folder nor a root")?;
        if !base.starts_with('/') {
            return Err("it is relative, and its base is not absolute");
        }
        walk(base, &mut parts)?;
    }
    walk(raw, &mut parts)?;
    Ok(format!("/{}", parts.join("/")))
}

fn walk<'a>(path: &'a str, parts: &mut Vec<&'a str>) -> Result<(), &'static str> {
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop().ok_or("`..` climbs above `/`")?;
            }
            part if part.contains(is_hidden) => {
                return Err("it holds a control or format character");
            }
            part if crate::chars::has_edge_blank(part) => {
                return Err("a part begins or ends with a blank");
            }
            part => parts.push(part),
        }
    }
    Ok(())
}

/// Whether a pattern (with its leading `/`, of allowed characters) means any canonical path, where its
/// parts alone tell: `None` for one with classes, alternatives or escapes, which must be asked exactly.
///
/// Most patterns are plain, and asking exactly costs a thousand times as much.
pub(crate) fn means_any(pattern: &str) -> Option<bool> {
    if pattern.contains(['[', '{', '\\']) {
        return None;
    }
    let whole = pattern.strip_suffix('/').unwrap_or(pattern);
    let mut parts = whole.split('/').skip(1);
    // `//` is rare, and whether it means something depends on what stands around it.
    if parts.clone().any(str::is_empty) {
        return None;
    }
    Some(parts.all(|part| part != "." && part != ".." && !crate::chars::has_edge_blank(part)))
}

/// What is left of a canonical path below a canonical root: `""` for the root itself, else `/…`.
pub(crate) fn below<'a>(path: &'a str, root: &str, case: crate::CaseRule) -> Option<&'a str> {
    let root = root.trim_end_matches('/');
    let (head, tail) = (path.get(..root.len())?, path.get(root.len()..)?);
    let same = match case {
        crate::CaseRule::Exact => head == root,
        crate::CaseRule::Fold => head.eq_ignore_ascii_case(root),
    };
    (same && (tail.is_empty() || tail.starts_with('/'))).then_some(tail)
}
