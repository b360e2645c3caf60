//! What is refused before anything runs, what people are shown, and tasks for subagents.

use std::sync::{Arc, Mutex};

use serde_json::json;
use tipstaff_gate::{Cancel, Context, Outcome, Session, Verdict};
use tipstaff_schema::{AgentId, Effect};

use super::bench::{Bench, agent, bench, place, ruled};
use crate::{
    Delegate, DelegateError, Delegated, DepthLedger, MAX_DEPTH, SpawnError, SpawnSettings,
    SpawnTool, Task,
};

/// Takes tasks, keeps them, and answers as the test says.
#[derive(Debug)]
struct Helper {
    tasks: Mutex<Vec<Task>>,
    answer: Result<Delegated, DelegateError>,
}

#[async_trait::async_trait]
impl Delegate for Helper {
    fn child_of(&self, _: &AgentId) -> AgentId {
        agent("helper")
    }

    async fn run(&self, task: Task) -> Result<Delegated, DelegateError> {
        self.tasks.lock().unwrap().push(task);
        self.answer.clone()
    }
}

fn helper(answer: Result<Delegated, DelegateError>) -> (Arc<Helper>, SpawnSettings) {
    let helper = Arc::new(Helper {
        tasks: Mutex::default(),
        answer,
    });
    let mut settings = SpawnSettings::default();
    settings.delegate = Some(Arc::<Helper>::clone(&helper) as Arc<dyn Delegate>);
    (helper, settings)
}

fn answered(text: &str) -> Result<Delegated, DelegateError> {
    Ok(Delegated::Answer(text.to_owned()))
}

fn no_shell() -> SpawnSettings {
    let mut settings = SpawnSettings::default();
    settings.no_shell = true;
    settings
}

#[tokio::test]
async fn what_does_not_parse_is_refused_with_the_form() {
    let bench = bench(SpawnSettings::default()).await;
    assert!(
        bench
            .refused("!")
            .await
            .starts_with("prepare: the command is empty: write it behind the `!`")
    );
    assert!(
        bench
            .refused("!@lab")
            .await
            .starts_with("prepare: `!@lab` has no command")
    );
}

#[tokio::test]
async fn no_shell_shuts_commands_off() {
    let bench = bench(no_shell()).await;
    assert_eq!(
        bench.refused("!echo hi").await,
        "prepare: commands are shut off here (`no_shell`)"
    );
}

#[tokio::test]
async fn an_unknown_placement_is_refused_with_the_known_ones() {
    let none = bench(SpawnSettings::default()).await;
    assert_eq!(
        none.refused("!@lab ls").await,
        "placement: there is no placement `lab`: none is registered, commands run where the host runs"
    );
    let places = [place("west"), place("east"), place("west")];
    let some = ruled(
        SpawnTool::with_targets(SpawnSettings::default(), places).unwrap(),
        &json!([]),
    )
    .await;
    assert_eq!(
        some.refused("!@lab ls").await,
        "placement: there is no placement `lab`; registered: east, west"
    );
    let mut call = Bench::call("!@east ls");
    call.placement = Some(place("west"));
    match some.gate.submit(&some.session, call, &Cancel::new()).await {
        Outcome::Refused { why, .. } => {
            assert!(why.contains("names `east` and the call `west`"), "{why}");
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_placement_that_nobody_serves_never_runs() {
    let tool = SpawnTool::with_targets(SpawnSettings::default(), [place("lab")]).unwrap();
    let rule = json!({
        "id": "lab", "capability": "spawn", "target": { "command": ["echo", "**"] }, "placement": "lab", "effects": "any", "effect": "allow",
    });
    let bench = ruled(tool, &json!([rule])).await;
    assert_eq!(
        bench.refused("!@lab echo hi").await,
        "never ran: nothing here runs commands on `lab`: this machine runs only its own"
    );
}

#[test]
fn settings_that_cannot_be_used_are_refused() {
    let with = |path: &[&str]| {
        let mut settings = SpawnSettings::default();
        settings.path = path.iter().map(|folder| (*folder).to_owned()).collect();
        SpawnTool::new(settings).map(|_| ())
    };
    assert_eq!(with(&["/usr/bin"]), Ok(()));
    assert_eq!(with(&[]), Err(SpawnError::EmptyPath));
    assert_eq!(
        with(&["/bin", "bin"]),
        Err(SpawnError::Path {
            folder: "bin".to_owned()
        })
    );
    assert_eq!(
        with(&["/bin:/tmp"]),
        Err(SpawnError::Path {
            folder: "/bin:/tmp".to_owned()
        })
    );
    let local = SpawnTool::with_targets(SpawnSettings::default(), [place("local")]);
    assert_eq!(local.map(|_| ()), Err(SpawnError::Local));
}

#[test]
fn the_description_speaks_of_placements_only_where_there_are_some() {
    let plain = SpawnTool::new(SpawnSettings::default())
        .unwrap()
        .capability();
    let text = &plain.descriptor.description;
    for example in [
        "`!git status`",
        "`find out why the build is slow`",
        "`!!important: read this first`",
        "one simple command",
    ] {
        assert!(text.contains(example), "{example}");
    }
    assert!(!text.contains("!@"));
    let schema = &plain.descriptor.input_schema;
    assert_eq!(schema["additionalProperties"], json!(false));
    assert_eq!(schema["properties"].as_object().unwrap().len(), 1);
    let tool = SpawnTool::with_targets(
        SpawnSettings::default(),
        [place("west"), place("east"), place("west")],
    )
    .unwrap();
    let placed = tool.capability().descriptor;
    let field = placed.input_schema["properties"]["input"]["description"]
        .as_str()
        .unwrap();
    for text in [placed.description.as_str(), field] {
        assert!(
            text.ends_with(
                "`!@name command` runs it elsewhere: `!@east uname -a`. Names: `east`, `west`."
            ),
            "{text}"
        );
    }
}

#[tokio::test]
async fn judging_a_command_runs_nothing_and_needs_no_program() {
    let bench = bench(SpawnSettings::default()).await;
    let call = Bench::call("!touch made");
    let verdict: Verdict = bench
        .gate
        .decide(&bench.session, &call, tipstaff_gate::Lookup::Strict);
    assert_eq!(verdict.effect, Effect::Ask);
    assert!(!bench.folder().join("made").exists());
}

#[tokio::test]
async fn without_a_delegate_tasks_are_refused() {
    let bench = bench(SpawnSettings::default()).await;
    assert!(
        bench
            .refused("tidy up")
            .await
            .starts_with("prepare: no subagents are available here")
    );
}

#[tokio::test]
async fn a_task_goes_to_the_delegate_one_level_deeper() {
    let (helper, settings) = helper(answered("42"));
    let bench = bench(settings).await;
    let answer = bench.runs("!!why?").await;
    assert_eq!(
        (answer.summary.as_str(), answer.output.as_deref()),
        ("the subagent answered", Some("42"))
    );
    let tasks = helper.tasks.lock().unwrap();
    let [task] = tasks.as_slice() else {
        panic!("one task")
    };
    assert_eq!((task.text.as_str(), task.depth), ("!why?", 1));
    assert_eq!(
        (&task.session.agent, task.session.parents.as_slice()),
        (&agent("helper"), &[agent("coder")][..])
    );
    assert_eq!(task.session.context, Context::Live);
}

#[tokio::test]
async fn silence_and_failure_of_a_subagent_are_told_apart() {
    let silent = bench(helper(Ok(Delegated::Empty)).1)
        .await
        .runs("tidy up")
        .await;
    assert_eq!(silent.summary, "the subagent ended and said nothing");
    let failed = DelegateError::Failed {
        why: "it gave up".to_owned(),
    };
    let failed = bench(helper(Err(failed)).1).await.submit("tidy up").await;
    assert!(
        matches!(
            failed,
            Outcome::Failed {
                never_ran: false,
                ..
            }
        ),
        "{failed:?}"
    );
    let never = DelegateError::NotStarted {
        why: "none is free".to_owned(),
    };
    let never = bench(helper(Err(never)).1).await.submit("tidy up").await;
    assert!(
        matches!(
            never,
            Outcome::Failed {
                never_ran: true,
                ..
            }
        ),
        "{never:?}"
    );
}

#[tokio::test]
async fn at_the_deepest_level_delegation_is_refused_and_commands_are_not() {
    let mut bench = bench(helper(answered("done")).1).await;
    bench.session = Session::launched(agent("coder")).child(agent("helper"));
    assert_eq!(bench.runs("tidy up").await.output.as_deref(), Some("done"));
    bench.session = bench.session.child(agent("deep"));
    assert_eq!(
        bench.refused("tidy up").await,
        "depth: delegation is as deep as it may get: do this task here, yourself"
    );
    assert_eq!(bench.runs("!echo hi").await.output.as_deref(), Some("hi\n"));
}

#[tokio::test]
async fn tasks_have_no_placement() {
    let bench = bench(helper(answered("done")).1).await;
    let mut call = Bench::call("tidy up");
    call.placement = Some(place("lab"));
    match bench
        .gate
        .submit(&bench.session, call, &Cancel::new())
        .await
    {
        Outcome::Refused { why, .. } => {
            assert_eq!(why, "tasks have no placement; only commands do");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_ledger_knows_an_agent_until_the_last_of_its_name_ends() {
    let ledger = DepthLedger::default();
    let root = Session::launched(agent("coder"));
    let helper = Session::launched(agent("helper")); // Says nothing of its lineage.
    let first = ledger.enter(&root, agent("helper")).unwrap();
    let second = ledger.enter(&root, agent("helper")).unwrap();
    drop(first);
    assert_eq!((ledger.of(&helper), second.depth()), (1, 1));
    let deep = ledger.enter(&helper, agent("deep")).unwrap();
    assert_eq!(deep.depth(), MAX_DEPTH);
    assert!(
        ledger
            .enter(&Session::launched(agent("deep")), agent("deeper"))
            .is_none()
    );
    drop(second);
    assert_eq!(ledger.of(&helper), 0);
    // Unknown to the ledger, it is as deep as its lineage says.
    assert_eq!(DepthLedger::default().of(&root.child(agent("helper"))), 1);
}
