//! The calls that `decide` and `explain` take: one from the command line, or one a line from a file.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde_json::{Value, json};
use tipstaff_gate::{Gate, Lookup};
use tipstaff_manifest::{CallLine, CallLineError, Manifest};
use tipstaff_schema::parse_strict;

use crate::args::CallArgs;
use crate::exit::{Failure, USAGE, chain};
use crate::{check, decide, place};

/// The most bytes of one line; a longer one is a bad line.
const MAX_LINE: u64 = 16 * 1024 * 1024;

/// A gate that only judges, with the pins of a state folder where one is named.
pub(crate) async fn gate(manifest: &Manifest, args: &CallArgs) -> Result<Gate, Failure> {
    let gate = check::judging_gate(manifest).await?;
    if let Some(folder) = &args.state {
        decide::offer_pinned(&gate, manifest, &place::absolute(folder)?).await?;
    }
    Ok(gate)
}

pub(crate) fn lookup(args: &CallArgs) -> Lookup {
    if args.strict {
        Lookup::Strict
    } else {
        Lookup::Lenient
    }
}

/// Shows every call, with its number, until `see` says no.
pub(crate) fn each(
    args: &CallArgs,
    manifest: &Manifest,
    mut see: impl FnMut(u64, Result<CallLine, CallLineError>) -> bool,
) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::environment(&error);
    let Some(file) = &args.calls else {
        let line = single(args, manifest)?;
        let call = CallLine::read(line.to_string().as_bytes())
            .map_err(|error| Failure::new(USAGE, chain(&error)))?;
        see(1, Ok(call));
        return Ok(());
    };
    let calls: Box<dyn Read> = if file == Path::new("-") {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(std::fs::File::open(file).map_err(failed)?)
    };
    let (mut calls, mut line, mut number) = (BufReader::new(calls), Vec::new(), 0_u64);
    loop {
        line.clear();
        let mut bounded = (&mut calls).take(MAX_LINE);
        if bounded.read_until(b'\n', &mut line).map_err(failed)? == 0 {
            return Ok(());
        }
        number += 1;
        let text = line.trim_ascii();
        if !text.is_empty() && !see(number, CallLine::read(text)) {
            return Ok(());
        }
    }
}

/// The one call that the command line describes.
fn single(args: &CallArgs, manifest: &Manifest) -> Result<Value, Failure> {
    let usage = |text: String| Failure::new(USAGE, text);
    let mut agents = manifest.agents.iter().map(|(id, _)| id);
    let agent = match (&args.agent, agents.next(), agents.next()) {
        (Some(agent), _, _) => agent,
        (None, Some(only), None) => only,
        (None, _, _) => {
            let text = "the manifest has not exactly one agent; say who calls with --agent";
            return Err(usage(text.to_owned()));
        }
    };
    let params = match &args.params {
        None => json!({}),
        Some(text) => parse_strict(text.as_bytes())
            .map_err(|error| usage(format!("--params is no JSON that can be judged: {error}")))?,
    };
    let mut line = json!({ "agent": agent, "tool": args.tool, "params": params });
    if let Value::Object(map) = &mut line {
        let text = |text: &String| json!(text);
        map.extend(args.at.as_ref().map(|at| ("at".to_owned(), text(at))));
        map.extend(args.cwd.as_ref().map(|cwd| ("cwd".to_owned(), text(cwd))));
        let placement = args.placement.as_ref();
        map.extend(placement.map(|at| ("placement".to_owned(), json!(at))));
    }
    Ok(line)
}
