//! `tipstaff route`: which tool an intent token means, and why: every candidate with the parts of
//! its score. Runs nothing, writes nothing, judges no call.

use std::io::Read;
use std::path::Path;

use chrono::Utc;
use serde_json::{Value, json};
use tipstaff_router::{Candidate, OpenBreakers, Outranked, RouteExplanation, RouteMode, Why};
use tipstaff_schema::sanitization::sanitize_for_display;
use tipstaff_schema::{
    IntentError, IntentToken, MAX_TOKEN_BYTES, Object, Provenance, ToolRoute, verbs,
};

use crate::args::RouteArgs;
use crate::exit::{self, Code, Failure};
use crate::{check, decide, out, place, search};

pub(crate) async fn run(args: &RouteArgs, json: bool) -> Result<Code, Failure> {
    let token = token(args)?;
    let manifest = check::load(&place::manifest(args.config.config.as_deref())?)?;
    let gate = check::judging_gate(&manifest).await?;
    if let Some(folder) = &args.state {
        decide::offer_pinned(&gate, &manifest, &place::absolute(folder)?).await?;
    }
    let mode = if args.classic {
        RouteMode::Classic
    } else {
        RouteMode::Strict
    };
    let open: OpenBreakers = args.open.iter().cloned().collect();
    let said = tipstaff_router::explain_sync(mode, &gate.catalog().wire(), &token, &open);
    let tied = said.candidates.iter().any(|one| one.why == Why::Tied);
    let nearest = match &said.outcome {
        Ok(ToolRoute::HumanConfirm { .. }) if !tied => search::nearest(&gate, &token),
        Ok(_) | Err(_) => Vec::new(),
    };
    if json {
        let mut answer = as_json(mode, &token, &said);
        if let Some(answer) = answer.as_object_mut() {
            answer.insert("nearest".to_owned(), json!(nearest));
        }
        out::json(&answer);
    } else {
        print(mode, &token, &said);
        if !nearest.is_empty() {
            let ids: Vec<String> = nearest.iter().map(|id| sanitize_for_display(id)).collect();
            out::line(&format!("nearest: {}", ids.join(", ")));
        }
    }
    let found = matches!(&said.outcome, Ok(route) if !is_unroutable(route));
    Ok(if found { exit::OK } else { exit::FAILED })
}

fn is_unroutable(route: &ToolRoute) -> bool {
    matches!(route, ToolRoute::HumanConfirm { .. })
}

/// The token that was given, or one made of `--verb` and `--cap`.
fn token(args: &RouteArgs) -> Result<IntentToken, Failure> {
    let bad = |why: String| Failure::new(exit::USAGE, why);
    if let Some(verb) = &args.verb {
        let object = Object {
            kind: "none".to_owned(),
            value: Value::Null,
        };
        let provenance = Provenance::Reflex {
            trigger: "tipstaff route".to_owned(),
            raw_input: None,
            ts: Utc::now(),
        };
        let mut token = IntentToken::new(verb.clone(), object, provenance, "cli".to_owned());
        token.required_capabilities.clone_from(&args.caps);
        token
            .validate()
            .map_err(|error| bad(format!("--verb: {error}")))?;
        return Ok(token);
    }
    let path = args.token.as_deref().unwrap_or(Path::new("-"));
    let text = read(path).map_err(|error| Failure::environment(&error))?;
    let shown = path.display();
    IntentToken::from_json(&text).map_err(|error| {
        bad(format!(
            "{shown} is no intent token: {error}; --verb NAMESPACE.ACTION asks without one"
        ))
    })
}

/// No more than a token may have, and one byte, so that a longer one is told as such.
fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let from: Box<dyn Read> = if path == Path::new("-") {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(std::fs::File::open(path)?)
    };
    let mut text = Vec::new();
    let most = u64::try_from(MAX_TOKEN_BYTES).unwrap_or(u64::MAX);
    from.take(most.saturating_add(1)).read_to_end(&mut text)?;
    Ok(text)
}

fn print(mode: RouteMode, token: &IntentToken, said: &RouteExplanation) {
    let caps: Vec<String> = token
        .required_capabilities
        .iter()
        .map(|cap| sanitize_for_display(cap))
        .collect();
    let with = if caps.is_empty() {
        String::new()
    } else {
        format!(" with {}", caps.join(", "))
    };
    let verb = sanitize_for_display(&token.verb.dotted());
    out::line(&format!("{verb}{with}, {}", mode_name(mode)));
    match &said.outcome {
        Ok(ToolRoute::HumanConfirm { ask }) => {
            out::line(&format!("not routed: {ask}"));
            if let Some(error) = unknown_verb(token, said) {
                out::line(&format!(
                    "{error}: no tool here has it, nor is it a verb that ships; is it spelt right?"
                ));
            }
        }
        Ok(route) => out::line(&format!("routed: {}", place_of(route))),
        Err(error) => out::line(&format!("not routed: {error}")),
    }
    if !token.constraints.is_empty() {
        let count = token.constraints.len();
        out::line(&format!(
            "constraints: {count}, looked at just before a call runs, not here"
        ));
    }
    if said.candidates.is_empty() {
        out::line("no tools: the manifest has no captured listing, and no --state was given");
        return;
    }
    out::line("");
    let rows: Vec<Vec<String>> = said.candidates.iter().map(row).collect();
    out::table(
        &["SCORE", "VERB", "NAME", "TAGS", "TIER", "TOOL", "WHY"],
        &rows,
    );
}

/// Why the verb is likely a slip: neither a tool nor the shipped table has it.
fn unknown_verb(token: &IntentToken, said: &RouteExplanation) -> Option<IntentError> {
    let fits = |one: &Candidate| one.score.verb > 1.0 || one.score.fallback > 0.0;
    let verb = &token.verb;
    let unknown = verbs::require(&verb.namespace, &verb.action).err()?;
    (!said.candidates.iter().any(fits)).then_some(unknown)
}

fn row(candidate: &Candidate) -> Vec<String> {
    let score = candidate.score;
    let mut cells: Vec<String> = [score.total(), score.verb, score.fallback, score.tags]
        .iter()
        .map(|part| format!("{part:.2}"))
        .collect();
    cells.extend([
        candidate.tier.to_string(),
        candidate.tool_id.clone(),
        why(&candidate.why),
    ]);
    cells
}

fn mode_name(mode: RouteMode) -> &'static str {
    match mode {
        RouteMode::Strict => "strict",
        RouteMode::Classic => "classic",
    }
}

/// Where a route leads; names of servers and tools are foreign.
fn place_of(route: &ToolRoute) -> String {
    let id = |id: &Option<String>| sanitize_for_display(id.as_deref().unwrap_or("-"));
    match route {
        ToolRoute::Mcp {
            server,
            tool,
            tool_id,
        } => format!(
            "{} (tool `{}` of server `{}`)",
            id(tool_id),
            sanitize_for_display(tool),
            sanitize_for_display(server)
        ),
        ToolRoute::NativeBackend { backend, tool_id } => {
            let backend = sanitize_for_display(backend.as_str());
            format!("{} (backend `{backend}`)", id(tool_id))
        }
        ToolRoute::Terminal { tool_id, .. } => format!("{} (terminal)", id(tool_id)),
        ToolRoute::HumanConfirm { ask } => sanitize_for_display(ask),
    }
}

fn why(why: &Why) -> String {
    match why {
        Why::Chosen => "chosen".to_owned(),
        Why::Tied => "tied with another server's".to_owned(),
        Why::Outranked(by) => format!("outranked by {}", by_name(*by)),
        Why::OtherVerb => "another verb".to_owned(),
        Why::Lacks(caps) => format!("lacks {}", caps.join(", ")),
        Why::Resting => "its breaker is open".to_owned(),
        Why::NotCallable => "may not be called: quarantined or not reviewed".to_owned(),
    }
}

fn by_name(by: Outranked) -> &'static str {
    match by {
        Outranked::ByScore => "score",
        Outranked::ByVerb => "verb",
        Outranked::ByTier => "tier",
        Outranked::ById => "id",
    }
}

fn as_json(mode: RouteMode, token: &IntentToken, said: &RouteExplanation) -> Value {
    let outcome = match &said.outcome {
        Ok(route) => json!({ "route": route }),
        Err(error) => json!({ "error": error.to_string() }),
    };
    let candidates = said.candidates.iter().map(|one| {
        let (key, lacks, by) = match &one.why {
            Why::Chosen => ("chosen", None, None),
            Why::Tied => ("tied", None, None),
            Why::Outranked(by) => ("outranked", None, Some(by_name(*by))),
            Why::OtherVerb => ("other_verb", None, None),
            Why::Lacks(caps) => ("lacks", Some(caps), None),
            Why::Resting => ("breaker_open", None, None),
            Why::NotCallable => ("not_callable", None, None),
        };
        let score = one.score;
        json!({
            "tool_id": one.tool_id, "tier": one.tier.as_str(), "why": key, "lacks": lacks, "by": by,
            "score": {
                "total": score.total(), "verb": score.verb, "fallback": score.fallback, "tags": score.tags,
            },
        })
    });
    json!({
        "verb": token.verb.dotted(), "required_capabilities": token.required_capabilities,
        "mode": mode_name(mode), "outcome": outcome, "constraints": token.constraints,
        "unknown_verb": unknown_verb(token, said).is_some(),
        "candidates": candidates.collect::<Vec<_>>(),
    })
}
