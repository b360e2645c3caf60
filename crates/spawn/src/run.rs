//! Running one command on this machine: its own process group, no input, a clean environment, a
//! deadline, bounded output. When the call ends, nothing of its group lives.
//!
//! A process that leaves the group on purpose (`setsid`) is not followed; the answer says so where it
//! holds the output.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use chrono::{DateTime, Utc};
use rustix::process::Signal;
use tipstaff_gate::{Cancel, ExecError, ExecOutput};
use tokio::process::Command;
use tokio::time::timeout;

use crate::SpawnSettings;
use crate::group::Group;
use crate::output::{Output, Streams};
use crate::sandbox::Confined;

/// How long a group has between TERM and KILL.
const TO_END: Duration = Duration::from_secs(2);

/// How long output is read on after the whole group has ended.
const TO_DRAIN: Duration = Duration::from_secs(1);

/// What ended a command.
enum End {
    Exited,
    Deadline,
    Cancelled,
}

/// What is started.
#[derive(Debug)]
pub(crate) struct Start {
    /// The file.
    pub(crate) program: PathBuf,
    /// The name that it is told it was started by.
    pub(crate) name: String,
    pub(crate) arguments: Vec<String>,
    pub(crate) folder: PathBuf,
}

/// How it is run.
pub(crate) struct Call<'a> {
    pub(crate) settings: &'a SpawnSettings,
    pub(crate) env: &'a BTreeMap<String, String>,
    pub(crate) deadline: DateTime<Utc>,
    pub(crate) cancel: &'a Cancel,
    /// Hears the output while it runs.
    pub(crate) tell: &'a (dyn Fn(&str) + Sync),
}

/// Runs a program to its end, or to the end of its time.
pub(crate) async fn run(
    start: Start,
    confined: Option<Confined>,
    call: &Call<'_>,
) -> Result<ExecOutput, ExecError> {
    let never = |why: String| ExecError::NeverSent { why };
    let left = (call.deadline - Utc::now()).to_std().unwrap_or_default();
    if left.is_zero() || call.cancel.is_cancelled() {
        return Err(never(
            "its time was over, or it was cancelled, before it started".to_owned(),
        ));
    }
    if !start.folder.is_dir() {
        return Err(never(format!(
            "there is no folder `{}` to run in",
            start.folder.display().to_string().escape_debug()
        )));
    }
    let mut command = command(&start, call);
    let started = match confined {
        None => Group::start(&mut command).map_err(|error| error.to_string()),
        Some(confined) => confined.start(command),
    };
    let mut group = started.map_err(|error| {
        never(format!(
            "`{}` did not start: {error}",
            start.program.display().to_string().escape_debug()
        ))
    })?;
    let mut output = Output::of(&mut group, call.tell);
    let end = async {
        tokio::select! {
            () = group.ended() => End::Exited,
            () = tokio::time::sleep(left) => End::Deadline,
            () = call.cancel.cancelled() => End::Cancelled,
        }
    };
    let end = output.during(end).await;
    if !matches!(end, End::Exited) {
        group.signal(Signal::TERM);
        let _or_it_is_killed = output.during(timeout(TO_END, group.ended())).await;
    }
    let status = output.during(group.reap()).await;
    let uncertain = |why: &str| ExecError::Uncertain {
        why: why.to_owned(),
    };
    match end {
        End::Exited => {
            let status =
                status.map_err(|error| uncertain(&format!("its end was not seen: {error}")))?;
            let streams = match timeout(TO_DRAIN, output.read_on()).await {
                Ok(()) => Streams::Closed,
                Err(_) => Streams::StillOpen,
            };
            Ok(output.answer(status, streams))
        }
        End::Deadline => Err(uncertain("it did not end in time and was stopped")),
        End::Cancelled => Err(uncertain("it was cancelled and stopped")),
    }
}

fn command(start: &Start, call: &Call<'_>) -> Command {
    let settings = call.settings;
    let mut command = Command::new(&start.program);
    command
        .arg0(&start.name)
        .args(&start.arguments)
        .current_dir(&start.folder)
        .env_clear();
    for name in &settings.environment {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command.envs(call.env).env("PATH", settings.path.join(":"));
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}
