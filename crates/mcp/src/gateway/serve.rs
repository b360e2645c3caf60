//! Serves one client over a pair of streams.

use std::time::Duration;

use rmcp::service::{Peer, RoleServer, ServerInitializeError};
use tipstaff_gate::{Gate, Session};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;

use super::handler::Handler;
use super::names::Naming;
use super::wire::Wire;
use crate::ServeError;

/// Changes of the catalog within this time are one notice.
pub(super) const MERGE: Duration = Duration::from_millis(50);

/// How a gateway behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GatewayOptions {
    /// How tools are named.
    pub naming: Naming,
    /// How long a call is held while people are asked; then the client is told to call again. 50 s
    /// unless set: the usual client gives up after 60.
    pub hold: Duration,
    /// What clients are told about this server as a whole.
    pub instructions: Option<String>,
}

impl Default for GatewayOptions {
    fn default() -> Self {
        Self {
            naming: Naming::default(),
            hold: Duration::from_secs(50),
            instructions: None,
        }
    }
}

/// The gate as an MCP server, for one session. Every call that comes through goes the gate's way.
#[derive(Debug, Clone)]
pub struct Gateway {
    pub(super) gate: Gate,
    pub(super) session: Session,
    pub(super) options: GatewayOptions,
}

impl Gateway {
    /// A gateway for this caller. Who the client says it is changes nothing.
    #[must_use]
    pub fn new(gate: Gate, session: Session, options: GatewayOptions) -> Self {
        Self {
            gate,
            session,
            options,
        }
    }

    /// Serves until the client closes its side. A client that leaves without a word is no error.
    /// Questions that its calls opened stay open.
    ///
    /// # Errors
    /// [`ServeError::Handshake`] for a client that does not open the protocol, [`ServeError::Broken`]
    /// when serving breaks down.
    pub async fn serve<R, W>(self, reader: R, writer: W) -> Result<(), ServeError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let catalog = self.gate.subscribe_catalog();
        let service = match rmcp::serve_server(Handler(self), Wire::new(reader, writer)).await {
            Ok(service) => service,
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => {
                return Err(ServeError::Handshake {
                    source: Box::new(error),
                });
            }
        };
        let notices = tokio::spawn(tell(service.peer().clone(), catalog));
        let ended = service.waiting().await;
        notices.abort();
        match ended {
            Ok(_) => Ok(()),
            Err(error) => Err(ServeError::Broken {
                source: Box::new(error),
            }),
        }
    }

    /// Serves the process's own standard streams. Nothing else may write to standard output.
    ///
    /// # Errors
    /// As [`Gateway::serve`].
    pub async fn serve_stdio(self) -> Result<(), ServeError> {
        let (reader, writer) = rmcp::transport::stdio_pipes();
        self.serve(reader, writer).await
    }
}

/// Tells a client of the older era when the list has changed; one of the newer era asks for it.
async fn tell(peer: Peer<RoleServer>, mut catalog: watch::Receiver<u64>) {
    while catalog.changed().await.is_ok() {
        tokio::time::sleep(MERGE).await;
        catalog.mark_unchanged();
        if peer.peer_info().is_some() && peer.notify_tool_list_changed().await.is_err() {
            return;
        }
    }
}
