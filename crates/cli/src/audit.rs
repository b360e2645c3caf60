//! `tipstaff audit`: reading and verifying the journal, offline.

use std::collections::VecDeque;
use std::io::BufReader;
use std::path::Path;

use serde_json::{Value, json};
use tipstaff_journal::{
    EndProof, Event, Head, Journal, Report, to_line, verify_export, verify_journal,
};
use tipstaff_schema::sanitization::sanitize_for_display;

use crate::args::{AuditArgs, AuditCommand};
use crate::exit::{self, Code, FAILED, Failure, USAGE};
use crate::{out, place, state};

pub(crate) async fn run(args: AuditArgs, json: bool) -> Result<Code, Failure> {
    if let AuditCommand::Verify {
        export: Some(file),
        head,
    } = &args.command
    {
        let file = std::fs::File::open(file).map_err(|error| Failure::environment(&error))?;
        let report = verify_export(BufReader::new(file), head_of(head.as_deref())?.as_ref());
        return Ok(tell(
            &report.map_err(|error| Failure::environment(&error))?,
            json,
        ));
    }
    let folder = place::state(args.state.state.as_deref())?;
    let journal = state::open(&folder)?;
    match args.command {
        AuditCommand::Tail { count } => tail(&journal, count, json).await,
        AuditCommand::Verify { head, .. } => {
            let head = head_of(head.as_deref())?;
            let report = verify_journal(&journal, head.as_ref())
                .await
                .map_err(|error| Failure::environment(&error))?;
            Ok(tell(&report, json))
        }
        AuditCommand::Head => {
            let head = journal
                .head()
                .await
                .map_err(|error| Failure::environment(&error))?;
            if json {
                out::json(&head);
            } else {
                out::line(&format!("{}:{}", head.seq, head.hash));
            }
            Ok(exit::OK)
        }
        AuditCommand::Export => {
            state::each_event(&journal, 1, |event| out::line(&to_line(event))).await?;
            Ok(exit::OK)
        }
    }
}

/// A head as `audit head` prints it: `SEQ:sha256:HEX`, or a file that holds it.
fn head_of(text: Option<&str>) -> Result<Option<Head>, Failure> {
    let Some(text) = text else { return Ok(None) };
    let text = match std::fs::read_to_string(Path::new(text)) {
        Ok(file) => file.trim().to_owned(),
        Err(_) => text.to_owned(),
    };
    let read = text.split_once(':').and_then(|(seq, hash)| {
        Some(Head {
            seq: seq.parse().ok()?,
            hash: hash.parse().ok()?,
        })
    });
    let message = || {
        format!(
            "`{}` is no head: it is written as `audit head` prints it",
            sanitize_for_display(&text)
        )
    };
    read.map(Some).ok_or_else(|| Failure::new(USAGE, message()))
}

fn tell(report: &Report, json: bool) -> Code {
    let whole = report.breaks.is_empty();
    let proven = matches!(report.end, EndProof::Proven);
    if json {
        let breaks: Vec<Value> = report
            .breaks
            .iter()
            .map(|b| json!({ "seq": b.seq, "damage": b.damage.to_string() }))
            .collect();
        let tear = report.tear.as_ref().map(|tear| format!("{tear:?}"));
        out::json(&json!({
            "ok": whole, "events": report.events, "head": report.head, "end_proven": proven, "breaks": breaks, "tear": tear,
        }));
    } else {
        for b in &report.breaks {
            out::line(&format!("event {}: {}", b.seq, b.damage));
        }
        if report.tear.is_some() {
            out::line("the last line is torn and was set aside: a crash in mid-line, no tampering");
        }
        let head = report
            .head
            .as_ref()
            .map(|head| format!("{}:{}", head.seq, head.hash))
            .unwrap_or_default();
        out::line(&format!(
            "{} events, {}",
            report.events,
            if whole {
                "the chain is whole"
            } else {
                "the chain is BROKEN"
            }
        ));
        out::line(&format!("head {head}"));
        if whole && !proven {
            out::line(
                "the end is not proven: events may have been cut off; give a head that was kept elsewhere with --head",
            );
        }
    }
    if whole { exit::OK } else { FAILED }
}

async fn tail(journal: &dyn Journal, count: u64, json: bool) -> Result<Code, Failure> {
    let head = journal
        .head()
        .await
        .map_err(|error| Failure::environment(&error))?;
    let mut last: VecDeque<Event> = VecDeque::new();
    let from = head.seq.saturating_sub(count.saturating_sub(1)).max(1);
    state::each_event(journal, from, |event| last.push_back(event.clone())).await?;
    for event in last {
        if json {
            out::line(&to_line(&event));
        } else {
            out::line(&format!(
                "{:>6}  {}  {:<22} {:<24} {}",
                event.seq,
                event.ts.format("%Y-%m-%d %H:%M:%S"),
                event.kind.as_str(),
                sanitize_for_display(&event.actor),
                gist(&event),
            ));
        }
    }
    Ok(exit::OK)
}

/// What an event says, in a few words.
fn gist(event: &Event) -> String {
    let text = |key: &str| event.data.get(key).and_then(Value::as_str);
    let found = [
        "effect", "tool", "tool_id", "outcome", "summary", "reason", "why",
    ]
    .into_iter()
    .filter_map(text);
    let gist: Vec<String> = found.map(sanitize_for_display).collect();
    gist.join(" · ").chars().take(100).collect()
}
