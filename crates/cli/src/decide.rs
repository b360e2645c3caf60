//! `tipstaff decide`: one call in, one decision out, or one a line in the same order.
//!
//! A stable form that others lean on. Runs nothing, starts nothing, writes nothing, probes nothing.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::Path;

use serde_json::{Value, json};
use tipstaff_gate::{Gate, Lookup, SuggestedRules, Verdict};
use tipstaff_manifest::{CallLine, CallLineError, Manifest};
use tipstaff_registry::{PinMode, ServerIdentity};
use tipstaff_schema::ServerName;
use tipstaff_schema::sanitization::sanitize_for_display;

use crate::args::DecideArgs;
use crate::exit::{self, Code, Failure};
use crate::{calls, check, out, place, state};

pub(crate) async fn run(args: &DecideArgs, as_json: bool) -> Result<Code, Failure> {
    let manifest = check::load(&place::manifest(args.config.config.as_deref())?)?;
    let gate = calls::gate(&manifest, &args.call).await?;
    let lookup = calls::lookup(&args.call);
    let in_words = args.call.calls.is_none() && !as_json;
    let mut decisions = BufWriter::new(std::io::stdout().lock());
    let mut bad = false;
    calls::each(&args.call, &manifest, |number, read| {
        let decision = match read {
            Ok(call) if in_words => words(&gate, call, lookup),
            Ok(call) if args.call.calls.is_none() => out::ascii(&with_rules(&gate, call, lookup)),
            Ok(call) => out::ascii(&line(&gate, call, lookup)),
            Err(error) => {
                bad = true;
                out::ascii(&complaint(number, &error))
            }
        };
        writeln!(decisions, "{decision}").is_ok() // Else nobody reads on.
    })?;
    let flushed = decisions.flush();
    if flushed.is_err() {
        return Ok(exit::OK);
    }
    Ok(if bad { exit::FAILED } else { exit::OK })
}

/// A decision for people: what, where and why; of a command that is asked the rules that would allow it.
fn words(gate: &Gate, line: CallLine, lookup: Lookup) -> String {
    let suggested = suggested(gate, line.clone(), lookup);
    let mut lines = vec![said(&judge(gate, line, lookup))];
    lines.extend(suggested.iter().flat_map(SuggestedRules::lines));
    lines.join("\n")
}

/// The line of one decision, with the rules that would allow the command.
fn with_rules(gate: &Gate, call: CallLine, lookup: Lookup) -> String {
    let suggested = suggested(gate, call.clone(), lookup);
    let decision = line(gate, call, lookup);
    match decision.strip_suffix('}') {
        Some(rest) if !suggested.is_empty() => {
            let rules: Vec<Value> = suggested.iter().map(SuggestedRules::to_json).collect();
            format!("{rest},\"suggested\":{}}}", Value::Array(rules))
        }
        Some(_) | None => decision,
    }
}

/// The rules that would allow a call; those of another time are not asked for.
fn suggested(gate: &Gate, line: CallLine, lookup: Lookup) -> Vec<SuggestedRules> {
    if line.at.is_some() {
        return Vec::new();
    }
    let (session, call) = line.into_call();
    gate.suggest(&session, &call, lookup)
}

fn said(verdict: &Verdict) -> String {
    let part = match &verdict.part {
        Some(part) => format!(" for `{part}`"),
        None => String::new(),
    };
    let (stage, why) = (
        verdict.stage.as_str(),
        sanitize_for_display(&verdict.reason),
    );
    format!("{} at {stage}{part}: {why}", verdict.effect)
}

fn judge(gate: &Gate, line: CallLine, lookup: Lookup) -> Verdict {
    let at = line.at;
    let (session, call) = line.into_call();
    match at {
        Some(at) => gate.decide_at(&session, &call, lookup, at),
        None => gate.decide(&session, &call, lookup),
    }
}

fn line(gate: &Gate, line: CallLine, lookup: Lookup) -> String {
    let id = line.id.clone();
    let decision = serde_json::to_string(&judge(gate, line, lookup))
        .unwrap_or_else(|error| json!({ "error": error.to_string() }).to_string());
    match (id, decision.strip_prefix('{')) {
        (Some(id), Some(rest)) => format!("{{\"id\":{id},{rest}"),
        _ => decision,
    }
}

/// The answer to a line that is no call.
pub(crate) fn complaint(number: u64, error: &CallLineError) -> String {
    let message = Value::String(exit::chain(error));
    let id = match error {
        CallLineError::Call { id: Some(id), .. } => format!("\"id\":{id},"),
        CallLineError::Call { id: None, .. } | CallLineError::Json(_) | _ => String::new(),
    };
    format!("{{\"line\":{number},{id}\"error\":{message}}}")
}

/// The definitions that people accepted with this state folder, for servers without a capture.
pub(crate) async fn offer_pinned(
    gate: &Gate,
    manifest: &Manifest,
    folder: &Path,
) -> Result<(), Failure> {
    let folded = state::fold(folder).await?;
    let mut by_server: BTreeMap<ServerName, Vec<Value>> = BTreeMap::new();
    for (tool_id, pin) in folded
        .pins
        .iter()
        .filter(|(_, pin)| pin.quarantined.is_none())
    {
        let server = tool_id
            .strip_prefix("mcp:")
            .and_then(|rest| rest.split_once(':'))
            .map(|(server, _)| server);
        let server =
            server.and_then(|name| manifest.servers.get_key_value(&ServerName::new(name).ok()?));
        if let Some((name, _)) = server.filter(|(_, facts)| facts.captured.is_none()) {
            by_server
                .entry(name.clone())
                .or_default()
                .push(Value::clone(&pin.raw));
        }
    }
    for (server, entries) in by_server {
        gate.offer_tools(
            &server,
            &ServerIdentity::default(),
            &entries,
            PinMode::Captured,
        )
        .await
        .map_err(|error| Failure::environment(&error))?;
    }
    Ok(())
}
