//! The command line of the worklist.

use clap::{Args, Subcommand};
use tipstaff_schema::{Person, Role};

use super::StateArgs;

#[derive(Debug, Args)]
pub(crate) struct TasksArgs {
    #[command(flatten)]
    pub(crate) state: StateArgs,
    #[command(subcommand)]
    pub(crate) command: Option<TasksCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TasksCommand {
    /// What waits, in the order of the queue: tasks, and the questions of `tipstaff approvals`.
    List(ListArgs),
    /// One task, whole.
    Show {
        /// Its id, or the beginning of it.
        id: String,
    },
    /// Take tasks, to work on them.
    Claim(WorkArgs),
    /// Give tasks back.
    Release(WorkArgs),
    /// Give tasks to somebody else.
    Delegate {
        #[command(flatten)]
        work: WorkArgs,
        /// To whom.
        #[arg(long, value_parser = person)]
        to: Person,
    },
    /// Take tasks from the person who holds them.
    TakeOver {
        #[command(flatten)]
        work: WorkArgs,
        /// From whom.
        #[arg(long, value_parser = person)]
        from: Person,
    },
    /// Say that tasks are done.
    Complete {
        #[command(flatten)]
        work: WorkArgs,
        /// A note for people; some rules want one.
        #[arg(long, default_value = "")]
        note: String,
        /// What came of it, as JSON.
        #[arg(long, value_name = "JSON")]
        result: Option<String>,
    },
    /// Say that tasks are not going to be done.
    Skip {
        #[command(flatten)]
        work: WorkArgs,
        /// Why.
        #[arg(long)]
        reason: String,
    },
    /// Have tasks done after all, with a new deadline of the same kind; for supervisors.
    Reopen {
        #[command(flatten)]
        work: WorkArgs,
        /// Why.
        #[arg(long)]
        reason: String,
    },
    /// How many there are in each state.
    Stats {
        /// Only what this role sees; may be repeated.
        #[arg(long = "role", value_parser = role)]
        roles: Vec<Role>,
    },
}

#[derive(Debug, Default, Args)]
pub(crate) struct ListArgs {
    /// Closed ones too.
    #[arg(long)]
    pub(crate) all: bool,
    /// Only in this state: ready, claimed, completed, skipped or expired; may be repeated.
    #[arg(long = "status", value_name = "STATUS", conflicts_with = "all",
        value_parser = ["ready", "claimed", "completed", "skipped", "expired"])]
    pub(crate) statuses: Vec<String>,
    /// Only what this role sees; may be repeated.
    #[arg(long = "role", value_parser = role)]
    pub(crate) roles: Vec<Role>,
    /// Only of this kind: `approval`, `agent.triage/<rule>`, or a rule's name alone.
    #[arg(long)]
    pub(crate) kind: Option<String>,
    /// Only what is overdue.
    #[arg(long)]
    pub(crate) overdue: bool,
    /// Only where summary, kind or tool holds this text.
    #[arg(long)]
    pub(crate) text: Option<String>,
    /// Begin behind this row.
    #[arg(long, value_name = "ID")]
    pub(crate) after: Option<String>,
    /// How many at most.
    #[arg(long, default_value_t = 100)]
    pub(crate) limit: usize,
}

#[derive(Debug, Args)]
pub(crate) struct WorkArgs {
    /// The tasks, by id or the beginning of it; several are of one rule.
    #[arg(required = true)]
    pub(crate) ids: Vec<String>,
    #[command(flatten)]
    pub(crate) person: PersonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PersonArgs {
    /// Who you are, once the manifest has people; the password is asked for, or read from
    /// TIPSTAFF_PASSWORD_FILE.
    #[arg(long = "as")]
    pub(crate) person: Option<String>,
}

fn person(text: &str) -> Result<Person, String> {
    Person::new(text).map_err(|error| error.to_string())
}

fn role(text: &str) -> Result<Role, String> {
    Role::new(text).map_err(|error| error.to_string())
}
