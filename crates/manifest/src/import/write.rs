//! What was settled, as rules of ours in YAML; each is compiled before it is written.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use tipstaff_policy::wire::RuleWire;
use tipstaff_policy::{Rule, RuleContext};
use tipstaff_schema::Effect;

use super::found::{Found, Use, What};
use super::order::{Hold, Settled};
use super::path_text;
use super::{Carried, CommandEffects, ImportOptions, Imported, LeftOut, Origin};

/// Writes the rules; one that ours refuses is left out, with the milder ones that stood behind it.
pub(super) fn imported(settled: Settled, options: &ImportOptions) -> Imported {
    let (mut carried, mut left_out) = (Vec::new(), settled.left_out);
    let (mut policies, mut commands) = (Vec::new(), Vec::new());
    let mut refused: Vec<Found> = Vec::new();
    for (number, (found, hold)) in settled.rules.into_iter().enumerate() {
        let hidden = refused.iter().find(|lost| {
            found.effect == Effect::Allow
                && lost.effect != Effect::Allow
                && lost.what.meets(&found.what)
        });
        let rules = match hidden {
            Some(lost) => Err(format!(
                "{} at {} is not carried over, and may decide some of these calls before it",
                lost.effect, lost.at
            )),
            None if hold == Hold::Denied => Ok(Vec::new()),
            None => checked(rules_of(&found, hold, options)),
        };
        match rules {
            Ok(rules) => {
                let mut ids = Vec::new();
                for (part, mut rule) in rules.into_iter().enumerate() {
                    let id = id_of(settled.origin, number, part);
                    finish(&mut rule, &id, &found, options);
                    let command = rule.contains_key("command");
                    let list = if command {
                        &mut commands
                    } else {
                        &mut policies
                    };
                    list.push((found.at.clone(), rule));
                    ids.push(id);
                }
                carried.push(Carried {
                    at: found.at,
                    text: found.text,
                    effect: found.effect,
                    rules: ids,
                    notes: found.notes,
                });
            }
            Err(why) => {
                left_out.push(LeftOut {
                    at: found.at.clone(),
                    text: found.text.clone(),
                    effect: Some(found.effect),
                    why,
                    decides: true,
                });
                refused.push(found);
            }
        }
    }
    let mut yaml = String::from("version: 1\n");
    section(&mut yaml, "policies", &policies);
    section(&mut yaml, "commands", &commands);
    Imported {
        yaml,
        carried,
        left_out,
    }
}

/// `claude-3`, and `claude-3-2` for the second rule of the same.
fn id_of(origin: Origin, number: usize, part: usize) -> String {
    let id = format!("{}-{}", origin.as_str(), number + 1);
    match part {
        0 => id,
        part => format!("{id}-{}", part + 1),
    }
}

type Members = Map<String, Value>;

/// What every rule says beside what it is about.
fn finish(rule: &mut Members, id: &str, found: &Found, options: &ImportOptions) {
    let about = std::mem::take(rule);
    rule.insert("id".to_owned(), json!(id));
    if let Some(agent) = &options.agent {
        rule.insert("agent".to_owned(), json!(agent.as_str()));
    }
    rule.extend(about);
    let shown: String = found
        .text
        .chars()
        .filter(|c| !c.is_control())
        .take(160)
        .collect();
    rule.insert("reason".to_owned(), json!(format!("imported: {shown}")));
}

/// The rules, where ours takes all of them.
fn checked(rules: Vec<Members>) -> Result<Vec<Members>, String> {
    if rules.is_empty() {
        return Err("none of our rules says it".to_owned());
    }
    for rule in &rules {
        let mut rule = rule.clone();
        rule.insert("id".to_owned(), json!("import"));
        let wire = if rule.contains_key("command") {
            RuleWire::from_command(Value::Object(rule))
        } else {
            RuleWire::from_value(Value::Object(rule))
        };
        if let Err(errors) = Rule::try_from_wire(wire, 0, &RuleContext::default()) {
            let first = errors.first();
            return Err(first.map_or_else(String::new, |error| {
                format!("ours refuses it: {}", error.problem)
            }));
        }
    }
    Ok(rules)
}

fn members(value: Value) -> Members {
    match value {
        Value::Object(members) => members,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Members::new()
        }
    }
}

fn rules_of(found: &Found, hold: Hold, options: &ImportOptions) -> Vec<Members> {
    let effect = found.effect;
    let mut rules = match (&found.what, effect) {
        (What::Commands(patterns), _) => patterns
            .iter()
            .map(|words| json!({ "command": words }))
            .collect(),
        (What::AllCommands, Effect::Allow) => vec![json!({ "command": ["*", "**flags"] })],
        (What::AllCommands, Effect::Ask | Effect::Deny) => {
            vec![json!({ "capability": "spawn", "action": "command" })]
        }
        (What::Tools(names), _) => tools(names, effect, options),
        (What::Paths(used, patterns), _) => {
            let targets = patterns.iter().map(|pattern| json!({ "path": pattern }));
            files(*used, targets.collect(), effect, options)
        }
        (What::AllPaths(used), _) => all_files(*used, effect, hold, options),
        (What::Sites(sites), _) => {
            let targets = sites
                .iter()
                .map(|(kind, pattern)| json!({ *kind: pattern }));
            on(&options.web, targets.collect(), effect)
        }
        (What::AllSites, Effect::Allow | Effect::Ask) => {
            on(&options.web, vec![json!({ "host": "*" })], effect)
        }
        (What::AllSites, Effect::Deny) => all_sites(options),
        (What::All, Effect::Allow) => everything(options),
        (What::All, Effect::Ask | Effect::Deny) => vec![json!({})],
        (What::NotUnderstood(..), _) => Vec::new(),
    };
    for rule in &mut rules {
        seal(rule, effect, hold, options);
    }
    rules.into_iter().map(members).collect()
}

/// The effect, and what belongs to it.
fn seal(rule: &mut Value, effect: Effect, hold: Hold, options: &ImportOptions) {
    rule["effect"] = json!(effect);
    match (effect, hold) {
        (Effect::Deny, Hold::Guard) => rule["guard"] = json!(true),
        (Effect::Deny, Hold::Excepted) => rule["overridable"] = json!(true),
        (Effect::Allow, _)
            if rule.get("command").is_some() && options.effects == CommandEffects::Any =>
        {
            rule["effects"] = json!("any");
        }
        (Effect::Allow | Effect::Ask, _) | (Effect::Deny, Hold::Denied) => {}
    }
}

/// Asks about tools also weigh as much as the allows for files and the web that the same tools may have.
fn tools(names: &[String], effect: Effect, options: &ImportOptions) -> Vec<Value> {
    let named = options
        .read
        .iter()
        .chain(&options.edit)
        .chain(&options.web)
        .next()
        .is_some();
    names
        .iter()
        .flat_map(|name| {
            let mut rules = vec![json!({ "capability": name })];
            if effect == Effect::Ask && named {
                rules.push(json!({ "capability": name, "target": { "path": "**" } }));
                rules.push(json!({ "capability": name, "target": { "host": "*" } }));
            }
            rules
        })
        .collect()
}

/// An allow for the named tools alone; an ask for them and every other; a deny for every tool.
fn on(named: &[String], targets: Vec<Value>, effect: Effect) -> Vec<Value> {
    let mut rules = Vec::new();
    for target in targets {
        if effect != Effect::Deny {
            rules.extend(
                named
                    .iter()
                    .map(|tool| json!({ "capability": tool, "target": target })),
            );
        }
        if effect != Effect::Allow {
            rules.push(json!({ "target": target }));
        }
    }
    rules
}

fn files(used: Use, targets: Vec<Value>, effect: Effect, options: &ImportOptions) -> Vec<Value> {
    match used {
        Use::Read => on(&options.read, targets, effect),
        // Where it is said which tools edit, reading stays what it was.
        Use::Edit if !options.edit.is_empty() && effect != Effect::Allow => {
            editing(&targets, options)
        }
        Use::Edit => on(&options.edit, targets, effect),
    }
}

fn editing(targets: &[Value], options: &ImportOptions) -> Vec<Value> {
    let mut rules = Vec::new();
    for target in targets {
        rules.extend(
            options
                .edit
                .iter()
                .map(|tool| json!({ "capability": tool, "target": target })),
        );
        for action in ["write", "delete"] {
            rules.push(json!({ "capability": "spawn", "action": action, "target": target }));
        }
    }
    rules
}

fn all_files(used: Use, effect: Effect, hold: Hold, options: &ImportOptions) -> Vec<Value> {
    let below = json!({ "path": format!("{}/**", path_text::root(options)) });
    match (effect, hold) {
        (Effect::Allow, _) => files(used, vec![below], effect, options),
        // What stands before it must weigh more: no target, or no tool.
        (Effect::Deny, Hold::Excepted) if used == Use::Edit && !options.edit.is_empty() => {
            let own = options
                .edit
                .iter()
                .map(|tool| json!({ "capability": tool }));
            let spawn = ["write", "delete"]
                .map(|action| json!({ "capability": "spawn", "action": action }));
            own.chain(spawn).collect()
        }
        (Effect::Deny, _) => files(used, vec![json!({ "path": "**" })], effect, options),
        (Effect::Ask, _) => {
            let named = match used {
                Use::Read => &options.read,
                Use::Edit => &options.edit,
            };
            let own = named.iter().map(|tool| json!({ "capability": tool }));
            own.chain([json!({ "target": { "path": "**" } })]).collect()
        }
    }
}

fn all_sites(options: &ImportOptions) -> Vec<Value> {
    if options.web.is_empty() {
        return vec![json!({ "target": { "host": "*" } })];
    }
    options
        .web
        .iter()
        .map(|tool| json!({ "capability": tool }))
        .collect()
}

fn everything(options: &ImportOptions) -> Vec<Value> {
    let mut rules = vec![
        json!({ "command": ["*", "**flags"] }),
        json!({ "capability": "*:*" }),
    ];
    rules.extend(all_files(Use::Read, Effect::Allow, Hold::Guard, options));
    rules.extend(all_files(Use::Edit, Effect::Allow, Hold::Guard, options));
    rules.extend(on(
        &options.web,
        vec![json!({ "host": "*" })],
        Effect::Allow,
    ));
    rules
}

/// What is written of a rule, in the order in which people read it.
const KEYS: [&str; 11] = [
    "id",
    "agent",
    "capability",
    "action",
    "target",
    "command",
    "effect",
    "guard",
    "overridable",
    "effects",
    "reason",
];

/// A list of rules in YAML; every text is in double quotes, as JSON has it.
fn section(yaml: &mut String, name: &str, rules: &[(String, Members)]) {
    if rules.is_empty() {
        return;
    }
    let _ = writeln!(yaml, "\n{name}:");
    for (at, rule) in rules {
        let at: String = at.chars().filter(|c| !c.is_control()).take(120).collect();
        let _ = writeln!(yaml, "  # {at}");
        let members = KEYS.iter().filter_map(|key| Some((key, rule.get(*key)?)));
        for (n, (key, value)) in members.enumerate() {
            let lead = if n == 0 { "  - " } else { "    " };
            let _ = writeln!(yaml, "{lead}{key}: {}", plain(value));
        }
    }
}

/// The value on one line, in ASCII.
fn plain(value: &Value) -> String {
    let text = value.to_string();
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let _ = match u32::from(c) {
            0x20..=0x7e => write!(out, "{c}"),
            code @ 0..=0xffff => write!(out, "\\u{code:04x}"),
            code => write!(out, "\\U{code:08x}"),
        };
    }
    out
}
