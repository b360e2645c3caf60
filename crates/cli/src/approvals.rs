//! `tipstaff approvals`: what waits for people, and their answers, through the running gates.
//!
//! A question is answered by the process that holds it. The digest of what was shown goes with the
//! answer: on a terminal the question is shown first, elsewhere the digest must be given.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use serde_json::json;
use tipstaff_approval::{Answer, ReviewAnswer};
use tipstaff_gate::Clock;
use tipstaff_host::SystemClock;
use tipstaff_host::control::{Client, ControlReply, ControlRequest, PendingView, sockets};
use uuid::Uuid;

use crate::args::{AnswerArgs, ApprovalsArgs, ApprovalsCommand};
use crate::exit::{self, Code, DENIED, ENVIRONMENT, FAILED, Failure, USAGE};
use crate::{host, out, place, state};

pub(crate) async fn run(args: ApprovalsArgs, json: bool) -> Result<Code, Failure> {
    let state = place::state(args.state.state.as_deref())?;
    match args.command.unwrap_or(ApprovalsCommand::List) {
        ApprovalsCommand::List => list(&state, json).await,
        ApprovalsCommand::Show { id } => show(&state, id, json).await,
        ApprovalsCommand::Approve(args) => answer(&state, args, Answer::Approve, json).await,
        ApprovalsCommand::Deny {
            answer: args,
            reason,
        } => answer(&state, args, Answer::Deny { reason }, json).await,
        ApprovalsCommand::Review {
            answer: args,
            verdict,
        } => {
            let verdict = verdict.into();
            answer(&state, args, Answer::Review(verdict), json).await
        }
    }
}

/// The running gates of a state folder.
pub(crate) async fn gates(state: &Path) -> Result<Vec<Client>, Failure> {
    let mut clients = Vec::new();
    for socket in sockets(state).map_err(|error| Failure::environment(&error))? {
        match Client::connect(&socket).await {
            Ok(client) => clients.extend(client),
            Err(error) => out::complain(&exit::chain(&error)),
        }
    }
    Ok(clients)
}

pub(crate) async fn ask(
    client: &mut Client,
    request: &ControlRequest,
) -> Result<ControlReply, Failure> {
    client
        .ask(request)
        .await
        .map_err(|error| Failure::environment(&error))
}

async fn list(state: &Path, json: bool) -> Result<Code, Failure> {
    let mut clients = gates(state).await?;
    let mut waiting: Vec<PendingView> = Vec::new();
    for client in &mut clients {
        if let ControlReply::Pending { requests } = ask(client, &ControlRequest::Pending {}).await?
        {
            // Gates over one journal all know all questions.
            for request in requests {
                if waiting.iter().all(|known| known.id != request.id) {
                    waiting.push(request);
                }
            }
        }
    }
    if clients.is_empty() && host::journal_file(state, None).exists() {
        let now = SystemClock.now();
        waiting = state::fold(state)
            .await?
            .approvals
            .pending(now)
            .into_iter()
            .map(|r| PendingView::of(r, now))
            .collect();
    }
    waiting.sort_by_key(|request| (request.expires_at, request.id));
    if json {
        out::json(&json!({ "gates": clients.len(), "pending": waiting }));
        return Ok(exit::OK);
    }
    if clients.is_empty() {
        out::complain("no gate is running with this state folder; nothing can be answered now");
    }
    if waiting.is_empty() {
        out::line("nothing waits");
        return Ok(exit::OK);
    }
    let now = SystemClock.now();
    let row = |request: &PendingView| {
        let left = (request.expires_at - now).num_seconds().max(0);
        let tool = tipstaff_schema::sanitization::sanitize_for_display(&request.tool_id);
        vec![
            request.id.to_string(),
            request.kind.clone(),
            tool,
            request.agent.to_string(),
            format!("{}:{:02}", left / 60, left % 60),
        ]
    };
    out::table(
        &["ID", "KIND", "TOOL", "AGENT", "LEFT"],
        &waiting.iter().map(row).collect::<Vec<_>>(),
    );
    out::line("");
    out::line(
        "see one with `tipstaff approvals show ID`; answer with approve, deny, or review for a tool",
    );
    Ok(exit::OK)
}

/// The gate that holds a question, and the question.
async fn find(state: &Path, id: Uuid) -> Result<Option<(Client, PendingView)>, Failure> {
    for mut client in gates(state).await? {
        if let ControlReply::Request { request } =
            ask(&mut client, &ControlRequest::Show { id }).await?
        {
            return Ok(Some((client, *request)));
        }
    }
    Ok(None)
}

async fn show(state: &Path, id: Uuid, json: bool) -> Result<Code, Failure> {
    let request = match find(state, id).await? {
        Some((_, request)) => Some(request),
        None if host::journal_file(state, None).exists() => {
            let folded = state::fold(state).await?;
            folded
                .approvals
                .get(id)
                .map(|request| PendingView::of(request, SystemClock.now()))
        }
        None => None,
    };
    let request =
        request.ok_or_else(|| Failure::new(FAILED, format!("there is no approval {id}")))?;
    if json {
        out::json(&request);
    } else {
        print(&request);
    }
    Ok(exit::OK)
}

fn print(request: &PendingView) {
    out::line(&format!("a {} that is {}", request.kind, request.state));
    if request.quorum > 1 {
        out::line(&format!("votes: {} of {}", request.votes, request.quorum));
    }
    out::line(request.text.trim_end());
}

async fn answer(
    state: &Path,
    args: AnswerArgs,
    answer: Answer,
    json: bool,
) -> Result<Code, Failure> {
    let AnswerArgs { id, digest, person } = args;
    let Some((mut client, request)) = find(state, id).await? else {
        let message = format!("no running gate holds approval {id}; see `tipstaff approvals`");
        return Err(Failure::new(ENVIRONMENT, message));
    };
    let digest = match digest {
        Some(digest) => digest,
        None if std::io::stdin().is_terminal() && !json => {
            print(&request);
            confirm(&answer)?;
            request.digest
        }
        None => {
            let message = "without a terminal, say with --digest what you were shown (`tipstaff approvals show` prints it)";
            return Err(Failure::new(USAGE, message));
        }
    };
    let secret = person.as_ref().map(|_| password()).transpose()?;
    let request = ControlRequest::Answer {
        id,
        digest,
        answer,
        person,
        secret,
    };
    match ask(&mut client, &request).await? {
        ControlReply::Answered { state } => {
            if json {
                out::json(&json!({ "id": id, "state": state }));
            } else {
                out::line(&format!("{id}: {state}"));
            }
            Ok(exit::OK)
        }
        ControlReply::Refused { why } => Err(Failure::new(DENIED, why)),
        ControlReply::NotFound {}
        | ControlReply::Pending { .. }
        | ControlReply::Request { .. }
        | _ => Err(Failure::new(
            FAILED,
            format!("there is no approval {id} any more"),
        )),
    }
}

fn confirm(answer: &Answer) -> Result<(), Failure> {
    let what = match answer {
        Answer::Approve => "approve this exact call",
        Answer::Deny { .. } => "deny it",
        Answer::Review(ReviewAnswer::Read) => "let this tool run unasked, as one that only reads",
        Answer::Review(ReviewAnswer::Allow) => {
            "let this tool run unasked, as one that may change things"
        }
        Answer::Review(ReviewAnswer::Ask) => "accept this tool, each call to be asked",
        Answer::Review(ReviewAnswer::Never) => "lock this tool",
    };
    let mut typed = String::new();
    let asked =
        write!(std::io::stderr(), "{what}? [y/N] ").and_then(|()| std::io::stderr().flush());
    asked
        .and_then(|()| std::io::stdin().read_line(&mut typed))
        .map_err(|error| Failure::environment(&error))?;
    if ["y", "yes"].contains(&typed.trim().to_lowercase().as_str()) {
        return Ok(());
    }
    Err(Failure::new(FAILED, "not answered; it still waits"))
}

/// A person's password: from the file that `TIPSTAFF_PASSWORD_FILE` names, else from the terminal.
pub(crate) fn password() -> Result<String, Failure> {
    if let Some(file) = std::env::var_os("TIPSTAFF_PASSWORD_FILE") {
        let text = std::fs::read_to_string(PathBuf::from(file))
            .map_err(|error| Failure::environment(&error))?;
        return Ok(text.strip_suffix('\n').unwrap_or(&text).to_owned());
    }
    rpassword::prompt_password("password: ").map_err(|error| Failure::environment(&error))
}
