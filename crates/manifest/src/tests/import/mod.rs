//! Imported rules: what they mean here against a plain reading of what they mean there.

mod claude;
mod codex;
mod gemini;
mod opencode;
mod properties;
mod sources;

use std::path::Path;

use serde_json::json;
use tipstaff_command::{SimpleCommand, Word};
use tipstaff_policy::{PolicySet, Request, Subject};
use tipstaff_resource::{Base, Resource};
use tipstaff_schema::{Access, AgentId, Effect, Profile, ResourceKind};

use crate::Manifest;
use crate::import::{ImportOptions, Imported, Origin, import};

/// Imports with a reading, an editing and a fetching tool named, and a home.
#[track_caller]
fn imported(origin: Origin, text: &str) -> Imported {
    import(text, origin, &named()).unwrap_or_else(|error| panic!("{error}"))
}

fn named() -> ImportOptions {
    ImportOptions {
        home: Some("/home/me".to_owned()),
        read: vec!["files:read_file".to_owned()],
        edit: vec!["files:write_file".to_owned()],
        web: vec!["web:fetch".to_owned()],
        ..ImportOptions::default()
    }
}

/// The rules, as the manifest takes them.
#[track_caller]
fn policy(imported: &Imported) -> PolicySet {
    let read = Manifest::from_text(Path::new("imported.yaml"), &imported.yaml);
    read.unwrap_or_else(|refused| panic!("{}\n{}", refused.render(), imported.yaml))
        .policy
}

fn decide(set: &PolicySet, capability: &str, subject: Subject<'_>) -> Effect {
    let (agent, params) = (AgentId::new("a").unwrap(), json!({}));
    let profile = Profile::unknown("call");
    let action = match subject {
        Subject::Command(_) => "command",
        Subject::None | Subject::Resource(_) => "call",
    };
    let request = Request {
        agent: &agent,
        parents: &[],
        root: Some("/w"),
        capability,
        tool_id: capability,
        profile: &profile,
        action,
        subject,
        params: &params,
        cwd: None,
        placement: None,
        at: chrono::DateTime::UNIX_EPOCH,
    };
    set.decide(&request).effect
}

/// What is decided about a command of these words.
fn command(set: &PolicySet, words: &[&str]) -> Effect {
    let command = SimpleCommand {
        words: words.iter().map(|word| Word::literal(*word)).collect(),
        text: words.join(" "),
        ..SimpleCommand::default()
    };
    decide(set, "spawn", Subject::Command(&command))
}

fn on(set: &PolicySet, tool: &str, kind: ResourceKind, value: &str) -> Effect {
    let base = Base {
        cwd: None,
        root: Some("/w"),
    };
    let resource = Resource::parse(kind, value, Access::Read, &base).unwrap();
    decide(set, tool, Subject::Resource(&resource))
}

fn reads(set: &PolicySet, path: &str) -> Effect {
    on(set, "files:read_file", ResourceKind::Path, path)
}

fn edits(set: &PolicySet, path: &str) -> Effect {
    on(set, "files:write_file", ResourceKind::Path, path)
}

fn fetches(set: &PolicySet, url: &str) -> Effect {
    on(set, "web:fetch", ResourceKind::Url, url)
}

fn tool(set: &PolicySet, name: &str) -> Effect {
    decide(set, name, Subject::None)
}

/// Where and why something was left out.
fn left(imported: &Imported) -> Vec<(&str, &str)> {
    imported
        .left_out
        .iter()
        .map(|left| (left.at.as_str(), left.why.as_str()))
        .collect()
}
