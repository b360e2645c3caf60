//! The line protocol towards clients: what they send is read strictly, what they get is only messages.

use rmcp::ServerHandler;
use rmcp::model::{CustomRequest, CustomResult, ErrorData};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};
use tipstaff_gate::Cancel;

use super::fake::Fake;
use crate::gateway::Wire;

/// Answers every call with what reached it; `wait` waits until it is cancelled.
struct Mirror;

impl ServerHandler for Mirror {
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let params = request.params.unwrap_or_default();
        if params["name"] == "wait" {
            context
                .extensions
                .get::<Cancel>()
                .unwrap()
                .cancelled()
                .await;
        }
        Ok(CustomResult(
            json!({ "method": request.method, "params": params }),
        ))
    }
}

/// A client in front of the mirror, before the handshake.
fn connected() -> Fake {
    let (fake, end) = Fake::pair();
    let (reader, writer) = tokio::io::split(end);
    tokio::spawn(async move {
        let service = rmcp::serve_server(Mirror, Wire::new(reader, writer))
            .await
            .unwrap();
        service.waiting().await.unwrap();
    });
    fake
}

async fn open(client: &mut Fake) {
    let params = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    });
    client
        .send(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }))
        .await;
    assert_eq!(
        client.read().await["result"]["protocolVersion"],
        "2025-06-18"
    );
    client
        .send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
        .await;
}

async fn client() -> Fake {
    let mut client = connected();
    open(&mut client).await;
    client
}

/// A line, and the answer to it; then a ping must be answered.
async fn check(line: &str, want: Option<(&str, i64)>) {
    for opened in [true, false] {
        let mut client = connected();
        if opened {
            open(&mut client).await;
        }
        client.raw(line.as_bytes()).await;
        client.raw(b"\n").await;
        client
            .raw(b"{\"jsonrpc\":\"2.0\",\"id\":\"still here\",\"method\":\"ping\"}\n")
            .await;
        if let Some((id, code)) = want {
            let answer = client.read_line().await;
            assert!(
                answer.starts_with(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\"")),
                "{line}: {answer}"
            );
            let answer: Value = serde_json::from_str(&answer).unwrap();
            assert_eq!(answer["error"]["code"], code, "{line}");
        }
        assert_eq!(
            client.read_line().await,
            r#"{"jsonrpc":"2.0","id":"still here","result":{}}"#,
            "{line}"
        );
    }
}

#[tokio::test]
async fn c110_a_malformed_line_is_answered_where_an_id_can_be_told_and_never_freezes() {
    check(r#"{"jsonrpc":"2.0","method":"x","params":   "#, None).await;
    check(
        r#"{"jsonrpc":"2.0","id":7,"method":"x","params":   "#,
        Some(("7", -32700)),
    )
    .await;
    check("[]", None).await;
    check("null", None).await;
    check("5", None).await;
    check("   ", None).await;
    check(&"[".repeat(200), None).await;
    check(r#"{"jsonrpc":"2.0","id":1}"#, Some(("1", -32600))).await;
    check(
        r#"{"jsonrpc":"1.0","id":2,"method":"ping"}"#,
        Some(("2", -32600)),
    )
    .await;
    check(
        r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
        Some(("1.5", -32600)),
    )
    .await;
    check(
        r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        Some(("null", -32600)),
    )
    .await;
    check(
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":[]}"#,
        Some(("3", -32602)),
    )
    .await;
    check(r#"{"jsonrpc":"2.0","result":{}}"#, None).await;
    check(r#"{"jsonrpc":"2.0","id":99,"result":{}}"#, None).await;
}

#[tokio::test]
async fn c110_an_id_comes_back_byte_for_byte() {
    let mut client = client().await;
    for id in [
        r#""1""#,
        "9007199254740993",
        "-1",
        r#""\u0041""#,
        r#""""#,
        "0",
    ] {
        client
            .raw(format!("{{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":{id}}}\n").as_bytes())
            .await;
        assert_eq!(
            client.read_line().await,
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}")
        );
    }
}

#[tokio::test]
async fn c086_two_equal_keys_are_refused_wherever_they_stand() {
    let mut client = client().await;
    for arguments in [
        r#"{"path":"/tmp/a","path":"/etc/passwd"}"#,
        r#"{"x":{"y":1,"y":2}}"#,
        r#"{"path":"/tmp/a","\u0070ath":"/etc/passwd"}"#,
    ] {
        let line = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{{\"name\":\"a\",\"arguments\":{arguments}}}}}\n"
        );
        client.raw(line.as_bytes()).await;
        let answer = client.read().await;
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&json!(4), &json!(-32600)),
            "{answer}"
        );
        assert!(
            answer["error"]["message"]
                .as_str()
                .unwrap()
                .contains("twice"),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn arguments_reach_the_handler_exactly_and_metadata_apart() {
    let mut client = client().await;
    let arguments = json!({ "n": 9_007_199_254_740_993_u64, "f": 0.1, "_meta": { "mine": 1 }, "e": {}, "u": "\u{202e}" });
    let params = json!({ "name": "a", "arguments": arguments, "_meta": { "progressToken": "t" } });
    client
        .send(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }))
        .await;
    let want = json!({ "method": "tools/call", "params": { "name": "a", "arguments": arguments } });
    assert_eq!(
        client.read().await,
        json!({ "jsonrpc": "2.0", "id": 1, "result": want })
    );
}

#[tokio::test]
async fn an_id_that_is_open_is_refused_and_free_again_afterwards() {
    let mut client = client().await;
    let call = |name: &str| json!({ "jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": { "name": name } });
    client.send(call("wait")).await;
    client.send(call("b")).await;
    assert_eq!(client.read().await["error"]["code"], -32600);
    client.send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "a" } })).await;
    client.send(call("c")).await;
    assert_eq!(client.read().await["result"]["params"]["name"], "c");
}

#[tokio::test]
async fn c112_a_cancel_for_an_unknown_or_finished_call_changes_nothing() {
    let mut client = client().await;
    client
        .send(json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }))
        .await;
    client.read().await;
    for id in [json!(1), json!("unknown"), json!(null), json!({})] {
        let params = json!({ "requestId": id });
        client
            .send(
                json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }),
            )
            .await;
    }
    client
        .send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled" }))
        .await;
    client
        .send(json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" }))
        .await;
    assert_eq!(
        client.read().await,
        json!({ "jsonrpc": "2.0", "id": 2, "result": {} })
    );
}

#[tokio::test]
async fn too_many_open_requests_are_refused_and_the_rest_served() {
    let mut client = client().await;
    for id in 0..300 {
        let params = json!({ "name": "wait" });
        client
            .send(json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }))
            .await;
    }
    for _ in 0..300 - 256 {
        assert_eq!(client.read().await["error"]["code"], -32600);
    }
    let params = json!({ "requestId": 3 });
    client
        .send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }))
        .await;
    client
        .send(json!({ "jsonrpc": "2.0", "id": "p", "method": "ping" }))
        .await;
    assert_eq!(client.read().await["id"], "p");
}

#[tokio::test]
async fn the_newer_era_needs_no_handshake() {
    let mut client = connected();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    client
        .send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
        .await;
    let params = json!({ "_meta": meta });
    client
        .send(json!({ "jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": params }))
        .await;
    assert!(
        client.read().await["result"]["supportedVersions"]
            .as_array()
            .unwrap()
            .contains(&json!("2026-07-28"))
    );
    let params = json!({ "_meta": meta, "name": "a" });
    client
        .send(json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params }))
        .await;
    assert_eq!(
        client.read().await["result"]["params"],
        json!({ "name": "a" })
    );
    client
        .send(
            json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": { "name": "a" } }),
        )
        .await;
    assert_eq!(client.read().await["error"]["code"], -32602);
}
