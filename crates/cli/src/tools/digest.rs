//! `tipstaff tools digest`: what a `tools/list` answer comes to, a digest a tool.
//!
//! Over the entry alone, without tool id and server, so that two people on two machines can compare
//! what they were listed; the pin covers those too.

use std::io::Read as _;
use std::path::Path;

use serde_json::{Value, json};
use tipstaff_registry::entry_digest;
use tipstaff_schema::sanitization::sanitize_for_display;
use tipstaff_schema::{Digest, parse_strict};

use crate::exit::{self, Code, FAILED, Failure, USAGE};
use crate::out;

/// The most of an answer that is read.
const MAX_BYTES: u64 = 64 << 20;

pub(super) fn run(file: &Path, json: bool) -> Result<Code, Failure> {
    let text = read(file)?;
    let answer = parse_strict(&text)
        .map_err(|error| Failure::new(USAGE, format!("the answer cannot be read: {error}")))?;
    let entries = entries(&answer).ok_or_else(|| {
        let message = "this is no `tools/list` answer: it must be `{\"tools\": […]}`, the whole JSON-RPC message, or the list itself";
        Failure::new(USAGE, message)
    })?;
    let mut whole = true;
    let mut rows = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let name = entry.get("name").and_then(Value::as_str);
        let digest = definition_digest(entry);
        whole &= digest.is_some();
        if json {
            out::json(&json!({ "name": name, "index": index, "digest": digest }));
        } else {
            let digest = digest.map_or("has no canonical form".to_owned(), |d| d.to_string());
            let name =
                name.map_or_else(|| format!("(entry {index}, no name)"), sanitize_for_display);
            rows.push(vec![digest, name]);
        }
    }
    if !json {
        out::table(&["DIGEST", "TOOL"], &rows);
    }
    Ok(if whole { exit::OK } else { FAILED })
}

/// The digest of an entry by itself; none where it has no canonical form.
pub(super) fn definition_digest(entry: &Value) -> Option<Digest> {
    entry_digest(entry).ok()
}

fn entries(answer: &Value) -> Option<&Vec<Value>> {
    let places = ["", "/tools", "/result/tools"];
    places
        .iter()
        .find_map(|place| answer.pointer(place).and_then(Value::as_array))
}

fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    let read = if file == Path::new("-") {
        std::io::stdin().take(MAX_BYTES + 1).read_to_end(&mut text)
    } else {
        std::fs::File::open(file).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut text))
    };
    let shown = sanitize_for_display(&file.display().to_string());
    read.map_err(|error| Failure::new(exit::ENVIRONMENT, format!("reading `{shown}`: {error}")))?;
    if text.len() as u64 > MAX_BYTES {
        let message = format!("`{shown}` is longer than {} MiB", MAX_BYTES >> 20);
        return Err(Failure::new(USAGE, message));
    }
    Ok(text)
}
