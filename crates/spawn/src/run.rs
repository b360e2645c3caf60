//! Running one command on this machine: its own process group, no input, a clean environment, a
//! deadline, bounded output. When the call ends, nothing of its group lives.
//!
//! A process that leaves the group on purpose (`setsid`) is not followed; the answer says so where it
//! holds the output.

use std::collections::BTreeMap;
use std::path::Path;
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
use crate::program::Program;

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

/// Runs a program to its end, or to the end of its time.
pub(crate) async fn run(
    program: &Program,
    settings: &SpawnSettings,
    folder: &str,
    env: &BTreeMap<String, String>,
    deadline: DateTime<Utc>,
    cancel: &Cancel,
) -> Result<ExecOutput, ExecError> {
    let never = |why: String| ExecError::NeverSent { why };
    let left = (deadline - Utc::now()).to_std().unwrap_or_default();
    if left.is_zero() || cancel.is_cancelled() {
        return Err(never(
            "its time was over, or it was cancelled, before it started".to_owned(),
        ));
    }
    if !Path::new(folder).is_dir() {
        return Err(never(format!(
            "there is no folder `{}` to run in",
            folder.escape_debug()
        )));
    }
    let started = Group::start(&mut command(program, settings, folder, env));
    let mut group = started.map_err(|error| {
        never(format!(
            "`{}` did not start: {error}",
            program.path.display().to_string().escape_debug()
        ))
    })?;
    let mut output = Output::of(&mut group);
    let end = async {
        tokio::select! {
            () = group.ended() => End::Exited,
            () = tokio::time::sleep(left) => End::Deadline,
            () = cancel.cancelled() => End::Cancelled,
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

fn command(
    program: &Program,
    settings: &SpawnSettings,
    folder: &str,
    env: &BTreeMap<String, String>,
) -> Command {
    let mut command = Command::new(&program.path);
    command
        .args(&program.arguments)
        .current_dir(folder)
        .env_clear();
    for name in &settings.environment {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command.envs(env).env("PATH", settings.path.join(":"));
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}
