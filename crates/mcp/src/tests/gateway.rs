//! A client, the gateway, a gate and a mounted server, all real; only the peers' ends are scripted.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use tipstaff_approval::{Answer, ApprovalRequest, ApprovalState};
use tipstaff_gate::{AgentFacts, Approver, Clock, ExecutorKey, Gate, Ids, People, Session, Vote};
use tipstaff_journal::{Filter, Journal, MemoryJournal};
use tipstaff_policy::{PolicySet, World};
use tipstaff_registry::{PinMode, ServerIdentity};
use tipstaff_schema::{AgentId, Person, Role};
use uuid::Uuid;

use super::fake::{Ends, Fake, name, tool};
use crate::{Gateway, GatewayOptions, McpServer, Naming, ServerLimits};

/// Runs with tokio's clock, so that tests need not wait.
#[derive(Debug)]
struct Ticking(DateTime<Utc>, tokio::time::Instant);

#[async_trait::async_trait]
impl Clock for Ticking {
    fn now(&self) -> DateTime<Utc> {
        self.0 + self.1.elapsed()
    }

    async fn sleep_until(&self, at: DateTime<Utc>) {
        tokio::time::sleep((at - self.now()).to_std().unwrap_or_default()).await;
    }
}

#[derive(Debug)]
struct Fresh;

impl Ids for Fresh {
    fn fresh(&self, _: DateTime<Utc>) -> Uuid {
        Uuid::now_v7()
    }
}

/// Shows questions to nobody; the test answers them.
#[derive(Debug)]
struct Silent;

#[async_trait::async_trait]
impl Approver for Silent {
    async fn ask(&self, _: &ApprovalRequest) -> Option<Vote> {
        None
    }
}

#[derive(Debug)]
struct AllApprove;

impl People for AllApprove {
    fn roles(&self, _: &Person) -> Vec<Role> {
        vec![Role::new("approver").unwrap()]
    }
}

struct Stage {
    gate: Gate,
    journal: Arc<MemoryJournal>,
    server: Fake,
    client: Fake,
    _mounted: McpServer,
}

async fn stage(rules: Value, hold: Duration, tools: &[&str]) -> Stage {
    let now = Utc::now();
    let journal = Arc::new(MemoryJournal::new(Uuid::now_v7(), now));
    let ends = Ends::default();
    let mut server = ends.add();
    let mounted = McpServer::over(
        name(),
        ServerIdentity::default(),
        Box::new(ends),
        ServerLimits::default(),
    );
    let agent = AgentId::new("coder").unwrap();
    let rules = serde_json::from_value(rules).unwrap();
    let gate = Gate::builder()
        .journal(journal.clone())
        .clock(Arc::new(Ticking(now, tokio::time::Instant::now())))
        .ids(Arc::new(Fresh))
        .agents(
            [(agent.clone(), AgentFacts::default())]
                .into_iter()
                .collect(),
        )
        .policy(PolicySet::compile(rules, &World::default()).unwrap().0)
        .people(Arc::new(AllApprove))
        .approver(Arc::new(Silent))
        .executor(ExecutorKey::Server(name()), Arc::new(mounted.clone()))
        .open()
        .await
        .unwrap();
    mounted.start(gate.clone(), PinMode::FirstUse);
    server.shake_hands().await;
    server.list(tools, None).await;
    mounted.listed(Duration::from_secs(5)).await.unwrap();

    let mut options = GatewayOptions::default();
    (options.naming, options.hold) = (Naming::Plain, hold);
    let gateway = Gateway::new(gate.clone(), Session::launched(agent), options);
    let (mut client, end) = Fake::pair();
    let (reader, writer) = tokio::io::split(end);
    tokio::spawn(gateway.serve(reader, writer));
    let info = client.ask(0, "initialize", initialize("2025-11-25")).await;
    assert_eq!(info["result"]["serverInfo"]["name"], "tipstaff");
    assert_eq!(
        info["result"]["capabilities"],
        json!({ "tools": { "listChanged": true } })
    );
    client
        .send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
        .await;
    Stage {
        gate,
        journal,
        server,
        client,
        _mounted: mounted,
    }
}

fn initialize(version: &str) -> Value {
    json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "root", "version": "1" } })
}

const HOLD: Duration = Duration::from_secs(50);

fn allow(capability: &str) -> Value {
    json!({ "id": "allow", "capability": capability, "effect": "allow" })
}

impl Fake {
    /// As a client: sends a request and reads its answer, past notifications.
    async fn ask(&mut self, id: i64, method: &str, params: Value) -> Value {
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await;
        self.answered(id).await
    }

    async fn answered(&mut self, id: i64) -> Value {
        loop {
            let message = self.read().await;
            if message["id"] == id {
                return message;
            }
            assert!(message.get("id").is_none(), "{message}");
        }
    }

    async fn listed(&mut self, id: i64) -> Vec<String> {
        let answer = self.ask(id, "tools/list", json!({})).await;
        let tools = answer["result"]["tools"].as_array().unwrap();
        tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    }
}

fn call(tool: &str) -> Value {
    json!({ "name": tool, "arguments": {} })
}

#[track_caller]
fn check_refused(answer: &Value, words: &str) {
    let result = &answer["result"];
    assert_eq!(result["isError"], true, "{answer}");
    assert!(
        result["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains(words),
        "{words}: {answer}"
    );
}

#[tokio::test(start_paused = true)]
async fn an_allowed_call_brings_the_servers_answer_unchanged() {
    let mut stage = stage(json!([allow("fake:*")]), HOLD, &["echo"]).await;
    let raw = json!({ "content": [{ "type": "resource_link", "uri": "x:y", "name": "n" }], "_meta": { "a": [1.5] } });
    let (answer, ()) = tokio::join!(stage.client.ask(1, "tools/call", call("echo")), async {
        let request = stage.server.expect("tools/call").await;
        assert_eq!(request["params"]["arguments"], json!({}));
        stage.server.answer(&request, raw.clone()).await;
    });
    assert_eq!(answer, json!({ "jsonrpc": "2.0", "id": 1, "result": raw }));
    let kinds: Vec<String> = stage
        .journal
        .scan(1, 100, &Filter::all())
        .await
        .unwrap()
        .iter()
        .map(|event| event.kind.to_string())
        .collect();
    assert!(
        kinds.ends_with(&[
            "warrant.issued".to_owned(),
            "execution.succeeded".to_owned()
        ]),
        "{kinds:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn denied_tools_are_neither_listed_nor_called() {
    let deny = json!({ "id": "no", "capability": "fake:shut", "effect": "deny" });
    let mut stage = stage(json!([allow("fake:open"), deny]), HOLD, &["open", "shut"]).await;
    assert_eq!(stage.client.listed(1).await, ["open"]);
    let answer = stage.client.ask(2, "tools/call", call("shut")).await;
    check_refused(&answer, "Denied");
    let answer = stage.client.ask(3, "tools/call", call("none")).await;
    check_refused(&answer, "Refused (lookup)");
}

#[tokio::test(start_paused = true)]
async fn protocol_errors_stay_protocol_errors() {
    let mut stage = stage(json!([allow("fake:*")]), HOLD, &["echo"]).await;
    let check = async |client: &mut Fake, method: &str, params: Value, code: i64| {
        let answer = client.ask(1, method, params).await;
        assert_eq!(answer["error"]["code"], code, "{answer}");
    };
    check(
        &mut stage.client,
        "tools/call",
        json!({ "arguments": {} }),
        -32602,
    )
    .await;
    check(
        &mut stage.client,
        "tools/call",
        json!({ "name": "echo", "arguments": [1] }),
        -32602,
    )
    .await;
    check(
        &mut stage.client,
        "tools/list",
        json!({ "cursor": "x" }),
        -32602,
    )
    .await;
    check(&mut stage.client, "resources/list", json!({}), -32601).await;
    check(&mut stage.client, "no/such", json!({}), -32601).await;
}

#[tokio::test(start_paused = true)]
async fn a_held_call_beats_then_defers_and_the_same_call_uses_the_answer_once() {
    let mut stage = stage(json!([]), Duration::from_secs(12), &["echo"]).await;
    let params = json!({ "name": "echo", "arguments": {}, "_meta": { "progressToken": 7 } });
    stage
        .client
        .send(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }))
        .await;
    for beat in 1..=2 {
        let progress = stage.client.expect("notifications/progress").await;
        assert_eq!(
            (
                &progress["params"]["progressToken"],
                &progress["params"]["progress"]
            ),
            (&json!(7), &json!(f64::from(beat)))
        );
    }
    let answer = stage.client.answered(1).await;
    let pending = stage.gate.pending_approvals().remove(0);
    check_refused(&answer, &format!("Waiting for approval {}", pending.id));
    check_refused(&answer, "call again with the same arguments");

    stage
        .gate
        .answer(
            pending.id,
            pending.digest,
            Answer::Approve,
            &Person::new("ana").unwrap(),
        )
        .await
        .unwrap();
    let (answer, ()) = tokio::join!(stage.client.ask(2, "tools/call", call("echo")), async {
        let request = stage.server.expect("tools/call").await;
        stage
            .server
            .answer(&request, json!({ "content": [] }))
            .await;
    });
    assert_eq!(answer["result"], json!({ "content": [] }));
    check_refused(
        &stage.client.ask(3, "tools/call", call("echo")).await,
        "Waiting for approval",
    );
}

#[tokio::test(start_paused = true)]
async fn c112_a_call_cancelled_while_it_waits_takes_its_question_back() {
    let mut stage = stage(json!([]), HOLD, &["echo"]).await;
    let mut state = stage.gate.subscribe_state();
    stage
        .client
        .send(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call("echo") }))
        .await;
    while stage.gate.pending_approvals().is_empty() {
        state.changed().await.unwrap();
    }
    let pending = stage.gate.pending_approvals().remove(0);
    let params = json!({ "requestId": 1 });
    stage
        .client
        .send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }))
        .await;
    while !stage.gate.pending_approvals().is_empty() {
        state.changed().await.unwrap();
    }
    let ana = Person::new("ana").unwrap();
    assert!(
        stage
            .gate
            .answer(pending.id, pending.digest, Answer::Approve, &ana)
            .await
            .is_err()
    );
    assert_eq!(
        stage.gate.approval(pending.id).unwrap().state,
        ApprovalState::Withdrawn
    );
}

#[tokio::test(start_paused = true)]
async fn a_client_that_is_gone_leaves_its_question_open() {
    let mut stage = stage(json!([]), HOLD, &["echo"]).await;
    let mut state = stage.gate.subscribe_state();
    stage
        .client
        .send(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call("echo") }))
        .await;
    while stage.gate.pending_approvals().is_empty() {
        state.changed().await.unwrap();
    }
    drop(stage.client);
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert_eq!(stage.gate.pending_approvals().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn c094_c097_a_changed_tool_is_shut_off_and_the_client_is_told() {
    let mut stage = stage(json!([allow("fake:*")]), HOLD, &["a", "b"]).await;
    let mut changed = tool("a");
    changed["description"] = json!("does a, and tells nobody");
    stage.server.change().await;
    let request = stage.server.expect("tools/list").await;
    // Between the notice and the listing no call is judged: this one waits for it.
    stage
        .client
        .send(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call("a") }))
        .await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    stage
        .server
        .answer(&request, json!({ "tools": [changed, tool("b")] }))
        .await;
    check_refused(&stage.client.answered(1).await, "Refused (lookup)");
    stage
        .client
        .expect("notifications/tools/list_changed")
        .await;
    assert_eq!(stage.client.listed(2).await, ["b"]);
}

#[tokio::test(start_paused = true)]
async fn c095_a_renamed_tool_is_new_and_not_callable_under_a_wide_allow() {
    let mut stage = stage(json!([allow("fake:*")]), Duration::from_secs(1), &["send"]).await;
    stage.server.change().await;
    stage.server.list(&["deliver"], None).await;
    stage
        .client
        .expect("notifications/tools/list_changed")
        .await;
    check_refused(
        &stage.client.ask(1, "tools/call", call("send")).await,
        "Refused (lookup)",
    );
    check_refused(
        &stage.client.ask(2, "tools/call", call("deliver")).await,
        "Waiting for approval",
    );
}

#[tokio::test(start_paused = true)]
async fn c115_c116_one_faulty_schema_refuses_its_own_tool_only() {
    let mut stage = stage(json!([allow("fake:*")]), HOLD, &["plain"]).await;
    let schema = |schema: Value| json!({ "name": schema["title"], "inputSchema": schema });
    stage.server.change().await;
    let request = stage.server.expect("tools/list").await;
    let faulty = [
        schema(
            json!({ "title": "net", "type": "object", "properties": { "a": { "$ref": "http://169.254.169.254/x" } } }),
        ),
        schema(
            json!({ "title": "file", "type": "object", "properties": { "a": { "$ref": "file:///etc/passwd" } } }),
        ),
        schema(json!({ "title": "dangling", "$ref": "#/$defs/none" })),
        tool("plain"),
    ];
    stage
        .server
        .answer(&request, json!({ "tools": faulty }))
        .await;
    stage
        .client
        .expect("notifications/tools/list_changed")
        .await;
    assert_eq!(stage.client.listed(1).await, ["plain"]);
}

#[tokio::test(start_paused = true)]
async fn a_clients_version_is_kept_where_it_is_known() {
    let stage = stage(json!([]), HOLD, &[]).await;
    for (asked, got) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-06-18", "2025-06-18"),
        ("2099-01-01", "2025-11-25"),
    ] {
        let session = Session::launched(AgentId::new("coder").unwrap());
        let gateway = Gateway::new(stage.gate.clone(), session, GatewayOptions::default());
        let (mut client, end) = Fake::pair();
        let (reader, writer) = tokio::io::split(end);
        tokio::spawn(gateway.serve(reader, writer));
        let answer = client.ask(1, "initialize", initialize(asked)).await;
        assert_eq!(answer["result"]["protocolVersion"], got);
    }
}
