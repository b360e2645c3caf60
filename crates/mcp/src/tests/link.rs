//! One connection to a server that talks rubbish, lies, floods or dies.

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, JsonRpcMessage, RequestId,
};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tipstaff_gate::Cancel;
use tipstaff_schema::{Digest, Domain};
use tokio::join;
use tokio::time::Instant;

use super::fake::{Fake, hooks, linked, streams, tool};
use crate::outbox::Ticket;
use crate::upstream::{Answer, CallError, Judged, Link, Outgoing, Wire};

const LIMIT: usize = 4096;

fn echo(arguments: &Value) -> Outgoing {
    Outgoing {
        tool: "echo".to_owned(),
        arguments: arguments.as_object().unwrap().clone(),
        params: Digest::of(Domain::Params, arguments).unwrap(),
        deadline: Instant::now() + Duration::from_secs(20),
    }
}

async fn run(link: &Link, call: Outgoing) -> Result<Answer, CallError> {
    link.call(call, &Cancel::new()).await
}

fn text(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

#[tokio::test]
async fn a_call_sends_the_judged_arguments_and_brings_the_raw_answer() {
    let (link, mut fake, _) = linked(LIMIT).await;
    let arguments =
        json!({ "b": 1, "a": { "deep": [true, null, "x\u{e9}"], "n": 9_007_199_254_740_993_u64 } });
    let raw = json!({ "content": [], "_meta": { "k": 1 }, "structuredContent": { "x": 2 }, "future": "kept" });
    let (answer, ()) = join!(run(&link, echo(&arguments)), async {
        let request = fake.expect("tools/call").await;
        assert_eq!(request["params"]["name"], "echo");
        assert_eq!(request["params"]["arguments"], arguments);
        fake.answer(&request, raw.clone()).await;
    });
    assert_eq!(answer, Ok(Answer::Whole(raw)));
}

#[tokio::test]
async fn i1_nothing_is_written_whose_arguments_are_not_the_warrants() {
    let (link, mut fake, _) = linked(LIMIT).await;
    let mut call = echo(&json!({ "path": "/a" }));
    call.arguments
        .insert("path".to_owned(), json!("/etc/passwd"));
    let refused = run(&link, call).await;
    assert!(
        matches!(&refused, Err(CallError::NeverRan(why)) if why.contains("warrant")),
        "{refused:?}"
    );
    let (answer, ()) = join!(run(&link, echo(&json!({}))), async {
        // The next thing that the server reads is the next call: of the refused one no byte was written.
        let request = fake.expect("tools/call").await;
        assert_eq!(request["params"]["arguments"], json!({}));
        fake.answer(&request, text("ok")).await;
    });
    assert_eq!(answer, Ok(Answer::Whole(text("ok"))));
}

#[tokio::test]
async fn i1_no_call_leaves_without_a_warrant() {
    let (_fake, end) = Fake::pair();
    let mut wire = Wire::new(
        streams(end).reader,
        tokio::io::sink(),
        LIMIT,
        hooks(&Arc::default()),
    );
    let message = |judged: Option<Judged>| {
        let mut call = CallToolRequest::new(
            CallToolRequestParams::new("echo").with_arguments(Default::default()),
        );
        if let Some(judged) = judged {
            call.extensions.insert(judged);
        }
        JsonRpcMessage::request(ClientRequest::CallToolRequest(call), RequestId::Number(1))
    };
    let params = Digest::of(Domain::Params, &json!({})).unwrap();
    let judged = |tool: &str| {
        Some(Judged {
            tool: tool.to_owned(),
            params,
            ticket: Ticket::default(),
        })
    };
    assert!(wire.send(message(None)).await.is_err());
    assert!(wire.send(message(judged("other"))).await.is_err());
    assert!(wire.send(message(judged("echo"))).await.is_ok());
}

#[tokio::test]
async fn c109_noise_between_messages_is_skipped_and_counted() {
    let (link, mut fake, noise) = linked(LIMIT).await;
    let (answer, ()) = join!(run(&link, echo(&json!({}))), async {
        let request = fake.expect("tools/call").await;
        let id = &request["id"];
        fake.raw(b"Server v1 ready\n  \n[debug] {\"a\":1}\n{\"not\":\"rpc\"}\n\xff\xfe{}\n[1,2]\n")
            .await;
        fake.raw(
            format!(
                "{}\r\n",
                json!({ "jsonrpc": "2.0", "id": id, "result": text("ok") })
            )
            .as_bytes(),
        )
        .await;
    });
    assert_eq!(answer, Ok(Answer::Whole(text("ok"))));
    assert_eq!(noise.count(), 6);
}

#[tokio::test]
async fn c110_an_answer_under_an_id_that_was_not_asked_changes_nothing() {
    let (link, mut fake, noise) = linked(LIMIT).await;
    let (answer, ()) = join!(run(&link, echo(&json!({}))), async {
        let request = fake.expect("tools/call").await;
        let id = request["id"].as_i64().unwrap();
        for lie in [
            json!(id + 1),
            json!(id.to_string()),
            json!(null),
            json!(id as f64 + 0.5),
        ] {
            fake.send(json!({ "jsonrpc": "2.0", "id": lie, "result": text("lie") }))
                .await;
        }
        fake.send(json!({ "jsonrpc": "1.0", "id": id, "result": text("lie") }))
            .await;
        fake.answer(&request, text("ok")).await;
        fake.answer(&request, text("twice")).await;
    });
    assert_eq!(answer, Ok(Answer::Whole(text("ok"))));
    // The second answer may not have been read yet.
    assert!(noise.count() >= 5);
}

#[tokio::test]
async fn c110_an_answer_that_cannot_be_read_ends_its_call_at_once() {
    let (link, mut fake, _) = linked(LIMIT).await;
    for broken in [
        r#""result":{"isError":false,"isError":true}}"#,
        r#""result":{"content":[}"#,
    ] {
        let (answer, ()) = join!(run(&link, echo(&json!({}))), async {
            let id = fake.expect("tools/call").await["id"].clone();
            fake.raw(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{broken}\n").as_bytes())
                .await;
        });
        assert!(matches!(answer, Err(CallError::Uncertain(_))), "{answer:?}");
    }
}

#[tokio::test]
async fn errors_that_prove_that_nothing_ran_are_told_from_others() {
    let (link, mut fake, _) = linked(LIMIT).await;
    for (code, never_ran) in [(-32601, true), (-32602, true), (-32603, false), (1, false)] {
        let (answer, ()) = join!(run(&link, echo(&json!({}))), async {
            let request = fake.expect("tools/call").await;
            fake.fail(&request, code, "no").await;
        });
        let want = format!("the server says: no ({code})");
        assert_eq!(
            answer,
            Err(if never_ran {
                CallError::NeverRan(want)
            } else {
                CallError::Failed(want)
            })
        );
    }
}

#[tokio::test]
async fn c112_a_cancelled_call_tells_the_server_and_its_late_answer_is_noise() {
    let (link, mut fake, noise) = linked(LIMIT).await;
    let cancel = Cancel::new();
    let (answer, request) = join!(link.call(echo(&json!({})), &cancel), async {
        let request = fake.expect("tools/call").await;
        cancel.cancel();
        request
    });
    assert!(matches!(answer, Err(CallError::Uncertain(_))), "{answer:?}");
    let told = fake.expect("notifications/cancelled").await;
    assert_eq!(told["params"]["requestId"], request["id"]);
    fake.answer(&request, text("late")).await;
    let (answer, ()) = join!(run(&link, echo(&json!({}))), async {
        let request = fake.expect("tools/call").await;
        fake.answer(&request, text("ok")).await;
    });
    assert_eq!((answer, noise.count()), (Ok(Answer::Whole(text("ok"))), 1));
}

#[tokio::test(start_paused = true)]
async fn a_silent_server_ends_at_the_deadline_and_is_told() {
    let (link, mut fake, _) = linked(LIMIT).await;
    let (answer, _) = join!(run(&link, echo(&json!({}))), fake.expect("tools/call"));
    assert_eq!(
        answer,
        Err(CallError::Uncertain(
            "the server did not answer in time".to_owned()
        ))
    );
    fake.expect("notifications/cancelled").await;
}

#[tokio::test(start_paused = true)]
async fn what_a_stuck_server_never_read_is_proven_not_to_have_run() {
    let (link, _fake, _) = linked(LIMIT).await;
    // The first frames fill the pipe; the last one waits behind them and is taken back.
    let big = json!({ "text": "x".repeat(60_000) });
    let never = Cancel::new();
    let calls = join!(
        link.call(echo(&big), &never),
        link.call(echo(&big), &never),
        link.call(echo(&json!({})), &never)
    );
    assert!(matches!(calls.0, Err(CallError::Uncertain(_))), "{calls:?}");
    assert!(matches!(calls.2, Err(CallError::Unsent(_))), "{calls:?}");
}

#[tokio::test]
async fn c112_five_open_calls_end_when_the_server_dies() {
    let (link, mut fake, _) = linked(LIMIT).await;
    let never = Cancel::new();
    let one = || link.call(echo(&json!({})), &never);
    let (a, b, c, d, e, ()) = join!(one(), one(), one(), one(), one(), async move {
        for _ in 0..5 {
            fake.expect("tools/call").await;
        }
        drop(fake);
    });
    for answer in [a, b, c, d, e] {
        assert!(matches!(answer, Err(CallError::Uncertain(_))), "{answer:?}");
    }
    link.closed().cancelled().await;
    let after = link.call(echo(&json!({})), &never).await;
    assert!(matches!(after, Err(CallError::Unsent(_))), "{after:?}");
}

#[tokio::test]
async fn c113_a_huge_answer_is_cut_while_it_is_read_and_says_so() {
    let (link, mut fake, _) = linked(LIMIT).await;
    let many: Vec<Value> = (0..2_000)
        .map(|n| json!({ "type": "text", "text": format!("block {n}") }))
        .collect();
    let huge = [
        json!({ "content": [{ "type": "text", "text": "x".repeat(2_000_000) }] }),
        json!({ "content": many, "isError": true }),
        json!({ "content": [{ "type": "image", "data": "A".repeat(100_000), "mimeType": "image/png" }] }),
        json!({ "content": [], "structuredContent": { "rows": vec![1; 100_000] } }),
    ];
    for result in huge {
        let (answer, ()) = join!(run(&link, echo(&json!({}))), async {
            let request = fake.expect("tools/call").await;
            fake.answer(&request, result.clone()).await;
        });
        let Ok(Answer::Cut(cut)) = answer else {
            panic!("not cut")
        };
        assert!(cut.to_string().len() < 2 * LIMIT, "{cut}");
        assert_eq!(cut.get("structuredContent"), None);
        assert_eq!(cut["isError"].as_bool(), result["isError"].as_bool());
        let content = cut["content"].as_array().unwrap();
        assert!(content.iter().all(|block| block["type"] == "text"));
        let note = content.last().unwrap()["text"].as_str().unwrap();
        let size = json!({ "jsonrpc": "2.0", "id": 1, "result": result })
            .to_string()
            .len();
        assert!(
            note.contains(&format!("had {size} bytes")),
            "{note}: {size}"
        );
    }
}

#[tokio::test]
async fn c113_a_huge_error_is_cut_too() {
    let (link, mut fake, _) = linked(LIMIT).await;
    let (answer, ()) = join!(run(&link, echo(&json!({}))), async {
        let request = fake.expect("tools/call").await;
        fake.fail(&request, -32603, &"e".repeat(1_000_000)).await;
    });
    let Err(CallError::Failed(why)) = answer else {
        panic!("{answer:?}")
    };
    assert!(
        why.len() < LIMIT && why.contains("cut by tipstaff"),
        "{why}"
    );
}

#[tokio::test]
async fn c107_a_listing_has_all_pages_and_keeps_every_key() {
    let (link, mut fake, _) = linked(LIMIT).await;
    let odd = json!({ "name": "odd", "inputSchema": {}, "execution": { "x": 1 }, "_meta": { "y": 2 }, "new": [3] });
    let (listed, ()) = join!(link.list(), async {
        fake.list(&["t1", "t2"], Some("c1")).await;
        let request = fake.expect("tools/list").await;
        assert_eq!(request["params"]["cursor"], "c1");
        fake.answer(
            &request,
            json!({ "tools": [odd.clone()], "nextCursor": "c2" }),
        )
        .await;
        fake.list(&["t4"], None).await;
    });
    assert_eq!(listed.unwrap(), [tool("t1"), tool("t2"), odd, tool("t4")]);
}

#[tokio::test]
async fn c107_a_failure_on_page_two_is_an_error_and_no_listing() {
    let (link, mut fake, _) = linked(LIMIT).await;
    let (listed, ()) = join!(link.list(), async {
        fake.list(&["t1"], Some("c1")).await;
        let request = fake.expect("tools/list").await;
        fake.fail(&request, -32603, "broken").await;
    });
    assert!(
        listed
            .unwrap_err()
            .to_string()
            .starts_with("page 2 of the listing")
    );
}

#[tokio::test]
async fn a_listing_that_never_ends_or_is_too_long_is_none() {
    let (link, mut fake, _) = linked(LIMIT).await;
    let (listed, ()) = join!(link.list(), async {
        fake.list(&["t1"], Some("c1")).await;
        fake.list(&["t2"], Some("c1")).await;
    });
    assert!(listed.is_err());
    let (listed, ()) = join!(link.list(), fake.list(&["t"; 200], None));
    assert!(listed.is_err());
}

#[tokio::test]
async fn a_server_gets_nothing_of_us_but_a_pong() {
    let (_link, mut fake, _) = linked(LIMIT).await;
    fake.send(json!({ "jsonrpc": "2.0", "id": "p", "method": "ping" }))
        .await;
    assert_eq!(
        fake.read().await,
        json!({ "jsonrpc": "2.0", "id": "p", "result": {} })
    );
    let params = json!({ "messages": [], "maxTokens": 1 });
    fake.send(
        json!({ "jsonrpc": "2.0", "id": 2, "method": "sampling/createMessage", "params": params }),
    )
    .await;
    assert_eq!(fake.read().await["error"]["code"], -32601);
}

fn arguments() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(|value| json!(value)),
        any::<u64>().prop_map(|value| json!(value)),
        prop::num::f64::NORMAL.prop_map(|value| json!(value)),
        "\\PC{0,8}".prop_map(|value| json!(value)),
        ".{0,8}".prop_map(|value| json!(value)),
    ];
    let tree = leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| json!(items)),
            prop::collection::btree_map(".{0,6}", inner, 0..4).prop_map(|members| json!(members)),
        ]
    });
    prop::collection::btree_map(".{0,6}", tree, 0..4).prop_map(|members| json!(members))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn i1_what_the_server_reads_has_the_digest_of_what_was_judged(judged in arguments(), sent in arguments()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (link, mut fake, _) = linked(LIMIT).await;
            let mut call = echo(&judged);
            call.arguments = sent.as_object().unwrap().clone();
            let never = Cancel::new();
            let done = async {
                let request = fake.expect("tools/call").await;
                let digest = Digest::of(Domain::Params, &request["params"]["arguments"]).unwrap();
                assert_eq!(digest, Digest::of(Domain::Params, &judged).unwrap());
                fake.answer(&request, text("ok")).await;
                std::future::pending::<()>().await;
            };
            let answer = tokio::select! {
                answer = link.call(call, &never) => answer,
                () = done => unreachable!(),
            };
            assert_eq!(answer.is_ok(), judged == sent, "{answer:?}");
        });
    }
}
