//! Patterns over files as gitignore and opencode write them, as patterns of ours.
//!
//! In an allow ours mean no file that the source does not mean, in an ask or deny every one.

use tipstaff_schema::Effect;

use super::ImportOptions;

/// Reads a pattern in the way of `.gitignore`, with Claude Code's four beginnings.
pub(super) fn gitignore(
    text: &str,
    effect: Effect,
    options: &ImportOptions,
) -> Result<Vec<String>, &'static str> {
    readable(text)?;
    if text.starts_with('!') {
        return Err("it takes back what another pattern says, and ours has no such rule");
    }
    if text.contains("[^") || text.contains("[:") || text.contains('\\') {
        return Err("it has a class or an escape that ours reads otherwise");
    }
    let allow = effect == Effect::Allow;
    let (base, rest, anchored) = if let Some(rest) = text.strip_prefix("//") {
        (String::new(), rest, true)
    } else if let Some(rest) = text.strip_prefix("~/") {
        (home(options)?, rest, true)
    } else if let Some(rest) = text.strip_prefix('/') {
        (root(options), rest, true)
    } else if let Some(rest) = text.strip_prefix("./") {
        // Whether this anchors a lone name is not said: the reading that means less, or more.
        (root(options), rest, allow)
    } else {
        (root(options), text, false)
    };
    let folder = rest.ends_with('/');
    let body = rest.trim_end_matches('/');
    let anchored = anchored || body.contains('/');
    if body
        .split('/')
        .any(|part| part == "." || part == ".." || (part.is_empty() && !body.is_empty()))
    {
        return Err("it has an empty, `.` or `..` part, which no path has");
    }
    let body: Vec<String> = body.split('/').map(part).collect();
    let body = body.join("/");
    let (inside, all) = match body.strip_suffix("**") {
        Some("") => (true, String::new()),
        Some(rest) if rest.ends_with('/') => (true, rest.trim_end_matches('/').to_owned()),
        Some(_) | None => (body.is_empty(), body.clone()),
    };
    let middle = match (anchored || all.is_empty(), allow) {
        (true, _) => join(&base, &all),
        (false, true) => join(&join(&base, "**"), &all),
        (false, false) => join("**", &all),
    };
    // What is meant is also meant for all below. `x/**` and `x/` do not mean `x` itself, and `x/**/`
    // means what lies in folders there.
    let end = match (allow, inside, folder) {
        (true, true, true) => "*/*/**",
        (true, true, false) | (true, false, true) => "*/**",
        (true, false, false) | (false, _, _) => "**",
    };
    Ok(vec![format!("{middle}/{end}")])
}

/// One part: two stars beside other characters are one, braces are no alternatives.
fn part(part: &str) -> String {
    if part == "**" {
        return part.to_owned();
    }
    let mut text = part.to_owned();
    while text.contains("**") {
        text = text.replace("**", "*");
    }
    braces(&text)
}

fn braces(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            let mark = matches!(c, '{' | '}' | '!' | '@' | '+').then_some('\\');
            // `[!a]` keeps its mark.
            let mark = mark.filter(|_| c != '!' || !text.contains("[!"));
            mark.into_iter().chain([c])
        })
        .collect()
}

/// Reads a pattern of opencode: `*` is any text, `/` too, and `?` one character.
pub(super) fn wildcard(
    text: &str,
    effect: Effect,
    options: &ImportOptions,
) -> Result<Vec<String>, &'static str> {
    readable(text)?;
    let (base, rest) = if let Some(rest) = text.strip_prefix("~/").or(text.strip_prefix("$HOME/")) {
        (home(options)?, rest)
    } else if let Some(rest) = text.strip_prefix('/') {
        (String::new(), rest)
    } else if text.starts_with(['~', '$']) {
        return Err("it begins with `~` or `$` and no `/` behind it");
    } else {
        (root(options), text)
    };
    if rest.contains('\\') || rest.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err("it has an empty, `.` or `..` part or a `\\`, which no path has");
    }
    let parts: Vec<&str> = rest.split('/').collect();
    if effect == Effect::Allow {
        return narrow(&base, &parts);
    }
    let mut all = vec![base];
    for text in &parts {
        let ways = wide(text)?;
        all = all
            .iter()
            .flat_map(|before| ways.iter().map(move |way| join(before, way)))
            .collect();
        if all.len() > 8 {
            return Err("it has so many stars that it cannot be said in a few patterns");
        }
    }
    Ok(all)
}

fn narrow(base: &str, parts: &[&str]) -> Result<Vec<String>, &'static str> {
    let mut path = base.to_owned();
    for (at, text) in parts.iter().enumerate() {
        let last = at + 1 == parts.len();
        path = match (text.chars().all(|c| c == '*'), last) {
            (true, true) => join(&path, "*/**"),
            (true, false) if text.len() > 1 => join(&path, "*/**"),
            _ => join(&path, &quiet(&part(text))),
        };
    }
    Ok(vec![path])
}

/// A part whose stars may stand for `/` as well, in as many ways as it takes.
fn wide(text: &str) -> Result<Vec<String>, &'static str> {
    let text = quiet(&text.replace('?', "*"));
    let pieces: Vec<&str> = text.split('*').collect();
    if pieces.iter().all(|piece| piece.is_empty()) {
        return Ok(vec!["**".to_owned()]);
    }
    let mut ways = vec![String::new()];
    for (at, piece) in pieces.iter().enumerate() {
        if at == 0 {
            ways = vec![(*piece).to_owned()];
            continue;
        }
        let end = at + 1 == pieces.len() && piece.is_empty();
        let mut next = Vec::new();
        for way in &ways {
            if way.is_empty() {
                next.push(format!("**/*{piece}"));
            } else if end {
                next.push(format!("{way}*/**"));
            } else {
                next.push(format!("{way}*{piece}"));
                next.push(format!("{way}*/**/*{piece}"));
            }
        }
        ways = next;
        if ways.len() > 8 {
            return Err("it has so many stars that it cannot be said in a few patterns");
        }
    }
    Ok(ways)
}

/// Without the special meaning of what is plain text in opencode.
fn quiet(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if matches!(c, '[' | ']' | '{' | '}' | '!' | '@' | '+') && !out.ends_with('\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn readable(text: &str) -> Result<(), &'static str> {
    match text {
        "" => Err("it is empty"),
        text if text.chars().any(char::is_control) => Err("it holds a control character"),
        _ => Ok(()),
    }
}

fn home(options: &ImportOptions) -> Result<String, &'static str> {
    let home = options
        .home
        .as_deref()
        .ok_or("it is about `~`, and no home folder is known")?;
    Ok(quiet(home.trim_end_matches('/')))
}

/// What relative patterns hang on: the project's folder, or each agent's root.
pub(super) fn root(options: &ImportOptions) -> String {
    options
        .root
        .as_deref()
        .map_or(".".to_owned(), |root| quiet(root.trim_end_matches('/')))
}

fn join(base: &str, rest: &str) -> String {
    match (base, rest) {
        (base, "") => base.to_owned(),
        (base, rest) if rest.starts_with("**/") && base != "**" && base == "." => {
            format!("./{rest}")
        }
        (base, rest) => format!("{base}/{rest}"),
    }
}
