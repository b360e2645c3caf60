//! A peer that says exactly what a test tells it to, byte for byte.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tipstaff_gate::Cancel;
use tipstaff_schema::ServerName;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};

use crate::upstream::{Connect, Hooks, Link, Noise, Source, Stderr, Streams};

/// The other end of a connection.
pub(super) struct Fake {
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
}

impl Fake {
    /// The fake, and the end that it talks to.
    pub(super) fn pair() -> (Self, DuplexStream) {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(ours);
        (
            Self {
                reader: BufReader::new(reader),
                writer,
            },
            theirs,
        )
    }

    /// The next message that was sent to it.
    pub(super) async fn read(&mut self) -> Value {
        serde_json::from_str(&self.read_line().await).unwrap()
    }

    pub(super) async fn read_line(&mut self) -> String {
        let mut line = String::new();
        self.reader.read_line(&mut line).await.unwrap();
        line.trim_end().to_owned()
    }

    /// The next request of this method.
    pub(super) async fn expect(&mut self, method: &str) -> Value {
        let message = self.read().await;
        assert_eq!(message["method"], method, "{message}");
        message
    }

    pub(super) async fn raw(&mut self, bytes: &[u8]) {
        self.writer.write_all(bytes).await.unwrap();
    }

    pub(super) async fn send(&mut self, message: Value) {
        self.raw(format!("{message}\n").as_bytes()).await;
    }

    pub(super) async fn answer(&mut self, request: &Value, result: Value) {
        self.send(json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }))
            .await;
    }

    pub(super) async fn fail(&mut self, request: &Value, code: i64, message: &str) {
        let error = json!({ "code": code, "message": message });
        self.send(json!({ "jsonrpc": "2.0", "id": request["id"], "error": error }))
            .await;
    }

    /// As a server: shakes hands.
    pub(super) async fn shake_hands(&mut self) {
        let request = self.expect("initialize").await;
        let result = json!({
            "protocolVersion": request["params"]["protocolVersion"],
            "capabilities": { "tools": { "listChanged": true } },
            "serverInfo": { "name": "fake", "version": "1" },
            "instructions": "be kind",
        });
        self.answer(&request, result).await;
        self.expect("notifications/initialized").await;
    }

    /// As a server: answers one page of the listing.
    pub(super) async fn list(&mut self, names: &[&str], next: Option<&str>) {
        let request = self.expect("tools/list").await;
        let mut result =
            json!({ "tools": names.iter().map(|name| tool(name)).collect::<Vec<_>>() });
        if let Some(next) = next {
            result["nextCursor"] = json!(next);
        }
        self.answer(&request, result).await;
    }

    /// As a server: says that its tools changed.
    pub(super) async fn change(&mut self) {
        self.send(json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }))
            .await;
    }
}

pub(super) fn tool(name: &str) -> Value {
    json!({ "name": name, "description": format!("does {name}"), "inputSchema": { "type": "object" } })
}

pub(super) fn name() -> ServerName {
    ServerName::new("fake").unwrap()
}

pub(super) fn streams(end: DuplexStream) -> Streams {
    let (reader, writer) = tokio::io::split(end);
    Streams {
        reader: Source(Box::new(reader)),
        writer: Box::new(writer),
    }
}

pub(super) fn hooks(noise: &Arc<Noise>) -> Hooks {
    Hooks {
        server: name(),
        noise: noise.clone(),
        changed: Arc::new(|| {}),
        closed: Cancel::new(),
    }
}

/// A connection to a fake server that keeps messages up to `limit` bytes.
pub(super) async fn linked(limit: usize) -> (Link, Fake, Arc<Noise>) {
    let (mut fake, end) = Fake::pair();
    let noise = Arc::new(Noise::default());
    let open = Link::open(
        streams(end),
        limit,
        std::time::Duration::from_secs(5),
        hooks(&noise),
    );
    let (link, ()) = tokio::join!(open, fake.shake_hands());
    (link.unwrap(), fake, noise)
}

/// Hands out ends that were made before, one a start.
#[derive(Clone, Default)]
pub(super) struct Ends(Arc<Mutex<VecDeque<DuplexStream>>>);

impl Ends {
    pub(super) fn add(&self) -> Fake {
        let (fake, end) = Fake::pair();
        self.0.lock().unwrap().push_back(end);
        fake
    }
}

impl Connect for Ends {
    fn connect(&self, _: &Stderr, _: Cancel) -> std::io::Result<Streams> {
        let end = self.0.lock().unwrap().pop_front();
        end.map(streams)
            .ok_or_else(|| std::io::Error::other("no such program"))
    }
}
