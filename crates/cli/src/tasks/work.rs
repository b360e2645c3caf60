//! People's work on tasks: through a running gate, which knows the people and their roles; where none
//! runs, into the journal of the state folder, as the one person who may open it.

use std::path::Path;

use serde_json::json;
use tipstaff_gate::{Clock, Ids, People as _, Work};
use tipstaff_host::control::{ControlReply, ControlRequest, WorkedTask};
use tipstaff_host::{Directory, LOCAL_PERSON, RandomIds, SystemClock};
use tipstaff_journal::{AppendError, Draft, Journal as _, Stream, StreamKind};
use tipstaff_schema::sanitization::sanitize_for_display;
use tipstaff_schema::{Digest, Person, Role};
use tipstaff_triage::{Action, Worker};

use super::named;
use crate::args::WorkArgs;
use crate::exit::{self, Code, DENIED, ENVIRONMENT, FAILED, Failure, USAGE};
use crate::state::Folded;
use crate::{approvals, host, out, state};

pub(super) async fn run(
    folder: &Path,
    args: &WorkArgs,
    work: Work,
    json: bool,
) -> Result<Code, Failure> {
    let folded = state::fold(folder).await?;
    let ids: Result<Vec<Digest>, Failure> = args
        .ids
        .iter()
        .map(|typed| named::task(&folded.tasks, typed))
        .collect();
    let (ids, person) = (ids?, args.person.person.clone());
    let mut gates = approvals::gates(folder).await?;
    // Gates over one journal all know all tasks.
    let done = match gates.first_mut() {
        Some(client) => {
            let secret = person.as_ref().map(|_| approvals::password()).transpose()?;
            let request = ControlRequest::Work {
                ids,
                work,
                person,
                secret,
            };
            match approvals::ask(client, &request).await? {
                ControlReply::Worked { tasks } => tasks,
                ControlReply::Refused { why } => return Err(Failure::new(DENIED, why)),
                ControlReply::NotFound {}
                | ControlReply::Pending { .. }
                | ControlReply::Request { .. }
                | ControlReply::Answered { .. }
                | ControlReply::Tool { .. }
                | _ => {
                    let message =
                        "the gate does not know how to work on tasks; is it of an older version?";
                    return Err(Failure::new(ENVIRONMENT, message));
                }
            }
        }
        None if person.is_some() => {
            let message =
                "no gate is running, so nobody can check who you are: leave out --as, or start it";
            return Err(Failure::new(USAGE, message));
        }
        None => alone(folder, folded, &ids, &work).await?,
    };
    let refused = done.iter().any(|task| task.why.is_some());
    if json {
        out::json(&json!({ "tasks": done }));
    } else {
        done.iter().for_each(print);
    }
    Ok(if refused { DENIED } else { exit::OK })
}

fn print(task: &WorkedTask) {
    let id = named::short(&task.id);
    let said = match (&task.why, &task.state) {
        (Some(why), _) => format!("nothing changed: {why}"),
        (None, state) => {
            let state = state.clone().unwrap_or_default();
            let held = task.holder.as_ref().map(|holder| format!(" by {holder}"));
            format!("{state}{}", held.unwrap_or_default())
        }
    };
    out::line(&format!("{id}: {}", sanitize_for_display(&said)));
}

/// With no gate: each task by itself, in one journal that nobody else writes.
async fn alone(
    folder: &Path,
    mut folded: Folded,
    ids: &[Digest],
    work: &Work,
) -> Result<Vec<WorkedTask>, Failure> {
    let local = Person::new(LOCAL_PERSON).map_err(|error| Failure::environment(&error))?;
    let roles = Directory::default().roles(&local);
    let journal = host::open_journal(&host::journal_file(folder, None))?;
    let kind = ids
        .iter()
        .find_map(|id| Some(folded.tasks.get(id)?.kind.clone()));
    let mut done = Vec::new();
    for id in ids {
        let other = folded.tasks.get(id).map(|task| task.kind.clone());
        if let Some(other) = other.filter(|other| Some(other) != kind.as_ref()) {
            let why =
                format!("the task is of `{other}`; only tasks of one rule are worked on together");
            done.push(WorkedTask::refused(*id, why));
            continue;
        }
        let draft = match draft(&folded, id, work, &local, &roles)? {
            Ok(draft) => draft,
            Err(why) => {
                done.push(WorkedTask::refused(*id, why));
                continue;
            }
        };
        if let Some((draft, expected)) = draft {
            match journal.append(&[expected], vec![draft]).await {
                Ok(appended) => {
                    for event in &appended.events {
                        folded
                            .tasks
                            .apply(event)
                            .map_err(|error| Failure::environment(&error))?;
                    }
                }
                Err(AppendError::Conflict { .. }) => {
                    let message = "the task changed while you looked at it; look again";
                    return Err(Failure::new(FAILED, message));
                }
                Err(error) => return Err(Failure::environment(&error)),
            }
        }
        let task = folded.tasks.get(id);
        done.extend(task.map(WorkedTask::done));
    }
    Ok(done)
}

/// The event and the version that it follows; nothing where nothing changes; else why not.
type Written = Result<Option<(Draft, (Stream, u64))>, String>;

fn draft(
    folded: &Folded,
    id: &Digest,
    work: &Work,
    person: &Person,
    roles: &[Role],
) -> Result<Written, Failure> {
    let now = SystemClock.now();
    let action = match work.clone() {
        Work::Claim {} => Action::Claim,
        Work::Release {} => Action::Release,
        Work::Complete { result, note } => Action::Complete { result, note },
        Work::Skip { reason } => Action::Skip { reason },
        Work::Delegate { .. } | Work::TakeOver { .. } | Work::Reopen { .. } | _ => {
            let message = "no gate is running: only it knows the other people, and the calendar of new deadlines; start it";
            return Err(Failure::new(ENVIRONMENT, message));
        }
    };
    let event = match folded.tasks.act(id, action, &Worker { person, roles }, now) {
        Ok(Some(event)) => event,
        Ok(None) => return Ok(Ok(None)),
        Err(refusal) => return Ok(Err(exit::chain(&refusal))),
    };
    let task = folded.tasks.get(id);
    let data = event.data().map_err(|error| Failure::environment(&error))?;
    let stream = Stream::new(StreamKind::Task, id.to_string())
        .map_err(|error| Failure::environment(&error))?;
    let (fresh, actor) = (RandomIds.fresh(now), format!("person:{person}"));
    let mut draft = Draft::new(fresh, now, stream.clone(), event.kind(), &actor, data);
    draft.correlation = task.and_then(|task| task.correlation);
    let version = task.map_or(0, |task| task.version);
    Ok(Ok(Some((draft, (stream, version)))))
}
