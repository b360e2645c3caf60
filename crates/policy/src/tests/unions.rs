//! Rules that alone or together stand before one: for hosts, URLs and commands that is found, or said to be
//! not decided; it is never guessed. Unions of paths are exact and tested with the analysis.

use serde_json::{Value, json};

use super::analysis::analysed;
use super::small_world::{self, tool};
use super::{of_kind, world};
use crate::{FindingKind, World};

/// What came of a rule that others may stand before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    Shadowed,
    NotDecided,
    Alive,
}

fn web() -> World {
    let mut web = small_world::world();
    let resource = |kind: &str| json!([{"kind": kind, "from": "/at"}]);
    web.capabilities.push(tool("f:url", "get", resource("url")));
    web.capabilities
        .push(tool("f:host", "look", resource("host")));
    web
}

/// Guards with these targets, and an allow with that one.
fn told(world: &World, tool: &str, guards: &[Value], target: &Value) -> Told {
    let rule = |id: String, target: &Value, effect: &str| json!({"id": id, "capability": tool, "target": target, "effect": effect});
    let mut rules: Vec<Value> = vec![rule("dead".to_owned(), target, "allow")];
    for (n, guard) in guards.iter().enumerate() {
        let mut guard = rule(format!("g{n}"), guard, "deny");
        guard["guard"] = json!(true);
        rules.push(guard);
    }
    let (_, analysis) = analysed(Value::Array(rules), world);
    let dead = |kind| {
        of_kind(&analysis.findings, kind)
            .iter()
            .any(|found| found.rules[0] == "dead")
    };
    if dead(FindingKind::Shadowed) {
        Told::Shadowed
    } else if analysis.not_decided.contains_key(&FindingKind::Shadowed) {
        Told::NotDecided
    } else {
        Told::Alive
    }
}

/// What is told is so; where it is not told, `said` has to be `NotDecided`.
#[track_caller]
fn check(world: &World, tool: &str, (guards, target): (&[Value], &Value), said: Told) {
    let told = told(world, tool, guards, target);
    assert_eq!(told, said, "{guards:?} {target}");
}

#[test]
fn unions_of_hosts() {
    let host = |text: &str| json!({"host": text});
    let look = |guards: &[&str], target: &str, said| {
        let guards: Vec<Value> = guards.iter().map(|guard| host(guard)).collect();
        check(&web(), "f:host", (&guards, &host(target)), said);
    };
    look(&["*.x.example"], "a.x.example", Told::Shadowed);
    look(&["*.x.example"], "x.example", Told::Alive);
    look(&["a.x.example", "b.x.example"], "*.x.example", Told::Alive);
    // Together these stand before all of it, or all but a part; neither is told.
    look(
        &["10.0.0.0/9", "10.128.0.0/9"],
        "10.0.0.0/8",
        Told::NotDecided,
    );
    look(
        &["10.0.0.0/9", "10.128.0.0/10"],
        "10.0.0.0/8",
        Told::NotDecided,
    );
    look(
        &["a*.x.example", "b*.x.example"],
        "{a,b}.x.example",
        Told::NotDecided,
    );
}

#[test]
fn unions_of_urls() {
    let url = |text: &str| json!({"url": text});
    let get = |guards: &[&str], target: &str, said| {
        let guards: Vec<Value> = guards.iter().map(|guard| url(guard)).collect();
        check(&web(), "f:url", (&guards, &url(target)), said);
    };
    let (a, b) = ("https://x.example/a/**", "https://x.example/b/**");
    get(
        &["https://*.x.example/**", "https://x.example/**"],
        "https://a.x.example/v1/**",
        Told::Shadowed,
    );
    get(
        &["https://x.example/**"],
        "http://x.example/**",
        Told::Alive,
    );
    get(&[a, b], "https://x.example/{a,b}/**", Told::NotDecided);
    get(&[a], "https://x.example/{a,b}/**", Told::NotDecided);
}

#[test]
fn unions_of_commands() {
    let run = |guards: &[&[&str]], target: &[&str], said| {
        let command = |words: &[&str]| json!({"command": words});
        let guards: Vec<Value> = guards.iter().map(|words| command(words)).collect();
        check(&world(), "spawn", (&guards, &command(target)), said);
    };
    let (push, pull) = (&["git", "push", "**"][..], &["git", "pull", "**"][..]);
    run(&[push], &["git", "push", "origin"], Told::Shadowed);
    run(&[push], &["git", "pull"], Told::Alive);
    run(&[push, pull], &["git", "pu*"], Told::Alive);
}
