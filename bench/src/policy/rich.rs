//! Rules with everything that ours can say: asks, windows, conditions, commands, hosts, URLs and
//! patterns of every shape; and the sets that are hard for an index.

use anyhow::{Context as _, Result};
use chrono::{TimeDelta, TimeZone as _, Utc};
use serde_json::{Value, json};
use tipstaff_command::{SimpleCommand, Word};
use tipstaff_schema::{AgentId, ResourceKind};

use super::calls::{Call, core_call};
use super::core::{
    AGENTS, Asked, OF_A_SERVER, TOOLS, agent_name, core_asked, core_rules, file, folder, projects,
    tool_name,
};
use super::ours::core_json;
use crate::dice::Dice;

/// What a set of rules is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mix {
    /// The common core.
    Core,
    /// Everything.
    Rich,
    /// One glob a rule, none equal to another, for all agents and tools.
    Globs,
    /// One `*a*b*` a rule, none equal to another, for all agents and tools.
    Infix,
}

impl Mix {
    /// What it is, in the table.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Core => "the common core",
            Self::Rich => "everything",
            Self::Globs => "distinct globs",
            Self::Infix => "distinct `*a*b*`",
        }
    }
}

/// So many rules of a mix, as JSON.
pub fn rich_rules(mix: Mix, count: usize) -> Vec<Value> {
    let (mut dice, projects) = (Dice::new(21), projects(count));
    match mix {
        Mix::Core => core_json(&core_rules(count)),
        Mix::Rich => (0..count).map(|n| rule(&mut dice, n, projects)).collect(),
        Mix::Globs => (0..count)
            .map(|n| global(n, glob(&mut dice, n, projects)))
            .collect(),
        Mix::Infix => (0..count)
            .map(|n| {
                global(
                    n,
                    format!("**/*{}*{}*", piece(n / 100), piece(n % 100 + 400)),
                )
            })
            .collect(),
    }
}

/// So many requests for the rules of a mix.
///
/// # Errors
/// A value of our own making is refused.
pub fn rich_calls(mix: Mix, rules: usize, count: usize) -> Result<Vec<Call>> {
    let (mut dice, projects) = (Dice::new(22), projects(rules));
    match mix {
        Mix::Core => core_asked(&core_rules(rules), count)
            .iter()
            .map(core_call)
            .collect(),
        Mix::Rich => {
            let written = rich_rules(mix, rules);
            (0..count)
                .map(|_| call(&mut dice, &written, projects))
                .collect()
        }
        Mix::Globs | Mix::Infix => (0..count)
            .map(|_| {
                let path = match mix {
                    Mix::Core | Mix::Rich | Mix::Globs => shaped(&mut dice, rules, projects),
                    Mix::Infix => pieces(&mut dice, rules),
                };
                let asked = Asked {
                    agent: dice.roll(AGENTS),
                    tool: dice.roll(TOOLS),
                    path,
                };
                core_call(&asked)
            })
            .collect(),
    }
}

fn global(n: usize, pattern: String) -> Value {
    let mut rule =
        json!({ "id": format!("rule-{n}"), "target": { "path": pattern }, "effect": "allow" });
    if n.is_multiple_of(3) {
        rule["effect"] = json!("deny");
        rule["guard"] = json!(true);
    }
    rule
}

/// Five letters, different for each number.
fn piece(n: usize) -> String {
    let letter = |n: usize| char::from(b'a' + u8::try_from(n % 26).unwrap_or(0));
    let letters: String = [n / 26, n, n / 7, n / 3, n / 11]
        .map(letter)
        .into_iter()
        .collect();
    format!("{letters}{n}")
}

fn glob(dice: &mut Dice, n: usize, projects: usize) -> String {
    let project = dice.roll(projects);
    match n % 6 {
        0 => format!("/srv/project-{project}/**/*-{n}.rs"),
        1 => format!("**/name-{n}*.log"),
        2 => format!("/srv/*/docs/part-{n}/**"),
        3 => format!("**/cache-{n}/**"),
        4 => format!("/srv/project-{project}/data/part-*/{n}-*.{{json,txt}}"),
        _ => format!("/srv/project-{project}/src/[a-m]*/mod-{n}/*"),
    }
}

/// A path that some glob of its number means, four times of five.
fn shaped(dice: &mut Dice, rules: usize, projects: usize) -> String {
    let (n, project) = (dice.roll(rules), dice.roll(projects));
    match dice.roll(5) {
        0 => format!("/srv/project-{project}/a/name-{n}-b.log"),
        1 => format!("/srv/project-{project}/docs/part-{n}/c/d.md"),
        2 => format!("/srv/project-{project}/x/cache-{n}/y"),
        3 => format!("/srv/project-{project}/src/lib/mod-{n}/f.rs"),
        _ => file(dice, projects),
    }
}

/// A path with pieces that infix patterns ask for; half the time with both.
fn pieces(dice: &mut Dice, rules: usize) -> String {
    let n = dice.roll(rules);
    let second = if dice.percent(50) {
        n % 100 + 400
    } else {
        dice.roll(400)
    };
    format!("/srv/data/x-{}-y-{}-z.txt", piece(n / 100), piece(second))
}

fn rule(dice: &mut Dice, n: usize, projects: usize) -> Value {
    let mut rule = json!({ "id": format!("rule-{n}") });
    let place = dice.roll(100);
    if place < 90 && dice.percent(80) || place >= 95 {
        rule["agent"] = json!(agent_name(dice.roll(AGENTS)));
    }
    if !(87..95).contains(&place) && (place >= 95 || dice.percent(85)) {
        let tool = dice.roll(TOOLS);
        let name = if place < 95 && dice.percent(25) {
            format!("server-{}:*", tool / 25)
        } else {
            tool_name(tool)
        };
        rule["capability"] = json!(name);
    }
    match place {
        0..45 => rule["target"] = json!({ "path": file(dice, projects) }),
        45..60 => rule["target"] = json!({ "path": format!("{}/**", folder(dice, projects)) }),
        60..66 => rule["target"] = json!({ "path": format!("**/special-{n}.json") }),
        66..72 => rule["target"] = json!({ "path": glob(dice, n, projects) }),
        72..76 => rule["target"] = json!({ "path": format!("**/*{}*{}*", piece(n), piece(n / 2)) }),
        76..82 => {
            let url = format!("https://api-{}.zone.example/v{}/**", n % 997, dice.roll(9));
            rule["target"] = json!({ "url": url });
        }
        82..87 => rule["target"] = json!({ "host": format!("*.zone-{}.example", n % 997) }),
        87..95 => {
            rule["capability"] = json!("spawn");
            let words = [
                format!("tool-{}", n % 499),
                format!("sub-{}", dice.roll(20)),
                "**".to_owned(),
            ];
            rule["target"] = json!({ "command": words });
        }
        _ => {}
    }
    extras(dice, &mut rule);
    rule
}

/// The effect, and what narrows a rule further.
fn extras(dice: &mut Dice, rule: &mut Value) {
    let command = rule["capability"] == json!("spawn");
    match dice.roll(100) {
        0..50 => rule["effect"] = json!("allow"),
        50..75 => rule["effect"] = json!("ask"),
        _ => rule["effect"] = json!("deny"),
    }
    match (rule["effect"].as_str(), dice.percent(50)) {
        (Some("deny"), true) => rule["guard"] = json!(true),
        (Some("deny"), false) => rule["overridable"] = json!(true),
        (Some("ask"), true) => rule["fresh"] = json!(true),
        _ => {}
    }
    if dice.percent(15) && !command {
        rule["when"] = match dice.roll(3) {
            0 => json!([{ "path": "/size", "at_most": dice.roll(1000) }]),
            1 => json!([{ "path": "/mode", "equals": "append" }]),
            _ => json!([{ "path": "/tags", "exists": true }, { "path": "/size", "at_least": 10 }]),
        };
    }
    if dice.percent(8) {
        let from = dice.roll(23);
        rule["hours"] =
            json!({ "from": from, "to": from + 1, "tz": "Europe/Berlin", "days": ["mon-fri"] });
    }
    if dice.percent(8) && !command {
        rule["action"] = json!((["call", "write"][dice.roll(2)]));
    }
    if dice.percent(3) && rule["guard"].is_null() {
        rule["until"] = json!("2026-07-01T00:00:00Z");
    }
    if dice.percent(5) && rule["effect"] == json!("allow") {
        rule["inherit"] = json!(true);
    }
    if dice.percent(30) {
        rule["reason"] = json!("as the owners of the data have asked for");
    }
}

/// Seven of ten are such as some rule was written for, but for its window and its conditions; the
/// others are made up anew.
fn call(dice: &mut Dice, rules: &[Value], projects: usize) -> Result<Call> {
    let (agent, tool) = (dice.roll(AGENTS), dice.roll(TOOLS));
    let mut call = if dice.percent(70) {
        meet(&rules[dice.roll(rules.len())], agent, tool, dice)?
    } else {
        let call = Call::of(agent, tool_name(tool))?;
        match dice.roll(4) {
            0 => call,
            1 => call.on(ResourceKind::Path, &shaped(dice, rules.len(), projects))?,
            _ => call.on(ResourceKind::Path, &file(dice, projects))?,
        }
    };
    call.params = json!({ "size": dice.roll(2000), "mode": (["append", "replace"][dice.roll(2)]), "note": "n" });
    let begin = Utc
        .with_ymd_and_hms(2026, 6, 1, 0, 0, 0)
        .single()
        .context("a time")?;
    call.at = begin + TimeDelta::minutes(i64::try_from(dice.roll(60 * 24 * 60))?);
    Ok(call)
}

/// A call that the rule's agent, tool and target mean; of this agent and tool where it names none.
fn meet(rule: &Value, agent: usize, tool: usize, dice: &mut Dice) -> Result<Call> {
    let name = match rule["capability"]
        .as_str()
        .map(|name| name.split_once(":*"))
    {
        None => tool_name(tool),
        Some(None) => rule["capability"].as_str().unwrap_or_default().to_owned(),
        Some(Some((server, _))) => {
            let server: usize = server.trim_start_matches("server-").parse()?;
            tool_name(server * OF_A_SERVER + dice.roll(OF_A_SERVER))
        }
    };
    let mut call = Call::of(agent, name)?;
    if let Some(agent) = rule["agent"].as_str() {
        call.agent = AgentId::new(agent)?;
    }
    let target = &rule["target"];
    for (key, kind) in [
        ("path", ResourceKind::Path),
        ("url", ResourceKind::Url),
        ("host", ResourceKind::Host),
    ] {
        if let Some(pattern) = target[key].as_str() {
            return call.on(kind, &meant(pattern));
        }
    }
    if let Some(words) = target["command"].as_array() {
        let words = words.iter().filter_map(Value::as_str).map(meant);
        let words: Vec<String> = words.collect();
        call.command = Some(SimpleCommand {
            text: words.join(" "),
            words: words.into_iter().map(Word::literal).collect(),
            ..SimpleCommand::default()
        });
    }
    Ok(call)
}

/// A text that a pattern of ours means: something for each of its wildcards.
fn meant(pattern: &str) -> String {
    let whole = match pattern.strip_prefix("**/") {
        Some(rest) => format!("/srv/a/{rest}"),
        None => pattern.to_owned(),
    };
    [
        ("/**/", "/b/"),
        ("/**", "/deep/x.rs"),
        ("**", "file"),
        ("{json,txt}", "json"),
        ("[a-m]", "b"),
        ("*", "a"),
    ]
    .iter()
    .fold(whole, |text, (wildcard, with)| text.replace(wildcard, with))
}
