//! The process of a server over stdio: a group of its own, so that whatever it started goes with it.
//!
//! Should we be killed outright, it sees its standard input end; nothing more can be done without
//! `unsafe`.

use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tipstaff_gate::Cancel;
use tokio::process::{Child, Command};

use super::command::ServerCommand;
use super::link::{Source, Streams};
use super::stderr::Stderr;

/// How long a server may take to end after its input was closed, and again after it was asked to.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long output is awaited that others of a dead server's group may still write.
const AFTERLIFE: Duration = Duration::from_secs(1);

/// Kills the whole group when dropped.
#[derive(Debug)]
struct Group(Option<Pid>);

impl Group {
    fn signal(&self, signal: Signal) {
        if let Some(group) = self.0 {
            let _already_gone = kill_process_group(group, signal);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
    }
}

/// Starts the server. `stop` asks it to end; its process is gone soon after, whatever it does.
pub(crate) fn start(
    command: &ServerCommand,
    stderr: &Stderr,
    stop: Cancel,
) -> std::io::Result<Streams> {
    let mut builder = Command::new(&command.program);
    builder
        .args(&command.args)
        .env_clear()
        .envs(command.environment())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    if let Some(cwd) = &command.cwd {
        builder.current_dir(cwd);
    }
    let program = command.program.escape_debug();
    let cannot = |error: std::io::Error| {
        let why = format!("the program `{program}` cannot be started: {error}");
        std::io::Error::new(error.kind(), why)
    };
    let mut child = builder.spawn().map_err(cannot)?;
    let group = Group(child.id().and_then(|id| Pid::from_raw(id.cast_signed())));
    let missing = || std::io::Error::other("a standard stream is missing");
    let writer = child.stdin.take().ok_or_else(missing)?;
    let reader = child.stdout.take().ok_or_else(missing)?;
    let errors = child.stderr.take().ok_or_else(missing)?;
    tokio::spawn(stderr.clone().follow(errors));
    tokio::spawn(watch(child, group, stop, stderr.clone()));
    Ok(Streams {
        reader: Source(Box::new(reader)),
        writer: Box::new(writer),
    })
}

async fn watch(mut child: Child, group: Group, stop: Cancel, stderr: Stderr) {
    let ended = tokio::select! {
        status = child.wait() => {
            note(&stderr, &status);
            true
        }
        () = stop.cancelled() => false,
    };
    if ended {
        tokio::time::sleep(AFTERLIFE).await;
        return;
    }
    for signal in [None, Some(Signal::TERM)] {
        if let Some(signal) = signal {
            group.signal(signal);
        }
        if let Ok(status) = tokio::time::timeout(PATIENCE, child.wait()).await {
            return note(&stderr, &status);
        }
    }
    group.signal(Signal::KILL);
    note(&stderr, &child.wait().await);
}

fn note(stderr: &Stderr, status: &std::io::Result<ExitStatus>) {
    if let Ok(status) = status {
        stderr.push(format!("\n[tipstaff: the process ended, {status}]\n").as_bytes());
    }
}
