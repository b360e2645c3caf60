//! Reading both streams of a command while it runs, and the answer that is made of them.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use serde_json::json;
use tipstaff_gate::ExecOutput;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::group::Group;
use crate::kept::{Channel, Kept, MAX_KEPT};

/// The streams of a running command, and what is kept of them. Dropping it ends the reading.
pub(crate) struct Output<'a> {
    pieces: mpsc::Receiver<(Channel, Vec<u8>)>,
    kept: Kept,
    tell: &'a (dyn Fn(&str) + Sync),
    _readers: JoinSet<()>,
}

/// Whether the streams were read to their ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Streams {
    Closed,
    /// A process that left the group holds them.
    StillOpen,
}

impl<'a> Output<'a> {
    pub(crate) fn of(group: &mut Group, tell: &'a (dyn Fn(&str) + Sync)) -> Self {
        let (sender, pieces) = mpsc::channel(16);
        let mut readers = JoinSet::new();
        let (out, err) = group.streams();
        if let Some(out) = out {
            readers.spawn(read(Channel::Out, out, sender.clone()));
        }
        if let Some(err) = err {
            readers.spawn(read(Channel::Err, err, sender));
        }
        Self {
            pieces,
            kept: Kept::new(MAX_KEPT),
            tell,
            _readers: readers,
        }
    }

    /// Waits for something else and keeps what comes meanwhile, so that nobody stalls on a full pipe.
    pub(crate) async fn during<T>(&mut self, other: impl Future<Output = T>) -> T {
        tokio::pin!(other);
        loop {
            tokio::select! {
                done = &mut other => return done,
                Some((channel, bytes)) = self.pieces.recv() => self.keep(channel, &bytes),
            }
        }
    }

    /// Keeps what comes until both streams have ended.
    pub(crate) async fn read_on(&mut self) {
        while let Some((channel, bytes)) = self.pieces.recv().await {
            self.keep(channel, &bytes);
        }
    }

    fn keep(&mut self, channel: Channel, bytes: &[u8]) {
        (self.tell)(&String::from_utf8_lossy(bytes));
        self.kept.push(channel, bytes);
    }

    pub(crate) fn answer(&self, status: ExitStatus, streams: Streams) -> ExecOutput {
        let mut summary = match (status.code(), status.signal()) {
            (Some(code), _) => format!("exit status {code}"),
            (None, Some(signal)) => format!("ended by signal {signal}"),
            (None, None) => "ended".to_owned(),
        };
        if streams == Streams::StillOpen {
            summary.push_str(
                "; a process that it started left its group, lives on, and was not waited for",
            );
        }
        let kept = &self.kept;
        let mut output = ExecOutput::text(summary, kept.text(None));
        output.data = Some(json!({
            "exit_code": status.code(),
            "signal": status.signal(),
            "stdout": kept.text(Some(Channel::Out)),
            "stderr": kept.text(Some(Channel::Err)),
            "cut_bytes": kept.cut(),
        }));
        output.is_error = !status.success();
        output.truncated = kept.cut() > 0 || streams == Streams::StillOpen;
        output
    }
}

async fn read(
    channel: Channel,
    mut from: impl AsyncRead + Unpin,
    to: mpsc::Sender<(Channel, Vec<u8>)>,
) {
    let mut buffer = vec![0; 16 * 1024];
    while let Ok(count) = from.read(&mut buffer).await {
        let Some(bytes) = buffer.get(..count).filter(|bytes| !bytes.is_empty()) else {
            return;
        };
        if to.send((channel, bytes.to_vec())).await.is_err() {
            return;
        }
    }
}
