//! The `permission` of opencode's `opencode.json`: by kind of tool an action, or patterns with actions;
//! of all that match the last decides.

use tipstaff_schema::Effect;

use super::claude::{domain, tool_of};
use super::command_text::{self, Stars};
use super::found::{Class, Found, Reading, Use, What};
use super::json::{self, Json};
use super::{ImportError, ImportOptions, path_text};

/// Kinds of the source that none of our tools is.
const OTHER: [&str; 14] = [
    "glob",
    "grep",
    "list",
    "task",
    "skill",
    "lsp",
    "todoread",
    "todowrite",
    "websearch",
    "codesearch",
    "external_directory",
    "doom_loop",
    "question",
    "plan",
];

pub(super) fn read(text: &str, options: &ImportOptions) -> Result<Reading, ImportError> {
    let root = json::read(text).map_err(|error| ImportError::Syntax {
        what: "JSON",
        why: error.to_string(),
    })?;
    let mut reading = Reading::default();
    match root.member("permission") {
        Some(Json::Text(action)) => one(
            &mut reading,
            "/permission".to_owned(),
            "*",
            "*",
            action,
            options,
        ),
        Some(Json::Map(kinds)) => {
            for (kind, value) in kinds {
                let at = format!("/permission{}", json::step(kind));
                each(&mut reading, &at, kind, value, options);
            }
        }
        Some(Json::Other | Json::Bool(_) | Json::List(_)) | None => {
            return Err(ImportError::Nothing {
                what: "`permission`",
            });
        }
    }
    // The last that matches decides: it comes first.
    reading.rules.reverse();
    elsewhere(&mut reading, &root);
    Ok(reading)
}

fn each(reading: &mut Reading, at: &str, kind: &str, value: &Json, options: &ImportOptions) {
    match value {
        Json::Text(action) => one(reading, at.to_owned(), kind, "*", action, options),
        Json::Map(patterns) => {
            for (pattern, action) in patterns {
                let at = format!("{at}{}", json::step(pattern));
                match action {
                    Json::Text(action) => one(reading, at, kind, pattern, action, options),
                    Json::Other | Json::Bool(_) | Json::List(_) | Json::Map(_) => {
                        reading.leave(at, pattern, Some(Effect::Deny), "it is no action");
                    }
                }
            }
        }
        Json::Other | Json::Bool(_) | Json::List(_) => {
            reading.leave(
                at,
                kind,
                Some(Effect::Deny),
                "it is no action and no map of patterns",
            );
        }
    }
}

fn one(
    reading: &mut Reading,
    at: String,
    kind: &str,
    pattern: &str,
    action: &str,
    options: &ImportOptions,
) {
    let text = format!("{kind} {pattern}: {action}");
    let effect = match action {
        "allow" => Effect::Allow,
        "ask" => Effect::Ask,
        "deny" => Effect::Deny,
        _ => {
            reading.leave(
                at,
                text,
                Some(Effect::Deny),
                "the action is none of `allow`, `ask` and `deny`",
            );
            return;
        }
    };
    if OTHER.contains(&kind) {
        reading.leave(
            at,
            text,
            Some(effect),
            "no tool of ours does what this kind of the source does",
        );
        return;
    }
    let (what, note) = about(kind, pattern, effect, options);
    reading
        .rules
        .push(Found::new(at, text, effect, what).note(note));
}

fn about(
    kind: &str,
    pattern: &str,
    effect: Effect,
    options: &ImportOptions,
) -> (What, Option<&'static str>) {
    let lost = |class, why: &str| (What::NotUnderstood(class, why.to_owned()), None);
    let files = |used| {
        if pattern == "*" {
            return (What::AllPaths(used), None);
        }
        match path_text::wildcard(pattern, effect, options) {
            Ok(patterns) => (What::Paths(used, patterns), None),
            Err(why) => lost(Some(Class::Paths(used)), why),
        }
    };
    match (kind, pattern) {
        ("*", "*") => (What::All, None),
        ("bash", _) => command_text::read(pattern, Stars::StarAndOne, effect)
            .unwrap_or_else(|why| lost(Some(Class::Commands), why)),
        ("read", _) => files(Use::Read),
        ("edit", _) => files(Use::Edit),
        ("webfetch", "*") => (What::AllSites, None),
        ("webfetch", _) => (site(pattern, effect), None),
        (kind, "*") if kind.contains('_') && !kind.starts_with(['*', '_']) => {
            let (server, tool) = kind.split_once('_').unwrap_or((kind, ""));
            match server.contains(['*', '?']) {
                true => lost(None, "a pattern over kinds of tools"),
                false => (tool_of(server, Some(tool), effect), None),
            }
        }
        (_, "*") => lost(
            None,
            "a kind of tool that is not known here, or a pattern over kinds",
        ),
        (_, _) => lost(None, "a kind of tool whose patterns are not known here"),
    }
}

/// `https://host/*`: the whole host.
fn site(pattern: &str, effect: Effect) -> What {
    let rest = pattern
        .strip_prefix("https://")
        .or(pattern.strip_prefix("http://"));
    let (host, path) = rest
        .and_then(|rest| rest.split_once('/'))
        .unwrap_or_default();
    let plain = !host.is_empty()
        && host
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || ".-".contains(c));
    let url = pattern.strip_suffix('*');
    match (plain, path, url, effect) {
        (true, "*", Some(url), Effect::Allow) => What::Sites(vec![("url", url.to_owned())]),
        (true, _, _, Effect::Ask | Effect::Deny) => domain(host, effect),
        (_, _, _, _) => What::NotUnderstood(
            Some(Class::Sites),
            "only `https://host/*` with a plain host says something that ours can say".to_owned(),
        ),
    }
}

/// Rules of single agents, which come after all others, and the older `tools`.
fn elsewhere(reading: &mut Reading, root: &Json) {
    for section in ["agent", "mode"] {
        let Some(Json::Map(agents)) = root.member(section) else {
            continue;
        };
        for (name, agent) in agents {
            if let Some(own) = agent.member("permission") {
                let at = format!("/{section}{}/permission", json::step(name));
                let why = "an agent's own rules come after those of all; import them from a file of their own with `--agent`";
                reading.leave(at, name, strictest(own), why);
            }
        }
    }
    let Some(Json::Map(tools)) = root.member("tools") else {
        return;
    };
    for (name, on) in tools {
        let effect = (*on == Json::Bool(false)).then_some(Effect::Deny);
        let at = format!("/tools{}", json::step(name));
        reading.leave(
            at,
            name,
            effect,
            "the older `tools` is not read; write it as `permission`",
        );
    }
}

fn strictest(value: &Json) -> Option<Effect> {
    match value {
        Json::Text(action) => match action.as_str() {
            "allow" => Some(Effect::Allow),
            "ask" => Some(Effect::Ask),
            _ => Some(Effect::Deny),
        },
        Json::Map(members) => members
            .iter()
            .filter_map(|(_, value)| strictest(value))
            .max(),
        Json::Other | Json::Bool(_) | Json::List(_) => None,
    }
}
