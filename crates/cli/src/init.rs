//! `tipstaff init`: a starter policy, written for a person to read and change.

use std::io::Write as _;
use std::path::Path;

use serde_json::json;
use tipstaff_manifest::Manifest;

use crate::args::InitArgs;
use crate::exit::{self, Code, Failure, USAGE};
use crate::out;

pub(crate) fn run(args: &InitArgs, as_json: bool) -> Result<Code, Failure> {
    let (starter, file) = (args.starter, &args.out);
    let manifest = Manifest::from_text(file, starter.text)
        .map_err(|rejected| Failure::new(USAGE, rejected.render()))?;
    write(file, starter.text)?;
    let (rules, tests) = (manifest.policy.rules().len(), manifest.tests.len());
    let agents: Vec<_> = manifest.agents.iter().collect();
    if as_json {
        let agents: Vec<_> = agents
            .iter()
            .map(|(name, facts)| json!({ "agent": name, "root": facts.root }))
            .collect();
        out::json(&json!({
            "starter": starter.name, "file": file.display().to_string(),
            "rules": rules, "tests": tests, "agents": agents,
        }));
        return Ok(exit::OK);
    }
    let shown = file.display();
    out::line(&format!(
        "{shown}: starter `{}`, {rules} rules, {tests} tests; {}",
        starter.name, starter.purpose
    ));
    for (name, facts) in agents {
        let root = facts.root.as_deref().unwrap_or("none");
        out::line(&format!(
            "agent `{name}` works in {root}: write your own name and folder there"
        ));
    }
    out::line(&format!("next: tipstaff check -c {shown}"));
    Ok(exit::OK)
}

/// Writes a file that does not exist yet: a policy that somebody has changed by hand is not lost.
fn write(file: &Path, text: &str) -> Result<(), Failure> {
    let made = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(file);
    made.and_then(|mut made| made.write_all(text.as_bytes()))
        .map_err(|error| {
            let fix = if error.kind() == std::io::ErrorKind::AlreadyExists {
                "; it is not overwritten: name another file"
            } else {
                ""
            };
            Failure::new(USAGE, format!("--out {}: {error}{fix}", file.display()))
        })
}
