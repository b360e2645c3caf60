//! `tipstaff tools show` and `tipstaff tools diff`: one tool, as pinned and as offered now.

use std::path::Path;

use serde_json::{Value, json};
use tipstaff_registry::{DefinitionDiff, How, Piece};
use tipstaff_schema::sanitization::sanitize_for_display;

use crate::exit::{self, Code, Failure};
use crate::out;
use crate::tools::digest::definition_digest;
use crate::tools::known::Known;

pub(super) async fn show(state: &Path, name: &str, json: bool) -> Result<Code, Failure> {
    let known = Known::find(state, name).await?;
    if json {
        out::json(&as_json(&known));
        return Ok(exit::OK);
    }
    head(&known);
    profile(&known);
    notes(&known);
    let offered = known.offered();
    let now = offered.as_ref().and_then(|now| now.definition.as_ref());
    match known.pinned() {
        Some(pin) if offered.as_ref().is_some_and(|now| now.pin == pin.pin) => {
            definition("the definition, as pinned and as offered now:", &pin.raw);
        }
        Some(pin) => {
            definition("the definition as pinned:", &pin.raw);
            match now {
                Some(now) => definition("the definition as offered now:", now),
                None => out::line("its server does not list it any more"),
            }
            changes(&known);
        }
        None => match now {
            Some(now) => definition("the definition as offered; nothing is pinned yet:", now),
            None => out::line("the journal holds no definition of it; start its server again"),
        },
    }
    Ok(exit::OK)
}

pub(super) async fn diff(state: &Path, name: &str, json: bool) -> Result<Code, Failure> {
    let known = Known::find(state, name).await?;
    let differs = differs(&known);
    if json {
        out::json(&as_json(&known));
    } else {
        head(&known);
        changes(&known);
        notes(&known);
    }
    Ok(if differs { exit::FAILED } else { exit::OK })
}

/// Whether what is offered is not what is pinned, or nothing is.
pub(super) fn differs(known: &Known) -> bool {
    let offered = known.offered().map(|now| now.pin);
    offered.is_none() || known.pinned().map(|pin| pin.pin) != offered
}

/// Name, standing and digests.
pub(super) fn head(known: &Known) {
    let why = known
        .live
        .as_ref()
        .and_then(|(_, tool)| tool.why.as_deref());
    let why = why.map(|why| format!(": {}", sanitize_for_display(why)));
    out::line(&format!(
        "{} ({}{})",
        sanitize_for_display(&known.tool_id),
        known.standing(),
        why.unwrap_or_default()
    ));
    if let Some(pin) = known.pinned() {
        let by = pin.accepted_by.as_deref().map_or_else(
            || "without a person's answer".to_owned(),
            |by| format!("by {}", sanitize_for_display(by)),
        );
        out::line(&format!("pinned:  {} {by}", pin.pin));
    }
    if let Some(offered) = known.offered() {
        out::line(&format!("offered: {}", offered.pin));
    }
}

/// What changed, or why that cannot be said.
pub(super) fn changes(known: &Known) {
    out::line("");
    match known.diff() {
        Some(diff) if diff.is_empty() && differs(known) => out::line(
            "the digests differ, and so does the server that offers it: its identity or its instructions, which the journal does not hold whole",
        ),
        Some(diff) if diff.is_empty() => out::line("nothing changed"),
        Some(diff) => {
            out::line("what changed ([-gone-], {+new+}):");
            diff.to_string().lines().for_each(out::line);
        }
        None if known.pinned().is_none() => out::line("nothing is pinned yet: all of it is new"),
        None => out::line(
            "its server does not list it any more, or the journal does not hold what it lists",
        ),
    }
}

/// What looks wrong.
pub(super) fn notes(known: &Known) {
    let findings = known.findings();
    out::line("");
    if findings.is_empty() {
        out::line("nothing looks wrong in its texts; read them all the same");
        return;
    }
    out::line("what looks wrong:");
    for finding in findings {
        out::line(&format!("! {}", sanitize_for_display(&finding)));
    }
}

fn profile(known: &Known) {
    let (profile, tier) = known.profile();
    let profile = serde_json::to_value(profile).unwrap_or_default();
    out::line("");
    out::line(match known.live {
        Some(_) => "what governs it:",
        None => "what governs it, without a manifest (no gate that lists it is running):",
    });
    out::line(&format!("  tier: {}", plain(&json!(tier))));
    for (key, value) in profile.as_object().into_iter().flatten() {
        out::line(&format!("  {key}: {}", plain(value)));
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => sanitize_for_display(text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            sanitize_for_display(&value.to_string())
        }
    }
}

/// A definition as indented JSON, safe to print.
pub(super) fn definition(title: &str, raw: &Value) {
    out::line("");
    out::line(title);
    let text = serde_json::to_string_pretty(raw).unwrap_or_default();
    for line in text.lines() {
        out::line(&format!("  {}", sanitize_for_display(line)));
    }
}

/// All that is known, as data. Untrusted texts are as received.
pub(super) fn as_json(known: &Known) -> Value {
    let (profile, tier) = known.profile();
    let pinned = known.pinned().map(|pin| {
        json!({
            "pin": pin.pin, "accepted_by": pin.accepted_by, "seq": pin.pinned_at_seq,
            "definition": pin.raw, "definition_digest": definition_digest(&pin.raw),
            "server": known.pinned_server(),
        })
    });
    let offered = known.offered().map(|now| {
        json!({
            "pin": now.pin, "definition": now.definition,
            "definition_digest": now.definition.as_ref().and_then(definition_digest),
            "server": now.server,
        })
    });
    json!({
        "tool_id": known.tool_id,
        "state": known.standing(),
        "why": known.live.as_ref().and_then(|(_, tool)| tool.why.clone()),
        "live": known.live.is_some(),
        "pinned": pinned,
        "offered": offered,
        "differs": differs(known),
        "changes": known.diff().map(|diff| changes_json(&diff)),
        "changes_left_out": known.diff().map_or(0, |diff| diff.left_out),
        "profile": profile,
        "tier": tier,
        "risk": profile.risk,
        "findings": known.findings(),
    })
}

fn changes_json(diff: &DefinitionDiff) -> Vec<Value> {
    let piece = |piece: &Piece| match piece {
        Piece::Same(text) => json!({ "same": text }),
        Piece::Removed(text) => json!({ "removed": text }),
        Piece::Added(text) => json!({ "added": text }),
        Piece::LeftOut(count) => json!({ "left_out": count }),
    };
    let change = |change: &tipstaff_registry::Change| {
        let how = match &change.how {
            How::Added(value) => json!({ "added": value }),
            How::Removed(value) => json!({ "removed": value }),
            How::Replaced { was, now } => json!({ "removed": was, "added": now }),
            How::Text(pieces) => json!({ "words": pieces.iter().map(piece).collect::<Vec<_>>() }),
        };
        json!({ "part": change.part.as_str(), "pointer": change.pointer, "how": how })
    };
    diff.changes.iter().map(change).collect()
}
