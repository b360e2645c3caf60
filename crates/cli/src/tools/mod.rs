//! `tipstaff tools`: what servers offer, what was accepted of it, and what changed since.
//!
//! Read from the journal, and from the running gates where there are any: what they hold is newer.

mod accept;
mod digest;
mod known;
mod list;
mod show;

use crate::args::{ToolsArgs, ToolsCommand};
use crate::exit::{Code, Failure};
use crate::place;

pub(crate) async fn run(args: ToolsArgs, json: bool) -> Result<Code, Failure> {
    let state = || place::state(args.state.state.as_deref());
    match args.command.unwrap_or(ToolsCommand::List) {
        ToolsCommand::List => list::run(&state()?, json).await,
        ToolsCommand::Show(tool) => show::show(&state()?, &tool.name, json).await,
        ToolsCommand::Diff(tool) => show::diff(&state()?, &tool.name, json).await,
        ToolsCommand::Accept(accept) => accept::run(&state()?, accept, json).await,
        ToolsCommand::Digest { file } => digest::run(&file, json),
    }
}
