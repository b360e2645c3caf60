//! `tipstaff canon`: JSON on standard input to its canonical text and digest, through the strict reader.

use std::io::IsTerminal as _;

use serde_json::json;
use tipstaff_schema::sanitization::sanitize_for_display;
use tipstaff_schema::{Digest, StrictJsonError, canonical, parse_strict};

use crate::args::CanonArgs;
use crate::exit::{self, Code, FAILED, Failure};
use crate::{input, out};

pub(crate) fn run(args: &CanonArgs, as_json: bool) -> Result<Code, Failure> {
    let text = input::whole()?;
    let value = match parse_strict(&text) {
        Ok(value) => value,
        Err(error) if as_json => {
            let (line, column) = error.line_and_column(&text);
            out::json(&json!({
                "ok": false, "error": error.to_string(),
                "line": line, "column": column, "byte": error.at(),
            }));
            return Ok(FAILED);
        }
        Err(error) => return Err(refused(&error, &text)),
    };
    let canonical = canonical(&value).map_err(|error| Failure::new(FAILED, error.to_string()))?;
    let digest = Digest::of_canonical(args.domain, canonical.as_bytes());
    if as_json {
        out::json(&json!({
            "ok": true, "canonical": canonical, "bytes": canonical.len(),
            "domain": args.domain.as_str(), "digest": digest,
        }));
        return Ok(exit::OK);
    }
    if std::io::stdout().is_terminal() {
        let shown = sanitize_for_display(&canonical);
        if shown != canonical {
            out::complain("what cannot be seen is spelled out here; in a pipe the text is exact");
        }
        out::line(&shown);
    } else {
        out::line(&canonical);
    }
    out::line(&digest.to_string());
    Ok(exit::OK)
}

fn refused(error: &StrictJsonError, text: &[u8]) -> Failure {
    let (line, column) = error.line_and_column(text);
    Failure::new(FAILED, format!("line {line}, column {column}: {error}"))
}
