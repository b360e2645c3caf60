//! A real process: this test binary, started again as a server. What its test runner prints is the
//! noise that real servers make.

use std::io::{BufRead, Write};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tipstaff_registry::ServerIdentity;
use tipstaff_schema::ServerName;
use tokio::sync::mpsc;

use super::fake::name;
use crate::upstream::Listings;
use crate::{McpServer, ServerCommand, ServerError, ServerLimits, ServerStatus};

const AS_SERVER: &str = "TIPSTAFF_TEST_AS_SERVER";

/// The server: lists its variables as tools, and ends with its input.
#[test]
fn as_server() {
    let Ok(mode) = std::env::var(AS_SERVER) else {
        return;
    };
    writeln!(std::io::stderr(), "my \u{1b}[31mlast words").unwrap();
    if mode == "dies" {
        std::process::exit(3);
    }
    let mut out = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let result = match request["method"].as_str().unwrap() {
            "initialize" => json!({
                "protocolVersion": "2025-11-25", "capabilities": { "tools": {} },
                "serverInfo": { "name": "child", "version": "1" },
            }),
            "tools/list" => json!({
                "tools": std::env::vars().map(|(name, _)| json!({ "name": name })).collect::<Vec<_>>(),
            }),
            _ => continue,
        };
        let answer = json!({ "jsonrpc": "2.0", "id": request["id"], "result": result });
        writeln!(out, "{answer}").unwrap();
    }
    std::process::exit(0);
}

struct Sender(mpsc::UnboundedSender<(ServerIdentity, Vec<Value>)>);

#[async_trait::async_trait]
impl Listings for Sender {
    fn changed(&self, _: &ServerName) {}

    async fn offer(
        &self,
        _: &ServerName,
        identity: &ServerIdentity,
        raw: Vec<Value>,
    ) -> Result<(), String> {
        self.0
            .send((identity.clone(), raw))
            .map_err(|error| error.to_string())
    }
}

fn command(mode: &str) -> ServerCommand {
    let program = std::env::current_exe().unwrap().display().to_string();
    ServerCommand::new(
        program,
        ["--exact", "tests::process::as_server", "--nocapture"],
    )
    .with_env(AS_SERVER, mode)
    .with_env("SECRET", "hunter2")
}

#[tokio::test]
async fn a_child_gets_a_clean_environment_and_ends_when_stopped() {
    let server = McpServer::new(name(), command("serves"), ServerLimits::default());
    let (sender, mut offers) = mpsc::unbounded_channel();
    server.start_into(Arc::new(Sender(sender)));
    server.listed(Duration::from_secs(60)).await.unwrap();
    let (identity, raw) = offers.recv().await.unwrap();
    assert_eq!(identity.env_names, ["SECRET", AS_SERVER]);
    assert_eq!(identity.args[1], "tests::process::as_server");
    let names: Vec<&str> = raw
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert!(
        names.contains(&"PATH") && names.contains(&"SECRET"),
        "{names:?}"
    );
    assert!(
        !names.iter().any(|name| name.starts_with("CARGO")),
        "{names:?}"
    );
    assert!(server.skipped_lines() > 0);
    server.stop().await;
    assert_eq!(server.status(), ServerStatus::Stopped);
}

#[tokio::test]
async fn a_child_that_dies_at_once_is_down_with_its_last_words_cleaned() {
    let server = McpServer::new(name(), command("dies"), ServerLimits::default());
    let (sender, _offers) = mpsc::unbounded_channel();
    server.start_into(Arc::new(Sender(sender)));
    let error = server.listed(Duration::from_secs(60)).await.unwrap_err();
    assert!(matches!(error, ServerError::Down { .. }), "{error}");
    while !server
        .last_words(9)
        .iter()
        .any(|line| line.contains("exit status: 3"))
    {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let words = server.last_words(9);
    assert!(
        words.contains(&r"my \u{1b}[31mlast words".to_owned()),
        "{words:?}"
    );
    assert!(!format!("{:?}", command("dies")).contains("hunter2"));
    server.stop().await;
}
