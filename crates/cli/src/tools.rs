//! `tipstaff tools`: every tool that was pinned, accepted or put into quarantine, as the journal tells it.

use std::path::Path;

use serde_json::json;
use tipstaff_registry::PinState;
use tipstaff_schema::sanitization::sanitize_for_display;

use crate::args::{ToolsArgs, ToolsCommand};
use crate::exit::{self, Code, Failure};
use crate::{out, place, state};

pub(crate) async fn run(args: ToolsArgs, json: bool) -> Result<Code, Failure> {
    let state = place::state(args.state.state.as_deref())?;
    match args.command.unwrap_or(ToolsCommand::List) {
        ToolsCommand::List => list(&state, json).await,
    }
}

async fn list(state: &Path, json: bool) -> Result<Code, Failure> {
    let folded = state::fold(state).await?;
    let pins = &folded.pins;
    let unreviewed = pins.unreviewed();
    if json {
        let pinned = pins.iter().map(|(id, pin)| {
            json!({
                "tool_id": id, "state": standing(pin), "pin": pin.pin, "accepted_by": pin.accepted_by,
                "offered": pin.quarantined, "definition": pin.raw,
            })
        });
        let new = unreviewed
            .iter()
            .map(|id| json!({ "tool_id": id, "state": "unreviewed" }));
        out::json(&json!({ "tools": pinned.chain(new).collect::<Vec<_>>() }));
        return Ok(exit::OK);
    }
    let pinned = pins.iter().map(|(id, pin)| {
        let by = pin.accepted_by.clone().unwrap_or_else(|| "-".to_owned());
        vec![
            sanitize_for_display(id),
            standing(pin).to_owned(),
            by,
            short(&pin.pin.to_string()),
        ]
    });
    let new = unreviewed.iter().map(|id| {
        vec![
            sanitize_for_display(id),
            "unreviewed".to_owned(),
            "-".to_owned(),
            String::new(),
        ]
    });
    let rows: Vec<_> = pinned.chain(new).collect();
    if rows.is_empty() {
        out::line("no server has listed a tool yet");
    } else {
        out::table(&["TOOL", "STATE", "ACCEPTED BY", "PIN"], &rows);
    }
    Ok(exit::OK)
}

fn standing(pin: &PinState) -> &'static str {
    match (&pin.quarantined, &pin.accepted_by) {
        (Some(_), _) => "quarantined",
        (None, Some(_)) => "accepted",
        (None, None) => "pinned",
    }
}

/// Enough of a digest to tell two apart by eye.
fn short(digest: &str) -> String {
    digest.chars().take(19).collect()
}
