//! The rules of opencode's `opencode.json`: of all that match the last decides.
//!
//! Version 1 has them in `permission`, by kind of tool an action, or patterns with actions; version 2
//! in `permissions`, a list of action, resource and effect.

use tipstaff_schema::Effect;

use super::claude::{domain, tool_of};
use super::command_text::{self, Stars};
use super::found::{Class, Found, Reading, Use, What};
use super::json::{self, Json};
use super::{ImportError, ImportOptions, path_text};

/// Kinds of the source that none of our tools is.
const OTHER: [&str; 17] = [
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
    "subagent",
    "patch",
    "provider.use",
];

pub(super) fn read(text: &str, options: &ImportOptions) -> Result<Reading, ImportError> {
    let root = json::read(text).map_err(|error| ImportError::Syntax {
        what: "JSON",
        why: error.to_string(),
    })?;
    let mut reading = Reading::default();
    match (root.member("permissions"), root.member("permission")) {
        (Some(Json::List(rules)), older) => {
            for (n, rule) in rules.iter().enumerate() {
                listed(&mut reading, format!("/permissions/{n}"), rule, options);
            }
            if let Some(older) = older {
                let why = "beside `permissions`, the older `permission` is not read";
                reading.leave("/permission", "permission", strictest(older), why);
            }
        }
        (_, Some(Json::Text(action))) => one(
            &mut reading,
            "/permission".to_owned(),
            "*",
            "*",
            action,
            options,
        ),
        (_, Some(Json::Map(kinds))) => {
            for (kind, value) in kinds {
                let at = format!("/permission{}", json::step(kind));
                each(&mut reading, &at, kind, value, options);
            }
        }
        (_, Some(Json::Other | Json::Bool(_) | Json::List(_)) | None) => {
            return Err(ImportError::Nothing {
                what: "`permission` and no list `permissions`",
            });
        }
    }
    // The last that matches decides: it comes first.
    reading.rules.reverse();
    elsewhere(&mut reading, &root);
    Ok(reading)
}

/// One rule of version 2, in which commands are called `shell`.
fn listed(reading: &mut Reading, at: String, rule: &Json, options: &ImportOptions) {
    let text = |name: &str| match rule.member(name) {
        Some(Json::Text(text)) => Some(text.as_str()),
        Some(Json::Other | Json::Bool(_) | Json::List(_) | Json::Map(_)) | None => None,
    };
    match (text("action"), text("resource"), text("effect")) {
        (Some("shell"), Some(resource), Some(effect)) => {
            one(reading, at, "bash", resource, effect, options);
        }
        (Some(action), Some(resource), Some(effect)) => {
            one(reading, at, action, resource, effect, options);
        }
        (_, _, _) => reading.leave(
            at,
            "permissions",
            Some(Effect::Deny),
            "it has no `action`, `resource` and `effect`",
        ),
    }
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
                false => (tools_of(server, tool, effect), None),
            }
        }
        (_, "*") => lost(
            None,
            "a kind of tool that is not known here, or a pattern over kinds",
        ),
        (_, _) => lost(None, "a kind of tool whose patterns are not known here"),
    }
}

/// A tool of a server. A server's name can hold `_` in the source and not here, where `-` stands for
/// it; so a deny or ask is written for every place at which the server's name can end.
fn tools_of(server: &str, tool: &str, effect: Effect) -> What {
    let mut all = tool_of(server, Some(tool), effect);
    if effect == Effect::Allow {
        return all;
    }
    let (mut server, mut rest) = (server.to_owned(), tool);
    while let Some((more, tool)) = rest.split_once('_') {
        server = format!("{server}-{more}");
        rest = tool;
        if let (What::Tools(all), What::Tools(longer)) =
            (&mut all, tool_of(&server, Some(tool), effect))
        {
            all.extend(longer);
        }
    }
    all
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
    let sections = [
        ("agent", "permission"),
        ("mode", "permission"),
        ("agents", "permissions"),
    ];
    for (section, key) in sections {
        let Some(Json::Map(agents)) = root.member(section) else {
            continue;
        };
        for (name, agent) in agents {
            if let Some(own) = agent.member(key) {
                let at = format!("/{section}{}/{key}", json::step(name));
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
        Json::Map(members) => match value.member("effect") {
            Some(effect) => strictest(effect),
            None => members
                .iter()
                .filter_map(|(_, value)| strictest(value))
                .max(),
        },
        Json::List(rules) => rules.iter().filter_map(strictest).max(),
        Json::Other | Json::Bool(_) => None,
    }
}
