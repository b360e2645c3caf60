//! The one place where messages are written: a task that owns the writing end.
//!
//! Frames leave in the order in which they were handed over, each whole; a caller that gives up
//! never leaves half a frame behind. A frame with a [`Ticket`] can be taken back until the writing
//! begins, which is the proof that nothing was sent.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

const QUEUE: usize = 256;
const WAITING: u8 = 0;
const BEGUN: u8 = 1;
const WITHDRAWN: u8 = 2;

/// Why a frame did not leave.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SendError {
    /// It is not what was judged, or cannot be written.
    #[error("the frame was refused before it was written: {0}")]
    Refused(String),
    /// Nobody waits for it any more.
    #[error("the frame was taken back before it was written")]
    Withdrawn,
    /// The connection was closed before.
    #[error("the connection is closed")]
    Closed,
    /// Writing failed; part of it may have left.
    #[error("writing failed")]
    Io(#[source] std::io::Error),
}

/// Whether a frame has begun to leave. Either the writer begins or the caller withdraws, never both.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ticket(Arc<AtomicU8>);

impl Ticket {
    fn begin(&self) -> bool {
        self.0
            .compare_exchange(WAITING, BEGUN, Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
    }

    /// Takes the frame back. True proves that no byte of it was written, nor ever will be.
    pub(crate) fn withdraw(&self) -> bool {
        match self
            .0
            .compare_exchange(WAITING, WITHDRAWN, Ordering::SeqCst, Ordering::SeqCst)
        {
            Ok(_) => true,
            Err(state) => state == WITHDRAWN,
        }
    }
}

/// One message on its way out.
#[derive(Debug)]
pub(crate) struct Frame {
    bytes: Vec<u8>,
    ticket: Option<Ticket>,
    done: Option<oneshot::Sender<Result<(), SendError>>>,
}

impl Frame {
    /// A message without its line end.
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            ticket: None,
            done: None,
        }
    }

    pub(crate) fn with_ticket(mut self, ticket: Option<Ticket>) -> Self {
        self.ticket = ticket;
        self
    }
}

/// The queue in front of the writer.
#[derive(Debug)]
pub(crate) struct Outbox {
    queue: Option<mpsc::Sender<Frame>>,
    task: JoinHandle<()>,
}

impl Outbox {
    pub(crate) fn new(writer: impl AsyncWrite + Send + Unpin + 'static) -> Self {
        let (queue, frames) = mpsc::channel(QUEUE);
        Self {
            queue: Some(queue),
            task: tokio::spawn(write_all(writer, frames)),
        }
    }

    /// A handle for those who wait for room themselves.
    pub(crate) fn queue(&self) -> Option<mpsc::Sender<Frame>> {
        self.queue.clone()
    }

    /// Hands the frame over now, where there is room, and resolves when it was written.
    pub(crate) fn send(
        &self,
        mut frame: Frame,
    ) -> impl Future<Output = Result<(), SendError>> + Send + use<> {
        let (done, written) = oneshot::channel();
        frame.done = Some(done);
        let full = match &self.queue {
            None => Err(SendError::Closed),
            Some(queue) => match queue.try_send(frame) {
                Ok(()) => Ok(None),
                Err(mpsc::error::TrySendError::Full(frame)) => Ok(Some((queue.clone(), frame))),
                Err(mpsc::error::TrySendError::Closed(_)) => Err(SendError::Closed),
            },
        };
        async move {
            if let Some((queue, frame)) = full? {
                queue.send(frame).await.map_err(|_| SendError::Closed)?;
            }
            written.await.unwrap_or(Err(SendError::Closed))
        }
    }

    /// Writes what is queued, for at most `limit`, and closes the writing end.
    pub(crate) async fn close(&mut self, limit: Duration) {
        self.queue = None;
        if tokio::time::timeout(limit, &mut self.task).await.is_err() {
            self.task.abort();
        }
    }
}

impl Drop for Outbox {
    fn drop(&mut self) {
        if self.queue.is_some() {
            self.task.abort();
        }
    }
}

async fn write_all(mut writer: impl AsyncWrite + Unpin, mut frames: mpsc::Receiver<Frame>) {
    while let Some(frame) = frames.recv().await {
        let result = write(&mut writer, &frame).await;
        let broken = matches!(result, Err(SendError::Io(_)));
        if let Some(done) = frame.done {
            let _nobody_waits = done.send(result);
        }
        if broken {
            return;
        }
    }
    let _already_gone = writer.shutdown().await;
}

async fn write(writer: &mut (impl AsyncWrite + Unpin), frame: &Frame) -> Result<(), SendError> {
    if frame.ticket.as_ref().is_some_and(|ticket| !ticket.begin()) {
        return Err(SendError::Withdrawn);
    }
    let line = [frame.bytes.as_slice(), b"\n"].concat();
    writer.write_all(&line).await.map_err(SendError::Io)?;
    writer.flush().await.map_err(SendError::Io)
}
