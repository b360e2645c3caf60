//! `tipstaff decide --calls FILE`: one call a line in, one decision a line out, in the same order.
//!
//! A stable form that others lean on. Runs nothing, starts nothing, writes nothing, probes nothing.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

use serde_json::{Value, json};
use tipstaff_gate::{Gate, Lookup};
use tipstaff_manifest::{CallLine, CallLineError, Manifest};
use tipstaff_registry::{PinMode, ServerIdentity};
use tipstaff_schema::ServerName;

use crate::args::DecideArgs;
use crate::exit::{self, Code, Failure};
use crate::{check, out, place, state};

/// The most bytes of one line; a longer one is a bad line.
const MAX_LINE: u64 = 16 * 1024 * 1024;

pub(crate) async fn run(args: &DecideArgs) -> Result<Code, Failure> {
    let manifest = check::load(&place::manifest(args.config.config.as_deref())?)?;
    let gate = check::judging_gate(&manifest).await?;
    if let Some(folder) = &args.state {
        offer_pinned(&gate, &manifest, &place::absolute(folder)?).await?;
    }
    let lookup = if args.strict {
        Lookup::Strict
    } else {
        Lookup::Lenient
    };
    let failed = |error: std::io::Error| Failure::environment(&error);
    let calls: Box<dyn Read> = if args.calls == Path::new("-") {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(std::fs::File::open(&args.calls).map_err(failed)?)
    };
    let (mut calls, mut decisions) = (
        BufReader::new(calls),
        BufWriter::new(std::io::stdout().lock()),
    );
    let (mut number, mut bad, mut line) = (0_u64, false, Vec::new());
    loop {
        line.clear();
        if (&mut calls)
            .take(MAX_LINE)
            .read_until(b'\n', &mut line)
            .map_err(failed)?
            == 0
        {
            break;
        }
        number += 1;
        let text = line.trim_ascii();
        if text.is_empty() {
            continue;
        }
        let decision = match CallLine::read(text) {
            Ok(call) => judge(&gate, call, lookup),
            Err(error) => {
                bad = true;
                complaint(number, &error)
            }
        };
        if writeln!(decisions, "{}", out::ascii(&decision)).is_err() {
            return Ok(exit::OK); // Nobody reads on.
        }
    }
    decisions.flush().map_err(failed)?;
    Ok(if bad { exit::FAILED } else { exit::OK })
}

fn judge(gate: &Gate, line: CallLine, lookup: Lookup) -> String {
    let (id, at) = (line.id.clone(), line.at);
    let (session, call) = line.into_call();
    let verdict = match at {
        Some(at) => gate.decide_at(&session, &call, lookup, at),
        None => gate.decide(&session, &call, lookup),
    };
    let decision = serde_json::to_string(&verdict)
        .unwrap_or_else(|error| json!({ "error": error.to_string() }).to_string());
    match (id, decision.strip_prefix('{')) {
        (Some(id), Some(rest)) => format!("{{\"id\":{id},{rest}"),
        _ => decision,
    }
}

fn complaint(number: u64, error: &CallLineError) -> String {
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
