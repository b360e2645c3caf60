//! Starts other programs: quietly, loudly, or loudly with a reader looking over its shoulder.
//!
//! No shell anywhere: a program and its arguments.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::tally::Tally;

/// Runs it with our terminal; anything but success is an error.
pub(crate) fn succeed(command: &mut Command) -> Result<Tally> {
    let status = command.status().with_context(|| start_failed(command))?;
    if !status.success() {
        bail!("{} ended with {status}", told(command));
    }
    Ok(Tally::default())
}

/// Runs it and gives what it wrote to standard output.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let out = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| start_failed(command))?;
    if !out.status.success() {
        bail!("{} ended with {}", told(command), out.status);
    }
    String::from_utf8(out.stdout).context("it wrote something that is not UTF-8")
}

/// Which stream [`follow`] reads.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Follow {
    Stdout,
    Stderr,
}

/// Runs it, passes every line of one stream on to ours and shows it to `see` as well.
pub(crate) fn follow(
    command: &mut Command,
    stream: Follow,
    mut see: impl FnMut(&str),
) -> Result<ExitStatus> {
    match stream {
        Follow::Stdout => command.stdout(Stdio::piped()),
        Follow::Stderr => command.stderr(Stdio::piped()),
    };
    let mut child = command.spawn().with_context(|| start_failed(command))?;
    let lines: Box<dyn std::io::Read> = match (child.stdout.take(), child.stderr.take()) {
        (Some(out), _) => Box::new(out),
        (None, Some(err)) => Box::new(err),
        (None, None) => bail!("{} has no output to follow", told(command)),
    };
    for line in BufReader::new(lines).split(b'\n') {
        let line = line.context("reading its output")?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        std::io::stdout()
            .flush()
            .context("writing to the terminal")?;
        see(&line);
    }
    child.wait().context("waiting for its end")
}

/// What came of a run that was given a time limit.
#[derive(Debug)]
pub(crate) struct Ended {
    /// None: it was still running at the limit and was stopped with all that it had started.
    pub(crate) status: Option<ExitStatus>,
    /// Both streams.
    pub(crate) text: String,
}

/// Runs it in a process group of its own, quietly, for at most `limit`.
pub(crate) fn run_for(command: &mut Command, limit: Duration) -> Result<Ended> {
    let (mut reader, writer) = std::io::pipe().context("opening a pipe")?;
    command.stdin(Stdio::null()).process_group(0);
    command
        .stdout(writer.try_clone().context("opening a pipe")?)
        .stderr(writer);
    let mut child = command.spawn().with_context(|| start_failed(command))?;
    // The command holds the writing ends; while it does, the reader never sees the end.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let text = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = std::io::Read::read_to_end(&mut reader, &mut bytes);
        read.map(|_| String::from_utf8_lossy(&bytes).into_owned())
    });
    let end = Instant::now() + limit;
    let mut status = child.try_wait().context("waiting for its end")?;
    while status.is_none() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(50));
        status = child.try_wait().context("waiting for its end")?;
    }
    // Also after a normal end: whatever it left behind would hold the pipe open.
    if let Some(group) = i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw)
    {
        let _gone = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    if status.is_none() {
        child.wait().context("waiting for its end")?;
    }
    let text = text
        .join()
        .map_err(|_| anyhow::anyhow!("the reader of its output died"))?;
    Ok(Ended {
        status,
        text: text.context("reading its output")?,
    })
}

/// The command line, for messages.
pub(crate) fn told(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    format!("`{}`", words.join(" "))
}

fn start_failed(command: &Command) -> String {
    format!("{} could not be started", told(command))
}
