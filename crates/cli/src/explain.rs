//! `tipstaff explain`: why a call is decided as it is.
//!
//! The same calls as `decide`, judged by the same gate; it only says more.

use serde_json::{Value, json};
use tipstaff_gate::CallExplanation;
use tipstaff_manifest::CallLine;

use crate::args::ExplainArgs;
use crate::exit::{self, Code, Failure};
use crate::{calls, check, decide, out, place};

pub(crate) async fn run(args: &ExplainArgs, as_json: bool) -> Result<Code, Failure> {
    let manifest = check::load(&place::manifest(args.config.config.as_deref())?)?;
    let gate = calls::gate(&manifest, &args.call).await?;
    let lookup = calls::lookup(&args.call);
    let explain = |line: CallLine| -> CallExplanation {
        let at = line.at;
        let (session, call) = line.into_call();
        match at {
            Some(at) => gate.explain_at(&session, &call, lookup, at),
            None => gate.explain(&session, &call, lookup),
        }
    };
    let (mut bad, mut first) = (false, true);
    calls::each(&args.call, &manifest, |number, read| {
        match read {
            Ok(line) if as_json => {
                let id = line.id.clone();
                let mut said = explain(line).to_json();
                if let (Some(id), Value::Object(map)) = (id, &mut said) {
                    map.insert("id".to_owned(), json!(id));
                }
                out::json(&said);
            }
            Ok(line) => {
                if !first {
                    out::line("");
                }
                out::line(&explain(line).to_text());
            }
            Err(error) => {
                bad = true;
                out::line(&out::ascii(&decide::complaint(number, &error)));
            }
        }
        first = false;
        true
    })?;
    Ok(if bad { exit::FAILED } else { exit::OK })
}
