//! `tipstaff tools list`: every tool that was pinned, accepted or put into quarantine.

use std::path::Path;

use serde_json::json;
use tipstaff_registry::Pins;
use tipstaff_schema::sanitization::sanitize_for_display;

use crate::exit::{self, Code, Failure};
use crate::tools::known::standing;
use crate::{out, state};

pub(super) async fn run(state: &Path, json: bool) -> Result<Code, Failure> {
    let pins = state::fold(state).await?.pins;
    let ids = ids(&pins);
    if json {
        let tools: Vec<_> = ids.iter().map(|id| row(&pins, id)).collect();
        out::json(&json!({ "tools": tools }));
        return Ok(exit::OK);
    }
    if ids.is_empty() {
        out::line("no server has listed a tool yet");
        return Ok(exit::OK);
    }
    let cells = |id: &&str| {
        let pin = pins.get(id);
        let by = pin.and_then(|pin| pin.accepted_by.as_deref());
        let digest = pin.map(|pin| pin.pin).or(pins.seen(id).copied());
        vec![
            sanitize_for_display(id),
            standing(&pins, id).to_owned(),
            sanitize_for_display(by.unwrap_or("-")),
            digest
                .map(|digest| short(&digest.to_string()))
                .unwrap_or_default(),
        ]
    };
    let rows: Vec<_> = ids.iter().map(cells).collect();
    out::table(&["TOOL", "STATE", "ACCEPTED BY", "PIN"], &rows);
    Ok(exit::OK)
}

/// All tools that the journal knows, by id.
fn ids(pins: &Pins) -> Vec<&str> {
    let pinned = pins.iter().map(|(id, _)| id);
    let mut ids: Vec<&str> = pinned.chain(pins.unreviewed()).collect();
    ids.sort_unstable();
    ids
}

fn row(pins: &Pins, id: &str) -> serde_json::Value {
    let pin = pins.get(id);
    json!({
        "tool_id": id,
        "state": standing(pins, id),
        "listed": pins.offered(id).is_some(),
        "pin": pin.map(|pin| pin.pin),
        "accepted_by": pin.and_then(|pin| pin.accepted_by.clone()),
        "offered": pins.seen(id),
        "definition": pin.map(|pin| &pin.raw),
    })
}

/// Enough of a digest to tell two apart by eye.
fn short(digest: &str) -> String {
    digest.chars().take(19).collect()
}
