//! The process group of one command.
//!
//! A group's number is free for others once its leader is reaped and its last process is gone. So the
//! end of the leader is only looked at, the group is signalled, and the leader is reaped last: no
//! signal ever reaches processes that are not ours.

use std::io;
use std::process::ExitStatus;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::process::{Child, ChildStderr, ChildStdout, Command};
use tokio::signal::unix::SignalKind;

/// A running group. Dropping it kills the group, also when the caller goes away in the middle.
#[derive(Debug)]
pub(crate) struct Group {
    leader: Child,
    // INVARIANT: present only while the leader is not reaped, so that the number is ours.
    id: Option<Pid>,
    children: tokio::signal::unix::Signal,
}

impl Group {
    /// Starts a command as the leader of a group of its own.
    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        // Listened for before anything can end.
        let children = tokio::signal::unix::signal(SignalKind::child())?;
        let leader = command.process_group(0).kill_on_drop(true).spawn()?;
        let id = leader
            .id()
            .and_then(|id| i32::try_from(id).ok())
            .and_then(Pid::from_raw);
        Ok(Self {
            leader,
            id,
            children,
        })
    }

    /// Both streams of the leader, once.
    pub(crate) fn streams(&mut self) -> (Option<ChildStdout>, Option<ChildStderr>) {
        (self.leader.stdout.take(), self.leader.stderr.take())
    }

    /// Returns when the leader has ended, and leaves it to be reaped.
    pub(crate) async fn ended(&mut self) {
        while !self.has_ended() {
            if self.children.recv().await.is_none() {
                return;
            }
        }
    }

    fn has_ended(&mut self) -> bool {
        let Some(id) = self.id else { return true };
        match waitid(
            WaitId::Pid(id),
            WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT,
        ) {
            Ok(None) => false,
            Ok(Some(_)) => true,
            Err(_) => {
                self.id = None; // Somebody else reaped it: the number is no longer ours.
                true
            }
        }
    }

    /// Sends a signal to every process of the group.
    pub(crate) fn signal(&self, signal: Signal) {
        if let Some(id) = self.id {
            let _gone_already = kill_process_group(id, signal).is_err();
        }
    }

    /// Kills what is left of the group, then reaps its leader.
    pub(crate) async fn reap(mut self) -> io::Result<ExitStatus> {
        self.signal(Signal::KILL);
        self.id = None;
        self.leader.wait().await
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
    }
}
