//! What can go wrong with a mounted server, and with serving a client.

use std::time::Duration;

use tipstaff_schema::ServerName;

/// Why a mounted server is of no use.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// It could not be started, or ended before it had listed its tools.
    #[error("server `{server}` is not available: {why}")]
    Down {
        /// The server.
        server: ServerName,
        /// What is known, with its last words; cleaned.
        why: String,
    },
    /// It has not listed its tools in time.
    #[error("server `{server}` did not list its tools in {} s", limit.as_secs())]
    Slow {
        /// The server.
        server: ServerName,
        /// How long it was waited for.
        limit: Duration,
    },
}

/// Why a client could not be served to the end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// It never opened the protocol in a way that we know.
    #[error("the client did not open the protocol")]
    Handshake {
        /// What it did instead.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The serving task broke down.
    #[error("serving the client broke down")]
    Broken {
        /// How.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
