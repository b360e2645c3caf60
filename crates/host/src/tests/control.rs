//! Both ends of the control socket, over a gate in memory.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use tipstaff_approval::Answer;
use tipstaff_gate::{AgentFacts, Call, Cancel, Clock, ExecutorKey, Gate, Ids, Outcome, Session};
use tipstaff_gate::{ExecError, ExecOutput, Executor, Prepared, Refusal, ValidCall, Warrant};
use tipstaff_journal::MemoryJournal;
use tipstaff_registry::NativeTool;
use tipstaff_schema::{
    AgentId, BackendId, Profile, ToolAnnotations, ToolDescriptor, ToolSource, ToolUsage, Verb,
};

use crate::control::*;
use crate::*;

#[derive(Debug)]
struct Done;

#[async_trait::async_trait]
impl Executor for Done {
    fn prepare(&self, call: &ValidCall<'_>) -> Result<Prepared, Refusal> {
        Ok(Prepared::plain(call.params.clone()))
    }

    async fn execute(&self, _: Warrant, _: Cancel) -> Result<ExecOutput, ExecError> {
        Ok(ExecOutput::text("done", "done"))
    }
}

fn agent() -> AgentId {
    AgentId::new("coder").unwrap()
}

async fn gate(people: Arc<Directory>) -> Gate {
    let now = SystemClock.now();
    let descriptor = ToolDescriptor {
        tool_id: "box".to_owned(),
        source: ToolSource::NativeBackend {
            backend: BackendId::new("box"),
        },
        verb: Verb::new("box", "open"),
        description: String::new(),
        input_schema: json!({ "type": "object" }),
        output_schema: None,
        capabilities: Vec::new(),
        annotations: ToolAnnotations::default(),
        usage: ToolUsage::default(),
        embedding: None,
        title: None,
        mcp_name: None,
    };
    Gate::builder()
        .journal(Arc::new(MemoryJournal::new(RandomIds.fresh(now), now)))
        .clock(Arc::new(SystemClock))
        .ids(Arc::new(RandomIds))
        .agents([(agent(), AgentFacts::default())].into_iter().collect())
        .people(people)
        .approver(Arc::new(Inbox))
        .native(NativeTool {
            descriptor,
            profile: Profile::unknown("open"),
        })
        .executor(ExecutorKey::Native(BackendId::new("box")), Arc::new(Done))
        .open()
        .await
        .unwrap()
}

/// A gate that holds one question, and a client of its socket.
async fn asked(state: &Path, people: Directory) -> (Gate, ControlServer, Client, PendingView) {
    let people = Arc::new(people);
    let gate = gate(Arc::<Directory>::clone(&people)).await;
    let server = ControlServer::listen(state, gate.clone(), people).unwrap();
    let session = Session::launched(agent());
    let outcome = gate
        .start(&session, Call::new("box", json!({})), &Cancel::new())
        .await;
    assert!(matches!(outcome, Outcome::Pending { .. }), "{outcome:?}");
    let socket = sockets(state).unwrap().remove(0);
    let mut client = Client::connect(&socket).await.unwrap().unwrap();
    let ControlReply::Pending { requests } = client.ask(&ControlRequest::Pending {}).await.unwrap()
    else {
        panic!("no list")
    };
    let question = requests.into_iter().next().unwrap();
    (gate, server, client, question)
}

fn answer(question: &PendingView, person: Option<&str>, secret: Option<&str>) -> ControlRequest {
    ControlRequest::Answer {
        id: question.id,
        digest: question.digest,
        answer: Answer::Approve,
        person: person.map(str::to_owned),
        secret: secret.map(str::to_owned),
    }
}

#[tokio::test]
async fn a_question_is_shown_and_answered_through_the_socket() {
    let state = tempfile::tempdir().unwrap();
    let (gate, server, mut client, question) = asked(state.path(), Directory::default()).await;
    let mode = std::fs::metadata(server.path())
        .unwrap()
        .permissions()
        .mode()
        & 0o777;
    assert_eq!(mode, 0o600);
    let reply = client
        .ask(&ControlRequest::Show { id: question.id })
        .await
        .unwrap();
    assert!(matches!(reply, ControlReply::Request { request } if request.text.contains("box")));
    let reply = client.ask(&answer(&question, None, None)).await.unwrap();
    assert!(matches!(reply, ControlReply::Answered { state } if state == "approved"));
    let outcome = gate
        .submit(
            &Session::launched(agent()),
            Call::new("box", json!({})),
            &Cancel::new(),
        )
        .await;
    assert!(matches!(outcome, Outcome::Completed { .. }), "{outcome:?}");
}

#[tokio::test]
async fn once_there_are_people_only_they_answer() {
    let state = tempfile::tempdir().unwrap();
    let people = Directory::new(
        [(
            tipstaff_schema::Person::new("ana").unwrap(),
            PersonFacts::default(),
        )]
        .into(),
    );
    let (gate, _server, mut client, question) = asked(state.path(), people).await;
    for (person, secret) in [
        (None, None),
        (Some("local"), None),
        (Some("ana"), Some("x")),
        (Some("eve"), Some("x")),
    ] {
        let reply = client
            .ask(&answer(&question, person, secret))
            .await
            .unwrap();
        assert!(
            matches!(reply, ControlReply::Refused { .. }),
            "{person:?}: {reply:?}"
        );
    }
    assert_eq!(gate.pending_approvals().len(), 1);
}

#[tokio::test]
async fn another_digest_and_an_unknown_question_answer_nothing() {
    let state = tempfile::tempdir().unwrap();
    let (gate, _server, mut client, mut question) = asked(state.path(), Directory::default()).await;
    question.digest =
        tipstaff_schema::Digest::of_canonical(tipstaff_schema::Domain::Request, b"other");
    let reply = client.ask(&answer(&question, None, None)).await.unwrap();
    assert!(matches!(reply, ControlReply::Refused { .. }), "{reply:?}");
    question.id = uuid::Uuid::nil();
    let reply = client.ask(&answer(&question, None, None)).await.unwrap();
    assert!(matches!(reply, ControlReply::NotFound {}), "{reply:?}");
    assert_eq!(gate.pending_approvals().len(), 1);
}

#[tokio::test]
async fn the_socket_of_an_ended_process_is_passed_over() {
    let state = tempfile::tempdir().unwrap();
    let dead = state.path().join("control-1.sock");
    drop(std::os::unix::net::UnixListener::bind(&dead).unwrap());
    assert!(Client::connect(&dead).await.unwrap().is_none());
    assert!(sockets(Path::new("/no-such-folder")).unwrap().is_empty());
}

#[tokio::test]
async fn rubbish_on_the_socket_is_refused_and_the_next_line_is_read() {
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
    let state = tempfile::tempdir().unwrap();
    let (_gate, server, _client, _question) = asked(state.path(), Directory::default()).await;
    let mut stream = BufReader::new(
        tokio::net::UnixStream::connect(server.path())
            .await
            .unwrap(),
    );
    stream
        .get_mut()
        .write_all(b"{\"type\":\"pending\",\"x\":1}\n\xff\n{\"type\":\"pending\"}\n")
        .await
        .unwrap();
    let mut replies = Vec::new();
    for _ in 0..3 {
        let mut line = String::new();
        stream.read_line(&mut line).await.unwrap();
        replies.push(line.contains("\"refused\""));
    }
    assert_eq!(replies, [true, true, false]);
}
