//! `tipstaff tools accept`: pins what is offered now, after showing what changed.
//!
//! Through the gate that lists the tool, so that its calls go on at once; where none runs, into the
//! journal of the state folder, so that it holds when one starts.

use std::io::{IsTerminal, Write};
use std::path::Path;

use serde_json::json;
use tipstaff_approval::ReviewAnswer;
use tipstaff_gate::{Clock, Ids, profile_of};
use tipstaff_host::control::{Client, ControlReply, ControlRequest};
use tipstaff_host::{LOCAL_PERSON, RandomIds, SystemClock};
use tipstaff_journal::{AppendError, Draft, Journal as _};
use tipstaff_registry::accepted_from_journal;
use tipstaff_schema::Digest;
use tipstaff_schema::sanitization::sanitize_for_display;

use crate::args::AcceptArgs;
use crate::exit::{self, Code, DENIED, FAILED, Failure, USAGE};
use crate::tools::known::Known;
use crate::tools::show;
use crate::{approvals, host, out};

pub(super) async fn run(state: &Path, args: AcceptArgs, json: bool) -> Result<Code, Failure> {
    if !args.yes && (json || !std::io::stdin().is_terminal()) {
        let message =
            "without a terminal, say --yes; see first what changed with `tipstaff tools diff NAME`";
        return Err(Failure::new(USAGE, message));
    }
    let secret = args.person.as_ref().map(|_| approvals::password());
    let who = Who {
        person: args.person.clone(),
        secret: secret.transpose()?,
        review: args.review.map(ReviewAnswer::from),
    };
    for name in &args.names {
        let known = Known::find(state, name).await?;
        if !json {
            show(&known);
        }
        let (tool_id, was) = (known.tool_id.clone(), show::as_json(&known));
        let needed = known.standing() != "accepted" || show::differs(&known);
        let outcome = if needed || who.review.is_some() {
            let pin = offered_pin(&known)?;
            if !args.yes {
                confirm(&known)?;
            }
            accept(state, known, pin, &who).await?;
            "accepted"
        } else {
            "unchanged"
        };
        if json {
            out::json(&json!({ "tool_id": tool_id, "outcome": outcome, "was": was }));
        } else {
            out::line("");
            out::line(&format!("{}: {outcome}", sanitize_for_display(&tool_id)));
        }
    }
    Ok(exit::OK)
}

/// What a person must have seen before they accept.
fn show(known: &Known) {
    show::head(known);
    show::changes(known);
    show::notes(known);
    if known.pinned().is_none()
        && let Some(now) = known.offered().and_then(|now| now.definition)
    {
        show::definition("the definition:", &now);
    }
}

/// Who accepts, and what may be done with the tools.
struct Who {
    person: Option<String>,
    secret: Option<String>,
    review: Option<ReviewAnswer>,
}

fn offered_pin(known: &Known) -> Result<Digest, Failure> {
    match known.offered() {
        Some(offered) if offered.definition.is_some() => Ok(offered.pin),
        Some(_) | None => {
            let id = sanitize_for_display(&known.tool_id);
            let message = format!(
                "there is no definition of `{id}` to accept: its server does not list it, or the journal does not hold it; start its server"
            );
            Err(Failure::new(FAILED, message))
        }
    }
}

fn confirm(known: &Known) -> Result<(), Failure> {
    let id = sanitize_for_display(&known.tool_id);
    let mut typed = String::new();
    let asked = write!(
        std::io::stderr(),
        "\naccept `{id}` as it is offered now? [y/N] "
    )
    .and_then(|()| std::io::stderr().flush());
    asked
        .and_then(|()| std::io::stdin().read_line(&mut typed))
        .map_err(|error| Failure::environment(&error))?;
    if ["y", "yes"].contains(&typed.trim().to_lowercase().as_str()) {
        return Ok(());
    }
    Err(Failure::new(FAILED, format!("`{id}` was not accepted")))
}

async fn accept(state: &Path, known: Known, pin: Digest, who: &Who) -> Result<(), Failure> {
    let Known {
        tool_id,
        live,
        pins,
    } = known;
    let Some((client, _)) = live else {
        let profile = who.review.map(profile_of);
        let before = pins.get(&tool_id).and_then(|pin| pin.profile.clone());
        let event = accepted_from_journal(&pins, &tool_id, profile.or(before), LOCAL_PERSON);
        let event = event.ok_or_else(|| Failure::new(FAILED, "there is nothing to accept"))?;
        if who.person.is_some() {
            let message = "no gate that lists it is running, so nobody can check who you are: leave out --as, or start it";
            return Err(Failure::new(USAGE, message));
        }
        let journal = host::open_journal(&host::journal_file(state, None))?;
        let now = SystemClock.now();
        let actor = format!("person:{LOCAL_PERSON}");
        let expected = [(event.stream.clone(), pins.version(&tool_id))];
        let id = RandomIds.fresh(now);
        let draft = Draft::new(id, now, event.stream, event.kind, &actor, event.data);
        return match journal.append(&expected, vec![draft]).await {
            Ok(_) => Ok(()),
            Err(AppendError::Conflict { .. }) => Err(Failure::new(
                FAILED,
                "the tool changed while you looked at it; look again",
            )),
            Err(error) => Err(Failure::environment(&error)),
        };
    };
    through(client, tool_id.clone(), pin, who).await?;
    // Other gates over the same journal that list it take it over.
    for mut other in approvals::gates(state).await? {
        let request = ControlRequest::Tool {
            tool_id: tool_id.clone(),
        };
        if let ControlReply::Tool { tool } = approvals::ask(&mut other, &request).await?
            && tool.pin == pin
            && tool.standing != "callable"
        {
            through(other, tool_id.clone(), pin, who).await?;
        }
    }
    Ok(())
}

async fn through(
    mut client: Client,
    tool_id: String,
    pin: Digest,
    who: &Who,
) -> Result<(), Failure> {
    let request = ControlRequest::AcceptTool {
        tool_id,
        pin,
        review: who.review,
        person: who.person.clone(),
        secret: who.secret.clone(),
    };
    match approvals::ask(&mut client, &request).await? {
        ControlReply::Answered { .. } => Ok(()),
        ControlReply::Refused { why } => Err(Failure::new(DENIED, why)),
        ControlReply::NotFound {}
        | ControlReply::Pending { .. }
        | ControlReply::Request { .. }
        | ControlReply::Tool { .. }
        | _ => Err(Failure::new(FAILED, "the gate does not list it any more")),
    }
}
