//! `tipstaff tasks`: the worklist, as the journal tells it, and people's work on it.

mod list;
mod named;
mod show;
mod work;

use serde_json::Value;
use tipstaff_gate::Work;
use tipstaff_schema::parse_strict;

use crate::args::{ListArgs, TasksArgs, TasksCommand};
use crate::exit::{self, Code, Failure, USAGE};
use crate::place;

pub(crate) async fn run(args: TasksArgs, json: bool) -> Result<Code, Failure> {
    let state = &place::state(args.state.state.as_deref())?;
    let command = args.command.unwrap_or_else(|| {
        TasksCommand::List(ListArgs {
            limit: 100,
            ..ListArgs::default()
        })
    });
    let (args, work) = match command {
        TasksCommand::List(args) => return list::run(state, &args, json).await,
        TasksCommand::Show { id } => return show::run(state, &id, json).await,
        TasksCommand::Stats { roles } => return list::stats(state, &roles, json).await,
        TasksCommand::Claim(args) => (args, Work::Claim {}),
        TasksCommand::Release(args) => (args, Work::Release {}),
        TasksCommand::Delegate { work, to } => (work, Work::Delegate { to }),
        TasksCommand::TakeOver { work, from } => (work, Work::TakeOver { from }),
        TasksCommand::Complete { work, note, result } => {
            let result = result.as_deref().map(value).transpose()?;
            let result = result.unwrap_or(Value::Null);
            (work, Work::Complete { result, note })
        }
        TasksCommand::Skip { work, reason } => (work, Work::Skip { reason }),
        TasksCommand::Reopen { work, reason } => (work, Work::Reopen { reason }),
    };
    work::run(state, &args, work, json).await
}

fn value(text: &str) -> Result<Value, Failure> {
    parse_strict(text.as_bytes()).map_err(|error| {
        let why = exit::chain(&error);
        Failure::new(USAGE, format!("--result is no strict JSON: {why}"))
    })
}
