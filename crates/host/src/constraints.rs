//! Whether the constraints of an intent token hold on this machine, asked just before the warrant.

use std::time::Duration;

use tipstaff_gate::ConstraintChecker;
use tipstaff_schema::Constraint;
use tipstaff_schema::sanitization::sanitize_for_display;

/// How long a host may take to accept a connection.
const CONNECT_WITHIN: Duration = Duration::from_secs(2);

/// Checks what this machine can tell: files, hosts, environment. Nobody can tell it whether a user
/// is present, and it knows no custom constraint; both fail.
#[derive(Debug, Clone, Copy, Default)]
pub struct HostConstraints;

#[async_trait::async_trait]
impl ConstraintChecker for HostConstraints {
    async fn check(&self, constraint: &Constraint) -> Result<(), String> {
        match constraint {
            Constraint::PathExists { path } => match std::fs::symlink_metadata(path) {
                Ok(_) => Ok(()),
                Err(error) => Err(format!(
                    "path_exists `{}`: {error}",
                    sanitize_for_display(path)
                )),
            },
            Constraint::NetReachable { host, port } => reach(host, *port).await,
            Constraint::EnvSet { name } => match std::env::var_os(name) {
                Some(_) => Ok(()),
                None => Err(format!(
                    "env_set `{}`: it is not set",
                    sanitize_for_display(name)
                )),
            },
            Constraint::UserPresent => Err("user_present: nobody can tell here".to_owned()),
            Constraint::Custom { name, .. } => Err(format!(
                "custom `{}`: no such constraint is known",
                sanitize_for_display(name)
            )),
        }
    }
}

async fn reach(host: &str, port: u16) -> Result<(), String> {
    let shown = sanitize_for_display(host);
    match tokio::time::timeout(CONNECT_WITHIN, tokio::net::TcpStream::connect((host, port))).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(format!("net_reachable `{shown}` port {port}: {error}")),
        Err(_) => Err(format!(
            "net_reachable `{shown}` port {port}: no answer within 2 seconds"
        )),
    }
}
