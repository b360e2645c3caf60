//! The `permissions` of Claude Code's `settings.json`: lists of `Tool` or `Tool(what)`; deny comes
//! before ask, ask before allow, whatever the order in the file.

use tipstaff_schema::{Effect, ServerName};

use super::command_text::{self, Stars};
use super::found::{Class, Found, Reading, Use, What};
use super::json::{self, Json};
use super::{ImportError, ImportOptions, path_text};

const LISTS: [(&str, Effect); 3] = [
    ("deny", Effect::Deny),
    ("ask", Effect::Ask),
    ("allow", Effect::Allow),
];

pub(super) fn read(text: &str, options: &ImportOptions) -> Result<Reading, ImportError> {
    let root = json::read(text).map_err(|error| ImportError::Syntax {
        what: "JSON",
        why: error.to_string(),
    })?;
    let Some(Json::Map(permissions)) = root.member("permissions") else {
        return Err(ImportError::Nothing {
            what: "`permissions: {allow, ask, deny}`",
        });
    };
    let mut reading = Reading::default();
    for (key, value) in permissions {
        let at = format!("/permissions{}", json::step(key));
        match (LISTS.iter().any(|(name, _)| name == key), value) {
            (true, Json::List(_)) => {}
            (true, _) => reading.leave(at, key, Some(Effect::Deny), "it is no list"),
            (false, _) => reading.leave(
                at,
                key,
                None,
                "only `allow`, `ask` and `deny` are rules; what this key says is not carried over",
            ),
        }
    }
    for (name, effect) in LISTS {
        let lists = permissions.iter().filter(|(key, _)| key == name);
        for item in lists.flat_map(|(_, value)| items(value)).enumerate() {
            let at = format!("/permissions/{name}/{}", item.0);
            match item.1 {
                Json::Text(text) => rule(&mut reading, at, text, effect, options),
                Json::Other | Json::Bool(_) | Json::List(_) | Json::Map(_) => {
                    reading.leave(at, "", Some(effect), "it is no text");
                }
            }
        }
    }
    Ok(reading)
}

fn items(value: &Json) -> &[Json] {
    match value {
        Json::List(items) => items,
        Json::Other | Json::Bool(_) | Json::Text(_) | Json::Map(_) => &[],
    }
}

fn rule(reading: &mut Reading, at: String, text: &str, effect: Effect, options: &ImportOptions) {
    let (tool, what) = match text.split_once('(') {
        Some((tool, rest)) => match rest.strip_suffix(')') {
            Some(what) => (tool, Some(what)),
            None => {
                let why = "there is no `)` at its end".to_owned();
                reading
                    .rules
                    .push(Found::new(at, text, effect, What::NotUnderstood(None, why)));
                return;
            }
        },
        None => (text, None),
    };
    let what = what.filter(|what| *what != "*");
    match about(tool, what, effect, options) {
        About::Rule(what, note) => reading
            .rules
            .push(Found::new(at, text, effect, what).note(note)),
        About::Nothing(why) => reading.leave(at, text, Some(effect), why),
    }
}

enum About {
    Rule(What, Option<&'static str>),
    /// No tool of ours does that.
    Nothing(&'static str),
}

fn about(tool: &str, what: Option<&str>, effect: Effect, options: &ImportOptions) -> About {
    let allow = effect == Effect::Allow;
    match (tool, what) {
        ("Bash", None) => About::Rule(What::AllCommands, None),
        ("Bash", Some(text)) => {
            let text = text
                .strip_suffix(":*")
                .map_or(text.to_owned(), |prefix| format!("{prefix} *"));
            match command_text::read(&text, Stars::Star, effect) {
                Ok((what, note)) => About::Rule(what, note),
                Err(why) => lost(Class::Commands, why),
            }
        }
        ("Read", None) => About::Rule(What::AllPaths(Use::Read), None),
        ("Edit" | "Write", None) => About::Rule(What::AllPaths(Use::Edit), None),
        ("MultiEdit" | "NotebookEdit", None) if !allow => {
            About::Rule(What::AllPaths(Use::Edit), None)
        }
        ("Read", Some(text)) => files(Use::Read, text, effect, options),
        ("Edit", Some(text)) => files(Use::Edit, text, effect, options),
        ("Write" | "MultiEdit" | "NotebookEdit", Some(text)) if !allow => {
            files(Use::Edit, text, effect, options)
        }
        ("Write" | "MultiEdit" | "NotebookEdit", _) => {
            About::Nothing("only `Edit` says which files may be edited; this says less")
        }
        ("WebFetch", None) => About::Rule(What::AllSites, None),
        ("WebFetch", Some(text)) => match text.strip_prefix("domain:") {
            Some(domain) => site(domain, effect),
            None => lost(Class::Sites, "only `domain:` is known here"),
        },
        (tool, None) if tool.starts_with("mcp__") => mcp(tool, effect),
        (tool, Some(_)) if tool.starts_with("mcp__") => lost(
            Class::Tools,
            "what stands in the brackets of an MCP tool is not known",
        ),
        (tool, _) if tool.contains('*') => About::Rule(
            What::NotUnderstood(
                None,
                "a pattern over the names of built-in tools".to_owned(),
            ),
            None,
        ),
        _ => About::Nothing("no tool of ours does what this tool of the source does"),
    }
}

fn lost(class: Class, why: &str) -> About {
    About::Rule(What::NotUnderstood(Some(class), why.to_owned()), None)
}

fn files(used: Use, text: &str, effect: Effect, options: &ImportOptions) -> About {
    match path_text::gitignore(text, effect, options) {
        Ok(patterns) => About::Rule(What::Paths(used, patterns), None),
        Err(why) => lost(Class::Paths(used), why),
    }
}

/// Whether a domain means what lies below it is not said: the reading that means less, or more.
pub(super) fn domain(domain: &str, effect: Effect) -> What {
    let plain = !domain.trim_start_matches("*.").contains('*') && !domain.is_empty();
    if !plain {
        return What::NotUnderstood(
            Some(Class::Sites),
            "a star stands in the middle of the domain".to_owned(),
        );
    }
    let mut sites = vec![("host", domain.to_owned())];
    match (effect, domain.strip_prefix("*.")) {
        (Effect::Allow, _) => {}
        (Effect::Ask | Effect::Deny, Some(apex)) => sites.push(("host", apex.to_owned())),
        // An address has nothing below it.
        (Effect::Ask | Effect::Deny, None) if domain.parse::<std::net::IpAddr>().is_ok() => {}
        (Effect::Ask | Effect::Deny, None) => sites.push(("host", format!("*.{domain}"))),
    }
    What::Sites(sites)
}

fn site(text: &str, effect: Effect) -> About {
    About::Rule(
        if text == "*" {
            What::AllSites
        } else {
            domain(text, effect)
        },
        None,
    )
}

fn mcp(name: &str, effect: Effect) -> About {
    let rest = name.trim_start_matches("mcp__");
    let (server, tool) = match rest.split_once("__") {
        Some((server, tool)) => (server, Some(tool)),
        None => (rest, None),
    };
    About::Rule(tool_of(server, tool, effect), None)
}

/// A tool of a server, or all of them. The sources write `_` for what their names cannot hold, so a
/// deny or ask takes any character there.
pub(super) fn tool_of(server: &str, tool: Option<&str>, effect: Effect) -> What {
    if let Err(error) = ServerName::new(server) {
        return What::NotUnderstood(Some(Class::Tools), error.to_string());
    }
    let tool = tool.filter(|tool| !tool.is_empty()).unwrap_or("*");
    if tool.contains(['?', ':']) {
        return What::NotUnderstood(
            Some(Class::Tools),
            "its name holds a character that means something else here".to_owned(),
        );
    }
    let tool = match effect {
        Effect::Allow => tool.to_owned(),
        Effect::Ask | Effect::Deny => tool.replace('_', "?"),
    };
    What::Tools(vec![format!("{server}:{tool}")])
}
