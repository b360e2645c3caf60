//! The other end: finding the sockets of running gates and asking them.

use std::io;
use std::path::{Path, PathBuf};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;

use super::wire::{ControlReply, ControlRequest};

/// What can go wrong in asking a gate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ControlError {
    /// The state folder cannot be listed.
    #[error("the state folder `{}` cannot be read", path.display())]
    State {
        /// The folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The socket cannot be spoken to.
    #[error("the gate at `{}` cannot be reached", path.display())]
    Socket {
        /// The socket.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The reply is none.
    #[error("the gate at `{}` gave no reply that can be read", path.display())]
    Reply {
        /// The socket.
        path: PathBuf,
        /// Why not.
        source: serde_json::Error,
    },
}

/// The sockets in a state folder, those of ended gates among them, in order of name. None where
/// there is no folder.
///
/// # Errors
/// [`ControlError::State`] when the folder cannot be listed.
pub fn sockets(state: &Path) -> Result<Vec<PathBuf>, ControlError> {
    let at = |source| ControlError::State {
        path: state.to_owned(),
        source,
    };
    let entries = match std::fs::read_dir(state) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(at(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(at)?.path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        if name.starts_with("control-") && name.ends_with(".sock") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// A connection to one running gate.
#[derive(Debug)]
pub struct Client {
    path: PathBuf,
    stream: BufReader<UnixStream>,
}

impl Client {
    /// Connects; `None` where no process listens any more.
    ///
    /// # Errors
    /// [`ControlError::Socket`] when it is there but cannot be reached.
    pub async fn connect(path: &Path) -> Result<Option<Self>, ControlError> {
        match UnixStream::connect(path).await {
            Ok(stream) => Ok(Some(Self {
                path: path.to_owned(),
                stream: BufReader::new(stream),
            })),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound
                ) =>
            {
                Ok(None)
            }
            Err(source) => Err(ControlError::Socket {
                path: path.to_owned(),
                source,
            }),
        }
    }

    /// Asks and waits for the reply.
    ///
    /// # Errors
    /// [`ControlError`] when the gate goes away or replies with something else.
    pub async fn ask(&mut self, request: &ControlRequest) -> Result<ControlReply, ControlError> {
        let path = self.path.clone();
        let broken = |source| ControlError::Socket {
            path: path.clone(),
            source,
        };
        let unread = |source| ControlError::Reply {
            path: path.clone(),
            source,
        };
        let mut line = serde_json::to_vec(request).map_err(unread)?;
        line.push(b'\n');
        self.stream
            .get_mut()
            .write_all(&line)
            .await
            .map_err(broken)?;
        let mut reply = Vec::new();
        self.stream
            .read_until(b'\n', &mut reply)
            .await
            .map_err(broken)?;
        serde_json::from_slice(&reply).map_err(unread)
    }
}
