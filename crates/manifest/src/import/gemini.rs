//! A policy file of Gemini CLI: `[[rule]]` tables; of all that match the one of the highest priority
//! decides, of equal ones the first.

use tipstaff_schema::Effect;
use toml::{Table, Value};

use super::claude::tool_of;
use super::command_text::{self, Stars};
use super::found::{Class, Found, Reading, Use, What};
use super::{ImportError, ImportOptions};

/// Fields that say nothing about which calls are meant.
const SAYS_NOTHING: [&str; 11] = [
    "toolName",
    "mcpName",
    "commandPrefix",
    "decision",
    "priority",
    "denyMessage",
    "deny_message",
    "allowRedirection",
    "allow_redirection",
    "name",
    "description",
];

pub(super) fn read(text: &str, _: &ImportOptions) -> Result<Reading, ImportError> {
    let root: Table = text
        .parse()
        .map_err(|error: toml::de::Error| ImportError::Syntax {
            what: "TOML",
            why: error.to_string(),
        })?;
    let mut reading = Reading::default();
    let lines = |name: &str| -> Vec<usize> {
        let head = format!("[[{name}]]");
        let lines = text.lines().enumerate();
        lines
            .filter(|(_, line)| line.replace([' ', '\t'], "").starts_with(&head))
            .map(|(n, _)| n + 1)
            .collect()
    };
    let checkers = lines("safety_checker");
    for (n, _) in tables(&root, "safety_checker").enumerate() {
        let why = "a program that checks calls is not carried over";
        reading.leave(
            place(&checkers, n),
            "safety_checker",
            Some(Effect::Ask),
            why,
        );
    }
    if !root.contains_key("rule") {
        return Err(ImportError::Nothing { what: "`[[rule]]`" });
    }
    let own = lines("rule");
    let mut rules: Vec<(i64, Found)> = Vec::new();
    for (n, table) in tables(&root, "rule").enumerate() {
        one(&mut rules, &mut reading, place(&own, n), table);
    }
    // Stable: of equal priorities the first stays first.
    rules.sort_by_key(|(priority, _)| std::cmp::Reverse(*priority));
    reading.rules = rules.into_iter().map(|(_, found)| found).collect();
    Ok(reading)
}

fn place(lines: &[usize], n: usize) -> String {
    lines
        .get(n)
        .map_or(format!("rule {}", n + 1), |line| format!("line {line}"))
}

fn tables<'a>(root: &'a Table, name: &str) -> impl Iterator<Item = &'a Table> {
    let list = root.get(name).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_table)
}

/// A text, or a list of them.
fn texts(table: &Table, key: &str) -> Option<Vec<String>> {
    match table.get(key)? {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Array(items) => items
            .iter()
            .map(|item| item.as_str().map(str::to_owned))
            .collect(),
        Value::Integer(_)
        | Value::Float(_)
        | Value::Boolean(_)
        | Value::Datetime(_)
        | Value::Table(_) => None,
    }
}

fn one(rules: &mut Vec<(i64, Found)>, reading: &mut Reading, at: String, table: &Table) {
    let shown = table.to_string().trim_end().replace('\n', "; ");
    let effect = match table.get("decision").and_then(Value::as_str) {
        Some("allow") => Effect::Allow,
        Some("ask_user") => Effect::Ask,
        Some("deny") => Effect::Deny,
        Some(_) | None => {
            reading.leave(
                at,
                shown,
                Some(Effect::Deny),
                "its `decision` is none of `allow`, `ask_user` and `deny`",
            );
            return;
        }
    };
    let priority = table.get("priority").and_then(Value::as_integer);
    let Some(priority) = priority.filter(|priority| (0..=999).contains(priority)) else {
        // Where it stands among the others is not known: before all of them.
        let what = What::NotUnderstood(None, "it has no `priority` from 0 to 999".to_owned());
        rules.push((i64::MAX, Found::new(at, shown, effect, what)));
        return;
    };
    let conditions: Vec<&str> = table
        .keys()
        .map(String::as_str)
        .filter(|key| !SAYS_NOTHING.contains(key) && !every_mode(table, key))
        .collect();
    for what in meant(table, effect) {
        let (what, note) = what;
        let regex = conditions
            .iter()
            .find(|key| ["argsPattern", "commandRegex"].contains(key));
        let what = match (regex, conditions.first(), effect) {
            (Some(key), _, _) => What::NotUnderstood(
                what.class(),
                format!("`{key}` is a regular expression over the arguments as JSON"),
            ),
            (None, Some(key), Effect::Allow) => What::NotUnderstood(
                what.class(),
                format!("it holds only under `{key}`, which ours does not know"),
            ),
            (None, _, _) => what,
        };
        let mut found = Found::new(at.clone(), shown.clone(), effect, what).note(note);
        if effect != Effect::Allow {
            let dropped = conditions
                .iter()
                .map(|key| format!("wider: it holds whatever `{key}` says"));
            found.notes.extend(dropped);
        }
        rules.push((priority, found));
    }
}

/// `modes` that names all modes, or none, is no condition.
fn every_mode(table: &Table, key: &str) -> bool {
    let Some(modes) = texts(table, key).filter(|_| key == "modes") else {
        return false;
    };
    let all = ["default", "autoEdit", "plan", "yolo"];
    modes.is_empty() || all.iter().all(|mode| modes.iter().any(|own| own == mode))
}

fn meant(table: &Table, effect: Effect) -> Vec<(What, Option<&'static str>)> {
    let lost = |class, why: &str| (What::NotUnderstood(class, why.to_owned()), None);
    let server = table.get("mcpName").and_then(Value::as_str);
    let names = match (texts(table, "toolName"), server) {
        (Some(names), _) => names,
        (None, Some(_)) => vec!["*".to_owned()],
        (None, None) => return vec![lost(None, "its `toolName` is no text and no list of texts")],
    };
    if table.contains_key("mcpName") && server.is_none() {
        return vec![lost(Some(Class::Tools), "its `mcpName` is no text")];
    }
    if let Some(server) = server {
        let tools = names.iter().map(|name| match server {
            "*" if name == "*" => (What::Tools(vec!["*:*".to_owned()]), None),
            "*" => lost(Some(Class::Tools), "a tool of any server"),
            server => (tool_of(server, Some(name), effect), None),
        });
        return tools.collect();
    }
    let prefixes = table
        .contains_key("commandPrefix")
        .then(|| texts(table, "commandPrefix").unwrap_or_default());
    names
        .iter()
        .flat_map(|name| match (name.as_str(), &prefixes) {
            ("run_shell_command", Some(prefixes)) => prefixes
                .iter()
                .map(|prefix| command(prefix, effect))
                .collect(),
            ("run_shell_command", None) => vec![(What::AllCommands, None)],
            (_, Some(_)) => vec![lost(None, "`commandPrefix` belongs to `run_shell_command`")],
            (name, None) => vec![tool(name, effect)],
        })
        .collect()
}

fn command(prefix: &str, effect: Effect) -> (What, Option<&'static str>) {
    let read = command_text::read(prefix, Stars::Prefix, effect);
    read.unwrap_or_else(|why| {
        (
            What::NotUnderstood(Some(Class::Commands), why.to_owned()),
            None,
        )
    })
}

fn tool(name: &str, effect: Effect) -> (What, Option<&'static str>) {
    let lost = |class, why: &str| What::NotUnderstood(class, why.to_owned());
    let less = effect == Effect::Allow;
    let what = match name {
        "*" => What::All,
        "read_file" => What::AllPaths(Use::Read),
        "read_many_files" if !less => What::AllPaths(Use::Read),
        "write_file" => What::AllPaths(Use::Edit),
        "replace" if !less => What::AllPaths(Use::Edit),
        "web_fetch" => What::AllSites,
        "mcp_*" => What::Tools(vec!["*:*".to_owned()]),
        name => match name
            .strip_prefix("mcp_")
            .and_then(|rest| rest.split_once('_'))
        {
            Some((server, tool)) if !name.contains("__") => tool_of(server, Some(tool), effect),
            Some(_) => lost(Some(Class::Tools), "a name with two underscores"),
            None if name.contains('*') => lost(None, "a pattern over the names of tools"),
            None => lost(
                Some(Class::Elsewhere),
                "no tool of ours does what this tool of the source does",
            ),
        },
    };
    (what, None)
}
