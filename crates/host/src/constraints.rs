//! Whether the constraints of an intent token hold on this machine, asked just before the warrant.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tipstaff_gate::ConstraintChecker;
use tipstaff_schema::Constraint;
use tipstaff_schema::sanitization::sanitize_for_display;

use crate::presence::Presence;

/// How long a host may take to accept a connection.
const CONNECT_WITHIN: Duration = Duration::from_secs(2);

/// A constraint that an integrator knows.
#[async_trait::async_trait]
pub trait CustomConstraint: std::fmt::Debug + Send + Sync {
    /// Whether it holds now with these arguments.
    ///
    /// # Errors
    /// A sentence saying what does not hold, or that it cannot be told; both refuse the call.
    async fn check(&self, args: &Value) -> Result<(), String>;
}

/// Checks what this machine can tell: files, hosts, environment; with [`HostConstraints::presence`]
/// whether a user is there; and what [`HostConstraints::custom`] adds. Anything else fails.
#[derive(Debug, Clone, Default)]
pub struct HostConstraints {
    presence: Option<Arc<dyn Presence>>,
    custom: BTreeMap<String, Arc<dyn CustomConstraint>>,
}

impl HostConstraints {
    /// One that knows no user and no custom constraint.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, with somebody to ask whether a user is present.
    #[must_use]
    pub fn presence(mut self, presence: Arc<dyn Presence>) -> Self {
        self.presence = Some(presence);
        self
    }

    /// The same, with a custom constraint; a second of one name replaces the first.
    #[must_use]
    pub fn custom(mut self, name: impl Into<String>, check: Arc<dyn CustomConstraint>) -> Self {
        self.custom.insert(name.into(), check);
        self
    }
}

#[async_trait::async_trait]
impl ConstraintChecker for HostConstraints {
    async fn check(&self, constraint: &Constraint) -> Result<(), String> {
        match constraint {
            Constraint::PathExists { path } => exists(path)
                .map_err(|why| format!("path_exists `{}`: {why}", sanitize_for_display(path))),
            Constraint::NetReachable { host, port } => reach(host, *port).await,
            Constraint::EnvSet { name } => is_set(name)
                .map_err(|why| format!("env_set `{}`: {why}", sanitize_for_display(name))),
            Constraint::UserPresent => match &self.presence {
                Some(presence) => presence
                    .is_present()
                    .map_err(|why| format!("user_present: {why}")),
                None => Err("user_present: nobody can tell here".to_owned()),
            },
            Constraint::Custom { name, args } => {
                let shown = sanitize_for_display(name);
                match self.custom.get(name) {
                    Some(custom) => custom
                        .check(args)
                        .await
                        .map_err(|why| format!("custom `{shown}`: {}", sanitize_for_display(&why))),
                    None => Err(format!("custom `{shown}`: no such constraint is known")),
                }
            }
        }
    }
}

/// A path that leads nowhere does not exist, and a relative one has no base here.
fn exists(path: &str) -> Result<(), String> {
    if !Path::new(path).is_absolute() {
        return Err("it must be absolute: a token has no folder of its own".to_owned());
    }
    match std::fs::metadata(path) {
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

/// A name that no variable can have is not set.
fn is_set(name: &str) -> Result<(), String> {
    if name.is_empty() || name.contains(['=', '\0']) {
        return Err("no variable can have this name".to_owned());
    }
    match std::env::var_os(name) {
        Some(_) => Ok(()),
        None => Err("it is not set".to_owned()),
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
